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
from groma.launch.command import Command, SelectedLauncher, Start, command_line
from groma.launch.prepare import Timeouts
from groma.launch.shape import Shape
from groma.run.interruption import Interruption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.launch.prepare import LaunchPlan
    from groma.run.job import Job, JobResult
    from groma.run.launch_results import LaunchResults

DO_NOTHING = Start(words=("true",))
ONE_RANK = Shape(ranks=1, nodes=1, per_node=1, bind="none")

MOST_NAMED = 8


class NodeCheckLimits(NamedTuple):
    """Seconds that a node has to answer, seconds after which no further one is asked, nodes at a time, and
    seconds that a launcher has to end by itself.

    A remote shell starts a daemon within two seconds: 32 at a time, a thousand nodes take a minute.
    """

    answer: float = 15.0
    total: float = 60.0
    at_once: int = 32
    kill: float = 1.0


USUAL = NodeCheckLimits()


def longest_check(nodes: int, setup: LaunchPlan, limits: NodeCheckLimits = USUAL) -> float:
    """Seconds that asking so many nodes takes at most."""
    turns = -(-nodes // limits.at_once)
    one = _answer_seconds(setup, limits) + limits.kill
    return min(turns * one, limits.total + one)


def _answer_seconds(setup: LaunchPlan, limits: NodeCheckLimits) -> float:
    return min(limits.answer, setup.timeouts.start)


class NodeCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Of `nodes` those that answered, and what the launcher said of those that did not ("": nothing).

    A node in neither was not asked for want of time.
    """

    nodes: tuple[str, ...]
    answered: tuple[str, ...] = ()
    silent: dict[str, str] = {}


def nodes_of(setup: LaunchPlan, known: LaunchResults) -> tuple[str, ...]:
    """The nodes of a launch by the names that its launcher knows, else by those that the ranks report."""
    reported = dict.fromkeys(one.host for one in known.run.placement) if known.run is not None else {}
    return (setup.selected.hosts or tuple(reported))[: setup.shape.nodes]


def can_be_asked(setup: LaunchPlan, nodes: Sequence[str]) -> bool:
    """Whether there are nodes, and the launcher can be kept to one, by a flag or a file of hosts."""
    launcher, template = setup.selected.launcher, setup.selected.template
    names_a_node = "{hostfile}" in template if template else bool(launcher.on_node or launcher.hostfile)
    return names_a_node and bool(nodes)


def check_nodes(
    setup: LaunchPlan,
    nodes: Sequence[str],
    job: Job,
    interruption: Interruption,
    limits: NodeCheckLimits = USUAL,
) -> NodeCheck | None:
    """Ask all of them, several at a time; None where they cannot be asked, or on an interruption. Takes
    `total` + `answer` + `kill` seconds at most.
    """
    if not can_be_asked(setup, nodes):
        return None
    seconds = _answer_seconds(setup, limits)
    timeouts = Timeouts(start=seconds, silence=seconds, end=seconds, kill=limits.kill)
    with tempfile.TemporaryDirectory(prefix="groma-nodes-") as folder:
        files = [Path(folder) / str(number) for number in range(len(nodes))]
        checks = [_Check(_command(setup, node, file)) for node, file in zip(nodes, files, strict=True)]
        running = _Checks(job, timeouts, time.monotonic() + limits.total)
        answers = running.all(checks, interruption, limits.at_once)
    return None if interruption.requested else _result(nodes, answers)


def _command(setup: LaunchPlan, node: str, hostfile: Path) -> Command:
    """Starts a program that does nothing on this node only."""
    alone = _alone_on(setup.selected, node, hostfile)
    return Command(words=command_line(alone, ONE_RANK, DO_NOTHING).words, variables=setup.command.variables)


def _alone_on(selected: SelectedLauncher, node: str, hostfile: Path) -> SelectedLauncher:
    if selected.launcher.on_node and not selected.template:
        flags = (word.format(node=node) for word in selected.launcher.on_node)
        return msgspec.structs.replace(selected, extra=(*selected.extra, *flags))
    hostfile.write_text(f"{node}\n")
    return msgspec.structs.replace(selected, hostfile=str(hostfile), slots="")


@dataclass
class _Check:
    command: Command
    interruption: Interruption = field(default_factory=Interruption)


class _Checks(NamedTuple):
    """`until` is when nobody is asked any more (s, monotonic)."""

    job: Job
    timeouts: Timeouts
    until: float

    def all(
        self, checks: Sequence[_Check], interruption: Interruption, at_once: int
    ) -> list[JobResult | None]:
        """How each ended, None where it was not started. An interruption ends all of them."""
        with ThreadPoolExecutor(at_once) as pool:
            started = [pool.submit(self._run, one) for one in checks]
            while wait(started, timeout=0.1).not_done and not interruption.requested:
                pass
            if interruption.requested:
                for one in checks:
                    one.interruption(signal.SIGINT, None)
        return [one.result() for one in started]

    def _run(self, check: _Check) -> JobResult | None:
        if check.interruption.requested or time.monotonic() > self.until:
            return None
        try:
            return self.job(check.command, lambda _: None, check.interruption, self.timeouts)
        except GromaError:  # the launcher itself is not there
            return None


def _result(nodes: Sequence[str], answers: Sequence[JobResult | None]) -> NodeCheck:
    checked = {node: ended for node, ended in zip(nodes, answers, strict=True) if ended is not None}
    answered = {
        node: None for node, one in checked.items() if one.ending == "finished" and one.returncode == 0
    }
    silent = {node: _cause(one) for node, one in checked.items() if node not in answered}
    return NodeCheck(nodes=tuple(nodes), answered=tuple(answered), silent=silent)


def _cause(ended: JobResult) -> str:
    """Launchers that were ended complain of that as well, which is no cause."""
    return cause_of(ended.complaints) if ended.ending == "finished" else said_by_shell(ended.complaints)


# ---- in words ----------------------------------------------------------------------------------------------


def with_node_check(problem: GromaError, found: NodeCheck, *, hung: bool) -> GromaError:
    """The problem with the nodes that do not answer; where a launch `hung`, also that all of them do."""
    if not found.silent:
        also = f"; {_all_answer(found)}" if hung and found.answered else ""
        return problem.saying(f"{problem.what}{also}", problem.next_step)
    cause = next(filter(None, found.silent.values()), "")
    what, step = _silence(found)
    return problem.saying(f"{problem.what}; {what}{f' ({cause})' if cause else ''}", step)


def _all_answer(found: NodeCheck) -> str:
    if len(found.answered) == len(found.nodes):
        return f"each of the {len(found.nodes)} nodes answers when asked alone"
    return f"{len(found.answered)} of {len(found.nodes)} nodes were asked alone, and all answer"


def _silence(found: NodeCheck) -> tuple[str, str]:
    """What is wrong, and what to do."""
    if not found.answered:
        return f"none of {_asked(found)} nodes answers", "check whether the launcher works: groma doctor"
    if len(found.answered) == 1 < len(found.silent):
        (left,) = found.answered
        return f"of {_asked(found)} nodes only {left} answers", f"check the link of {left}"
    names = _listed(list(found.silent))
    them = "them" if len(found.silent) > 1 else "it"
    what = f"{names} {'do' if len(found.silent) > 1 else 'does'} not answer"
    return what, f"test a remote shell to {them}, or exclude {them} with --hostfile or --nodes"


def _asked(found: NodeCheck) -> str:
    checked = len(found.answered) + len(found.silent)
    return str(checked) if checked == len(found.nodes) else f"{checked} (of {len(found.nodes)}) asked"


def _listed(names: Sequence[str]) -> str:
    shown, more = names[:MOST_NAMED], len(names) - MOST_NAMED
    if more > 0:
        return f"{', '.join(shown)} and {more} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
