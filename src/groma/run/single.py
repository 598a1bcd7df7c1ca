"""A run that is one launch, such as the suite: it keeps its tests one by one, and is not resumed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import msgspec

from groma.facts.unfinished import state_of
from groma.run.facts import launch_advice, unread_advice
from groma.run.launch import LaunchTask, MeasuringLaunch
from groma.run.partial import Inference, PartialRecord
from groma.run.provenance import new_record, provenance_of
from groma.run.run import Run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from groma.facts.kinds import Kind
    from groma.launch.prepare import LaunchPlan, Tool
    from groma.record import Advice, ProbeSamples, Record, Unfinished
    from groma.run.job import Job
    from groma.run.launch_results import LaunchResults
    from groma.run.listener import Step
    from groma.run.partial import PartialFile

F = TypeVar("F")


class ResultReader(Protocol[F]):
    """What one capability makes of the results of a launch."""

    def facts(self, known: LaunchResults) -> F: ...
    def advice(self, known: LaunchResults, facts: F) -> list[Advice]:
        """In addition to what every launch is warned of."""
        ...

    def retry(self, current: str | None) -> str:
        """What to do when the launch died while that test was on."""
        ...


def single_record(kind: Kind[F], setup: LaunchPlan, facts: F, **parameters: Any) -> Record[F]:
    """A record of one launch, before it begins."""
    plain = {"launch": setup.command.shell_line(), "shape": msgspec.to_builtins(setup.shape)}
    return new_record(kind, provenance_of(setup.program.build), plain | parameters, facts)


@dataclass(frozen=True)
class SingleLaunchRun(Generic[F]):
    """A run of one launch: the kind of its record, its tool, its launch plan, the reader of its results."""

    kind: Kind[F]
    tool: Tool
    setup: LaunchPlan
    reader: ResultReader[F]

    def run(self, record: Record[F], output: Path, job: Job) -> Run[F]:
        results = _Results(self)
        task = LaunchTask(_SingleLaunch(self, results), job)
        return Run([task], PartialRecord(record, output, results))


@dataclass
class _Results(Inference[F]):
    """Facts come from the results of the launch, which hold more than the samples."""

    run: SingleLaunchRun[F]
    warned: list[Advice] = field(default_factory=list)

    def measured(self, record: Record[F]) -> Mapping[str, ProbeSamples]:
        return record.samples

    def infer(self, record: Record[F]) -> None:
        """Was done when the results were collected."""

    def warn(self, record: Record[F], *some: Advice) -> None:
        del record
        self.warned += some

    def state(self, record: Record[F], path: Path) -> Unfinished | None:
        del path
        return state_of(record)

    def done(self, record: Record[F]) -> str:
        steps = self.run.kind.steps(record) if self.run.kind.steps is not None else None
        return "" if steps is None else steps.done_in_words

    def next_step(self, record: Record[F], partial_file: PartialFile, advised: str) -> str:
        del record
        return advised or f"show them with: groma show {partial_file.path}"

    def collect(self, record: Record[F], plan: LaunchPlan, known: LaunchResults) -> None:
        reader = self.run.reader
        record.samples = known.samples
        record.facts = reader.facts(known)
        record.warnings = [
            *self.warned,
            *launch_advice(known, plan),
            *reader.advice(known, record.facts),
            *unread_advice(known, record.kind, self.run.tool),
        ]


class _SingleLaunch(MeasuringLaunch[F]):
    def __init__(self, run: SingleLaunchRun[F], results: _Results[F]) -> None:
        self.tool, self.run, self.results = run.tool, run, results

    @property
    def steps(self) -> Mapping[str, Step]:
        return {step.probe: step for step in self.run.setup.steps}

    def begin(self, record: Record[F]) -> LaunchPlan:
        del record
        return self.run.setup

    def collect(self, record: Record[F], plan: LaunchPlan, known: LaunchResults) -> None:
        self.results.collect(record, plan, known)

    def retry(self, current: str | None) -> str:
        return self.run.reader.retry(current)
