import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.record import Quantity
from groma.stats.change import STUDENT, change_of_samples, change_of_values
from groma.stats.discoveries import adjusted
from groma.stats.quotient import one_sample
from groma.stats.test_correlation import walk


def quantity(value: float, half: float, unit: str = "s", confidence: float = 0.95) -> Quantity:
    return Quantity(
        value=value, unit=unit, low=value - half, high=value + half, confidence=confidence, method="m"
    )


@pytest.mark.parametrize("confidence", [1e-300, 1e-17, 1e-16, 2.0])
def test_a_change_from_a_damaged_interval_is_finite_and_no_proof(confidence: float) -> None:
    damaged = quantity(2.0, 0.5, confidence=confidence)
    for sides in ((quantity(1.0, 0.1), damaged), (damaged, quantity(1.0, 0.1))):
        change = change_of_values(*sides)
        assert change is not None
        assert all(map(math.isfinite, (change.ratio.low, change.ratio.high)))
        assert change.probability is not None
        assert confidence > 1 or change.probability > 0.9


@pytest.mark.parametrize("count", [4, 7, 12, 40])
def test_intervals_hold_the_true_factor(count: int) -> None:
    random = np.random.default_rng(5)
    held = []
    for _ in range(300):
        old, new = random.normal(1.0, 0.03, count), random.normal(1.2, 0.036, count)
        ratio = change_of_samples(old, new).ratio
        held.append(ratio.low <= 1.2 <= ratio.high)
    assert np.mean(held) > 0.91


def test_few_samples_are_compared_by_their_logarithms() -> None:
    change = change_of_samples([1.0, 1.01, 0.99], [2.0, 2.02, 1.98])
    assert change.ratio.method == STUDENT
    assert change.ratio.value == pytest.approx(2.0)
    assert change.probability is not None
    assert change.probability < 0.001


@pytest.mark.parametrize("counts", [(100, 5), (5, 100), (4, 60), (120, 3)])
def test_few_samples_against_many_are_no_change_where_noise_has_a_tail(counts: tuple[int, int]) -> None:
    random = np.random.default_rng(23)
    found = []
    for _ in range(600):
        old, new = (1.0 / (1.0 + random.gamma(1.5, 0.03, count)) for count in counts)
        found.append(change_of_samples(old, new).probability or 0.0)
    assert np.mean(np.array(found) < 0.01) <= 0.015


def test_few_samples_against_many_have_a_change_that_is_one() -> None:
    random = np.random.default_rng(24)
    found = []
    for _ in range(200):
        old, new = random.lognormal(0.0, 0.03, 100), random.lognormal(-0.1, 0.03, 5)
        found.append(change_of_samples(old, new).probability or 0.0)
    assert np.mean(np.array(found) < 0.01) >= 0.95


@pytest.mark.parametrize("counts", [(3, 102), (105, 3), (2, 607), (4, 51)])
def test_a_large_change_of_few_samples_against_many_is_no_chance_among_many_quantities(
    counts: tuple[int, int],
) -> None:
    random = np.random.default_rng(26)
    old, new = (random.lognormal(0.0, 0.03, count) for count in counts)
    probability = change_of_samples(old, 2.0 * new).probability
    assert probability is not None
    assert adjusted([probability, *[0.5] * 49])[0] < 0.001


@pytest.mark.parametrize("new", [[1.5], [1.5, 1.5], [1.0, 2.0], [1.0, 1.4, 1.6, 9.0]])
def test_few_samples_have_the_ratio_of_their_medians(new: list[float]) -> None:
    assert change_of_samples([1.0, 1.0, 2.0, 2.0], new).ratio.value == pytest.approx(1.0)


def test_a_single_sample_has_a_ratio_and_no_probability() -> None:
    change = change_of_samples([1.0], [2.0, 2.1])
    assert change.probability is None
    assert change.ratio.confidence == 0.0


def test_correlated_samples_are_not_taken_for_a_change() -> None:
    """Two stretches of one slow drift differ; samples counted as independent would say so every time."""
    found = []
    for seed in range(150):
        drift = 100 + walk(0.8, 200, seed)
        found.append(change_of_samples(drift[:80], drift[120:]).probability or 0.0)
    assert np.mean(np.array(found) < 0.01) < 0.15


def test_a_large_change_is_certain_though_a_few_samples_look_alike_by_chance() -> None:
    """One in ten sets of ten does. Their ranks could then not be far enough apart, whatever the change."""
    random = np.random.default_rng(25)
    found = []
    for _ in range(200):
        old, new = random.lognormal(0.0, 0.02, 10), 0.8 * random.lognormal(0.0, 0.02, 10)
        found.append(change_of_samples(old, new).probability or 0.0)
    assert max(found) < 1e-4


def test_samples_that_are_all_alike_are_no_change_however_few_count() -> None:
    """Of 100 samples with a coefficient of 0.9 nine are independent."""
    found = []
    for seed in range(200):
        drift = np.exp(0.02 * walk(0.9, 400, seed))
        found.append(change_of_samples(drift[:100], drift[300:]).probability or 0.0)
    assert np.mean(np.array(found) < 0.01) < 0.15


def test_values_are_distinguished_by_their_intervals() -> None:
    far = change_of_values(quantity(1.0, 0.02), quantity(1.2, 0.02))
    near = change_of_values(quantity(1.0, 0.05), quantity(1.01, 0.05))
    assert far is not None
    assert near is not None
    assert far.probability is not None
    assert far.probability < 1e-6
    assert (near.probability or 0) > 0.3
    assert far.ratio.low < 1.2 < far.ratio.high


def test_a_time_without_spread_is_not_taken_for_exact() -> None:
    """A coarse timer reads the same each time; a size that was counted is exact."""
    time = change_of_values(quantity(1.00, 0.0), quantity(1.01, 0.0))
    size = change_of_values(quantity(64, 0.0, "B"), quantity(128, 0.0, "B"))
    assert time is not None
    assert size is not None
    assert (time.probability or 0) > 0.01
    assert size.probability == 0.0


def test_what_has_no_ratio_has_no_change() -> None:
    zero = quantity(0.0, 0.0)
    assert change_of_values(zero, quantity(1.0, 0.1)) is None
    assert change_of_values(quantity(1.0, 0.1), quantity(1.0, 0.1, "B")) is None
    assert change_of_values(quantity(1.0, 0.1, confidence=0.0), quantity(1.0, 0.1)) is None


def test_one_sample_each_has_a_ratio_alone() -> None:
    change = change_of_values(one_sample(2.0, "s", "m"), one_sample(3.0, "s", "m"))
    assert change is not None
    assert math.isclose(change.ratio.value, 1.5)
    assert change.probability is None


POSITIVE = st.floats(min_value=1e-300, max_value=1e300)


@given(st.lists(POSITIVE, min_size=1, max_size=14), st.lists(POSITIVE, min_size=1, max_size=14))
def test_any_positive_samples_have_a_finite_ratio(old: list[float], new: list[float]) -> None:
    ratio, probability, counts = change_of_samples(old, new)
    assert counts == (len(old), len(new))
    assert 0 < ratio.low <= ratio.value <= ratio.high < math.inf
    assert probability is None or 0 <= probability <= 1


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=6, max_size=6))
def test_any_two_values_have_a_finite_ratio_or_none(numbers: list[float]) -> None:
    sides = [
        Quantity(value=value, unit="s", low=low, high=high, confidence=0.9, method="m")
        for value, low, high in (numbers[:3], numbers[3:])
    ]
    change = change_of_values(*sides)
    assert change is None or math.isfinite(change.ratio.high)
