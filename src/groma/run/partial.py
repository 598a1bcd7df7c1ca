"""The record of a run while it is being filled: flushed after every step, so that whatever ends it, what was
measured is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from groma.errors import ExitCode, GromaError
from groma.facts.reading import read_record
from groma.record.partial_file import finish, partial_path, remove_partial, write_partial
from groma.record.unfinished import command_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from groma.record import Advice, ProbeSamples, Record, Unfinished

F = TypeVar("F")


class PartialFile(NamedTuple):
    """Where the part of a run that was measured lies: `path`, which is usually that beside `output`."""

    path: Path
    output: Path


class Inference(Protocol[F]):
    """What a capability makes of the samples in its records."""

    def measured(self, record: Record[F]) -> Mapping[str, ProbeSamples]:
        """The samples of this run; a record may hold those of others."""
        ...

    def infer(self, record: Record[F]) -> None:
        """Set facts and warnings from the samples; may be repeated at any time."""
        ...

    def warn(self, record: Record[F], *some: Advice) -> None:
        """What disturbed the run, in addition to what its samples say."""
        ...

    def state(self, record: Record[F], path: Path) -> Unfinished | None:
        """What is left to do, None where nothing is."""
        ...

    def done(self, record: Record[F]) -> str:
        """How much of the whole was measured, such as "1 of 4 launches"."""
        ...

    def next_step(self, record: Record[F], partial_file: PartialFile, advised: str) -> str:
        """What the user does next; `advised` is what the problem itself advises."""
        ...


@dataclass
class PartialRecord(Generic[F]):
    """`redact` is applied to what is written and returned. `complete` adds to the record of a finished run
    what it keeps of others, before the facts are inferred. `kept` is the path beside which the part lies:
    `output`, unless that is a device which several runs write to.
    """

    record: Record[F]
    output: Path
    inference: Inference[F]
    redact: Callable[[Record[F]], Record[F]] = field(default=lambda record: record)
    complete: Callable[[Record[F]], None] = field(default=lambda _: None)
    kept: Path = field(init=False)

    def __post_init__(self) -> None:
        self.kept = self.output

    def warn(self, *some: Advice) -> None:
        self.inference.warn(self.record, *some)

    def flush(self) -> Path:
        """A record that lacks no step has its facts, whatever happens before the output is written. Until a
        step is finished, that of an earlier run stays.
        """
        if self.earlier is not None:
            return self.earlier.path
        if self._state(self.record) is None:
            self.inference.infer(self.record)
        record = self.redact(self.record)
        record.unfinished = self._state(record)
        return write_partial(self.kept, record)

    @property
    def earlier(self) -> EarlierRun | None:
        """What would be lost if this run wrote its record now: finished steps of another, while it has none
        itself. A run that is resumed has those of the other.
        """
        found = self._found_at_first
        if found is None:
            return None
        own = _has_finished_steps(self._state(self.record), self.inference.measured(self.record))
        return None if own else found

    @cached_property
    def _found_at_first(self) -> EarlierRun | None:
        return earlier_run(partial_path(self.kept))

    def saved(self, problem: GromaError, task: str = "") -> GromaError:
        """The problem with the task that it ended and where the part that was measured is; without one the
        partial record goes, unless it is of an earlier run.
        """
        if self.earlier is not None:
            return self.earlier.outlives(problem, task)
        if not self.inference.measured(self.record):
            remove_partial(self.kept, self.record)
            return problem
        self.inference.infer(self.record)
        partial_file = PartialFile(self.flush(), self.output)
        where = f"{task}: " if task else ""
        what = f"{where}{problem.what}; {self.inference.done(self.record)} are saved in {partial_file.path}"
        redacted = self.redact(self.record)
        return problem.saying(what, self.inference.next_step(redacted, partial_file, problem.next_step))

    def finish(self) -> Record[F]:
        """The record with its facts, written to `output`.

        Raises GromaError: exit code 5 where no step could be measured, 4 where it cannot be written.
        """
        measured = self.inference.measured(self.record)
        if not any(samples.done for samples in measured.values()):
            raise _nothing_ran(measured)
        self.complete(self.record)
        self.inference.infer(self.record)
        record = self.redact(self.record)
        record.unfinished = None
        finish(self.output, record, self.kept)
        return record

    def _state(self, record: Record[F]) -> Unfinished | None:
        return self.inference.state(record, partial_path(self.kept))


class EarlierRun(NamedTuple):
    """A partial record with finished steps that lies where a run is to keep its own. `state` is None where it
    lacks none.
    """

    path: Path
    state: Unfinished | None

    @property
    def note(self) -> str:
        """To be said before a run begins that was not told to resume it."""
        return (
            f"{self._holds}; this run replaces it when it has finished a step. "
            f"To keep it, press Ctrl-C now and {self._resume or 'move it'}"
        )

    def outlives(self, problem: GromaError, task: str) -> GromaError:
        """The problem of a run that ended before it had finished a step."""
        where = f"{task}: " if task else ""
        what = f"{where}{problem.what}; this run has finished no step, {self._holds}"
        show = f"show it with: {command_line('groma', 'show', str(self.path))}"
        return problem.saying(what, problem.next_step or self._resume or show)

    @property
    def _holds(self) -> str:
        return f"{self.path} holds an earlier run{f' ({self.state.what})' if self.state is not None else ''}"

    @property
    def _resume(self) -> str:
        """Not every run can be resumed."""
        return self.state.next if self.state is not None and "--resume" in self.state.next else ""


def earlier_run(path: Path) -> EarlierRun | None:
    """None where there is no partial record, or one without anything to lose."""
    try:
        record = read_record(path)
    except GromaError:
        return None
    found = EarlierRun(path, record.unfinished)
    return found if _has_finished_steps(record.unfinished, record.samples) else None


def _has_finished_steps(state: Unfinished | None, measured: Mapping[str, ProbeSamples]) -> bool:
    return (state is not None and state.done > 0) or any(one.done for one in measured.values())


def _nothing_ran(measured: Mapping[str, ProbeSamples]) -> GromaError:
    errors = [samples.error for samples in measured.values() if samples.error is not None]
    what, step = (errors[0].what, errors[0].next) if errors else ("no probe ran", "run groma doctor")
    return GromaError(f"nothing was measured: {what}", step, ExitCode.NOTHING_RAN)
