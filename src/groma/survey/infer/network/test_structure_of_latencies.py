"""Structures are found in latencies alone, in any order of the nodes, and unknown ones are called so."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.facts.network import NetworkTopology
from groma.interconnect.base import Interconnect
from groma.interconnect.lattice import Lattice, mesh, torus
from groma.interconnect.switched import crossbar, in_blocks, tree
from groma.survey.infer.network.topology import interconnect_of, structure_of
from simulated.hops import hops_of_complete_graphs, hops_of_dragonfly, hops_of_fat_tree, hops_of_groups
from simulated.network import names

Matrix = NDArray[np.float64]


def structure_on(
    hops: Matrix, noise: float, seed: int, *, shuffled: bool = False, late: float | Matrix = 0.0
) -> NetworkTopology:
    """What is found in latencies of 1500 ns and 120 ns for each hop; `late` is what disturbed pairs add, as
    a multiple of their latency.
    """
    random, nodes = np.random.default_rng(seed), len(hops)
    order = random.permutation(nodes) if shuffled else np.arange(nodes)
    scatter = np.triu(random.normal(0.0, noise, (nodes, nodes)), 1)
    latencies = (1500.0 + 120.0 * hops[np.ix_(order, order)]) * 1e-9 * np.exp(scatter + scatter.T)
    latencies *= 1.0 + late + np.transpose(late)
    found = structure_of(names(nodes), np.where(np.eye(nodes, dtype=bool), np.nan, latencies))
    assert found is not None
    return found


def kind_and_shape(found: NetworkTopology) -> tuple[str, list[int]]:
    return found.kind, sorted(found.shape)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "lattice",
    [torus(4, 8), torus(3, 4, 4), torus(6, 6), torus(4, 4), torus(16), mesh(4, 6), mesh(8, 8)],
    ids=lambda lattice: lattice.title,
)
def test_lattices_are_found_through_noise_in_whatever_order_the_nodes_are(
    lattice: Lattice, seed: int
) -> None:
    """The fastest pairs are not the links here: the noise is a quarter of a hop."""
    found = structure_on(lattice.hops(), 0.02, seed, shuffled=True)
    assert kind_and_shape(found) == (lattice.kind, list(lattice.shape))
    assert found.confidence > 0.9
    assert not found.in_rank_order
    assert "each hop adds" in found.evidence[0]


def test_a_hypercube_of_any_dimensions_is_found_in_any_order_of_the_nodes() -> None:
    """Up to six dimensions are those of a torus of extents of 2 and 4."""
    shapes = {4: [4, 4], 5: [2, 4, 4], 6: [4, 4, 4], 7: [2] * 7}
    for dimensions, shape in shapes.items():
        found = structure_on(torus(*[2] * dimensions).hops(), 0.01, 1, shuffled=True)
        assert kind_and_shape(found) == ("torus", shape)


@pytest.mark.parametrize("noise", [0.01, 0.15])
@pytest.mark.parametrize(
    "lattice",
    [mesh(8, 8), mesh(6, 4), torus(8, 8), torus(2, 2, 2, 2, 2)],
    ids=lambda lattice: lattice.title,
)
def test_lattices_in_the_order_of_ranks_keep_their_shape(lattice: Lattice, noise: float) -> None:
    found = structure_on(lattice.hops(), noise, 1)
    assert interconnect_of(found, lattice.nodes) == lattice


@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "shuffled"])
@pytest.mark.parametrize(
    "hops",
    [
        pytest.param(hops_of_dragonfly(5, 4, 2), id="dragonfly"),
        pytest.param(torus(3, 3, 3, 3).hops(), id="four dimensions"),
    ],
)
def test_structures_that_are_not_known_are_called_unknown(hops: Matrix, shuffled: bool) -> None:
    for seed in range(2):
        found = structure_on(hops, 0.02, seed, shuffled=shuffled)
        assert found.kind == "unknown", found
        assert found.evidence[0].startswith(f"latency of {len(hops) * (len(hops) - 1) // 2} pairs: a ")
        assert " suits them best" in found.evidence[0]


def test_complete_graphs_are_no_tree_of_their_rows_where_a_hop_is_little_above_noise() -> None:
    """It was a tree of four rows with a confidence of 97 % in any order of the nodes."""
    for seed in range(3):
        found = structure_on(hops_of_complete_graphs(4, 8), 0.05, seed, shuffled=True)
        assert found.kind == "unknown", found


@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "shuffled"])
@pytest.mark.parametrize(
    "arities",
    [(4, 4, 2), (6, 3, 3), (8, 2, 2), (2, 2, 2, 2), (4, 2, 2, 2)],
    ids=lambda arities: " ".join(map(str, arities)),
)
def test_a_tree_of_several_levels_is_found_with_its_leaf_switches(
    arities: tuple[int, ...], *, shuffled: bool
) -> None:
    """It was unknown: no tree of one level leaves but noise."""
    for seed in range(2):
        found = structure_on(hops_of_fat_tree(*arities), 0.02, seed, shuffled=shuffled)
        assert kind_and_shape(found) == ("tree", [arities[0]] * math.prod(arities[1:]))
        assert found.in_rank_order is not shuffled
        assert found.evidence[0].count("adds") == len(arities) - 1
        assert [len(one.groups) for one in found.levels] == [
            math.prod(arities[level:]) for level in range(1, len(arities))
        ]
        assert found.levels[0].groups == found.groups


def test_sockets_within_nodes_show_by_the_latencies_of_their_ranks() -> None:
    """0.35 µs in a socket, 0.62 µs in a node, 1.9 µs to the other node: it was unknown."""
    socket = np.arange(32) // 8
    apart, other = socket[:, None] != socket[None, :], socket[:, None] // 2 != socket[None, :] // 2
    noise = np.triu(np.random.default_rng(1).normal(0.0, 0.02, (32, 32)), 1)
    latencies = np.where(other, 1.9e-6, np.where(apart, 0.62e-6, 0.35e-6)) * np.exp(noise + noise.T)
    found = structure_of(names(32), np.where(np.eye(32, dtype=bool), np.nan, latencies))
    assert found is not None
    assert (found.kind, found.shape) == ("tree", [8] * 4)
    assert found.evidence[0].startswith(
        "latency of 496 pairs: another of 4 groups adds 15\u00a0% of the typical one, "
    )
    assert found.evidence[0].endswith("another of 2 groups adds 70\u00a0% more")
    assert [one.groups[0] for one in found.levels] == [list(range(8)), list(range(16))]
    assert [one.adds for one in found.levels] == pytest.approx([0.15, 0.70], abs=0.006)


def ns_between(far: float, *levels: tuple[tuple[int, ...], float]) -> Matrix:
    """Latencies by the sizes of groups and what a message within one takes, the smallest groups first."""
    nodes = sum(levels[0][0])
    found = np.full((nodes, nodes), far)
    for sizes, ns in reversed(levels):
        group = np.repeat(np.arange(len(sizes)), sizes)
        found = np.where(group[:, None] == group[None, :], ns, found)
    return found


@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "shuffled"])
@pytest.mark.parametrize(
    ("ns", "groups"),
    [
        pytest.param(ns_between(114.0, ((2,) * 16, 9.0), ((16,) * 2, 32.0)), [16, 2], id="sockets"),
        pytest.param(
            ns_between(98.0, ((2,) * 24, 6.5), ((6,) * 8, 23.5), ((12, 12, 6, 6, 6, 6), 85.0)),
            [24, 8, 6],
            id="two pairs of caches nearer",
        ),
        pytest.param(
            ns_between(107.0, ((2,) * 12, 6.2), ((6,) * 4, 19.0), ((12, 12), 78.0)), [12, 4, 2], id="dies"
        ),
    ],
)
def test_the_smallest_groups_are_found_below_levels_that_add_many_times_as_much(
    ns: Matrix, groups: list[int], *, shuffled: bool
) -> None:
    """Threads of cores: the larger groups were the smallest ones, with 100 %."""
    random, nodes = np.random.default_rng(1), len(ns)
    order = random.permutation(nodes) if shuffled else np.arange(nodes)
    scatter = np.triu(random.normal(0.0, 0.02, (nodes, nodes)), 1)
    latencies = 1e-9 * ns[np.ix_(order, order)] * np.exp(scatter + scatter.T)
    found = structure_of(names(nodes), np.where(np.eye(nodes, dtype=bool), np.nan, latencies))
    assert found is not None
    assert kind_and_shape(found) == ("tree", [2] * groups[0])
    assert [len(level.groups) for level in found.levels] == groups


def test_a_tree_of_one_level_has_no_levels() -> None:
    found = structure_on(hops_of_fat_tree(4, 4), 0.02, 1, shuffled=False)
    assert kind_and_shape(found) == ("tree", [4] * 4)
    assert found.levels == []


def without(hops: Matrix, *missing: int) -> Matrix:
    kept = [node for node in range(len(hops)) if node not in missing]
    return hops[np.ix_(kept, kept)]


@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "shuffled"])
@pytest.mark.parametrize(
    "hops",
    [
        pytest.param(without(mesh(4, 4).hops(), 5), id="mesh with a hole"),
        pytest.param(without(torus(4, 4).hops(), 2, 11), id="torus with two holes"),
        pytest.param(hops_of_dragonfly(3, 2, 2), id="ring of routers with two nodes"),
        pytest.param(hops_of_dragonfly(4, 3, 1), id="small dragonfly"),
    ],
)
def test_few_latencies_of_distinct_levels_do_not_make_another_lattice(hops: Matrix, shuffled: bool) -> None:
    """They were a mesh 3x5, a torus 2x7, a ring 12 and a tree 3 3 3 3 with 99 % and more."""
    for seed in range(3):
        assert structure_on(hops, 0.005, seed, shuffled=shuffled).kind == "unknown"


@pytest.mark.parametrize("noise", [0.01, 0.03])
@pytest.mark.parametrize(
    "structure",
    [crossbar(16), torus(9), torus(4, 4), tree(in_blocks(24, 8)), mesh(4, 6)],
    ids=lambda structure: structure.title,
)
def test_noise_of_any_shape_leaves_a_structure_known(structure: Interconnect, noise: float) -> None:
    """Exponential noise has a sharp edge, where the rests of other pairs leave valleys; clocks have steps."""
    random, nodes = np.random.default_rng(8), structure.nodes
    for late in (random.exponential(noise, (nodes, nodes)), random.laplace(0.0, noise, (nodes, nodes))):
        latencies = (1500.0 + 240.0 * structure.hops()) * (1.0 + np.triu(late, 1) + np.triu(late, 1).T)
        for ns in (latencies, np.round(latencies / 20.0) * 20.0):
            found = structure_of(names(nodes), np.where(np.eye(nodes, dtype=bool), np.nan, ns * 1e-9))
            assert found is not None
            assert kind_and_shape(found) == (structure.kind, sorted(structure.shape))


def test_levels_of_a_tree_that_hardly_show_do_not_hide_it() -> None:
    hops = hops_of_fat_tree(8, 6) + 0.1 * hops_of_fat_tree(4, 12)
    assert kind_and_shape(structure_on(hops, 0.01, 1)) == ("tree", [8] * 6)


def test_groups_are_found_where_some_pairs_are_missing() -> None:
    random, groups = np.random.default_rng(3), np.arange(12) >= 5
    latencies = np.where(groups[:, None] == groups[None, :], 1.5e-6, 1.8e-6)
    missing = np.triu(random.random((12, 12)) < 0.3)
    found = structure_of(names(12), np.where(missing | missing.T | np.eye(12, dtype=bool), np.nan, latencies))
    assert found is not None
    assert kind_and_shape(found) == ("tree", [5, 7])


@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "shuffled"])
@pytest.mark.parametrize(
    "sizes",
    [(2, 2, 2, 20), (30, 3, 3), (2, 2, 2, 2, 2, 22), (1, 1, 1, 1, 12), (4, 4, 4, 1, 1, 1)],
    ids=lambda sizes: " ".join(map(str, sizes)),
)
def test_small_groups_beside_a_large_one_are_not_taken_for_one_group(
    sizes: tuple[int, ...], *, shuffled: bool
) -> None:
    """Effects of nodes alone would make those of all small groups near each other."""
    group_of = tuple(int(group) for group in np.repeat(np.arange(len(sizes)), sizes))
    for seed in range(3):
        found = structure_on(2.0 * tree(group_of).hops(), 0.01, seed, shuffled=shuffled)
        assert kind_and_shape(found) == ("tree", sorted(sizes))


@pytest.mark.parametrize(
    "structure",
    [
        tree(in_blocks(48, 8)),
        tree(in_blocks(24, 4)),
        torus(5, 7),
        torus(4, 4, 4),
        torus(4, 4),
        crossbar(33),
    ],
    ids=lambda structure: structure.title,
)
def test_disturbed_pairs_do_not_hide_a_structure(structure: Interconnect) -> None:
    """One pair of twenty takes a multiple of its time."""
    for seed in range(3):
        random = np.random.default_rng(seed)
        alone = np.where(
            random.random((structure.nodes,) * 2) < 0.05, random.pareto(1.2, (structure.nodes,) * 2), 0.0
        )
        found = structure_on(2.0 * structure.hops(), 0.02, seed, late=np.triu(alone, 1))
        assert kind_and_shape(found) == (structure.kind, sorted(structure.shape))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("hops", [hops_of_fat_tree(4, 4, 4), hops_of_groups((7, 3, 12, 5), (1.0,) * 4)])
def test_pairs_that_take_half_as_long_again_move_no_node(hops: Matrix, seed: int) -> None:
    """They hide among pairs of more hops. With 100 %, single nodes were groups of their own."""
    random = np.random.default_rng(seed)
    late = np.where(random.random(hops.shape) < 0.03, random.uniform(0.3, 2.0, hops.shape), 0.0)
    found = structure_on(hops, 0.01, seed, shuffled=True, late=np.triu(late, 1))
    assert found.kind == "tree"
    assert sorted(found.shape) == sorted([4] * 16 if len(hops) == 64 else [7, 3, 12, 5])
    assert f"{(late > 0.0)[np.triu_indices(len(hops), 1)].sum()} disturbed ones left out" in found.evidence[0]


def test_few_pairs_of_many_show_no_structure() -> None:
    latencies = np.full((16, 16), np.nan)
    for node in range(16):
        latencies[node, (node + 1) % 16] = latencies[(node + 1) % 16, node] = 1.5e-6
    assert structure_of(names(16), latencies) is None


@pytest.mark.parametrize("nodes", [6, 8])
def test_few_equal_nodes_hardly_ever_show_a_structure(nodes: int) -> None:
    """Of 200 crossbars of 6 and of 8 nodes, before noise of the steps counted as well: 5 and 7."""
    found = [structure_on(crossbar(nodes).hops(), 0.05, seed) for seed in range(200)]
    assert sum(one.kind not in {"crossbar", "unknown"} for one in found) <= 3


@pytest.mark.parametrize("seed", range(5))
def test_every_node_is_in_its_own_group_though_noise_links_some_with_others(seed: int) -> None:
    """Groups of 7, 8 and 9 nodes were reported with 95 %, or of 2 nodes that belong to two others."""
    hops, order = hops_of_fat_tree(8, 4), np.random.default_rng(seed).permutation(32)
    found = structure_on(hops, 0.05, seed, shuffled=True)
    assert kind_and_shape(found) == ("tree", [8, 8, 8, 8])
    assert all(len({int(order[node]) // 8 for node in group}) == 1 for group in found.groups)


@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "shuffled"])
def test_groups_of_more_nodes_than_a_lattice_is_searched_for_are_found(shuffled: bool) -> None:
    found = structure_on(hops_of_fat_tree(12, 12), 0.03, 1, shuffled=shuffled)
    assert kind_and_shape(found) == ("tree", [12] * 12)


def test_pods_of_hundreds_of_nodes_are_found_with_their_leaf_switches() -> None:
    """They were called unknown with more than 128 nodes."""
    found = structure_on(hops_of_fat_tree(12, 6, 2), 0.03, 1)
    assert [len(level.groups) for level in found.levels] == [12, 2]


def test_a_scatter_that_hides_complete_graphs_is_not_called_a_crossbar() -> None:
    """From pairs alone: all of these were crossbars with up to 75 %."""
    hops = hops_of_complete_graphs(4, 4)
    found = [structure_on(hops, 0.05, seed, shuffled=True).kind for seed in range(8)]
    assert found.count("crossbar") <= 1


def test_a_crossbar_is_known_through_noise_that_other_structures_exceed() -> None:
    for nodes in (12, 16, 32):
        assert structure_on(crossbar(nodes).hops(), 0.04, 1).kind == "crossbar"
