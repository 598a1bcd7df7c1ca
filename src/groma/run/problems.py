"""What can go wrong with a launch, in one line: what it was, and what to do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from groma.errors import ExitCode, GromaError
from groma.launch.causes import cause_of, ending_of, notes_by, said_by
from groma.launch.command import name_of
from groma.launch.prepare import LaunchPlan, Tool, refusal
from groma.record.counting import counted
from groma.run.node_check import can_be_asked, check_nodes, longest_check, nodes_of, with_node_check
from groma.run.signals import named

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.run.interruption import Interruption
    from groma.run.job import Job, JobResult
    from groma.run.launch_results import LaunchResults
    from groma.run.listener import Listener


def refuse_wrong_start(known: LaunchResults, setup: LaunchPlan) -> None:
    """Raises GromaError (exit code 4) where the launcher started something else than was asked for."""
    if known.run is None or (known.starts == 1 and known.run.ranks == setup.shape.ranks):
        return
    launcher = name_of(setup.selected)
    if known.run.ranks == 1:
        raise GromaError(
            f"{launcher} started independent programs instead of {setup.shape.ranks} ranks of one program",
            f"it does not belong to {known.run.mpi.partition(',')[0]}; use the --launcher of that MPI",
            ExitCode.ENVIRONMENT,
        )
    raise GromaError(
        f"{launcher} started {known.run.ranks} ranks, not {setup.shape.ranks} as requested",
        "check the launch command with --dry-run",
        ExitCode.ENVIRONMENT,
    )


def _while_at(known: LaunchResults) -> str:
    if known.run is None:
        return "before the first rank answered"
    return f"during {known.current}" if known.current else "at the end of the run"


class LaunchEnd(NamedTuple):
    """A launch that has ended: its plan, its results, how it ended."""

    tool: Tool
    setup: LaunchPlan
    known: LaunchResults
    ended: JobResult

    @property
    def program_reported(self) -> bool:
        """Whether the program itself said what went wrong."""
        said = said_by(self.tool.program, self.ended.complaints)
        return self.known.failure is not None or said is not None


def with_silent_nodes(
    problem: GromaError, end: LaunchEnd, job: Job, interruption: Interruption, listener: Listener
) -> GromaError:
    """The problem, with the nodes that do not answer where one of them may be its cause. Asks all nodes."""
    if end.setup.shape.nodes < 2 or end.program_reported or end.ended.ending == "interrupted":
        return problem
    nodes = nodes_of(end.setup, end.known)
    if not can_be_asked(end.setup, nodes):
        return problem
    listener.noted(
        f"{problem.what}; asking each of {len(nodes)} nodes alone, "
        f"for at most {longest_check(len(nodes), end.setup):.0f} s"
    )
    found = check_nodes(end.setup, nodes, job, interruption)
    return problem if found is None else with_node_check(problem, found, hung=end.ended.ending == "stuck")


_WHOLE = {ExitCode.OK, ExitCode.VALIDATION_FAILED}
"""Return codes of a run that came to its end."""


def problem_of(end: LaunchEnd, retry: Callable[[str | None], str]) -> GromaError | None:
    """Why a launch gave less than a whole run, None where it gave one; `retry` says what to do about a death.

    A failed validation is a whole run.
    """
    known, ended = end.known, end.ended
    number = ended.signal_number if ended.ending == "interrupted" else _signal_to_all_ranks(end)
    if ended.ending == "interrupted" or number:
        return GromaError(f"interrupted {_while_at(known)}{named(number)}", "", ExitCode.INTERRUPTED)
    if ended.ending == "stuck":
        return stuck(ended, known)
    is_whole = ended.ending == "lingering" or ended.returncode in _WHOLE
    if known.complete and is_whole:
        return None
    return _died(end, retry)


_BY_SIGNAL = re.compile(r"interrupted by signal (\d+) ")


def _signal_to_all_ranks(end: LaunchEnd) -> int:
    """That a batch system sent to all ranks and not to groma, as the program notes it; 0 where none."""
    notes = notes_by(end.tool.program, end.ended.complaints)
    return next((int(found[1]) for note in notes if (found := _BY_SIGNAL.match(note))), 0)


def _died(end: LaunchEnd, retry: Callable[[str | None], str]) -> GromaError:
    """What the program itself said, else the best that the launcher said; what it remarked comes after."""
    known, ended = end.known, end.ended
    if known.failure is not None:
        return GromaError(known.failure.what, known.failure.next, _code_of(ended, known))
    if end.program_reported:
        return _refused(end)
    if known.unread and ended.returncode in _WHOLE:
        return _damaged(known, end.tool)
    cause = cause_of([*known.foreign, *ended.complaints], known.processes) or ending_of(ended.returncode)
    return GromaError(
        f"the launch died {_while_at(known)} ({cause})",
        retry(known.current),
        ExitCode.ENVIRONMENT,
        notes_by(end.tool.program, ended.complaints),
    )


def _damaged(known: LaunchResults, tool: Tool) -> GromaError:
    """Nothing died: what it printed did not arrive."""
    lines = f"{counted(known.unread, 'line')} of {tool.program}"
    missing = f"the result of {known.current} is missing" if known.current else "results are missing"
    return GromaError(
        f"the launcher damaged {lines}: {missing}",
        "check whether another program writes to its standard output; --dry-run prints the launch command",
        ExitCode.ENVIRONMENT,
    )


def _refused(end: LaunchEnd) -> GromaError:
    """In the words of the program; with the test where one had begun."""
    refused = refusal(end.tool, end.ended.returncode, end.ended.complaints)
    if end.known.current is None:
        return refused
    return refused.saying(f"{refused.what}, {_while_at(end.known)}", refused.next_step)


def stuck(ended: JobResult, known: LaunchResults) -> GromaError:
    return GromaError(
        f"the launch printed nothing for {ended.silence:.0f} s {_while_at(known)} and was ended",
        "a rank or the network may hang; --dry-run prints the launch command, --timeout TIME waits longer",
        ExitCode.ENVIRONMENT,
    )


_CODES = {
    "usage": ExitCode.USAGE,
    "memory": ExitCode.USAGE,
    "validation": ExitCode.VALIDATION_FAILED,
    "environment": ExitCode.ENVIRONMENT,
}


def _code_of(ended: JobResult, known: LaunchResults) -> ExitCode:
    """By what the program said, since not every launcher returns its programs' exit codes."""
    code = known.failure.code if known.failure is not None else ""
    otherwise = ExitCode.USAGE if ended.returncode == ExitCode.USAGE else ExitCode.ENVIRONMENT
    return _CODES.get(code, otherwise)
