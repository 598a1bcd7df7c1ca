from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from groma.stats.matrix_layers import MatrixLayers, matrix_layers
from simulated.matrices import DISTURBANCES, MACHINES, Disturbance, Level, Machine, SimulatedMatrix, simulated

Matrix = NDArray[np.float64]

SMALL = [machine for machine in MACHINES if machine.cores <= 130]


def ends_of(latency: Matrix) -> NDArray[np.intp]:
    return np.argwhere(np.triu(np.isfinite(latency), 1))


def layer_of_pairs(found: MatrixLayers, latency: Matrix) -> NDArray[np.intp]:
    reported = np.full(len(ends_of(latency)), -1)
    for number, layer in enumerate(found.layers):
        reported[layer] = number
    return reported


def share_in_their_layer(found: MatrixLayers, machine: SimulatedMatrix) -> float:
    latency = machine.symmetric()
    ends = tuple(ends_of(latency).T)
    good = ~machine.spoilt[ends]
    reported = layer_of_pairs(found, latency)
    return float((reported[good] == machine.layer[ends][good]).mean())


@pytest.mark.parametrize("disturbance", DISTURBANCES)
@pytest.mark.parametrize("machine", SMALL, ids=lambda machine: machine.name)
def test_layers_of_known_machines_are_found(machine: Machine, disturbance: str) -> None:
    known = simulated(Machine(machine.name, machine.levels, DISTURBANCES[disturbance]), seed=7)
    found = matrix_layers(known.symmetric())
    assert len(found.layers) == len(machine.levels)
    assert share_in_their_layer(found, known) >= 0.97


@pytest.mark.parametrize("disturbance", ["quiet", "shuffled", "noisy", "coarse clock", "asymmetric"])
@pytest.mark.parametrize("machine", SMALL, ids=lambda machine: machine.name)
def test_groups_of_known_machines_are_found(machine: Machine, disturbance: str) -> None:
    known = simulated(Machine(machine.name, machine.levels, DISTURBANCES[disturbance]), seed=8)
    assert matrix_layers(known.symmetric()).groups == known.groups


def test_stolen_time_is_named_and_in_no_layer() -> None:
    machine = Machine("two sockets", (Level(24, 45.0), Level(48, 120.0)), Disturbance(stolen=0.03))
    known = simulated(machine, seed=3)
    latency = known.symmetric()
    found = matrix_layers(latency)
    ends = tuple(ends_of(latency).T)
    far = known.spoilt[ends] & (latency[ends] > 200.0)
    assert far.any()
    assert set(np.flatnonzero(far)) <= set(found.disturbed.tolist())
    assert len(found.layers) == 2


def coarse_chiplets() -> Matrix:
    """16 threads on 8 cores, read with a clock of 5.2 ns: threads of a core take one tick or two."""
    random = np.random.default_rng(5)
    places = np.arange(32)
    latency = np.where(places[:, None] // 16 == places // 16, 15.6, 67.6)
    latency += 5.2 * (random.random((32, 32)) < 0.35)
    latency = np.triu(latency, 1)
    for core in range(16):
        latency[2 * core, 2 * core + 1] = 5.2 * (1 + core % 2)
    latency = np.where(latency > 0, latency - random.choice([0.0, 0.1, 0.2], latency.shape), 0.0)
    latency += latency.T
    np.fill_diagonal(latency, np.nan)
    return latency


def test_steps_of_a_coarse_clock_are_no_layers() -> None:
    found = matrix_layers(coarse_chiplets())
    assert found.step == pytest.approx(5.2, rel=0.03)
    assert [len(layer) for layer in found.layers] == [16, 224, 256]
    assert [len(groups) for groups in found.groups] == [16, 2, 1]


def test_pairs_that_a_coarse_clock_reads_like_threads_join_no_threads() -> None:
    """As Zen 4 was recorded by a clock of 5.2 ns: some reach another core within one step of a sibling."""
    latency = coarse_chiplets()
    for one, other in ((1, 12), (5, 12), (20, 28), (21, 28)):
        latency[one, other] = latency[other, one] = 10.4
    latency[28, 29] = latency[29, 28] = 10.4
    found = matrix_layers(latency)
    assert [len(layer) for layer in found.layers] == [16, 224, 256]
    assert found.groups[0] == [[core, core + 1] for core in range(0, 32, 2)]


def ring_of_sockets(noise: float, seed: int) -> Matrix:
    socket = np.arange(48) // 12
    hops = np.minimum((socket[:, None] - socket) % 4, (socket - socket[:, None]) % 4)
    noises = np.triu(np.random.default_rng(seed).normal(0, noise, (48, 48)), 1)
    latency: Matrix = np.choose(hops, [48.0, 125.0, 180.0]) * np.exp(noises + noises.T)
    np.fill_diagonal(latency, np.nan)
    return latency


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.05])
def test_links_between_sockets_on_a_ring_are_layers(noise: float) -> None:
    for seed in range(5):
        found = matrix_layers(ring_of_sockets(noise, seed))
        assert [len(layer) for layer in found.layers] == pytest.approx([264, 576, 288], abs=6)
        assert [len(groups) for groups in found.groups] == [4, 4, 1]


def test_clusters_that_are_slow_inside_are_a_layer_with_their_groups() -> None:
    """As small cores by four: the way to each other goes through a slower second-level cache."""
    latency = np.full((16, 16), 37.0) + np.add.outer(np.arange(16), np.arange(16)) * 0.1
    for first in (8, 12):
        latency[first : first + 4, first : first + 4] = 52.0
    np.fill_diagonal(latency, np.nan)
    found = matrix_layers(latency)
    assert [len(layer) for layer in found.layers] == [108, 12]
    assert found.groups[1] == [[8, 9, 10, 11], [12, 13, 14, 15]]


def test_clusters_far_slower_inside_than_to_others_are_a_layer_and_not_disturbed() -> None:
    """As efficiency cores that share a slow second-level cache, beside cores with threads."""
    core = np.minimum(np.arange(24) // 2, 8) + np.where(np.arange(24) >= 16, np.arange(24), 0)
    latency = np.where(core[:, None] == core, 9.0, 90.0)
    for first in (16, 20):
        latency[first : first + 4, first : first + 4] = 150.0
    np.fill_diagonal(latency, np.nan)
    found = matrix_layers(latency)
    assert not len(found.disturbed)
    assert [len(layer) for layer in found.layers] == [8, 256, 12]
    assert found.groups[2] == [[16, 17, 18, 19], [20, 21, 22, 23]]


@pytest.mark.parametrize("between", [69.0, np.nan])
def test_cores_with_the_same_partners_are_no_group_unless_they_are_partners(between: float) -> None:
    """Two cores of each socket are near to two hubs, and far from each other."""
    latency = np.full((32, 32), 253.0)
    for first in range(0, 32, 8):
        latency[first : first + 8, first : first + 8] = 46.0
        latency[first + 4 : first + 6, first + 2 : first + 8] = 80.0
        latency[first + 2 : first + 8, first + 4 : first + 6] = 80.0
        latency[first + 4, first + 5] = latency[first + 5, first + 4] = between
    np.fill_diagonal(latency, np.nan)
    found = matrix_layers(latency)
    assert found.groups[0] == [[*range(at, at + 4), at + 6, at + 7] for at in range(0, 32, 8)]
    assert not len(found.disturbed)


def test_half_of_the_cells_missing_leave_the_layers() -> None:
    machine = Machine(
        "two sockets", (Level(2, 8.0), Level(32, 45.0), Level(64, 120.0)), Disturbance(missing=0.3)
    )
    known = simulated(machine, seed=4)
    assert len(matrix_layers(known.symmetric()).layers) == 3


def test_two_cores_are_one_layer() -> None:
    found = matrix_layers(np.array([[np.nan, 34.0], [34.0, np.nan]]))
    assert [layer.tolist() for layer in found.layers] == [[0]]
    assert found.groups == [[[0, 1]]]


def test_a_matrix_without_latencies_is_refused() -> None:
    with pytest.raises(ValueError, match="need a latency"):
        matrix_layers(np.full((3, 3), np.nan))


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 9), st.integers(0, 2**32 - 1), st.floats(0.0, 0.6))
@example(9, 4194305, 0.5)  # whose fastest pairs look like those of threads, with a faster pair between them
def test_any_matrix_is_parted_into_ascending_layers(cores: int, seed: int, gaps: float) -> None:
    random = np.random.default_rng(seed)
    latency = np.triu(np.exp(random.uniform(0, 7, (cores, cores))), 1)
    latency[random.random((cores, cores)) < gaps] = 0.0
    latency[0, 1] = 50.0
    latency = np.where(latency + latency.T > 0, latency + latency.T, np.nan)
    found = matrix_layers(latency)
    values = latency[tuple(ends_of(latency).T)]
    members = np.concatenate([*found.layers, found.disturbed])
    assert sorted(members.tolist()) == list(range(len(values)))
    for lower, upper in pairwise(found.layers):
        assert values[lower].max() <= values[upper].min()
    for groups in found.groups:
        assert all(len(group) > 1 for group in groups)
