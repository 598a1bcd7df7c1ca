"""What happens to cables while a command runs: "slow h3-h4 200mbit", "cut h3", "restore h3"."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec

from groma.errors import GromaError
from groma.testbed.rates import Rate, parse_rate

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from groma.testbed.bed import Bed
    from groma.testbed.plan import Plan


class Event(msgspec.Struct, frozen=True):
    """`rate` (bit/s) is of "slow" alone. `after` are seconds since the command was started."""

    after: float
    action: str
    cable: str
    rate: Rate | None = None

    def happen(self, bed: Bed) -> None:
        if self.rate is not None:
            bed.slow(self.cable, self.rate)
        elif self.action == "cut":
            bed.cut(self.cable)
        else:
            bed.restore(self.cable)


def parse_event(after: float, text: str, plan: Plan) -> Event:
    """Raises GromaError (exit code 2) for what cannot be read, and for a cable that the bed has not."""
    match text.split():
        case ["slow", cable, rate]:
            return Event(after, "slow", plan.cable(cable).name, parse_rate(rate))
        case [("cut" | "restore") as action, cable]:
            return Event(after, action, plan.cable(cable).name)
    raise GromaError(
        f"{text!r} is not an event of a cable",
        'write for example "slow h3-h4 200mbit", "cut h3" or "restore h3"',
    )


class EventSchedule:
    """Lets events happen while it is the context.

    Its end raises the GromaError (exit code 4) of the first that failed, as one of a cable that is gone.
    """

    def __init__(self, bed: Bed, events: Iterable[Event]) -> None:
        self._bed = bed
        self._failures: list[GromaError] = []
        self._timers = [threading.Timer(one.after, self._happen, [one]) for one in events]

    def _happen(self, event: Event) -> None:
        try:
            event.happen(self._bed)
        except GromaError as failure:
            self._failures.append(failure)

    def __enter__(self) -> Self:
        for timer in self._timers:
            timer.daemon = True
            timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for timer in self._timers:
            timer.cancel()
        for timer in self._timers:
            timer.join()
        if kind is None and self._failures:
            raise self._failures[0]
