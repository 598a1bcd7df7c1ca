"""Distances between hosts, by what a survey of the network measured."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from groma.facts.matrices import Entry, sparse_matrix
from groma.facts.network import CommunicationLayer, NetworkFacts, NetworkLaunch, NodePairs, PairDesign
from groma.map.conftest import SMT
from groma.map.hosts import measured_layers
from groma.map.targets import on_hosts
from groma.map.topologies import node_of
from groma.record import Quantity
from groma.record.launch import Launch, RankPlace

if TYPE_CHECKING:
    from groma.map.topologies import FoundMachine

HOSTS = ("a", "b", "c", "d")
"""Two ranks each; a and b are at one switch, c and d at another one."""


def latency(value: float) -> Quantity:
    return Quantity(value=value, unit="s", low=value, high=value, confidence=0.95, method="known")


def layer_of(one: int, other: int) -> int:
    return 0 if one // 2 == other // 2 else 1 if one // 4 == other // 4 else 2


def network(*latencies: float | None, each: int = 2) -> NetworkFacts:
    ranks = [RankPlace(rank=rank, host=f"{HOSTS[rank * (2 // each) // 2]}.site") for rank in range(4 * each)]
    pairs = [(one, other) for one in range(len(ranks)) for other in range(one)]
    spread = 2 // each
    layers = [
        CommunicationLayer(
            name=f"layer {number}",
            latency=None if value is None else latency(value),
            pairs=[(i, j) for i, j in pairs if layer_of(i * spread, j * spread) == number],
        )
        for number, value in enumerate(latencies)
    ]
    launch = Launch(
        launcher="", command="", ranks=len(ranks), nodes=4, threads=1, binding="core", inter_node=True,
        mpi="", blas="", placement=ranks,
    )  # fmt: skip
    return NetworkFacts(layers=layers, launches=[NetworkLaunch(probes=["net_pairs"], launch=launch)])


def between(found: FoundMachine, one: int, other: int) -> float:
    """Of the first places of two hosts."""
    each = found.machine.places // 4
    return float(found.machine.distances(np.array([each * one]), np.array([each * other]))[0])


def test_layers_between_hosts_are_their_distances_in_the_scale_of_the_node() -> None:
    node = node_of(SMT)
    found = on_hosts(node, HOSTS, network(1e-6, 4e-6, 10e-6))
    apart = node.machine.distances(*np.triu_indices(8, 1))
    usual = float(np.median(apart))
    assert between(found, 0, 1) == pytest.approx(4 * usual)
    assert between(found, 0, 2) == between(found, 1, 3) == pytest.approx(10 * usual)
    assert "measured layers" in found.machine.title
    one = np.arange(8)
    assert np.array_equal(found.machine.distances(one, one[::-1]), node.machine.distances(one, one[::-1]))


def test_layers_between_hosts_are_distinguished_by_name_and_nearest_first() -> None:
    found = on_hosts(node_of(SMT), HOSTS, network(1e-6, 20e-6, 10e-6))
    names, layer = found.machine.layers(np.array([0, 0]), np.array([8, 16]))
    assert [names[each] for each in layer] == ["other host: layer 1", "other host: layer 2"]
    assert names[-2:] == ["other host: layer 2", "other host: layer 1"], "20 us are farther than 10"


def with_nodes(facts: NetworkFacts, slowdown: float) -> NetworkFacts:
    """Only ranks of hosts a, b and c were paired, and all hosts at the same time."""
    for layer in facts.layers:
        layer.pairs = [pair for pair in layer.pairs if max(pair) < 6]
    entries = [
        Entry(one, other, latency(slowdown * (5e-6 if one // 2 == other // 2 else 12e-6)))
        for one, other in combinations(range(4), 2)
    ]
    facts.node_pairs = NodePairs(
        ranks=list(range(4)), hosts=list(HOSTS), bytes=8, at_once=2, slowdown=latency(slowdown),
        design=PairDesign(kind="all", measured=6, total=6, min_share=0.0, risk=0.0),
        latency=sparse_matrix(entries),
    )  # fmt: skip
    return facts


def test_hosts_without_paired_ranks_have_the_layer_that_their_nodes_are_nearest_to() -> None:
    found = on_hosts(node_of(SMT), HOSTS, with_nodes(network(1e-6, 4e-6, 10e-6), 1.1))
    assert between(found, 2, 3) == between(found, 0, 1)
    assert between(found, 1, 3) == between(found, 1, 2) == pytest.approx(2.5 * between(found, 0, 1))


def test_nodes_that_disturb_each_other_tell_no_layer() -> None:
    found = on_hosts(node_of(SMT), HOSTS, with_nodes(network(1e-6, 4e-6, 10e-6), 1.5))
    assert between(found, 2, 3) == between(found, 0, 2)


def test_hosts_that_the_survey_did_not_see_are_as_far_apart_as_most() -> None:
    found = on_hosts(node_of(SMT), ("a", "b", "x", "y"), network(1e-6, 4e-6, 10e-6))
    assert between(found, 2, 3) == between(found, 0, 2) == pytest.approx(2.5 * between(found, 0, 1))


def test_without_messages_inside_a_node_the_nearest_host_is_one_farther_than_the_node_is_wide() -> None:
    found = on_hosts(node_of(SMT), HOSTS, network(None, 4e-6, 10e-6, each=1))
    assert between(found, 0, 1) == pytest.approx(4.0)
    assert between(found, 0, 2) == pytest.approx(10.0)


@pytest.mark.parametrize("facts", [None, NetworkFacts(), network(1e-6, None, None), network(1e-6)])
def test_a_network_without_layers_between_hosts_leaves_them_alike(facts: NetworkFacts | None) -> None:
    node = node_of(SMT)
    assert measured_layers(node.machine, HOSTS, facts) is None
    found = on_hosts(node, HOSTS, facts)
    assert {between(found, 0, other) for other in (1, 2, 3)} == {4.0}
