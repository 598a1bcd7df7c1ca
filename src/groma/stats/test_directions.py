import numpy as np
import pytest
from numpy.typing import NDArray

from groma.stats.directions import of_both_directions

Matrix = NDArray[np.float64]


def clusters(size: int = 6) -> Matrix:
    """Two clusters, each direction measured by itself."""
    cluster = np.arange(2 * size) // size
    noise = np.random.default_rng(size).normal(1.0, 0.02, (2 * size, 2 * size))
    latency: Matrix = np.where(cluster[:, None] == cluster, 40.0, 105.0) * noise
    np.fill_diagonal(latency, np.nan)
    return latency


def test_directions_that_are_alike_are_averaged() -> None:
    found = of_both_directions(clusters()).latency
    assert found[0, 1] == found[1, 0] == pytest.approx((clusters()[0, 1] + clusters()[1, 0]) / 2)


@pytest.mark.parametrize("slower", [1.3, 3.0, 40.0])
def test_of_two_that_differ_the_lower_counts(slower: float) -> None:
    latency = clusters()
    latency[3, 1] *= slower
    found = of_both_directions(latency)
    assert found.latency[1, 3] == latency[1, 3]
    assert not len(found.doubtful)


def test_the_only_direction_of_any_pair_that_is_so_fast_does_not_count() -> None:
    latency = clusters()
    latency[1, 4] = 30.0
    found = of_both_directions(latency)
    assert found.latency[1, 4] == found.latency[4, 1] == latency[4, 1]
    assert found.doubtful.tolist() == [[1, 4]]


def test_a_low_direction_counts_if_another_pair_is_as_fast() -> None:
    latency = clusters()
    latency[1, 4] = 30.0
    latency[7, 8] = latency[8, 7] = 31.0
    found = of_both_directions(latency)
    assert found.latency[1, 4] == 30.0
    assert not len(found.doubtful)


def test_a_core_whose_measurements_are_all_fast_keeps_them() -> None:
    """As in a turbo mode: several low directions are evidence of a layer."""
    latency = clusters()
    latency[1, :] *= 0.75
    found = of_both_directions(latency)
    assert (found.latency[1, [0, 2, 3, 4, 5]] < 33.0).all()
    assert not len(found.doubtful)


def test_latencies_of_one_direction_alone_are_kept() -> None:
    latency = np.triu(clusters(), 1)
    latency[latency == 0.0] = np.nan
    latency[1, 4] = 30.0
    found = of_both_directions(latency)
    assert found.latency[4, 1] == 30.0
    assert not len(found.doubtful)


def test_a_pair_of_threads_of_one_core_counts_though_one_direction_was_disturbed() -> None:
    latency = clusters()
    latency[1, 4], latency[4, 1] = 8.0, 40.0
    assert of_both_directions(latency).latency[1, 4] == 8.0


def test_without_others_like_the_slower_direction_the_lower_counts() -> None:
    latency = np.array([[np.nan, 30.0, 60.0], [42.0, np.nan, 70.0], [60.0, 70.0, np.nan]])
    assert of_both_directions(latency).latency[0, 1] == 30.0
