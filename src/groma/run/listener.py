"""Who follows the progress of a run: the command line, or nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from groma.record import ProbeSamples


class Step(Protocol):
    """One part of a plan; `budget` in seconds, 0 where it is not known."""

    @property
    def probe(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def budget(self) -> float: ...


class Listener:
    """Shows nothing."""

    def started(self, step: Step, left: float) -> None:
        """`left` is the time (s) for this step and all later ones."""

    def replanned(self, before: float, now: float) -> None:
        """The ranks that have started expect all steps to take `now`, not `before` (s)."""

    def progressed(self, step: Step, samples: ProbeSamples) -> None: ...

    def finished(self, step: Step, samples: ProbeSamples) -> None: ...

    def noted(self, what: str) -> None:
        """Something that is no step of the plan takes its time, or has to be known before the first."""
