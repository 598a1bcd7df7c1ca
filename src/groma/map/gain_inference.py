"""Launches of --measure that are done: written to a partial record, and read from it again."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from groma.errors import GromaError
from groma.facts.mapping import KIND
from groma.host.machine import Place
from groma.map.measure import PROBE, gain_of, launches_in, new_samples, turns_of
from groma.record.unfinished import Steps, command_line, unfinished
from groma.run.partial import PartialRecord
from groma.run.provenance import new_record, provenance_of
from groma.run.resume import resumed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from groma.facts.mapping import MappingFacts
    from groma.map.measure import Experiment
    from groma.record import Advice, Build, ProbeSamples, Record, Unfinished
    from groma.run.partial import PartialFile

_COUNT = re.compile("[0-9]{1,6}", re.ASCII)

NOTHING_ALIKE = "omit --resume to start again"


class RecordOutput(NamedTuple):
    """`output` is where the record goes; a partial one is beside it. `redact` is applied to what is kept."""

    output: Path
    resume: bool = False
    redact: Callable[[Record[MappingFacts]], Record[MappingFacts]] = lambda record: record


def begun(record_output: RecordOutput, build: Build, facts: MappingFacts) -> Record[MappingFacts]:
    """The record of a job with launches, with the samples of the one that is resumed.

    Raises GromaError (exit code 2) where there is nothing to resume, or another mapping or machine.
    """
    provenance = provenance_of(build)
    record = new_record(KIND, provenance, {}, facts)
    if record_output.resume:
        before = resumed(record_output.output, KIND, _place_of, provenance)
        if before.facts.mapping != facts.mapping or before.facts.launcher not in {None, facts.launcher}:
            raise GromaError("the partial record is of another mapping", NOTHING_ALIKE)
        record.samples, record.created = before.samples, before.created
    return record


def _place_of(record: Record[MappingFacts]) -> Place:
    return Place(record.environment, None, record.build)


@dataclass
class GainInference:
    """The gain that the launches of an experiment show."""

    experiment: Experiment

    def partial(
        self, record: Record[MappingFacts], record_output: RecordOutput
    ) -> PartialRecord[MappingFacts]:
        return PartialRecord(record, record_output.output, self, record_output.redact)

    def samples_in(self, record: Record[MappingFacts]) -> ProbeSamples:
        """Those that are there, else empty ones. Raises GromaError (exit code 2) for another kernel."""
        fresh = new_samples(self.experiment, self._kernel())
        found = record.samples.setdefault(PROBE, fresh)
        if found.parameters.get("kernel") != self._kernel() or found.seed != fresh.seed:
            raise GromaError("the partial record is of another kernel or seed", NOTHING_ALIKE)
        found.parameters["launches"] = str(self.experiment.pairs)
        return found

    def _kernel(self) -> str:
        replay = self.experiment.replay
        return f"{replay.title} #{hashlib.sha256(repr(replay).encode()).hexdigest()[:12]}"

    # ---- as groma.run.partial.Inference

    def measured(self, record: Record[MappingFacts]) -> Mapping[str, ProbeSamples]:
        return {name: one for name, one in record.samples.items() if launches_in(one)}

    def infer(self, record: Record[MappingFacts]) -> None:
        infer(record)

    def warn(self, record: Record[MappingFacts], *some: Advice) -> None:
        record.warnings += some

    def state(self, record: Record[MappingFacts], path: Path) -> Unfinished | None:
        del path
        return state_of(record)

    def done(self, record: Record[MappingFacts]) -> str:
        return _steps(record.samples[PROBE]).done_in_words

    def next_step(self, record: Record[MappingFacts], partial_file: PartialFile, advised: str) -> str:
        del partial_file
        return "; ".join(filter(None, [advised, f"continue with: {_resume(record)}"]))


# ---- what samples say --------------------------------------------------------------------------------------


def reopened(record: Record[MappingFacts], path: Path) -> Record[MappingFacts]:
    """A record of launches that were cut short, with the gain that they show."""
    del path
    record.unfinished = state_of(record)
    if record.unfinished is not None:
        infer(record)
    return record


def infer(record: Record[MappingFacts]) -> None:
    samples = record.samples[PROBE]
    record.facts.gain = gain_of(samples, samples.parameters.get("kernel", "").rpartition(" #")[0])


def state_of(record: Record[MappingFacts]) -> Unfinished | None:
    samples = record.samples.get(PROBE)
    return None if samples is None else unfinished(_steps(samples), _resume(record))


def _steps(samples: ProbeSamples) -> Steps:
    text = samples.parameters.get("launches", "")
    planned = int(text) if _COUNT.fullmatch(text) else 0
    done, turns = launches_in(samples), turns_of(planned, samples.seed)
    return Steps(
        noun="launch",
        planned=len(turns),
        done=done,
        missing=[f"launches {done + 1} to {len(turns)}"] if done < len(turns) else [],
    )


def _resume(record: Record[MappingFacts]) -> str:
    words = [word for word in record.command[1:] if word != "--resume"]
    return command_line("groma", *words, "--resume")
