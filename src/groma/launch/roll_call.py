"""Which nodes do not answer after a launch on several of them failed: each is asked alone.

A launcher that waits for a node says nothing of it, and ranks that wait for each other do not know who is
gone. So every node is asked to start a program that does nothing.
"""

from __future__ import annotations

import signal
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from groma.errors import GromaError
from groma.launch.causes import cause_of, said_by_shell
from groma.launch.command import Chosen, Command, Start, command_line
from groma.launch.job import Patience
from groma.launch.native import Interruption
from groma.launch.shape import Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.launch.gather import Gathered
    from groma.launch.job import Ended
    from groma.launch.prepare import Prepared
    from groma.launch.run import Job

DO_NOTHING = Start(words=("true",))
ONE_RANK = Shape(ranks=1, nodes=1, per_node=1, bind="none")

MOST_NAMED = 8


class Terms(NamedTuple):
    """Seconds that a node has to answer, seconds after which no further one is asked, nodes at a time, and
    seconds that a launcher has to end by itself.

    A remote shell starts a daemon within two seconds: 32 at a time, a thousand nodes take a minute.
    """

    patience: float = 15.0
    total: float = 60.0
    at_once: int = 32
    kill: float = 1.0


USUAL = Terms()
LONGEST = USUAL.total + USUAL.patience + USUAL.kill
"""Seconds that all of it takes at most."""


class RollCall(msgspec.Struct, frozen=True, kw_only=True):
    """Of `nodes` those that answered, and what the launcher said of those that did not ("": nothing).

    A node in neither was not asked for want of time.
    """

    nodes: tuple[str, ...]
    answered: tuple[str, ...] = ()
    silent: dict[str, str] = {}


def nodes_of(setup: Prepared, known: Gathered) -> tuple[str, ...]:
    """The nodes of a launch by the names that its launcher knows, else by those that the ranks told."""
    told = dict.fromkeys(one.host for one in known.run.placement) if known.run is not None else {}
    return (setup.chosen.hosts or tuple(told))[: setup.shape.nodes]


def call_roll(
    setup: Prepared, nodes: Sequence[str], job: Job, interruption: Interruption, terms: Terms = USUAL
) -> RollCall | None:
    """Ask all of them, several at a time; None where the launcher cannot be kept to one node, or on an
    interruption. Takes `total` + `patience` + `kill` seconds at most.
    """
    seconds = min(terms.patience, setup.patience.start)
    patience = Patience(start=seconds, silence=seconds, end=seconds, kill=terms.kill)
    with tempfile.TemporaryDirectory(prefix="groma-roll-") as folder:
        files = [Path(folder) / str(number) for number in range(len(nodes))]
        commands = [_command(setup, node, file) for node, file in zip(nodes, files, strict=True)]
        questions = [_Question(command) for command in commands if command is not None]
        if not questions:
            return None
        asking = _Asking(job, patience, time.monotonic() + terms.total)
        answers = asking.all(questions, interruption, terms.at_once)
    return None if interruption.requested else _roll(nodes, answers)


def _command(setup: Prepared, node: str, hostfile: Path) -> Command | None:
    """Starts a program that does nothing on this node only; None where the launcher cannot."""
    alone = _alone_on(setup.chosen, node, hostfile)
    if alone is None:
        return None
    return Command(words=command_line(alone, ONE_RANK, DO_NOTHING).words, variables=setup.command.variables)


def _alone_on(chosen: Chosen, node: str, hostfile: Path) -> Chosen | None:
    if chosen.launcher.on_node and not chosen.template:
        flags = (word.format(node=node) for word in chosen.launcher.on_node)
        return msgspec.structs.replace(chosen, extra=(*chosen.extra, *flags))
    takes_file = "{hostfile}" in chosen.template if chosen.template else bool(chosen.launcher.hostfile)
    if not takes_file:
        return None
    hostfile.write_text(f"{node}\n")
    return msgspec.structs.replace(chosen, hostfile=str(hostfile))


@dataclass
class _Question:
    command: Command
    interruption: Interruption = field(default_factory=Interruption)


class _Asking(NamedTuple):
    """`until` is when nobody is asked any more (s, monotonic)."""

    job: Job
    patience: Patience
    until: float

    def all(
        self, questions: Sequence[_Question], interruption: Interruption, at_once: int
    ) -> list[Ended | None]:
        """How each ended, None where it was not put. An interruption ends all of them."""
        with ThreadPoolExecutor(at_once) as pool:
            asked = [pool.submit(self._put, one) for one in questions]
            while wait(asked, timeout=0.1).not_done and not interruption.requested:
                pass
            if interruption.requested:
                for one in questions:
                    one.interruption(signal.SIGINT, None)
        return [one.result() for one in asked]

    def _put(self, question: _Question) -> Ended | None:
        if question.interruption.requested or time.monotonic() > self.until:
            return None
        try:
            return self.job(question.command, lambda _: None, question.interruption, self.patience)
        except GromaError:  # the launcher itself is not there
            return None


def _roll(nodes: Sequence[str], answers: Sequence[Ended | None]) -> RollCall:
    asked = {node: ended for node, ended in zip(nodes, answers, strict=True) if ended is not None}
    answered = [node for node, one in asked.items() if one.ending == "finished" and one.returncode == 0]
    silent = {node: _cause(one) for node, one in asked.items() if node not in answered}
    return RollCall(nodes=tuple(nodes), answered=tuple(answered), silent=silent)


def _cause(ended: Ended) -> str:
    """Launchers that were ended complain of that as well, which is no cause."""
    return cause_of(ended.complaints) if ended.ending == "finished" else said_by_shell(ended.complaints)


# ---- in words ----------------------------------------------------------------------------------------------


def with_roll(problem: GromaError, roll: RollCall, *, hung: bool) -> GromaError:
    """The problem with the nodes that do not answer; where a launch `hung`, also that all of them do."""
    if not roll.silent:
        also = f"; {_all_answer(roll)}" if hung and roll.answered else ""
        return problem.saying(f"{problem.what}{also}", problem.next_step)
    cause = next(filter(None, roll.silent.values()), "")
    what, step = _silence(roll)
    return problem.saying(f"{problem.what}; {what}{f' ({cause})' if cause else ''}", step)


def _all_answer(roll: RollCall) -> str:
    if len(roll.answered) == len(roll.nodes):
        return f"each of the {len(roll.nodes)} nodes answers when it is asked alone"
    return f"{len(roll.answered)} of {len(roll.nodes)} nodes were asked alone, and all of them answer"


def _silence(roll: RollCall) -> tuple[str, str]:
    """What is wrong, and what to do."""
    if not roll.answered:
        return f"none of {_asked(roll)} nodes answers", "does the launcher start anything? groma doctor"
    if len(roll.answered) == 1 < len(roll.silent):
        (left,) = roll.answered
        return f"of {_asked(roll)} nodes only {left} answers", f"look at {left}: is its own link down?"
    names = _listed(list(roll.silent))
    them = "them" if len(roll.silent) > 1 else "it"
    what = f"{names} {'do' if len(roll.silent) > 1 else 'does'} not answer"
    return what, f"try a remote shell to {them}, or leave {them} out with --hostfile or --nodes"


def _asked(roll: RollCall) -> str:
    asked = len(roll.answered) + len(roll.silent)
    return str(asked) if asked == len(roll.nodes) else f"{asked} (of {len(roll.nodes)}) asked"


def _listed(names: Sequence[str]) -> str:
    shown, more = names[:MOST_NAMED], len(names) - MOST_NAMED
    if more > 0:
        return f"{', '.join(shown)} and {more} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
