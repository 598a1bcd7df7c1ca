"""Who is told how a run goes: the command line, or nobody."""

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
    """Keeps what it is told to itself."""

    def started(self, step: Step, left: float) -> None:
        """`left` is the time (s) for this step and all later ones."""

    def progressed(self, step: Step, samples: ProbeSamples) -> None: ...

    def finished(self, step: Step, samples: ProbeSamples) -> None: ...

    def noted(self, what: str) -> None:
        """Something takes its time that is no step of the plan."""
