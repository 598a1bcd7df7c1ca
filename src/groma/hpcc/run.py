"""Run the suite: launch, gather, check where it ran, keep what was measured whatever happens."""

from __future__ import annotations

import datetime as dt
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from groma.errors import ExitCode, GromaError
from groma.hpcc.gather import Gathered, Gatherer
from groma.hpcc.infer import facts_of_test, failed_checks, stability_advice, success_of
from groma.hpcc.setup import Setup, Step, refusal
from groma.launch.command import name_of
from groma.launch.job import Ended, cause_of, ending_of, run_job, said_by
from groma.launch.placement import is_inter_node, machines, placement_advice
from groma.record import Advice, Record
from groma.record.capture import capture_environment
from groma.record.hpcc import HpccFacts, HpccTest, Launch
from groma.record.io import write_record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from groma.launch.command import Command
    from groma.launch.job import Patience
    from groma.launch.native import Interruption
    from groma.record import ProbeSamples

HpccRecord = Record[HpccFacts]


class Job(Protocol):
    """The suite's only way to measure; tests put a recording in its place."""

    def __call__(
        self,
        command: Command,
        on_line: Callable[[bytes], None],
        interruption: Interruption,
        patience: Patience,
    ) -> Ended: ...


class Listener(Protocol):
    """Told how the run goes; the command line shows it."""

    def started(self, step: Step, left: float) -> None: ...
    def progressed(self, step: Step, samples: ProbeSamples) -> None: ...
    def finished(self, step: Step, samples: ProbeSamples) -> None: ...


def partial_path(output: Path) -> Path:
    """Where the tests that are done wait until all are: beside the output."""
    return output.with_name(output.stem + ".partial.json")


def new_record(setup: Setup) -> HpccRecord:
    return Record(
        kind="hpcc",
        created=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        command=[os.path.basename(sys.argv[0]), *sys.argv[1:]],  # noqa: PTH119 - a name, not a path
        build=setup.program.build,
        environment=msgspec.to_builtins(capture_environment()),
        parameters=parameters_of(setup),
        samples={},
        facts=HpccFacts(tests=[]),
    )


def parameters_of(setup: Setup) -> dict[str, Any]:
    return {
        "launch": setup.command.spoken(),
        "shape": msgspec.to_builtins(setup.shape),
        "sizes": setup.sizing.reason,
        "plan": setup.plan,
    }


@dataclass
class Suite:
    """One run. `output` is the record to be; nothing is started before its place proved writable."""

    setup: Setup
    record: HpccRecord
    output: Path
    listener: Listener
    beforehand: tuple[Advice, ...] = ()
    job: Job = run_job
    redact: Callable[[HpccRecord], HpccRecord] = field(default=lambda record: record)

    def run(self, interruption: Interruption) -> HpccRecord:
        """Measure and return the finished record, written to `output`.

        Raises GromaError: exit code 130 when interrupted, 2 where groma-hpcc refused what was asked, 4 where
        the launch died, hung or started something else than was asked for. What was measured until then is in
        the partial record. A failed validation is no exception: facts.success tells.
        """
        self._flush()
        course = _Course(self.setup, self.listener)
        gatherer = Gatherer(lambda known: self._follow(course, known))
        try:
            ended = self.job(self.setup.command, gatherer.take, interruption, self.setup.patience)
        except GromaError as problem:
            raise self._kept(problem) from problem
        self._fill(gatherer.gathered)
        found = self._problem(ended, gatherer.gathered)
        if found is not None:
            raise self._kept(found)
        write_record(self.output, self.record)
        partial_path(self.output).unlink(missing_ok=True)
        return self.record

    def _follow(self, course: _Course, known: Gathered) -> None:
        refuse_wrong_start(known, self.setup)
        if course.follow(known):
            self._fill(known)
            self._flush()

    def _flush(self) -> None:
        write_record(partial_path(self.output), self.record)

    def _fill(self, known: Gathered) -> None:
        self.record.samples = known.samples
        self.record.facts = facts_of(known, self.setup)
        self.record.warnings = warnings_of(known, self.setup, self.record.facts.tests, self.beforehand)
        self.record = self.redact(self.record)

    def _problem(self, ended: Ended, known: Gathered) -> GromaError | None:
        if ended.ending == "interrupted":
            return GromaError(f"interrupted {_while_at(known)}", "", ExitCode.INTERRUPTED)
        if ended.ending == "stuck":
            return stuck(ended, known)
        if known.complete and ended.returncode in {ExitCode.OK, ExitCode.VALIDATION_FAILED}:
            return None
        return died(ended, known)

    def _kept(self, problem: GromaError) -> GromaError:
        """The problem with where the part that was measured is; without one the partial record goes."""
        path = partial_path(self.output)
        if not self.record.samples:
            path.unlink(missing_ok=True)
            return problem
        self._flush()
        done = sum(test.done for test in self.record.facts.tests)
        what = f"{problem.what}; {done} of {len(self.setup.steps)} tests are kept in {path}"
        return GromaError(
            what, problem.next_step or f"look at them with: groma show {path}", problem.exit_code
        )


class _Course:
    """Which test is on, told to the listener."""

    def __init__(self, setup: Setup, listener: Listener) -> None:
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


# ---- facts and warnings ------------------------------------------------------------------------------------


def facts_of(known: Gathered, setup: Setup) -> HpccFacts:
    if known.run is None:
        return HpccFacts(tests=[])
    titles = {step.probe: step.title for step in setup.steps}
    tests = [
        facts_of_test(
            name,
            titles.get(name, name),
            [one for one in known.samples.values() if one.probe == name],
            known.outcomes.get(name),
        )
        for name in known.run.tests
        if name in known.outcomes or any(one.probe == name for one in known.samples.values())
    ]
    through = len(known.outcomes) == len(known.run.tests)
    summary = {key: value for one in known.outcomes.values() for key, value in one.summary.items()}
    return HpccFacts(
        tests=tests,
        success=success_of(tests) if through else (False if failed_checks(tests) else None),
        launch=launch_of(known, setup),
        plan=known.run.plan,
        summary=summary,
    )


def launch_of(known: Gathered, setup: Setup) -> Launch:
    assert known.run is not None  # noqa: S101 - asked for by callers that have one
    run = known.run
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


def warnings_of(
    known: Gathered, setup: Setup, tests: list[HpccTest], beforehand: tuple[Advice, ...]
) -> list[Advice]:
    placed = placement_advice(known.run.placement, setup.shape) if known.run is not None else []
    unread = [
        Advice(
            code="hpcc.unread",
            what=f"{known.unread} lines of groma-hpcc came broken through the launcher: samples are missing",
            next="see whether something else writes on its standard output",
        )
    ]
    planned = [
        Advice(code="hpcc.plan", what=str(what), next="see the sizes with --dry-run")
        for what in (known.run.plan.get("warnings", []) if known.run is not None else [])
    ]
    told = [advice for one in known.outcomes.values() for advice in one.warnings]
    return [
        *beforehand,
        *planned,
        *placed,
        *told,
        *stability_advice(tests),
        *(unread if known.unread else []),
    ]


# ---- what can go wrong -------------------------------------------------------------------------------------


def refuse_wrong_start(known: Gathered, setup: Setup) -> None:
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


def stuck(ended: Ended, known: Gathered) -> GromaError:
    return GromaError(
        f"nothing was heard for {ended.silence:.0f} s {_while_at(known)}: the launch was ended",
        "a rank or the network hangs? --dry-run shows the launch line, --patience TIME waits longer",
        ExitCode.ENVIRONMENT,
    )


def died(ended: Ended, known: Gathered) -> GromaError:
    """What the program itself said, else the best that the launcher said."""
    if known.failure is not None:
        return GromaError(known.failure.what, known.failure.next, _code_of(ended))
    if said_by("groma-hpcc", ended.complaints) is not None:
        return refusal(ended.returncode, ended.complaints)
    said = [cause_of([*known.foreign, *ended.complaints]), ending_of(ended.returncode)]
    return GromaError(
        f"the launch died {_while_at(known)} ({', '.join(filter(None, said))})",
        f"try this test alone: groma hpcc --only {known.current}" if known.current else "see: groma doctor",
        ExitCode.ENVIRONMENT,
    )


def _code_of(ended: Ended) -> ExitCode:
    return ExitCode.USAGE if ended.returncode == ExitCode.USAGE else ExitCode.ENVIRONMENT
