import numpy as np
import pytest
from numpy.typing import NDArray

from groma.stats.consensus import disturbed

Matrix = NDArray[np.float64]


def hierarchy(noise: float = 0.02, seed: int = 1) -> Matrix:
    """Two sockets of 16 threads on 8 cores."""
    places = np.arange(32)
    core = places[:, None] // 2 == places // 2
    socket = places[:, None] // 16 == places // 16
    latency = np.where(core, 8.0, np.where(socket, 45.0, 120.0))
    noises = np.triu(np.random.default_rng(seed).normal(0, noise, (32, 32)), 1)
    latency = latency * np.exp(noises + noises.T)
    np.fill_diagonal(latency, np.nan)
    return latency


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.1])
def test_no_pair_of_an_undisturbed_machine_is_disturbed(noise: float) -> None:
    for seed in range(10):
        assert not disturbed(hierarchy(noise, seed)).any()


@pytest.mark.parametrize("pair", [(3, 9), (3, 20)])
def test_a_pair_that_lost_its_time_is_found(pair: tuple[int, int]) -> None:
    latency = hierarchy()
    latency[pair] = latency[pair[::-1]] = 3.0 * latency[pair]
    found = disturbed(latency)
    assert found[pair]
    assert found.sum() == 2


def test_a_core_that_is_slow_with_all_others_is_not_disturbed() -> None:
    latency = hierarchy()
    latency[5] *= 3.0
    latency[:, 5] *= 3.0
    assert not disturbed(latency).any()


def test_two_threads_on_two_cores_each_are_not_disturbed() -> None:
    latency = np.full((4, 4), 86.0)
    latency[0, 2] = latency[2, 0] = 10.7
    latency[1, 3] = latency[3, 1] = 12.0
    np.fill_diagonal(latency, np.nan)
    assert not disturbed(latency).any()


def between(latency: Matrix, one: list[int], other: list[int], value: float, noise: float = 0.01) -> None:
    """All pairs between two sets of cores, or within one, take so long, each with its own noise."""
    values = value * np.exp(np.random.default_rng(3).normal(0.0, noise, latency.shape))
    cells = np.zeros(latency.shape, dtype=bool)
    cells[np.ix_(one, other)] = True
    cells = np.triu(cells | cells.T, 1)
    latency[cells] = values[cells]
    latency.T[cells] = values[cells]


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.08])
@pytest.mark.parametrize("size", [3, 4, 8])
def test_cores_of_a_cluster_that_reach_others_faster_are_not_disturbed(size: int, noise: float) -> None:
    """As efficiency cores do: each pair of the cluster agrees with the others."""
    latency = hierarchy(0.02)
    cluster = list(range(8, 8 + size))
    between(latency, cluster, cluster, 85.0, noise)
    assert not disturbed(latency).any()


def test_clusters_that_reach_each_other_slower_than_all_others_are_not_disturbed() -> None:
    latency = hierarchy(0.02)
    for first in (2, 8):
        between(latency, [*range(first, first + 4)], [*range(first, first + 4)], 60.0)
    between(latency, [2, 3, 4, 5], [8, 9, 10, 11], 100.0)
    assert not disturbed(latency).any()


def test_twins_elsewhere_in_the_machine_say_that_a_pair_is_not_disturbed() -> None:
    socket = np.arange(32) // 8
    latency: Matrix = np.where(socket[:, None] == socket, 46.0, 253.0)
    for first in range(0, 32, 8):
        latency[first + 4, first + 5] = latency[first + 5, first + 4] = 69.0 + 0.02 * first
    np.fill_diagonal(latency, np.nan)
    assert not disturbed(latency).any()


def test_pairs_of_a_cluster_around_the_limit_are_not_disturbed() -> None:
    """Some are 1.5 times slower than expected, others of the same cores are not quite."""
    latency = hierarchy(0.02)
    between(latency, [8, 9, 10, 11, 12], [8, 9, 10, 11, 12], 69.0, noise=0.04)
    assert not disturbed(latency).any()


@pytest.mark.parametrize("count", [1, 2])
def test_too_few_slow_pairs_are_no_twins(count: int) -> None:
    latency = hierarchy()
    for core in (3, 6)[:count]:
        between(latency, [core], [core + 5], 130.0, 0.0)
    assert np.count_nonzero(disturbed(latency)) == 2 * count


def test_one_row_of_slow_pairs_is_disturbed_however_much_they_agree() -> None:
    latency = hierarchy()
    between(latency, [5], [8, 9, 10, 11, 12], 130.0)
    assert np.count_nonzero(disturbed(latency)) == 10


def test_slow_pairs_of_the_same_cores_that_do_not_agree_are_disturbed() -> None:
    latency = hierarchy()
    for value, pair in zip((100.0, 300.0, 900.0), ((8, 10), (8, 12), (10, 12)), strict=True):
        between(latency, [pair[0]], [pair[1]], value, 0.0)
    assert np.count_nonzero(disturbed(latency)) == 6


def test_scattered_pairs_are_disturbed_beside_a_cluster_that_is_slow_inside() -> None:
    latency = hierarchy()
    between(latency, [8, 9, 10, 11], [8, 9, 10, 11], 85.0)
    between(latency, [2], [13], 400.0, 0.0)
    assert np.argwhere(disturbed(latency)).tolist() == [[2, 13], [13, 2]]


@pytest.mark.parametrize("share", [0.01, 0.03])
def test_pairs_that_lost_their_time_at_random_never_agree(share: float) -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        latency = hierarchy(0.03, seed)
        lost = np.triu(random.random(latency.shape) < share, 1) & (latency < 60.0) & (latency > 20.0)
        latency[lost] *= random.uniform(4.0, 40.0, int(lost.sum()))
        latency.T[lost] = latency[lost]
        assert disturbed(latency)[lost].all()


@pytest.mark.parametrize("cores", [1, 2, 3])
def test_few_cores_are_no_neighbourhood(cores: int) -> None:
    latency = np.full((cores, cores), 40.0)
    np.fill_diagonal(latency, np.nan)
    assert not disturbed(latency).any()
