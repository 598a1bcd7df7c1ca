"""Events are read before anything is started, and happen to the cable they name."""

from __future__ import annotations

import pytest

from groma.errors import ExitCode, GromaError
from groma.testbed.events import Event, parse_event
from groma.testbed.plan import Plan

RING = Plan((9,), 10**8)


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("slow h3-h4 200mbit", Event(5.0, "slow", "h3-h4", 200 * 10**6)),
        ("slow h4-h3 200mbit", Event(5.0, "slow", "h3-h4", 200 * 10**6)),
        ("cut h3", Event(5.0, "cut", "h3")),
        ("restore h8-h0", Event(5.0, "restore", "h8-h0")),
    ],
)
def test_events_are_read(text: str, event: Event) -> None:
    assert parse_event(5.0, text, RING) == event


@pytest.mark.parametrize("text", ["", "burn h3", "slow h3", "cut h3 200mbit", "slow h3 fast", "cut h9"])
def test_events_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(GromaError) as refused:
        parse_event(5.0, text, RING)
    assert refused.value.exit_code == ExitCode.USAGE


class FakeBed:
    def __init__(self) -> None:
        self.said: list[tuple[object, ...]] = []

    def slow(self, *what: object) -> None:
        self.said.append(("slow", *what))

    def cut(self, *what: object) -> None:
        self.said.append(("cut", *what))

    def restore(self, *what: object) -> None:
        self.said.append(("restore", *what))


@pytest.mark.parametrize("text", ["slow h3-h4 200mbit", "cut h3", "restore h3"])
def test_an_event_does_to_the_bed_what_it_says(text: str) -> None:
    bed = FakeBed()
    parse_event(0.0, text, RING).happen(bed)  # type: ignore[arg-type]
    action, cable, *rate = text.split()
    assert bed.said == [(action, cable, *([200 * 10**6] if rate else []))]
