"""Trees whose uplinks limit at two levels are not called trees of other groups."""

import pytest

from groma.facts.network import NetworkTopology
from groma.interconnect.switched import in_blocks, tree
from groma.survey.infer.network.shares import share_at
from groma.survey.infer.network.tapered_twice import Level, TaperedTwice
from groma.survey.infer.registry import infer_network
from simulated.network import distance_samples, names, on_hosts

LINK = 1e9


def tapered(nodes: int, leaf: tuple[int, float], pod: tuple[int, float]) -> TaperedTwice:
    """Sizes of the groups, and what their uplinks carry."""
    leaves, pods = (Level(in_blocks(nodes, size), uplink) for size, uplink in (leaf, pod))
    return TaperedTwice(nodes, (), leaves, pods)


def topology_of(network: TaperedTwice) -> NetworkTopology:
    samples = distance_samples(
        network.nodes,
        lambda distance, rank: LINK * float(share_at(network, distance).of_ranks("receive")[rank]),
    )
    facts, _ = infer_network({"net_distance": on_hosts(samples, names(network.nodes))})
    assert facts is not None
    assert facts.topology is not None
    return facts.topology


@pytest.mark.parametrize(
    ("nodes", "leaf", "pod"),
    [(16, (4, 2.0), (8, 2.0)), (24, (4, 2.0), (12, 3.0)), (24, (6, 2.0), (12, 2.0))],
)
def test_two_levels_that_limit_have_no_kind(
    nodes: int, leaf: tuple[int, float], pod: tuple[int, float]
) -> None:
    assert topology_of(tapered(nodes, leaf, pod)).kind == "unknown"


@pytest.mark.parametrize(
    ("leaf", "pod", "shape"),
    [((4, 2.0), (8, 4.0), [4, 4, 4, 4]), ((4, 4.0), (8, 3.0), [8, 8])],
)
def test_one_level_that_limits_is_a_tree_of_its_groups(
    leaf: tuple[int, float], pod: tuple[int, float], shape: list[int]
) -> None:
    found = topology_of(tapered(16, leaf, pod))
    assert (found.kind, found.shape) == ("tree", shape)


def test_a_message_takes_the_uplinks_of_the_levels_that_it_leaves() -> None:
    network = tapered(16, (4, 2.0), (8, 3.0))
    assert network.path(0, 3) == []
    assert network.path(0, 4) == [("up", 0, 0), ("down", 0, 1)]
    assert [network.capacity(link) for link in network.path(0, 8)] == [2.0, 2.0, 3.0, 3.0]
    assert network.hops()[0, [3, 4, 8]].tolist() == [0.0, 1.0, 2.0]


def test_uplinks_of_pods_that_carry_everything_leave_a_tree_of_one_level() -> None:
    one = tree(in_blocks(16, 4), 2.0)
    both = tapered(16, (4, 2.0), (8, 8.0))
    assert share_at(one, 5).sent.tolist() == pytest.approx(share_at(both, 5).sent.tolist())
