from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.survey.infer.smooth import smooth_laws
from simulated.grids import power_of_two_grid
from simulated.nulls import SMOOTH

LOG2_SIZE = np.log2(power_of_two_grid())
ONES = np.ones(len(LOG2_SIZE))


def closest(log_latency: NDArray[np.float64]) -> float:
    """The worst deviation of the law that follows a curve best."""
    laws = smooth_laws(LOG2_SIZE, log_latency, ONES)
    return min(float(np.abs(law.log_latency - log_latency).max()) for law in laws)


@pytest.mark.parametrize("law", SMOOTH.values(), ids=SMOOTH)
def test_every_smooth_law_is_followed(law: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> None:
    assert closest(np.log(law(power_of_two_grid()))) < 0.08


def test_staircase_is_followed_by_none() -> None:
    assert closest(np.log(np.repeat([1.0, 4.0, 14.0, 90.0], 4))) > 0.25


def test_outlier_pulls_no_line() -> None:
    line = 0.3 * LOG2_SIZE
    hit = line.copy()
    hit[5] += 2.0
    best = min(smooth_laws(LOG2_SIZE, hit, ONES), key=lambda law: float(np.abs(law.log_latency - line).max()))
    assert np.abs(best.log_latency - line).max() < 0.01


def test_falling_curve_has_a_law_that_falls() -> None:
    assert smooth_laws(LOG2_SIZE, -LOG2_SIZE, ONES)[1].rise == pytest.approx(LOG2_SIZE[0] - LOG2_SIZE[-1])
