"""The loop of every run: start what is missing, follow it, keep what it measured, go on or say how to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from groma.errors import GromaError
from groma.record.writing import refuse_unwritable
from groma.run.listener import Listener
from groma.run.sole_writer import sole_writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import Advice, Record
    from groma.run.interruption import Interruption
    from groma.run.partial import PartialRecord

F = TypeVar("F")


class Task(Protocol[F]):
    """What is started as one: a probe on this node, or a launch of ranks.

    A resumed run keeps a task that is done and measures any other one again. `budget` is in seconds; `name`
    is "" where messages need none.
    """

    @property
    def name(self) -> str: ...
    @property
    def budget(self) -> float: ...

    def is_done(self, record: Record[F]) -> bool: ...

    def measure(self, partial: PartialRecord[F], follower: Follower) -> None:
        """Raises GromaError where the run cannot go on; what was measured until then is in the record."""
        ...


@dataclass(frozen=True)
class Follower:
    """How the user follows a task and may interrupt it. `after` is the time (s) of all later tasks."""

    listener: Listener
    interruption: Interruption
    after: float = 0.0


@dataclass
class Run(Generic[F]):
    """`beforehand` is what was known to disturb measurements when it began."""

    tasks: Sequence[Task[F]]
    partial: PartialRecord[F]
    listener: Listener = field(default_factory=Listener)
    beforehand: tuple[Advice, ...] = ()

    def run(self, interruption: Interruption) -> Record[F]:
        """Measure what is missing and return the finished record, written to its output.

        Nothing is started before the output proved writable. Raises GromaError: exit code 130 when
        interrupted; 5 when nothing could be measured; 4 where the output cannot be written, or where a launch
        died, hung or put its ranks elsewhere than asked for, or where another run has the same output; 2
        where a program refused what was asked. What was measured until then is in the partial record. That of
        an earlier run stays until a step of this one is finished. A failed validation is no exception: facts
        tell it.
        """
        refuse_unwritable(self.partial.output)
        with sole_writer(self.partial.output) as kept:
            self.partial.kept = kept
            return self._run_tasks(interruption)

    def _run_tasks(self, interruption: Interruption) -> Record[F]:
        self.partial.warn(*self.beforehand)
        if self.partial.earlier is not None:
            self.listener.noted(self.partial.earlier.note)
        self.partial.flush()
        left = [task for task in self.tasks if not task.is_done(self.partial.record)]
        for number, task in enumerate(left):
            after = sum(one.budget for one in left[number + 1 :])
            try:
                task.measure(self.partial, Follower(self.listener, interruption, after))
            except GromaError as problem:
                raise self.partial.saved(problem, task.name) from problem
        return self.partial.finish()
