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


@pytest.mark.parametrize("cores", [1, 2, 3])
def test_few_cores_are_no_neighbourhood(cores: int) -> None:
    latency = np.full((cores, cores), 40.0)
    np.fill_diagonal(latency, np.nan)
    assert not disturbed(latency).any()
