import numpy as np
import pytest
from numpy.typing import NDArray

from groma.stats.autoregression import noise_evidence

RANDOM = np.random.default_rng(3)
SCATTER = RANDOM.normal(0.0, 0.1, 60)
WALK = np.cumsum(RANDOM.normal(0.0, 0.1, 60))
STAIR = np.repeat([0.0, 1.5, 3.0], 20)


def evidence(*rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return noise_evidence(np.array(rows), np.ones(len(rows[0]))).log_evidence


def test_independent_noise_has_no_memory() -> None:
    assert noise_evidence(SCATTER[None], np.ones(60)).coefficient[0] <= 0.4


def test_random_walk_remembers_all() -> None:
    assert noise_evidence(WALK[None], np.ones(60)).coefficient[0] >= 0.9


def test_smaller_residuals_are_better_explained() -> None:
    assert evidence(0.1 * SCATTER) > evidence(SCATTER)


def test_stairs_left_over_are_worse_than_the_scatter_around_them() -> None:
    scatter, stairs = evidence(SCATTER, SCATTER + STAIR)
    assert scatter - stairs > 20.0


def test_one_outlier_costs_little() -> None:
    hit = SCATTER.copy()
    hit[30] = 3.0
    scatter, outlier = evidence(SCATTER, hit)
    assert scatter - outlier < 20.0


def test_spread_may_change_along_the_row() -> None:
    quiet_then_loud = np.concatenate([0.02 * SCATTER[:30], 5.0 * SCATTER[30:]])
    mixed, shuffled = evidence(quiet_then_loud, np.random.default_rng(4).permutation(quiet_then_loud))
    assert mixed - shuffled > 5.0


def test_weight_of_half_halves_what_points_say() -> None:
    rows = np.array([SCATTER, SCATTER + STAIR])
    whole, half = (noise_evidence(rows, np.full(60, weight)).log_evidence for weight in (1.0, 0.5))
    assert half[0] - half[1] == pytest.approx(0.5 * (whole[0] - whole[1]), rel=0.25)


@pytest.mark.parametrize("points", [2, 6, 7])
def test_few_points_are_answered(points: int) -> None:
    assert np.isfinite(evidence(SCATTER[:points])).all()
