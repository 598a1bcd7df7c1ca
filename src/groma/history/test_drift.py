from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from groma.history.drift import drift_coefficients, spread_of, variance_of_mean
from groma.history.levels import candidate_levels

if TYPE_CHECKING:
    from numpy.typing import NDArray


def drifting(coefficient: float, count: int, series: int, seed: int) -> list[NDArray[np.float64]]:
    """Series of standard deviation 1 %, of which each value depends on the one before."""
    random = np.random.default_rng(seed)
    values = [random.normal(0.0, 1.0, series)]
    for _ in range(count - 1):
        values.append(
            coefficient * values[-1] + np.sqrt(1 - coefficient**2) * random.normal(0.0, 1.0, series)
        )
    return list(0.01 * np.array(values).T)


@pytest.mark.parametrize(
    ("coefficient", "least", "most"), [(0.3, 0.2, 0.4), (0.5, 0.4, 0.6), (0.8, 0.55, 0.9)]
)
@pytest.mark.parametrize("count", [15, 30, 60])
def test_series_of_one_machine_tell_together_how_alike_their_values_are(
    coefficient: float, least: float, most: float, count: int
) -> None:
    found = drift_coefficients(drifting(coefficient, count, 50, 1))
    assert least <= np.median(found) <= most


@pytest.mark.parametrize("count", [8, 15, 30, 60])
def test_values_that_do_not_depend_on_each_other_have_no_coefficient(count: int) -> None:
    assert np.median(drift_coefficients(drifting(0.0, count, 50, 2))) == 0.0


def test_a_step_of_all_series_is_no_drift() -> None:
    series = [np.concatenate([one[:15], one[15:] - 0.1]) for one in drifting(0.0, 30, 50, 3)]
    assert np.median(drift_coefficients(series)) == 0.0


@pytest.mark.parametrize(("slope", "count"), [(-0.05, 12), (-0.01, 40), (0.002, 60)])
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_a_steady_slope_is_not_taken_for_values_that_are_alike(
    slope: float, count: int, noise: float
) -> None:
    series = [noise * one + slope * np.arange(count) for one in drifting(0.0, count, 50, 6)]
    assert np.median(drift_coefficients(series)) == 0.0


@pytest.mark.parametrize("count", [30, 60])
def test_a_steady_fall_is_shown_as_changes(count: int) -> None:
    """It was called usual, however far it went."""
    logs = drifting(0.0, count, 1, 7)[0] - 0.01 * np.arange(count)
    assert len(candidate_levels(logs, drift_coefficients([logs])[0], 0.02).cuts) >= 2


def test_a_short_series_alone_is_taken_as_independent() -> None:
    found = [drift_coefficients(drifting(0.0, 15, 1, seed))[0] for seed in range(100)]
    assert found.count(0.0) >= 98


def test_the_variance_of_a_mean_is_that_of_simulated_means() -> None:
    means = [one.mean() for one in drifting(0.6, 7, 20000, 4)]
    assert np.var(means) / 1e-4 == pytest.approx(variance_of_mean(7, 0.6), rel=0.05)
    assert variance_of_mean(7, 0.0) == pytest.approx(1 / 7)


def test_the_spread_of_values_that_depend_on_each_other_is_not_too_small() -> None:
    series = drifting(0.8, 30, 400, 5)
    found = np.median([spread_of(one - one.mean(), 0.8, 1) for one in series])
    assert found == pytest.approx(0.01, rel=0.05)
    assert np.median([one.std(ddof=1) for one in series]) < 0.95 * found
