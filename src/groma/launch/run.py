"""Run a native MPI program: launch, gather, check where it ran, keep what was measured whatever happens."""

from __future__ import annotations

import datetime as dt
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.causes import cause_of, ending_of, notes_by, said_by
from groma.launch.command import name_of
from groma.launch.gather import Gathered, Gatherer
from groma.launch.job import Ended, run_job
from groma.launch.placement import is_inter_node, machines, placement_advice
from groma.launch.prepare import Prepared, Tool, refusal
from groma.launch.roll_call import LONGEST, call_roll, nodes_of, with_roll
from groma.launch.unfinished import state_of
from groma.record import Advice, Record
from groma.record.capture import capture_environment
from groma.record.keeping import finish, forget_partial, keep_partial
from groma.record.launch import Launch
from groma.record.writing import refuse_unwritable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from groma.launch.command import Command
    from groma.launch.job import Patience
    from groma.launch.listener import Listener
    from groma.launch.native import Interruption

F = TypeVar("F")


class Job(Protocol):
    """A run's only way to measure; tests put a recording in its place."""

    def __call__(
        self,
        command: Command,
        on_line: Callable[[bytes], bool | None],
        interruption: Interruption,
        patience: Patience,
    ) -> Ended: ...


class Reading(Protocol[F]):
    """What one capability makes of what was gathered."""

    def facts(self, known: Gathered) -> F: ...
    def advice(self, known: Gathered, facts: F) -> list[Advice]:
        """Beside what every launch is warned of."""
        ...

    def kept(self, facts: F) -> str:
        """How much of the whole the facts are, to be followed by "are kept in"."""
        ...

    def retry(self, current: str | None) -> str:
        """What to do when the launch died while that test was on."""
        ...


def new_record(kind: str, setup: Prepared, facts: F, **parameters: Any) -> Record[F]:
    return Record(
        kind=kind,
        created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        command=[os.path.basename(sys.argv[0]), *sys.argv[1:]],  # noqa: PTH119 - a name, not a path
        build=setup.program.build,
        environment=msgspec.to_builtins(capture_environment()),
        parameters={
            "launch": setup.command.spoken(),
            "shape": msgspec.to_builtins(setup.shape),
            **parameters,
            "plan": setup.plan,
        },
        samples={},
        facts=facts,
    )


@dataclass
class Run(Generic[F]):
    """One run. `output` is the record to be; nothing is started before its place proved writable."""

    tool: Tool
    setup: Prepared
    reading: Reading[F]
    record: Record[F]
    output: Path
    listener: Listener
    beforehand: tuple[Advice, ...] = ()
    job: Job = run_job
    redact: Callable[[Record[F]], Record[F]] = field(default=lambda record: record)

    def run(self, interruption: Interruption) -> Record[F]:
        """Measure and return the finished record, written to `output`.

        Raises GromaError: exit code 130 when interrupted, 2 where the program refused what was asked, 4 where
        the launch died, hung or started something else than was asked for. What was measured until then is in
        the partial record. A failed validation is no exception: the facts tell.
        """
        refuse_unwritable(self.output)
        self.record = self.redact(self.record)
        self._flush()
        course = _Course(self.setup, self.listener)
        gatherer = Gatherer(lambda known: self._follow(course, known))
        try:
            ended = self.job(self.setup.command, gatherer.take, interruption, self.setup.patience)
        except GromaError as problem:
            raise self._kept(problem) from problem
        self.beforehand = (*self.beforehand, *ending_advice(ended))
        self._fill(gatherer.gathered)
        end = LaunchEnd(self.tool, self.setup, gatherer.gathered, ended)
        found = problem_of(end, self.reading.retry)
        if found is not None:
            raise self._kept(with_silent_nodes(found, end, self.job, interruption, self.listener))
        self.record.unfinished = None
        finish(self.output, self.record)
        return self.record

    def _follow(self, course: _Course, known: Gathered) -> None:
        refuse_wrong_start(known, self.setup)
        if course.follow(known):
            self._fill(known)
            self._flush()

    def _flush(self) -> Path:
        self.record.unfinished = state_of(self.record)
        return keep_partial(self.output, self.record)

    def _fill(self, known: Gathered) -> None:
        self.record.samples = known.samples
        self.record.facts = self.reading.facts(known)
        self.record.warnings = [
            *self.beforehand,
            *launch_advice(known, self.setup),
            *self.reading.advice(known, self.record.facts),
            *unread_advice(known, self.record.kind, self.tool),
        ]
        self.record = self.redact(self.record)

    def _kept(self, problem: GromaError) -> GromaError:
        """The problem with where the part that was measured is; without one the partial record goes."""
        if not self.record.samples:
            forget_partial(self.output, self.record)
            return problem
        path = self._flush()
        what = f"{problem.what}; {self.reading.kept(self.record.facts)} are kept in {path}"
        return problem.saying(what, problem.next_step or f"look at them with: groma show {path}")


class _Course:
    """Which test is on, told to the listener."""

    def __init__(self, setup: Prepared, listener: Listener) -> None:
        self.steps = {step.probe: step for step in setup.steps}
        self.listener = listener
        self.current: str | None = None
        self.done = 0

    def follow(self, known: Gathered) -> bool:
        """Whether a test became done with the last event."""
        is_news = len(known.outcomes) > self.done
        if is_news:
            self._finish(known)
        if known.current != self.current:
            self.current = known.current
            if self.current in self.steps:
                self.listener.started(self.steps[self.current], self._left())
        elif self.current in self.steps and self.current in known.samples:
            self.listener.progressed(self.steps[self.current], known.samples[self.current])
        return is_news

    def _finish(self, known: Gathered) -> None:
        self.done = len(known.outcomes)
        name = list(known.outcomes)[-1]
        if name in self.steps and name in known.samples:
            samples = known.samples[name]
            samples.elapsed = sum(one.elapsed for one in samples.rounds)
            self.listener.finished(self.steps[name], samples)

    def _left(self) -> float:
        names = list(self.steps)
        at = names.index(self.current) if self.current in names else 0
        return sum(self.steps[name].budget for name in names[at:])


# ---- facts and warnings of every launch --------------------------------------------------------------------


def launch_of(known: Gathered, setup: Prepared) -> Launch | None:
    """How the ranks were started and where they were found; None before they told."""
    run = known.run
    if run is None:
        return None
    return Launch(
        launcher=name_of(setup.chosen),
        command=setup.command.spoken(),
        ranks=run.ranks,
        nodes=len(machines(run.placement)) or 1,
        threads=setup.shape.threads,
        binding=setup.shape.bind,
        inter_node=is_inter_node(run.placement),
        mpi=run.mpi.strip(" \0"),
        blas=run.blas,
        placement=run.placement,
    )


def launch_advice(known: Gathered, setup: Prepared) -> list[Advice]:
    return placement_advice(known.run.placement, setup.shape) if known.run is not None else []


def ending_advice(ended: Ended) -> list[Advice]:
    if ended.ending != "lingering":
        return []
    return [
        Advice(
            code="launch.lingering",
            what="all was measured, but the ranks did not end and were ended",
            next="the figures stand; MPI_Finalize of MPICH before 4.2 may wait for ever over TCP",
        )
    ]


def unread_advice(known: Gathered, kind: str, tool: Tool) -> list[Advice]:
    if not known.unread:
        return []
    return [
        Advice(
            code=f"{kind}.unread",
            what=f"{known.unread} lines of {tool.program} came broken through the launcher: "
            "samples are missing",
            next="see whether something else writes on its standard output",
        )
    ]


# ---- what can go wrong -------------------------------------------------------------------------------------


def refuse_wrong_start(known: Gathered, setup: Prepared) -> None:
    """Raises GromaError (exit code 4) where the launcher started something else than was asked for."""
    if known.run is None or (known.starts == 1 and known.run.ranks == setup.shape.ranks):
        return
    launcher = name_of(setup.chosen)
    if known.run.ranks == 1:
        raise GromaError(
            f"{launcher} started programs that do not know each other, not {setup.shape.ranks} ranks of one",
            f"it is not of {known.run.mpi.partition(',')[0]}: give the --launcher of that MPI",
            ExitCode.ENVIRONMENT,
        )
    raise GromaError(
        f"{launcher} started {known.run.ranks} ranks, {setup.shape.ranks} were asked for",
        "see the launch line with --dry-run",
        ExitCode.ENVIRONMENT,
    )


def _while_at(known: Gathered) -> str:
    if known.run is None:
        return "before the first rank answered"
    return f"while {known.current} was being measured" if known.current else "at the end of the run"


class LaunchEnd(NamedTuple):
    """A launch that has ended: what was asked for, what was gathered, how it went."""

    tool: Tool
    setup: Prepared
    known: Gathered
    ended: Ended

    @property
    def program_told(self) -> bool:
        """Whether the program itself said what went wrong."""
        said = said_by(self.tool.program, self.ended.complaints)
        return self.known.failure is not None or said is not None


def with_silent_nodes(
    problem: GromaError, end: LaunchEnd, job: Job, interruption: Interruption, listener: Listener
) -> GromaError:
    """The problem, with the nodes that do not answer where one of them may be its cause. Asks all nodes."""
    if end.setup.shape.nodes < 2 or end.program_told or end.ended.ending == "interrupted":
        return problem
    nodes = nodes_of(end.setup, end.known)
    listener.noted(f"{problem.what}; asking each of {len(nodes)} nodes alone, {LONGEST:.0f} s at most")
    roll = call_roll(end.setup, nodes, job, interruption)
    return problem if roll is None else with_roll(problem, roll, hung=end.ended.ending == "stuck")


def problem_of(end: LaunchEnd, retry: Callable[[str | None], str]) -> GromaError | None:
    """Why a launch gave less than a whole run, None where it gave one; `retry` says what to do about a death.

    A failed validation is a whole run.
    """
    known, ended = end.known, end.ended
    if ended.ending == "interrupted":
        return GromaError(f"interrupted {_while_at(known)}", "", ExitCode.INTERRUPTED)
    if ended.ending == "stuck":
        return stuck(ended, known)
    is_whole = ended.ending == "lingering" or ended.returncode in {ExitCode.OK, ExitCode.VALIDATION_FAILED}
    if known.complete and is_whole:
        return None
    return _died(end, retry)


def _died(end: LaunchEnd, retry: Callable[[str | None], str]) -> GromaError:
    """What the program itself said, else the best that the launcher said; what it remarked comes after."""
    known, ended = end.known, end.ended
    if known.failure is not None:
        return GromaError(known.failure.what, known.failure.next, _code_of(ended, known))
    if end.program_told:
        return _refused(end)
    cause = cause_of([*known.foreign, *ended.complaints], known.processes) or ending_of(ended.returncode)
    return GromaError(
        f"the launch died {_while_at(known)} ({cause})",
        retry(known.current),
        ExitCode.ENVIRONMENT,
        notes_by(end.tool.program, ended.complaints),
    )


def _refused(end: LaunchEnd) -> GromaError:
    """In the words of the program; with the test where one had begun."""
    refused = refusal(end.tool, end.ended.returncode, end.ended.complaints)
    if end.known.current is None:
        return refused
    return refused.saying(f"{refused.what}, {_while_at(end.known)}", refused.next_step)


def stuck(ended: Ended, known: Gathered) -> GromaError:
    return GromaError(
        f"nothing was heard for {ended.silence:.0f} s {_while_at(known)}: the launch was ended",
        "a rank or the network hangs? --dry-run shows the launch line, --patience TIME waits longer",
        ExitCode.ENVIRONMENT,
    )


_CODES = {
    "usage": ExitCode.USAGE,
    "memory": ExitCode.USAGE,
    "validation": ExitCode.VALIDATION_FAILED,
    "environment": ExitCode.ENVIRONMENT,
}


def _code_of(ended: Ended, known: Gathered) -> ExitCode:
    """By what the program said, since not every launcher returns its programs' exit codes."""
    told = known.failure.code if known.failure is not None else ""
    otherwise = ExitCode.USAGE if ended.returncode == ExitCode.USAGE else ExitCode.ENVIRONMENT
    return _CODES.get(told, otherwise)
