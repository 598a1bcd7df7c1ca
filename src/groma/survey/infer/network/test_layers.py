import re
from collections.abc import Callable
from itertools import combinations, pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groma.facts.network import CommunicationLayer
from groma.record import Advice, ProbeSamples
from groma.survey.infer.network import layers as network_layers
from groma.survey.infer.registry import infer_network
from simulated.network import Scatter, on_hosts, pair_samples, probe_samples

NS, US = 1e-9, 1e-6
Latency = Callable[[int, int], float]


def layers_of(
    samples: ProbeSamples, hosts: Callable[[int], str] | None = None
) -> tuple[list[CommunicationLayer], list[Advice]]:
    if hosts is not None:
        last = max(max(case["from"], case["to"]) for case in samples.cases)
        samples.parameters["rank_nodes"] = ",".join(hosts(rank) for rank in range(last + 1))
    facts, advice = infer_network({"net_pairs": samples})
    return (facts.layers if facts else []), advice


def every_pair(ranks: int, latency: Latency, scatter: Scatter | None = None) -> ProbeSamples:
    return pair_samples(list(combinations(range(ranks), 2)), latency, scatter or Scatter(repetitions=25))


def two_socket_chiplet(one: int, other: int) -> float:
    """Threads of 2 x 32 cores in complexes of four; threads i and i + 64 share a core."""
    a, b = one % 64, other % 64
    if a == b:
        return 9 * NS
    if a // 4 == b // 4:
        return 25 * NS
    return 110 * NS if a // 32 == b // 32 else 250 * NS


@pytest.mark.parametrize("seed", range(3))
def test_a_dual_socket_chiplet_machine_has_four_layers(seed: int) -> None:
    found, _ = layers_of(every_pair(128, two_socket_chiplet, Scatter(12, 0.06, seed)), lambda _: "h")
    assert [len(layer.pairs) for layer in found] == [64, 384, 3584, 4096]
    assert [layer.name for layer in found] == [f"same node {i}" for i in (1, 2, 3, 4)]
    for layer, true in zip(found, (9, 25, 110, 250), strict=True):
        assert layer.latency is not None
        assert layer.latency.value == pytest.approx(true * NS, rel=0.12)


def test_messages_within_and_between_nodes_are_layers_apart() -> None:
    found, advice = layers_of(
        every_pair(8, lambda a, b: 0.3 * US if a // 2 == b // 2 else 2 * US), lambda r: f"n{r // 2}"
    )
    assert [(layer.name, len(layer.pairs)) for layer in found] == [("same node", 4), ("between nodes", 24)]
    assert advice == []


def test_a_path_through_memory_stays_a_layer_of_its_own() -> None:
    found, advice = layers_of(every_pair(6, lambda *_: 0.4 * US), lambda r: f"n{r // 2}")
    assert sorted(layer.name for layer in found) == ["between nodes", "same node"]
    assert [one.code for one in advice] == ["network.through_memory"]


def test_a_disturbed_pair_of_ranks_makes_no_layer_between_two_nodes() -> None:
    """Seen on two busy hosts: all of these messages take the same way."""
    times = {(0, 1): 3.63, (2, 3): 1.67, (0, 2): 34.1, (0, 3): 18.6, (1, 2): 23.6, (1, 3): 19.3}
    samples = pair_samples(list(times), lambda a, b: times[a, b] * US, Scatter(20, 0.01))
    found, _ = layers_of(samples, lambda r: f"h{r // 2}")
    assert [(layer.name, len(layer.pairs)) for layer in found] == [("same node", 2), ("between nodes", 4)]


def test_cores_that_are_near_on_every_node_are_one_layer() -> None:
    def latency(a: int, b: int) -> float:
        if a // 4 != b // 4:
            return 2 * US
        return (0.2 if a % 4 // 2 == b % 4 // 2 else 0.6) * US

    found, _ = layers_of(every_pair(32, latency), lambda r: f"n{r // 4}")
    assert [(layer.name, len(layer.pairs)) for layer in found] == [
        ("same node 1", 16),
        ("same node 2", 32),
        ("between nodes", 448),
    ]


def test_without_places_layers_are_numbered() -> None:
    found, _ = layers_of(every_pair(8, lambda a, b: 1 * US if a // 4 == b // 4 else 3 * US))
    assert [layer.name for layer in found] == ["layer 1", "layer 2"]


@pytest.mark.parametrize("seed", range(5))
def test_two_switches_make_two_layers(seed: int) -> None:
    samples = every_pair(16, lambda a, b: (1.3 if a // 8 == b // 8 else 1.9) * US, Scatter(25, 0.08, seed))
    found, advice = layers_of(samples, lambda r: f"n{r}")
    assert [layer.name for layer in found] == ["between nodes 1", "between nodes 2"]
    assert advice == []


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.2])
@pytest.mark.parametrize("ranks", [2, 3, 9, 24])
def test_alike_pairs_are_one_layer_whatever_the_noise(ranks: int, noise: float) -> None:
    for seed in range(5):
        found, advice = layers_of(every_pair(ranks, lambda *_: 2 * US, Scatter(25, noise, seed)))
        assert len(found) == 1
        assert advice == []


def test_one_rank_has_no_pair() -> None:
    assert layers_of(every_pair(1, lambda *_: US)) == ([], [])


def test_two_ranks_are_a_layer_with_the_interval_of_their_pair() -> None:
    (layer,), _ = layers_of(every_pair(2, lambda *_: US))
    assert layer.pairs == [(0, 1)]
    assert layer.latency is not None
    assert layer.latency.low < layer.latency.high


def test_a_node_that_is_slow_with_everybody_is_named_and_no_layer() -> None:
    found, advice = layers_of(
        every_pair(9, lambda a, b: (3.0 if 4 in {a, b} else 1.5) * US), lambda r: f"h{r}"
    )
    assert [layer.name for layer in found] == ["between nodes"]
    (one,) = advice
    assert one.code == "network.slow_node"
    assert re.search(r"h4 take (1\.9|2\.0)", one.what)


def test_a_rack_of_one_node_in_four_is_no_slow_node() -> None:
    found, advice = layers_of(
        every_pair(4, lambda a, b: (3.0 if 3 in {a, b} else 1.5) * US), lambda r: f"h{r}"
    )
    assert len(found) == 2
    assert advice == []


def test_ends_that_explain_a_layer_are_sought_among_as_few_as_may_be_odd() -> None:
    """All pairs across two switches: half of all ends explain them, each by a walk through the pairs."""
    samples = every_pair(60, lambda a, b: (1.5 if a // 30 == b // 30 else 3.0) * US, Scatter(9, 0.02))
    busiest = network_layers._busiest
    with patch.object(network_layers, "_busiest", side_effect=busiest) as walks:
        found, _ = layers_of(samples, lambda r: f"h{r}")
    assert len(found) == 2
    assert walks.call_count <= 60 * network_layers.OUTLIER_SHARE


def test_layers_that_only_curves_know_stand_by_nearness() -> None:
    samples = every_pair(6, lambda a, b: (1.0 if a // 2 == b // 2 else 30.0) * US)
    on_hosts(samples, [f"n{rank // 2}" for rank in range(6)])
    times = {"same core": 0.1 * US, "same rack": 8 * US, "other site": 900 * US}
    cases = [{"layer": name, "from": 0, "to": 1, "bytes": 8} for name in times]
    curve = probe_samples("net_curve", cases, Scatter().around(list(times.values())))
    facts, _ = infer_network({"net_pairs": samples, "net_curve": curve})
    assert facts is not None
    names = [layer.name for layer in facts.layers]
    assert names == ["same core", "same node", "same rack", "between nodes", "other site"]


@pytest.mark.parametrize("seed", range(10))
def test_a_sample_of_pairs_has_the_layers_of_all(seed: int) -> None:
    """256 nodes of four ranks, sixteen nodes at a switch; 600 pairs drawn from half a million."""
    random = np.random.default_rng(seed)

    def latency(a: int, b: int) -> float:
        if a // 4 == b // 4:
            return 0.4 * US
        return (1.4 if a // 64 == b // 64 else 2.1) * US

    near = [(4 * i, 4 * i + j) for i in random.choice(256, 60, replace=False) for j in (1, 2)]
    drawn = [tuple(sorted(map(int, random.choice(1024, 2, replace=False)))) for _ in range(600)]
    pairs = sorted({*near, *((a, b) for a, b in drawn)})
    found, _ = layers_of(pair_samples(pairs, latency, Scatter(20, 0.05, seed)), lambda r: f"n{r // 4}")
    assert [layer.name for layer in found] == ["same node", "between nodes 1", "between nodes 2"]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.floats(min_value=1e-7, max_value=1e-3), min_size=1, max_size=28),
    st.lists(st.integers(0, 3), min_size=8, max_size=8),
)
def test_layers_hold_every_pair_once(latencies: list[float], nodes: list[int]) -> None:
    chosen = list(combinations(range(8), 2))[: len(latencies)]
    times = dict(zip(chosen, latencies, strict=True))
    found, advice = layers_of(
        pair_samples(chosen, lambda a, b: times[a, b], Scatter(5, 0.01)), lambda rank: f"n{nodes[rank]}"
    )
    held = sorted(pair for layer in found for pair in layer.pairs)
    assert held == chosen or advice
    assert set(held) <= set(chosen)
    for relation in ("same node", "between nodes"):
        medians = [
            layer.latency.value for layer in found if layer.latency and layer.name.startswith(relation)
        ]
        assert all(lower < upper for lower, upper in pairwise(medians))
