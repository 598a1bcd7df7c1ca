"""Levels of groups within groups are found together, and no level that explains nothing."""

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.interconnect.switched import in_blocks
from groma.survey.infer.network.candidates import even_groups
from groma.survey.infer.network.likelihoods import Latencies
from groma.survey.infer.network.nested_groups import (
    Membership,
    NestedGroups,
    is_mixture,
    nested_blocks,
    nested_groups,
)

NODES = 24
LEAVES, PODS = in_blocks(NODES, 4), in_blocks(NODES, 12)
HALF_JOINED = tuple(0 if leaf < 2 else leaf - 1 for leaf in LEAVES)
Matrix = NDArray[np.float64]
CROSSING = tuple(node % 3 for node in range(NODES))


def apart(group_of: Membership) -> NDArray[np.bool_]:
    groups = np.array(group_of)
    return np.asarray(groups[:, None] != groups[None, :])


def found_in(
    of_leaves: float, of_pods: float, *memberships: Membership, noise: float = 0.01
) -> NestedGroups | None:
    """Among these, in latencies of 1 µs with these shares of it for another leaf switch and another pod."""
    distances = distances_with(of_leaves, of_pods, noise)
    return nested_groups(latencies_of(distances), memberships)


def distances_with(of_leaves: float, of_pods: float, noise: float) -> Matrix:
    scatter = np.triu(np.random.default_rng(3).normal(0.0, noise, (NODES, NODES)), 1)
    distances = 1.0 + of_leaves * apart(LEAVES) + of_pods * apart(PODS) + scatter + scatter.T
    np.fill_diagonal(distances, 0.0)
    return np.asarray(distances)


def latencies_of(distances: Matrix) -> Latencies:
    return Latencies(np.where(np.eye(len(distances), dtype=bool), np.nan, 1e-6 * distances))


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0)])
def test_the_levels_are_those_of_the_tree_whatever_other_groups_there_are(order: tuple[int, ...]) -> None:
    every = (LEAVES, HALF_JOINED, PODS, CROSSING)
    found = found_in(0.2, 0.3, *(every[i] for i in order))
    assert found is not None
    assert [level.group_of for level in found.levels] == [LEAVES, PODS]
    assert [level.step for level in found.levels] == pytest.approx([1.0, 1.5], rel=0.1)


def test_hops_are_in_steps_of_the_smallest_groups() -> None:
    found = found_in(0.2, 0.3, LEAVES, PODS, noise=1e-6)
    assert found is not None
    assert found.hops[0, [0, 1, 4, 12]] == pytest.approx([0.0, 0.0, 1.0, 2.5], abs=1e-3)


@pytest.mark.parametrize(
    ("of_leaves", "of_pods"), [(0.2, 0.0), (0.0, 0.3), (0.0, 0.0), (-0.1, 0.3), (0.02, 0.5)]
)
def test_one_level_is_none_of_several(of_leaves: float, of_pods: float) -> None:
    """Nor is one that makes messages faster, or that adds less than real networks deviate from their hops."""
    assert found_in(of_leaves, of_pods, LEAVES, HALF_JOINED, PODS, CROSSING) is None


def test_groups_that_cross_each_other_are_no_levels() -> None:
    assert found_in(0.2, 0.0, LEAVES, CROSSING) is None


def test_in_rank_order_levels_are_found_that_noise_hides_from_linkage() -> None:
    """Who is in which group need not be described then."""
    latencies = latencies_of(distances_with(0.12, 0.15, 0.1))
    found = nested_blocks(latencies, even_groups(NODES))
    assert found is not None
    assert [level.group_of for level in found.levels] == [LEAVES, PODS]
    assert found.cost < 10.0


@pytest.mark.parametrize("nodes", [6, 7, 13])
def test_few_or_prime_nodes_have_no_levels_in_rank_order(nodes: int) -> None:
    distances = np.ones((nodes, nodes)) - np.eye(nodes)
    assert nested_blocks(latencies_of(distances), even_groups(nodes)) is None


def test_few_pairs_of_small_groups_count_among_those_that_they_concern() -> None:
    """They are 12 of 276 here, and were taken for what networks deviate from the step between pods."""
    pairs = in_blocks(NODES, 2)
    distances = np.asarray(distances_with(0.0, 1.0, 0.01) - 0.2 * ~apart(pairs), dtype=np.float64)
    found = nested_groups(latencies_of(distances), [pairs, PODS])
    assert found is not None
    assert [level.group_of for level in found.levels] == [pairs, PODS]


def test_groups_left_whole_that_are_as_wide_as_those_that_are_divided_show_a_mixture() -> None:
    """Effects of nodes may hide it: leaf switches in one pod only, where both pods have pairs of nodes."""
    pairs, in_one_pod = in_blocks(NODES, 2), tuple(min(leaf, 3) for leaf in LEAVES)
    of_both = latencies_of(np.asarray(1.0 - 0.3 * ~apart(pairs) + apart(PODS), dtype=np.float64))
    of_one = latencies_of(np.asarray(1.0 + 0.2 * apart(in_one_pod) + apart(PODS), dtype=np.float64))
    assert is_mixture(of_both, in_one_pod, PODS, 0.1)
    assert not is_mixture(of_both, pairs, PODS, 0.1)
    assert not is_mixture(of_one, in_one_pod, PODS, 0.1)
