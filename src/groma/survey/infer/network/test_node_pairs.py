from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from groma.facts.matrices import sparse_entries
from groma.survey.infer.registry import infer_network
from simulated.network import Scatter, node_pair_samples, pair_samples, probe_samples

if TYPE_CHECKING:
    from groma.facts.network import NetworkFacts, NodePairs
    from groma.record import Advice, ProbeSamples

MICRO = 1e-6
CLEAR = Scatter(repetitions=9, noise=0.01)


def groups_of(size: int, nodes: int, seed: int = 1) -> list[int]:
    """The group of each node, the nodes in any order."""
    return [int(one) for one in np.random.default_rng(seed).permutation(nodes) // size]


def on_hosts(samples: ProbeSamples, nodes: int) -> ProbeSamples:
    samples.parameters["rank_nodes"] = ",".join(f"n{node}" for node in range(nodes))
    return samples


def between_groups(group: list[int], *, alone: bool = False, slowdown: float = 1.0) -> ProbeSamples:
    def latency(one: int, other: int) -> float:
        return (1.5 if group[one] == group[other] else 1.9) * MICRO

    nodes = range(len(group))
    samples = (
        pair_samples(list(combinations(nodes, 2)), latency, CLEAR)
        if alone
        else node_pair_samples(nodes, latency, CLEAR, slowdown=slowdown)
    )
    return on_hosts(samples, len(group))


def members(group: list[int]) -> set[frozenset[int]]:
    return {frozenset(node for node, own in enumerate(group) if own == one) for one in group}


def inferred(**samples: ProbeSamples) -> tuple[NetworkFacts, list[Advice]]:
    facts, advice = infer_network({f"net_{name}": one for name, one in samples.items()})
    assert facts is not None
    return facts, advice


def facts_of(samples: ProbeSamples) -> NodePairs:
    facts, _ = inferred(node_pairs=samples)
    assert facts.node_pairs is not None
    return facts.node_pairs


def test_every_pair_has_its_latency_at_once() -> None:
    facts = facts_of(
        node_pair_samples(range(5), lambda one, other: (one + other) * MICRO, CLEAR, slowdown=1.1)
    )
    assert facts.latency is not None
    found = {(one.row, one.column): one.quantity.value for one in sparse_entries(facts.latency)}
    assert len(found) == 10
    assert found[1, 3] == pytest.approx(1.1 * 4 * MICRO, rel=0.02)
    assert (facts.design.kind, facts.design.measured, facts.at_once) == ("all", 10, 2)


def test_pairs_that_do_not_disturb_each_other_are_as_fast_as_alone() -> None:
    slowdown = facts_of(node_pair_samples(range(12), lambda *_: MICRO)).slowdown
    assert slowdown is not None
    assert slowdown.low <= 1.0 <= slowdown.high


def test_three_nodes_have_one_pair_at_a_time() -> None:
    facts = facts_of(node_pair_samples(range(3), lambda *_: MICRO))
    assert (facts.at_once, facts.slowdown) == (1, None)


def test_nodes_that_were_drawn_say_what_they_may_miss() -> None:
    samples = node_pair_samples(range(0, 40, 2), lambda *_: MICRO)
    samples.parameters["nodes_total"] = "40"
    design = facts_of(samples).design
    assert (design.kind, design.measured, design.total) == ("sampled", 190, 780)
    assert design.min_share == pytest.approx(1.0 - 0.05 ** (1.0 / 10))


def test_pairs_without_usable_samples_are_missing() -> None:
    cases = [{"from": 0, "to": to, "bytes": 8, "at_once": 2} for to in (1, 2, 3)]
    facts = facts_of(probe_samples("net_node_pairs", cases, [[MICRO], [float("nan")], []]))
    assert facts.ranks == [0, 1]
    assert facts.design.measured == 1


def test_groups_of_many_nodes_follow_where_few_pairs_could_be_measured_alone() -> None:
    group = groups_of(16, 96)
    alone = pair_samples([(one, one + 1) for one in range(0, 96, 2)], lambda *_: 1.5 * MICRO, CLEAR)
    facts, _ = inferred(pairs=on_hosts(alone, 96), node_pairs=between_groups(group))
    assert facts.topology is not None
    assert (facts.topology.kind, facts.topology.shape) == ("tree", [16] * 6)
    assert facts.topology.confidence > 0.99
    assert set(map(frozenset, facts.topology.groups)) == members(group)


def test_pairs_that_disturb_each_other_tell_no_structure_and_a_warning_says_so() -> None:
    facts, advice = inferred(node_pairs=between_groups(groups_of(4, 12), slowdown=1.7))
    assert facts.topology is None
    (found,) = [one for one in advice if one.code == "network.pairs_disturb"]
    assert "6 pairs of nodes at the same time took 1.7" in found.what


def test_all_pairs_alone_are_preferred_to_pairs_at_once() -> None:
    """What is measured alone is disturbed by nothing."""
    group = groups_of(4, 12)
    facts, _ = inferred(
        pairs=between_groups(group, alone=True), node_pairs=between_groups(groups_of(4, 12, 2))
    )
    assert facts.topology is not None
    assert set(map(frozenset, facts.topology.groups)) == members(group)


def test_of_too_many_nodes_those_that_were_drawn_have_a_structure() -> None:
    drawn = range(0, 600, 25)
    samples = node_pair_samples(drawn, lambda a, b: (1.5 if a // 150 == b // 150 else 1.9) * MICRO, CLEAR)
    samples.parameters["nodes_total"] = "600"
    facts, _ = inferred(node_pairs=on_hosts(samples, 600))
    assert facts.topology is not None
    assert facts.topology.hosts == [f"n{node}" for node in drawn]
    assert facts.topology.shape == [6] * 4
