"""What runs that differ among themselves say, with the seeds of the promises in docs/compare.md."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.stats.change import change_of_samples
from groma.stats.quantities import median_quantity
from groma.stats.quotient import one_sample
from groma.stats.runs import change_of_runs, quantity_of_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.record import Quantity

LEVEL = 0.01


def runs(
    random: np.random.Generator, count: int, between: float, factor: float = 1.0, within: float = 0.02
) -> list[NDArray[np.float64]]:
    """Runs of twenty samples, each around a level of its own."""
    levels = factor * random.lognormal(0.0, between, count)
    return [level * random.normal(1.0, within, 20) for level in levels]


def medians(some: Sequence[NDArray[np.float64]]) -> list[Quantity]:
    return [median_quantity(one, "B/s", "median") for one in some]


def probability(old: Sequence[NDArray[np.float64]], new: Sequence[NDArray[np.float64]]) -> float:
    change = change_of_runs(medians(old), medians(new))
    assert change is not None
    assert change.probability is not None
    return change.probability


@pytest.mark.parametrize("between", [0.01, 0.02, 0.03])
@pytest.mark.parametrize("count", [2, 3, 5, 12])
def test_runs_of_one_machine_seldom_look_changed(between: float, count: int) -> None:
    random = np.random.default_rng(31)
    found = [
        probability(runs(random, count, between), runs(random, count, between)) <= LEVEL for _ in range(400)
    ]
    assert sum(found) <= 10  # 4 expected; more than 10 has a chance of 0.3 %


def test_samples_of_several_runs_in_one_heap_look_changed() -> None:
    """What this method is for: in one heap, far more than 1 in 100 equal sides differ."""
    random = np.random.default_rng(32)
    found = []
    for _ in range(100):
        old, new = (np.concatenate(runs(random, 3, 0.02)) for _ in range(2))
        found.append((change_of_samples(old, new).probability or 0.0) <= LEVEL)
    assert sum(found) >= 10


@pytest.mark.parametrize(("count", "between"), [(3, 0.01), (3, 0.03), (5, 0.02), (12, 0.03)])
def test_intervals_hold_the_true_factor_between_runs(count: int, between: float) -> None:
    random = np.random.default_rng(33)
    held = []
    for _ in range(300):
        change = change_of_runs(
            medians(runs(random, count, between)), medians(runs(random, count, between, 1.1))
        )
        assert change is not None
        held.append(change.ratio.low <= 1.1 <= change.ratio.high)
    assert np.mean(held) > 0.92


@pytest.mark.parametrize(("count", "between"), [(4, 0.01), (9, 0.02), (17, 0.03)])
def test_a_planted_change_of_five_per_cent_is_found_in_enough_runs(count: int, between: float) -> None:
    random = np.random.default_rng(34)
    found = [
        probability(runs(random, count, between), runs(random, count, between, 0.95)) <= LEVEL
        for _ in range(100)
    ]
    assert sum(found) >= 95


def test_one_run_against_several_takes_their_spread() -> None:
    random = np.random.default_rng(35)
    same = [probability(runs(random, 6, 0.02), runs(random, 1, 0.02)) <= LEVEL for _ in range(400)]
    assert sum(same) <= 10
    assert probability(runs(random, 6, 0.02), runs(random, 1, 0.02, 0.8)) <= LEVEL


def test_sides_that_scatter_unequally_keep_the_level() -> None:
    random = np.random.default_rng(36)
    found = [probability(runs(random, 4, 0.03), runs(random, 4, 0.005)) <= LEVEL for _ in range(400)]
    assert sum(found) <= 14


def test_runs_that_agree_by_chance_are_no_more_certain_than_their_samples() -> None:
    side = [median_quantity(np.linspace(0.9, 1.1, 20), "B/s", "m")] * 3
    pooled = quantity_of_runs(side)
    assert pooled.low < 0.97
    assert pooled.high > 1.03


def skewed(random: np.random.Generator, count: int) -> list[Quantity]:
    """Runs of which three in ten are three times as fast as the others."""
    rates = np.where(random.random(count) < 0.3, 3.0, 1.0) * random.normal(1.0, 0.005, count)
    return [one_sample(float(rate), "B/s", "m") for rate in rates]


@pytest.mark.parametrize("count", [1, 2, 5, 10, 24, 60])
def test_the_change_is_the_ratio_of_the_values_that_are_shown(count: int) -> None:
    random = np.random.default_rng(37)
    old, new = skewed(random, count), skewed(random, 24)
    change = change_of_runs(old, new)
    assert change is not None
    assert math.isclose(change.ratio.value, quantity_of_runs(new).value / quantity_of_runs(old).value)


@pytest.mark.parametrize(("old", "new"), [(10, 10), (24, 24), (10, 60)])
def test_skewed_runs_seldom_look_changed(old: int, new: int) -> None:
    random = np.random.default_rng(39)
    changes = [change_of_runs(skewed(random, old), skewed(random, new)) for _ in range(400)]
    found = [change is not None and (change.probability or 0.0) <= LEVEL for change in changes]
    assert sum(found) <= 10


def test_many_runs_that_drift_seldom_look_changed() -> None:
    """Runs that follow each other are alike: their mean is less certain than their number says."""
    random = np.random.default_rng(41)
    found = []
    for _ in range(200):
        steps = random.normal(0.0, 0.01, (2, 60))
        for lag in range(1, 60):
            steps[:, lag] += 0.7 * steps[:, lag - 1]
        old, new = ([one_sample(float(rate), "B/s", "m") for rate in np.exp(side)] for side in steps)
        change = change_of_runs(old, new)
        found.append(change is not None and (change.probability or 0.0) <= LEVEL)
    assert sum(found) <= 30


def test_single_runs_far_from_the_others_hide_no_change_of_many() -> None:
    """One run in ten has half the speed."""
    random = np.random.default_rng(42)

    def side(speed: float) -> list[Quantity]:
        slow = np.where(random.random(24) < 0.1, 0.5, 1.0)
        return [one_sample(float(one), "B/s", "m") for one in speed * slow * random.normal(1.0, 0.005, 24)]

    changes = [change_of_runs(side(1.0), side(0.95)) for _ in range(100)]
    assert sum(change is not None and (change.probability or 0.0) <= LEVEL for change in changes) >= 95


def test_single_samples_of_several_runs_are_distinguished() -> None:
    old = [one_sample(value, "B/s", "m") for value in (10.0, 10.1, 9.9)]
    new = [one_sample(value, "B/s", "m") for value in (8.0, 8.1, 7.9)]
    change = change_of_runs(old, new)
    assert change is not None
    assert change.counts == (3, 3)
    assert (change.probability or 1.0) < 0.001
    assert math.isclose(change.ratio.value, 0.8, rel_tol=0.001)


def test_counts_without_any_spread_are_exact() -> None:
    size = one_sample(64.0, "B", "m")
    change = change_of_runs([size] * 2, [size] * 2)
    assert change is not None
    assert change.probability == 1.0
    assert (change.ratio.low, change.ratio.high) == (1.0, 1.0)


def test_what_has_no_ratio_has_no_change() -> None:
    one, zero = one_sample(1.0, "s", "m"), one_sample(0.0, "s", "m")
    assert change_of_runs([one, zero], [one, one]) is None
    assert change_of_runs([one, one], [one_sample(1.0, "B", "m")]) is None
    assert quantity_of_runs([one, zero]).value == 0.5


POSITIVE = st.lists(st.floats(min_value=1e-300, max_value=1e300), min_size=2, max_size=14)


@given(POSITIVE, POSITIVE)
def test_any_runs_have_a_finite_ratio(old: list[float], new: list[float]) -> None:
    change = change_of_runs(*([one_sample(value, "s", "m") for value in side] for side in (old, new)))
    assert change is not None
    assert 0 < change.ratio.low <= change.ratio.value <= change.ratio.high < math.inf
    pooled = quantity_of_runs([one_sample(value, "s", "m") for value in old])
    assert 0 <= pooled.low <= pooled.value <= pooled.high < math.inf
