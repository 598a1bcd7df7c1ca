import numpy as np
import pytest
from numpy.typing import NDArray

from groma.survey.infer.brackets import Bracket, Points, bracket, crossing
from groma.survey.infer.knees import Knee
from groma.survey.infer.levels import Interpretation, Level
from simulated.grids import K, M, eighths_grid, power_of_two_grid


def interpretation_of(at: float, before: float, after: float, *, independent: bool = False) -> Interpretation:
    level = Level((Knee(at, after - before),), before, after)
    return Interpretation((level,), (), 0.0, 0.0, independent)


def bracket_of_step(grid: NDArray[np.float64], capacity: float) -> Bracket:
    latency = np.where(grid <= capacity, 1.0, 4.0)
    log2_size = np.log2(grid)
    return bracket(Points(log2_size, latency), interpretation_of(np.log2(capacity), 1.0, 4.0), 0, log2_size)


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
    found = bracket(Points(log2_size, latency), interpretation_of(20.0, 4.0, 40.0), 0, log2_size)
    at = np.searchsorted(grid, [found.low, found.value, found.high])
    assert found.low <= M <= found.high
    assert 2 <= at[2] - at[0] <= 4
    assert at[1] - at[0] <= 2
    assert at[2] - at[1] <= 2


def test_addresses_drawn_anew_move_the_size_below_the_crossing() -> None:
    grid = eighths_grid()
    log2_size = np.log2(grid)
    latency = 4 + 36 * np.maximum(0.0, 1 - M / grid)
    found = bracket(
        Points(log2_size, latency), interpretation_of(20.0, 4.0, 40.0, independent=True), 0, log2_size
    )
    assert found.value == M


def test_second_level_is_bracketed_where_a_share_of_a_third_melts_into_its_rise() -> None:
    grid = eighths_grid()
    latency = np.select([grid <= M, grid <= 2.25 * M], [5.0, 18.0], 90.0)
    level = Level((Knee(20.1, 13.0), Knee(21.2, 72.0)), 5.0, 90.0)
    inner = Level((Knee(15.0, 4.0),), 1.0, 5.0, first=True)
    interpretation = Interpretation((inner, level), (), 0.0, 0.0, independent=False)
    found = bracket(Points(np.log2(grid), latency), interpretation, 1, np.log2(grid))
    assert found.low <= M <= found.high


def test_crossing_interpolates_between_points() -> None:
    level = Level((Knee(2.0, 10.0),), 0.0, 10.0)
    at = crossing(np.array([1.0, 2.0, 3.0]), np.array([0.0, 4.0, 10.0]), level, 0.7)
    assert at == pytest.approx(2.5)


def second_level(grid: NDArray[np.float64], latency: NDArray[np.float64], centre: float) -> Bracket:
    """Bracket of a level that rises from 4 to 40 ns behind a first one of 32 KiB."""
    inner = Level((Knee(15.0, 3.0),), 1.0, 4.0)
    outer = Level((Knee(float(np.log2(centre)), 36.0),), 4.0, 40.0)
    return bracket(
        Points(np.log2(grid), latency),
        Interpretation((inner, outer), (), 0.0, 0.0, independent=False),
        1,
        np.log2(grid),
    )


def soft_step(grid: NDArray[np.float64], centre: float, softness: float) -> NDArray[np.float64]:
    return np.asarray(4 + 36 / (1 + (centre / grid) ** softness))


def test_two_capacities_that_are_about_as_likely_lie_in_one_bracket() -> None:
    grid = eighths_grid()
    latency = soft_step(grid, 19.5 * M, 3.5)
    found = second_level(grid, latency, 14 * M)
    assert found.low <= 12 * M
    assert found.high >= 16 * M


@pytest.mark.parametrize("centre", [0.8, 1.0, 1.2, 1.37, 1.6, 1.9])
@pytest.mark.parametrize("softness", [2.0, 4.0, 16.0])
@pytest.mark.parametrize("grid", [eighths_grid(), power_of_two_grid()])
def test_bracket_reaches_beyond_the_value_but_at_most_two_steps_to_either_side(
    grid: NDArray[np.float64], softness: float, centre: float
) -> None:
    latency = soft_step(grid, centre * M, softness)
    found = second_level(grid, latency, centre * M)
    low, value, high = np.interp([found.low, found.value, found.high], grid, np.arange(len(grid)))
    assert 0 <= np.ceil(value) - low <= 2
    assert high > value
    assert high - np.floor(value) <= 2


def test_first_level_of_a_size_that_none_has_is_read_as_the_usual_one_nearby() -> None:
    grid = eighths_grid()
    latency = soft_step(grid, 40 * K, 12.0)
    found = bracket(
        Points(np.log2(grid), latency), interpretation_of(np.log2(40 * K), 4.0, 40.0), 0, np.log2(grid)
    )
    assert found.value in {32 * K, 48 * K} or found.low <= 32 * K <= 48 * K <= found.high


def read_with(latency: list[float], lowered: list[int]) -> Bracket:
    """Of a first level on a grid of powers of two from 4 KiB; its plateau is 1, the next one 4."""
    log2_size = np.arange(12.0, 12.0 + len(latency))
    disturbed = np.isin(np.arange(len(latency)), lowered)
    points = Points(log2_size, np.array(latency), disturbed)
    return bracket(points, interpretation_of(15.0, 1.0, 4.0), 0, log2_size)


def test_a_disturbed_point_does_not_end_a_level() -> None:
    steps = [1.0, 1.0, 1.0, 4.0, 4.0, 4.0, 4.0, 4.0]
    assert read_with(steps, []).high == 32 * K
    assert read_with(steps, [3]).high == 64 * K
    assert read_with(steps, [3]).low <= 32 * K


def test_a_disturbed_point_on_the_plateau_of_a_level_is_as_good_as_any() -> None:
    steps = [1.0, 1.0, 1.0, 4.0, 4.0, 4.0, 4.0, 4.0]
    assert read_with(steps, [2]).high == 32 * K


def test_among_disturbed_points_a_size_that_hangs_on_one_is_less_sure() -> None:
    steps = [1.0, 1.0, 1.0, 2.5, 4.0, 4.0, 4.0, 4.0]
    quiet, disturbed = read_with(steps, []), read_with(steps, [0, 6])
    assert quiet.high == 32 * K
    assert disturbed.high == 64 * K or disturbed.confidence < 0.8
