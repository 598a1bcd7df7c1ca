import numpy as np
import pytest
from numpy.typing import NDArray

from groma.survey.infer.brackets import Bracket, bracket, crossing
from groma.survey.infer.knees import Knee
from groma.survey.infer.levels import Level, Reading
from groma.survey.simulated.grids import K, M, eighths_grid, power_of_two_grid


def reading_of(at: float, before: float, after: float, *, independent: bool = False) -> Reading:
    level = Level((Knee(at, after - before),), before, after)
    return Reading((level,), (), 0.0, 0.0, independent)


def bracket_of_step(grid: NDArray[np.float64], capacity: float) -> Bracket:
    latency = np.where(grid <= capacity, 1.0, 4.0)
    log2_size = np.log2(grid)
    return bracket(log2_size, latency, reading_of(np.log2(capacity), 1.0, 4.0), 0, log2_size)


@pytest.mark.parametrize("capacity", [32 * K, 48 * K, 64 * K, 1 * M])
def test_sharp_step_on_a_dense_grid_gives_the_size_and_a_narrow_bracket(capacity: int) -> None:
    found = bracket_of_step(eighths_grid(), capacity)
    assert found.value == capacity
    assert 0.9 * capacity < found.low <= capacity
    assert capacity < found.high < 1.2 * capacity
    assert found.confidence > 0.9


def test_size_between_points_of_a_coarse_grid_lies_in_the_bracket() -> None:
    found = bracket_of_step(power_of_two_grid(), 48 * K)
    assert (found.low, found.high) == (32 * K, 64 * K)


def test_soft_step_gives_a_wider_bracket_that_stays_within_two_steps() -> None:
    grid = eighths_grid()
    log2_size = np.log2(grid)
    latency = 4 + 36 / (1 + np.exp(-8 * np.log(grid / M)))
    found = bracket(log2_size, latency, reading_of(20.0, 4.0, 40.0), 0, log2_size)
    at = np.searchsorted(grid, [found.low, found.value, found.high])
    assert found.low <= M <= found.high
    assert 2 <= at[2] - at[0] <= 4
    assert at[1] - at[0] <= 2
    assert at[2] - at[1] <= 2


def test_addresses_drawn_anew_move_the_size_below_the_crossing() -> None:
    grid = eighths_grid()
    log2_size = np.log2(grid)
    latency = 4 + 36 * np.maximum(0.0, 1 - M / grid)
    found = bracket(log2_size, latency, reading_of(20.0, 4.0, 40.0, independent=True), 0, log2_size)
    assert found.value == M


def test_crossing_interpolates_between_points() -> None:
    level = Level((Knee(2.0, 10.0),), 0.0, 10.0)
    at = crossing(np.array([1.0, 2.0, 3.0]), np.array([0.0, 4.0, 10.0]), level, 0.7)
    assert at == pytest.approx(2.5)
