"""Structures that no kind describes are called unknown, and not the nearest kind."""

from itertools import combinations, permutations
from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.facts.network import NetworkTopology
from groma.interconnect.lattice import mesh, torus
from groma.interconnect.sharing import max_min_shares
from groma.survey.infer.network.topology import structure_of
from groma.survey.infer.network.unnamed import unnamed_layouts
from groma.survey.infer.registry import infer_network
from simulated.hops import hops_of_complete_graphs, hops_of_dragonfly, hops_of_fat_tree
from simulated.network import Scatter, distance_samples, names, on_hosts, pair_samples

Matrix = NDArray[np.float64]


def latencies_on(hops: Matrix, noise: float, seed: int | list[int], *, shuffled: bool = False) -> Matrix:
    """1500 ns and 120 ns for each hop."""
    random, nodes = np.random.default_rng(seed), len(hops)
    order = random.permutation(nodes) if shuffled else np.arange(nodes)
    scatter = np.triu(random.normal(0.0, noise, (nodes, nodes)), 1)
    latencies = (1500.0 + 120.0 * hops[np.ix_(order, order)]) * 1e-9 * np.exp(scatter + scatter.T)
    return np.where(np.eye(nodes, dtype=bool), np.nan, latencies)


def structure_in(latencies: Matrix) -> NetworkTopology:
    found = structure_of(names(len(latencies)), latencies)
    assert found is not None
    return found


def with_nodes(routers: Matrix, at_each: int) -> Matrix:
    return np.kron(routers, np.ones((at_each, at_each))).astype(np.float64)


@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "shuffled"])
@pytest.mark.parametrize(
    ("hops", "noise"),
    [
        pytest.param(with_nodes(torus(6).hops(), 2), 0.03, id="ring of 6 routers with 2 nodes"),
        pytest.param(with_nodes(torus(8).hops(), 4), 0.03, id="ring of 8 routers with 4 nodes"),
        pytest.param(with_nodes(torus(4).hops(), 4), 0.02, id="ring of 4 routers with 4 nodes"),
        pytest.param(with_nodes(mesh(3, 3).hops(), 2), 0.03, id="mesh of 9 routers with 2 nodes"),
        pytest.param(hops_of_complete_graphs(4, 4), 0.03, id="complete graphs 4x4"),
        pytest.param(hops_of_complete_graphs(2, 8), 0.01, id="complete graphs 2x8"),
    ],
)
def test_structures_without_a_kind_are_not_called_the_nearest_one(
    hops: Matrix, noise: float, *, shuffled: bool
) -> None:
    """They were rings, meshes and tori of all nodes, a tree of two groups, and crossbars."""
    for seed in range(2):
        assert structure_in(latencies_on(hops, noise, seed, shuffled=shuffled)).kind == "unknown"


def test_every_layout_is_found_as_often_as_its_symmetries_say() -> None:
    """The orders that leave the hops of six nodes as they are, counted."""
    orders = list(map(list, permutations(range(6))))
    for layout in unnamed_layouts(6):
        same = sum(bool((layout.hops[np.ix_(one, one)] == layout.hops).all()) for one in orders)
        assert exp(layout.log_symmetries) == pytest.approx(same)


def test_groups_linked_by_one_router_each_are_no_tree() -> None:
    """They were a tree of five groups of four, with certainty."""
    for seed in range(3):
        assert structure_in(latencies_on(hops_of_dragonfly(5, 4, 1), 0.03, seed)).kind == "unknown"


def test_groups_of_routers_with_nodes_are_no_tree_of_two_levels() -> None:
    """What each level leaves is tested: pairs of nodes hid the links between groups of routers."""
    found = structure_in(latencies_on(hops_of_dragonfly(5, 4, 2), 0.05, [40, 4, 50]))
    assert found.kind == "unknown"


@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "shuffled"])
def test_small_groups_are_found_though_many_pairs_are_missing(*, shuffled: bool) -> None:
    """Nodes whose pairs within their group are missing were groups of their own."""
    for seed in range(4):
        latencies = latencies_on(hops_of_fat_tree(4, 3, 2), 0.02, seed, shuffled=shuffled)
        missing = np.triu(np.random.default_rng(seed + 9).random(latencies.shape) < 0.3)
        found = structure_in(np.where(missing | missing.T, np.nan, latencies))
        assert (found.kind, found.shape) in [("tree", [4] * 6), ("unknown", [])]
        assert seed or found.kind == "tree"


def test_a_node_that_may_belong_to_several_groups_leaves_the_structure_unknown() -> None:
    """It was a group of its own, with certainty."""
    group_of = np.arange(16) % 4
    latencies = latencies_on((group_of[:, None] != group_of[None, :]) * 2.0, 0.01, 1)
    latencies[0, group_of < 2] = latencies[group_of < 2, 0] = np.nan
    found = structure_in(latencies)
    assert found.kind == "unknown"
    assert found.alternatives[0].kind == "tree"


def test_bandwidths_of_other_routes_do_not_make_clear_hops_those_of_a_crossbar() -> None:
    """A torus 2x2x3 in another order, whose messages take the last dimension first, was a crossbar with 99 %:
    fair shares of the known routes ruled it out.
    """
    nodes, random = 12, np.random.default_rng(7)
    lattice = torus(3, 2, 2)
    order = random.permutation(nodes).tolist()
    hops = lattice.hops()[np.ix_(order, order)]

    def latency(one: int, other: int) -> float:
        return 1.5e-6 + 0.12e-6 * float(hops[one, other])

    def share(d: int, rank: int) -> float:
        routes = [lattice.route(order[(node + d) % nodes], order[node]) for node in range(nodes)]
        alike = dict.fromkeys((link for route in routes for link in route), 1.0)
        return 1e7 * max_min_shares(routes, alike)[(rank - d) % nodes]

    pairs = pair_samples(list(combinations(range(nodes), 2)), latency, Scatter(9, 0.02))
    distances = distance_samples(nodes, share, Scatter(9, 0.03))
    facts, _ = infer_network({one.probe: on_hosts(one, names(nodes)) for one in (pairs, distances)})
    assert facts is not None
    assert facts.topology is not None
    assert facts.topology.kind in {"torus", "unknown"}
