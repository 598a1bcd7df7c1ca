"""What the simulator tells is kept, also where no field is made for it."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from groma.sim.torus.conftest import PROGRESS, result
from groma.sim.torus.protocol import Progress, Result, event_of


def decoded(**changed: Any) -> Result:
    found = event_of(json.dumps(result(**changed)).encode())
    assert isinstance(found, Result)
    return found


def test_numbers_without_a_field_are_values_by_name() -> None:
    found = decoded(
        accepted=0.5, latency_of_window={"n": 3, "mean": 7.5}, rates=[1, 2], mood="good", complete=True
    )
    assert found.values == {
        "accepted": [0.5],
        "latency_of_window.n": [3.0],
        "latency_of_window.mean": [7.5],
        "rates": [1.0, 2.0],
    }


def test_what_has_a_field_is_no_value() -> None:
    assert decoded(work=5).values == {}


def test_a_deadlock_has_the_ranks_of_its_cycle() -> None:
    blocked = [{"rank": 0, "step": 2, "waits_for": [1]}]
    found = decoded(deadlock={"cycle": [0, 1], "ranks": 2, "blocked": blocked})
    assert found.deadlock is not None
    assert found.deadlock.cycle == [0, 1]


def test_who_waits_when_a_run_is_ended_is_no_result() -> None:
    """All ranks wait for something then, in what looks like a cycle."""
    blocked = [{"rank": 0, "step": 2, "waits_for": [1]}]
    found = decoded(finished=False, unfinished={"cycle": [0, 1], "ranks": 2, "blocked": blocked})
    assert found.deadlock is None
    assert found.values == {}


def test_events_are_distinguished() -> None:
    assert isinstance(event_of(json.dumps(PROGRESS).encode()), Progress)
    assert event_of(b'{"event": "weather"}') is None
    with pytest.raises(msgspec.DecodeError):
        event_of(b'{"event": "result", "finished": "maybe"}')
