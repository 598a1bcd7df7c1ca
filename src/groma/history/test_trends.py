from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from groma.facts.comparison import Thresholds
from groma.history.index import Entry
from groma.history.trends import trends_of
from groma.record import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groma.facts.history import Trend
    from groma.record.naming import Better


def entry(value: float, number: int, better: Better = "higher", machine: str = "node17") -> Entry:
    quantity = Quantity(
        value=value, unit="B/s", low=0.99 * value, high=1.01 * value, confidence=0.95, method="m"
    )
    created = f"2026-{1 + number // 28:02}-{1 + number % 28:02}T00:00:00+00:00"
    return Entry(machine, "hpcc", "2 ranks", "hpcc.triad", better, created, f"{number}.json", quantity)


def trend(values: Iterable[float], better: Better = "higher") -> Trend:
    entries = [entry(value, number, better) for number, value in enumerate(values)]
    (found,) = trends_of(entries, Thresholds()).trends
    return found


def noisy(levels: Iterable[float], noise: float, seed: int) -> list[float]:
    random = np.random.default_rng(seed)
    return [1e10 * level * random.normal(1.0, noise) for level in levels]


@pytest.mark.parametrize("count", [6, 12, 40, 100])
def test_nights_that_only_scatter_have_no_change(count: int) -> None:
    changed = [bool(trend(noisy([1.0] * count, 0.02, seed)).changes) for seed in range(200)]
    assert np.mean(changed) <= 0.05


def test_the_latest_of_nights_that_only_scatter_is_usual_also_where_noise_has_a_tail() -> None:
    random = np.random.default_rng(21)
    nights = (1e10 / (1.0 + random.gamma(1.5, 0.03, 60)) for _ in range(400))
    assert np.mean([trend(one.tolist()).latest != "usual" for one in nights]) <= 0.025


def test_a_night_as_bad_as_one_before_is_usual() -> None:
    nights = noisy([1.0] * 60, 0.005, 22)
    nights[20] = 0.93e10
    assert trend([*nights, 0.94e10]).latest == "usual"
    assert trend([*nights, 0.92e10]).latest == "worse"


def test_a_new_level_is_found_where_it_begins() -> None:
    hit = 0
    for seed in range(100):
        found = trend(noisy([1.0] * 15 + [0.9] * 10, 0.02, seed)).changes
        hit += len(found) == 1 and abs(found[0].at - 15) <= 1 and found[0].verdict == "worse"
    assert hit >= 95


def test_a_time_that_grows_is_worse() -> None:
    (change,) = trend(noisy([1.0] * 10 + [1.2] * 10, 0.01, 3), better="lower").changes
    assert change.verdict == "worse"
    assert change.ratio.low < 1.2 < change.ratio.high


def test_every_level_is_found() -> None:
    found = trend(noisy([1.0] * 10 + [0.9] * 10 + [1.1] * 10, 0.01, 4)).changes
    assert [(one.at, one.verdict) for one in found] == [(10, "worse"), (20, "better")]


def test_one_bad_night_is_no_level() -> None:
    levels = [1.0] * 20
    levels[9] = 0.5
    assert trend(noisy(levels, 0.01, 5)).changes == []


@pytest.mark.parametrize("seed", range(5))
def test_the_last_night_alone_is_no_level_however_bad_it_is(seed: int) -> None:
    found = trend(noisy([1.0] * 59 + [0.6], 0.02, seed))
    assert (found.changes, found.latest) == ([], "worse")


def test_a_certain_change_that_is_too_small_to_matter_is_none() -> None:
    assert trend(noisy([1.0] * 30 + [0.99] * 30, 0.002, 6)).changes == []


def test_the_last_night_that_stands_out_is_reported_at_once() -> None:
    found = [trend(noisy([1.0] * 12 + [0.85], 0.02, seed)).latest for seed in range(100)]
    assert found.count("worse") >= 95
    usual = [trend(noisy([1.0] * 13, 0.02, seed)).latest for seed in range(200)]
    assert usual.count("usual") >= 190


@pytest.mark.parametrize("values", [[1e10], [1e10, 2e10, 1e10], [0.0, 0.0, 1.0, 0.0, 2.0], [-1.0] * 6])
def test_too_little_or_no_ratio_stays_open(values: list[float]) -> None:
    found = trend(values)
    assert found.changes == []
    assert found.latest == "open"


@pytest.mark.parametrize(
    "values",
    [
        [1e-300, 1e300, 1e-300, 1e300],
        [5e-324, 5e-324, 5e-324, 5e-324, 1e308],
        [1e10] * 10,
        [1e10] * 9 + [5e9],
        [float(number) for number in range(1, 9)],
    ],
)
def test_values_that_no_machine_has_fail_nothing(values: list[float]) -> None:
    found = trend(values)
    assert all(np.isfinite([one.ratio.value, one.ratio.low, one.ratio.high]).all() for one in found.changes)
    assert found.latest_ratio is None or np.isfinite(found.latest_ratio)


def test_a_night_without_a_rate_hides_no_change() -> None:
    values = noisy([1.0] * 15 + [0.8] * 15, 0.005, 3)
    values[5] = 0.0
    (change,) = trend(values).changes
    assert (change.at, change.verdict) == (15, "worse")
    assert trend(values).latest == "usual"


@pytest.mark.parametrize(("better", "verdict"), [("higher", "worse"), ("neither", "changed")])
def test_a_last_value_of_zero_stands_out(better: Better, verdict: str) -> None:
    found = trend([*noisy([1.0] * 15, 0.005, 3), 0.0], better)
    assert (found.latest, found.latest_ratio) == (verdict, 0.0)


def test_machines_are_never_mixed() -> None:
    entries = [entry(1e10, number) for number in range(6)]
    entries += [entry(5e9, number, machine="node18") for number in range(6)]
    found = trends_of(entries, Thresholds()).trends
    assert [(one.machine, len(one.points), one.changes) for one in found] == [
        ("node17", 6, []),
        ("node18", 6, []),
    ]
