"""A slow cable or node is named from the times of single ranks, and only where there is one."""

import re
from itertools import combinations

import numpy as np
import pytest

from groma.facts.network import Distance
from groma.interconnect.base import Interconnect, Link
from groma.interconnect.lattice import torus
from groma.interconnect.sharing import max_min_shares, shifted
from groma.interconnect.switched import crossbar, in_blocks, tree
from groma.record import Advice, ProbeSamples
from groma.survey.infer.registry import infer_network
from simulated.network import Scatter, distance_samples, on_hosts, pair_samples, probe_samples

RING_OF_9 = torus(9)
FOUR_BY_FOUR = torus(4, 4)
CROSSBAR_OF_8 = crossbar(8)
UNEVEN = tree((0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2), 2.0)


def tree_of(groups: int, uplink: float) -> Interconnect:
    """Leaf switches of four nodes each."""
    group_of = tuple(node // 4 for node in range(4 * groups))
    return tree(group_of, uplink)


def measured(
    structure: Interconnect,
    slow: set[Link],
    scatter: Scatter,
    *others: ProbeSamples,
    waits: str = "both",
    **parameters: str,
) -> tuple[Distance, list[Advice]]:
    """Max-min fair shares with the slow links at half of their rate."""

    def capacity(link: Link) -> float:
        return structure.capacity(link) * (0.5 if link in slow else 1.0)

    def ranks(distance: int) -> list[float]:
        flows = [structure.route(*pair) for pair in shifted(structure.nodes, distance)]
        capacities = {link: capacity(link) for flow in flows for link in flow}
        sent = np.array(max_min_shares(flows, capacities))
        received = np.roll(sent, distance)
        return list(received if waits == "receive" else np.minimum(sent, received))

    shares = {d: ranks(d) for d in range(1, structure.nodes // 2 + 1)}
    samples = distance_samples(structure.nodes, lambda d, rank: 1e7 * shares[d][rank], scatter)
    samples.parameters |= parameters
    on_hosts(samples, [f"h{i}" for i in range(structure.nodes)])
    facts, advice = infer_network({one.probe: one for one in (samples, *others)})
    assert facts is not None
    assert facts.distance is not None
    return facts.distance, advice


@pytest.mark.parametrize("noise", [0.05, 0.15])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("structure", "link"), [(RING_OF_9, (3, 4)), (RING_OF_9, (8, 0)), (FOUR_BY_FOUR, (5, 6))]
)
def test_a_cable_at_half_rate_is_named(
    structure: Interconnect, link: tuple[int, int], seed: int, noise: float
) -> None:
    facts, advice = measured(structure, {link, link[::-1]}, Scatter(9, noise, seed))
    (part,) = facts.slow
    assert (part.kind, set(part.ranks)) == ("link", set(link))
    assert set(part.hosts) == {f"h{end}" for end in link}
    assert part.factor.value == pytest.approx(2.0, rel=0.15)
    assert part.explained > 0.5
    assert "network.slow_link" in [one.code for one in advice]
    assert any(f"h{link[0]}" in one.what and f"h{link[1]}" in one.what for one in advice)


@pytest.mark.parametrize("seed", [0, 8])
def test_of_interconnects_that_explain_a_slow_node_alike_none_adds_a_slow_part_of_its_own(seed: int) -> None:
    """A wrong one of them has other shares of links beside a slow node, as if a second part were slow."""
    facts, advice = measured(crossbar(16), {("in", 1)}, Scatter(9, 0.1, seed))
    assert [(part.kind, part.ranks, part.structure) for part in facts.slow] == [("node", [1], "crossbar")]
    assert [one.code for one in advice] == ["network.slow_node"]


def test_a_node_at_half_rate_is_named() -> None:
    facts, advice = measured(CROSSBAR_OF_8, {("out", 3), ("in", 3)}, Scatter(9, 0.1))
    (part,) = facts.slow
    assert (part.kind, part.hosts) == ("node", ["h3"])
    assert "network.slow_node" in [one.code for one in advice]


@pytest.mark.parametrize("uplink", [1.0, 2.0, 4.0])
@pytest.mark.parametrize(("groups", "group"), [(3, 0), (4, 2)])
def test_an_uplink_at_half_rate_is_named_with_the_nodes_behind_it(
    groups: int, group: int, uplink: float
) -> None:
    slow: set[Link] = {("up", group), ("down", group)}
    facts, advice = measured(tree_of(groups, uplink), slow, Scatter(9, 0.15))
    (part,) = facts.slow
    assert (part.kind, part.ranks) == ("uplink", list(range(4 * group, 4 * group + 4)))
    assert part.hosts == [f"h{rank}" for rank in part.ranks]
    assert part.factor.value == pytest.approx(2.0, rel=0.3)
    (finding,) = [one for one in advice if one.code == "network.slow_uplink"]
    assert f"the uplink of {', '.join(part.hosts)} is slow" in finding.what


@pytest.mark.parametrize(("sizes", "uplink"), [((4, 8), 1.0), ((8, 4), 2.0), ((12, 4), 1.0)], ids=str)
def test_an_uplink_that_may_as_well_be_that_of_one_of_two_groups_is_named_with_both_readings(
    sizes: tuple[int, int], uplink: float
) -> None:
    """It was called slow, though nothing was."""
    two = tree((0,) * sizes[0] + (1,) * sizes[1], uplink)
    facts, advice = measured(two, set(), Scatter(9, 0.05), waits="receive")
    (part,) = facts.slow
    assert part.otherwise == two.title
    (finding,) = [one for one in advice if one.code == "network.slow_uplink"]
    assert f"is slow, or the network is a {two.title} with nothing slow: " in finding.what
    assert finding.next.startswith("find out how many switches there are; of more than two, check its cable")


def test_an_uplink_that_carries_everything_but_for_one_may_be_that_of_one_of_two_groups() -> None:
    facts, _ = measured(tree_of(3, 4.0), {("up", 0), ("down", 0)}, Scatter(9, 0.05), waits="receive")
    assert [part.otherwise for part in facts.slow] == ["tree of 2 groups of 4 and 8"]


@pytest.mark.parametrize("uplink", [1.0, 2.0])
def test_an_uplink_beside_others_that_limit_as_well_has_one_reading(uplink: float) -> None:
    facts, advice = measured(tree_of(3, uplink), {("up", 0), ("down", 0)}, Scatter(9, 0.05), waits="receive")
    assert [(part.kind, part.otherwise) for part in facts.slow] == [("uplink", "")]
    assert any("is slow: messages" in one.what for one in advice)


def test_a_declared_structure_leaves_no_other_reading() -> None:
    facts, _ = measured(
        tree_of(3, 4.0), {("up", 0), ("down", 0)}, Scatter(9, 0.05), waits="receive", topology="tree:4:4"
    )
    assert [(part.kind, part.otherwise) for part in facts.slow] == [("uplink", "")]


@pytest.mark.parametrize("direction", ["out", "in"])
def test_a_node_that_is_slow_in_one_direction_is_named(direction: str) -> None:
    (part,) = measured(crossbar(12), {(direction, 5)}, Scatter(9, 0.05), waits="receive")[0].slow
    assert (part.kind, part.hosts) == ("node", ["h5"])
    assert part.factor.value == pytest.approx(2.0, rel=0.15)


@pytest.mark.parametrize("direction", ["up", "down"])
def test_an_uplink_that_is_slow_in_one_direction_is_named(direction: str) -> None:
    (part,) = measured(tree_of(4, 2.0), {(direction, 1)}, Scatter(9, 0.05), waits="receive")[0].slow
    assert (part.kind, part.hosts) == ("uplink", ["h4", "h5", "h6", "h7"])


@pytest.mark.parametrize("noise", [0.05, 0.15])
@pytest.mark.parametrize(
    ("structure", "slow"),
    [
        (CROSSBAR_OF_8, [3, 5]),
        (crossbar(16), [2, 9, 12]),
        (crossbar(16), [4, 5, 6, 7]),
        (crossbar(24), [1, 5, 9, 13, 20]),
        (tree(in_blocks(16, 4), 2.0), [2, 9]),
        (FOUR_BY_FOUR, [2, 3]),
    ],
    ids=lambda one: one.title if isinstance(one, Interconnect) else "",
)
def test_all_of_several_slow_nodes_are_named(structure: Interconnect, slow: list[int], noise: float) -> None:
    """Nodes beside each other are no slow uplink: messages between them are slow as well."""
    links: set[Link] = {(direction, node) for node in slow for direction in ("in", "out")}
    facts, advice = measured(structure, links, Scatter(9, noise), waits="receive")
    assert [(part.kind, part.ranks) for part in facts.slow] == [("node", [node]) for node in slow]
    assert [part.factor.value for part in facts.slow] == pytest.approx([2.0] * len(slow), rel=0.2)
    assert [one.what.split()[2] for one in advice if one.code == "network.slow_node"] == [
        f"h{node}" for node in slow
    ]


def test_a_slow_cable_is_named_beside_a_slow_node() -> None:
    slow: set[Link] = {("out", 2), ("in", 2), (9, 10), (10, 9)}
    facts, _ = measured(FOUR_BY_FOUR, slow, Scatter(9, 0.05), waits="receive")
    assert [(part.kind, set(part.ranks)) for part in facts.slow] == [("node", {2}), ("link", {9, 10})]


def test_two_slow_cables_are_both_named() -> None:
    slow: set[Link] = {(1, 2), (2, 1), (9, 10), (10, 9)}
    facts, _ = measured(FOUR_BY_FOUR, slow, Scatter(9, 0.05), waits="receive")
    assert {frozenset(part.ranks) for part in facts.slow} == {frozenset({1, 2}), frozenset({9, 10})}


@pytest.mark.parametrize("slow", [range(8), range(0, 16, 2)], ids=["one half", "every second"])
def test_half_of_the_nodes_that_are_slow_are_a_finding_of_its_own(slow: range) -> None:
    links: set[Link] = {(direction, node) for node in slow for direction in ("in", "out")}
    _, advice = measured(crossbar(16), links, Scatter(9, 0.05), waits="receive")
    (finding,) = [one for one in advice if one.code == "network.two_speeds"]
    first = ", ".join(f"h{node}" for node in slow[:4])
    assert f"8 of 16 nodes ({first}, …) send and receive at 0.5" in finding.what


@pytest.mark.parametrize("slow", [range(8), range(0, 16, 2)], ids=["one half", "every second"])
def test_nodes_of_two_speeds_are_no_slow_link(slow: range) -> None:
    links: set[Link] = {(direction, node) for node in slow for direction in ("in", "out")}
    assert measured(crossbar(16), links, Scatter(9, 0.05), waits="receive")[0].slow == []


@pytest.mark.parametrize("nodes", [16, 48])
def test_neither_of_two_uplinks_is_named(nodes: int) -> None:
    """Every message between two groups crosses both."""
    leaves = tree(in_blocks(nodes, nodes // 2), nodes / 4.0)
    slow: set[Link] = {("up", 0), ("down", 0)}
    assert measured(leaves, slow, Scatter(9, 0.05), waits="receive")[0].slow == []


def test_groups_that_latencies_show_have_uplinks_in_any_order_of_the_nodes() -> None:
    group_of = (2, 0, 1, 0, 2, 1, 0, 1, 0, 1, 2, 0)
    leaves = tree(group_of, 3.0)

    def latency(one: int, other: int) -> float:
        return 20e-6 if group_of[one] == group_of[other] else 26e-6

    pairs = on_hosts(pair_samples(list(combinations(range(12), 2)), latency), [f"h{i}" for i in range(12)])
    slow: set[Link] = {("up", 1), ("down", 1)}
    (part,) = measured(leaves, slow, Scatter(9, 0.1), pairs)[0].slow
    assert (part.kind, part.hosts) == ("uplink", ["h2", "h5", "h7", "h9"])
    assert measured(leaves, set(), Scatter(9, 0.1), pairs)[0].slow == []


@pytest.mark.parametrize("noise", [0.03, 0.15, 0.4])
@pytest.mark.parametrize("structure", [tree_of(3, 2.0), tree_of(4, 1.0), tree_of(4, 4.0), UNEVEN])
def test_a_sound_tree_has_no_slow_part(structure: Interconnect, noise: float) -> None:
    assert [measured(structure, set(), Scatter(9, noise, seed))[0].slow for seed in range(3)] == [[]] * 3


@pytest.mark.parametrize("noise", [0.03, 0.15])
@pytest.mark.parametrize("uplink", [1.0, 2.0])
@pytest.mark.parametrize("sizes", [(5, 7), (6, 4)], ids=str)
def test_no_cable_between_two_groups_of_unequal_sizes_is_slow(
    sizes: tuple[int, int], uplink: float, noise: float
) -> None:
    """The cable of a ring or mesh between their ranks was named."""
    structure = tree((0,) * sizes[0] + (1,) * sizes[1], uplink)
    found = [measured(structure, set(), Scatter(9, noise, seed), waits="receive")[0] for seed in range(3)]
    assert [one.slow for one in found] == [[]] * 3


@pytest.mark.parametrize("noise", [0.03, 0.15, 0.4])
@pytest.mark.parametrize("structure", [RING_OF_9, FOUR_BY_FOUR, CROSSBAR_OF_8])
def test_a_sound_network_has_no_slow_part(structure: Interconnect, noise: float) -> None:
    found = [measured(structure, set(), Scatter(9, noise, seed))[0].slow for seed in range(8)]
    assert found == [[]] * 8


def test_a_node_among_many_stands_out_over_all_distances() -> None:
    cases = [{"distance": d, "statistic": "mean", "bytes": 8} for d in (1, 2)]
    cases += [{"rank": rank, "statistic": "relative", "bytes": 8} for rank in range(100)]
    times = [1.0, 2.0, *(2.1 if rank == 42 else 1.0 for rank in range(100))]
    samples = probe_samples("net_distance", cases, Scatter(9, 0.05).around(times))
    facts, _ = infer_network({"net_distance": on_hosts(samples, [f"h{i}" for i in range(100)])})
    assert facts is not None
    assert facts.distance is not None
    assert [part.hosts for part in facts.distance.slow] == [["h42"]]


def test_loads_of_an_inferred_structure_stand_beside_the_ratios() -> None:
    facts, _ = measured(FOUR_BY_FOUR, set(), Scatter(9, 0.03))
    assert facts.loads_of == "inferred"
    assert [load.busiest for load in facts.loads if load] == [1, 2, 1, 1, 2, 2, 2, 2]
    assert [load.hops for load in facts.loads if load][:4] == [1.25, 2.5, 1.75, 1.0]


def test_a_declared_structure_needs_no_inference() -> None:
    facts, _ = measured(torus(3, 3), set(), Scatter(9, 0.03), topology="3x3")
    assert facts.loads_of == "declared"
    assert len(facts.loads) == 4


def test_what_links_carry_gives_the_bandwidth_to_expect() -> None:
    facts, _ = measured(RING_OF_9, set(), Scatter(9, 0.03), topology="9", link_bandwidth="1e7")
    assert (facts.structure, facts.link_bandwidth) == ("ring of 9", 1e7)
    expected = [load.bandwidth for load in facts.loads if load]
    assert expected == pytest.approx([1e7, 1e7 / 2, 1e7 / 3, 1e7 / 4])
    assert [one.value for one in facts.bandwidth if one] == pytest.approx(expected, rel=0.05)


def test_nodes_in_another_order_than_the_declared_one_are_a_finding() -> None:
    _, sound = measured(FOUR_BY_FOUR, set(), Scatter(9, 0.03), topology="4x4")
    facts, advice = measured(FOUR_BY_FOUR, set(), Scatter(9, 0.03), topology="16")
    assert "network.unlike_declared" not in [one.code for one in sound]
    (finding,) = [one for one in advice if one.code == "network.unlike_declared"]
    assert facts.structure == "ring of 16"
    assert re.search(r"lower than at distance 1; the declared ring of 16 predicts \d\.\d\d x", finding.what)


def test_two_nodes_that_only_exchange_are_compared_with_nothing() -> None:
    facts, advice = measured(torus(2), set(), Scatter(9, 0.03), topology="2")
    assert (facts.structure, len(facts.loads)) == ("ring of 2", 1)
    assert "network.unlike_declared" not in [one.code for one in advice]


def test_loads_of_many_nodes_are_reported_for_some_distances_with_the_first_and_the_last() -> None:
    cases = [{"distance": d, "statistic": "mean", "bytes": 8} for d in range(1, 513)]
    samples = probe_samples("net_distance", cases, [[1.0] * 7 for _ in cases])
    samples.parameters |= {"nodes": "1024", "topology": "switch"}
    facts, _ = infer_network({"net_distance": samples})
    assert facts is not None
    assert facts.distance is not None
    reported = [d for d, load in enumerate(facts.distance.loads, start=1) if load is not None]
    assert (reported[0], reported[-1], len(reported)) == (1, 512, 32)


def test_a_declared_structure_of_another_size_is_not_used() -> None:
    facts, _ = measured(torus(5), set(), Scatter(9, 0.03), topology="3x3")
    assert (facts.loads_of, facts.loads) == (None, [])
