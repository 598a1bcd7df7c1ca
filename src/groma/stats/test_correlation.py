import numpy as np
import pytest
from numpy.typing import NDArray

from groma.stats.correlation import autoregressive_inflation, variance_inflation


def walk(coefficient: float, count: int, seed: int) -> NDArray[np.float64]:
    """First-order autoregressive noise, after its start is forgotten."""
    noise = np.random.default_rng(seed).normal(size=count + 200)
    found = np.zeros(count + 200)
    for index in range(1, len(found)):
        found[index] = coefficient * found[index - 1] + noise[index]
    return found[200:]


def test_independent_samples_keep_their_weight() -> None:
    found = [variance_inflation(np.random.default_rng(seed).gamma(2.0, size=40)) for seed in range(200)]
    assert np.median(found) == 1.0
    assert np.mean(found) < 1.25


def test_correlated_samples_lose_what_theory_says() -> None:
    """(1 + phi) / (1 - phi) for a coefficient phi."""
    for coefficient, expected in ((0.5, 3.0), (0.8, 9.0)):
        found = np.median([variance_inflation(walk(coefficient, 400, seed)) for seed in range(40)])
        assert 0.7 * expected < found < 1.3 * expected


def test_a_few_or_equal_samples_tell_nothing() -> None:
    assert variance_inflation([1.0, 2.0, 3.0]) == 1.0
    assert variance_inflation([]) == 1.0


def test_it_is_bounded_for_a_trend() -> None:
    assert variance_inflation(list(range(40))) <= 10.0


def test_ties_of_a_coarse_clock_are_no_correlation() -> None:
    """Equal samples share a rank: ranks in their order would make each group of them a trend."""
    for values in (2, 3, 5):
        found = [
            variance_inflation(np.random.default_rng(seed).integers(0, values, 60).astype(np.float64))
            for seed in range(200)
        ]
        assert np.median(found) == 1.0
        assert np.mean(found) < 1.25


def test_equal_samples_keep_their_weight() -> None:
    assert variance_inflation([1.0] * 40) == 1.0


def test_only_autoregressive_samples_are_inflated() -> None:
    assert autoregressive_inflation(20, 0.0) == 1.0
    assert autoregressive_inflation(2, 0.5) == pytest.approx(1.5)
