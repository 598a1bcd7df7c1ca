"""How often fifty quantities of one machine raise an alarm for nothing, and how often one is found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest

from groma.facts.comparison import Thresholds
from groma.facts.history import PointInTime, Trend
from groma.history.judging import judge
from groma.history.test_drift import drifting
from groma.record import Quantity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Noise = Literal["normal", "drift 0.3", "drift 0.5", "drift 0.8", "tail"]

QUANTITIES = 50
HISTORIES = 8


def noise(kind: Noise, nights: int, seed: int) -> NDArray[np.float64]:
    """Logarithms with a deviation of about 2 %; a row for each night."""
    if kind == "tail":
        tailed = np.random.default_rng(seed).standard_t(3.0, (nights, QUANTITIES)) / np.sqrt(3.0)
        return np.asarray(0.02 * tailed, dtype=np.float64)
    coefficient = float(kind.partition(" ")[2] or 0.0)
    return np.asarray(drifting(coefficient, nights, QUANTITIES, seed), dtype=np.float64).T * 2.0


def trends(logs: NDArray[np.float64]) -> list[Trend]:
    found = [
        Trend(
            machine="node17",
            kind="hpcc",
            shape="2 ranks",
            name=f"hpcc.q{number}",
            unit="B/s",
            better="higher",
            points=[point(1e10 * float(np.exp(one)), night) for night, one in enumerate(column)],
        )
        for number, column in enumerate(logs.T)
    ]
    judge(found, Thresholds())
    return found


def point(value: float, night: int) -> PointInTime:
    low, high = 0.99 * value, 1.01 * value
    quantity = Quantity(value=value, unit="B/s", low=low, high=high, confidence=0.95, method="m")
    return PointInTime(created=f"night {night}", file=f"{night}.json", value=quantity)


@pytest.mark.parametrize("kind", ["normal", "drift 0.3", "drift 0.5", "drift 0.8", "tail"])
@pytest.mark.parametrize("nights", [15, 40])
def test_fifty_quantities_that_only_scatter_raise_no_alarm(kind: Noise, nights: int) -> None:
    latest, changed = 0, 0
    for seed in range(HISTORIES):
        found = trends(noise(kind, nights, seed))
        latest += any(one.latest != "usual" for one in found)
        changed += any(one.changes for one in found)
    assert latest <= 1
    assert changed <= 1


def test_three_of_fifty_quantities_that_fall_tonight_are_found() -> None:
    found, wrong = 0, 0
    for seed in range(HISTORIES):
        logs = noise("normal", 30, seed)
        logs[-1, :3] += np.log(0.85)
        judged = trends(logs)
        found += sum(one.latest == "worse" for one in judged[:3])
        wrong += sum(one.latest != "usual" for one in judged[3:])
    assert found >= 0.9 * 3 * HISTORIES
    assert wrong <= 1


def test_three_of_fifty_quantities_that_fell_a_week_ago_are_found() -> None:
    found, wrong = 0, 0
    for seed in range(HISTORIES):
        logs = noise("normal", 30, seed)
        logs[-7:, :3] += np.log(0.9)
        judged = trends(logs)
        found += sum(any(abs(each.at - 23) <= 1 for each in one.changes) for one in judged[:3])
        wrong += sum(bool(one.changes) for one in judged[3:])
    assert found >= 0.9 * 3 * HISTORIES
    assert wrong <= 1


def test_a_step_of_all_quantities_is_found_in_a_short_history() -> None:
    logs = noise("normal", 12, 1)
    logs[6:] += np.log(0.8)
    assert sum(len(one.changes) == 1 and one.changes[0].at == 6 for one in trends(logs)) >= 45


def test_the_interval_of_a_change_holds_it() -> None:
    held = 0
    for seed in range(HISTORIES):
        logs = noise("drift 0.5", 60, seed)
        logs[30:, 0] += np.log(0.7)
        held += any(one.ratio.low <= 0.7 <= one.ratio.high for one in trends(logs)[0].changes)
    assert held >= HISTORIES - 2
