"""Pairs that are far slower than ways over third nodes are disturbed, in networks of any structure."""

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.interconnect.base import Interconnect
from groma.interconnect.lattice import mesh, torus
from groma.interconnect.switched import crossbar, in_blocks, tree
from groma.survey.infer.network.undisturbed import undisturbed
from simulated.hops import hops_of_dragonfly, hops_of_random_graph

Matrix = NDArray[np.float64]
Pairs = list[tuple[int, int]]


def latencies(hops: Matrix, factors: Matrix | float = 1.0, seed: int = 1) -> Matrix:
    """20 and 1.6 for each hop, a scatter of 1 %; the factors are those of pairs above the diagonal."""
    scatter = np.exp(np.random.default_rng(seed).normal(0.0, 0.01, hops.shape))
    above = np.triu((20.0 + 1.6 * hops) * scatter * factors, 1)
    return np.where(np.eye(len(hops), dtype=bool), np.nan, above + above.T)


def late(nodes: int, pairs: Pairs, factor: float) -> Matrix:
    factors = np.ones((nodes, nodes))
    for row, column in pairs:
        factors[row, column] = factor
    return factors


def left_out(between: Matrix) -> Pairs:
    found = np.isnan(undisturbed(between)) & np.isfinite(between)
    return [(int(row), int(column)) for row, column in np.argwhere(np.triu(found))]


NETWORKS = [torus(24), torus(4, 6), mesh(4, 6), tree(in_blocks(24, 4)), crossbar(24)]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda one: one.title)
def test_pairs_that_hide_among_those_of_many_hops_are_left_out(network: Interconnect) -> None:
    """1.4 times the latency of neighbours is that of six hops."""
    pairs = [(0, 1), (3, 9), (14, 20)]
    assert left_out(latencies(network.hops(), late(24, pairs, 1.4))) == pairs


@pytest.mark.parametrize("hops", [hops_of_dragonfly(5, 4, 2), hops_of_random_graph(24, 3, 1)])
def test_pairs_are_left_out_where_the_structure_has_no_kind(hops: Matrix) -> None:
    assert left_out(latencies(hops, late(len(hops), [(2, 11)], 1.4))) == [(2, 11)]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda one: one.title)
def test_far_nodes_are_not_disturbed(network: Interconnect) -> None:
    assert [seed for seed in range(20) if left_out(latencies(network.hops(), seed=seed))] == []


def test_slow_and_fast_nodes_are_not_disturbed() -> None:
    for seed in range(20):
        own = np.random.default_rng(seed).exponential(4.0, 24)
        assert left_out(latencies(torus(4, 6).hops(), seed=seed) + own[:, None] + own[None, :]) == []


@pytest.mark.parametrize("near", [2, 3, 4, 8])
def test_few_nodes_that_share_memory_make_no_other_pair_late(near: int) -> None:
    """A way over one of them is nearly as short as that from the other."""
    hops = np.zeros((40, 40))
    hops[:near, :near] = -10.0  # 4 in place of 20
    assert left_out(latencies(hops)) == []


def test_what_many_pairs_have_in_common_is_a_structure() -> None:
    pairs = [(row, column) for row in range(12) for column in range(18, 24)]
    assert left_out(latencies(crossbar(24).hops(), late(24, pairs, 1.5))) == []


def test_pairs_without_ways_over_third_nodes_stay() -> None:
    ring = np.full((8, 8), np.nan)
    ring[np.arange(8), (np.arange(8) + 1) % 8] = 20.0
    ring[0, 1] = 40.0
    assert left_out(np.fmax(ring, ring.T)) == []
    assert left_out(np.full((8, 8), np.nan)) == []
    assert left_out(latencies(crossbar(5).hops(), late(5, [(0, 1)], 3.0))) == []
