from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.facts.network import Access, Distance, NetworkFacts, NetworkLaunch, SlowPart
from groma.record import Advice, Quantity
from groma.record.launch import Launch, RankPlace
from groma.survey.infer.network.access import unlike_distance
from groma.survey.infer.network.sweeps import degradation, patterns
from groma.survey.infer.registry import infer_network
from simulated.network import Scatter, access_samples, distance_samples, probe_samples

RING = 47.8e6


class CountedList(list[Any]):
    """Counts how often it is walked through."""

    walks = 0

    def __iter__(self) -> Iterator[Any]:
        self.walks += 1
        return super().__iter__()


def distance_of(*args: object, **kwargs: object) -> Distance:
    facts, _ = infer_network({"net_distance": distance_samples(*args, **kwargs)})  # type: ignore[arg-type]
    assert facts is not None
    assert facts.distance is not None
    return facts.distance


def values(some: list[Quantity | None]) -> list[float]:
    return [one.value for one in some if one is not None]


def launch_of(boot_ids: list[str]) -> NetworkLaunch:
    places = [RankPlace(rank=i, host=f"h{i}", boot_id=boot) for i, boot in enumerate(boot_ids)]
    count = len(boot_ids)
    launch = Launch(
        launcher="fake",
        command="",
        ranks=count,
        nodes=count,
        threads=1,
        binding="none",
        inter_node=True,
        mpi="",
        blas="",
        placement=places,
    )
    return NetworkLaunch(probes=["net_distance"], launch=launch)


def test_a_ring_degrades_by_the_distance() -> None:
    facts = distance_of(9, lambda d, _: RING / d)
    assert values(facts.ratio) == pytest.approx([1, 2, 3, 4], rel=0.03)
    assert facts.reference.value == pytest.approx(RING, rel=0.02)
    assert facts.monotone is True
    assert facts.exchange == [False] * 4
    assert all(one is not None and one.low <= true <= one.high for true, one in enumerate(facts.ratio, 1))


@pytest.mark.parametrize("probe", ["net_distance", "net_access", "net_receiver", "net_concurrency"])
def test_cases_are_walked_through_no_oftener_for_more_patterns(probe: str) -> None:
    few, many = (walks_of(probe, patterns) for patterns in (3, 12))
    assert few == many


def walks_of(probe: str, patterns: int) -> int:
    labels = ("distance", "per_node", "senders", "messages")
    cases = [
        {**dict.fromkeys(labels, k), "receivers": 0, "role": "sender", "layer": "all", "rank": i, "pair": i}
        for k in range(1, patterns + 1)
        for i in range(k if probe in {"net_receiver", "net_concurrency"} else 6)
    ]
    reported = [{**case, "bytes": 1 << 20} for case in cases]
    samples = probe_samples(probe, reported, Scatter().around([1e-3] * len(reported)))
    samples.cases = counted = CountedList(samples.cases)
    infer_network({probe: samples})
    assert counted.walks > 0
    return counted.walks


def test_reference_is_one_and_exact() -> None:
    first = distance_of(5, lambda d, _: RING / d).ratio[0]
    assert first is not None
    assert (first.value, first.low, first.high, first.confidence) == (1.0, 1.0, 1.0, 1.0)


def test_a_torus_is_not_monotone_and_says_so() -> None:
    shares = {1: 95.6, 2: 47.8, 3: 95.6, 4: 95.6, 5: 83.7, 6: 47.8, 7: 59.8, 8: 47.8}
    facts = distance_of(16, lambda d, _: shares[d] * 1e5)
    assert facts.monotone is False
    assert any("does not always grow" in note for note in facts.notes)


def test_opposite_nodes_of_an_even_ring_are_an_exchange() -> None:
    facts = distance_of(8, lambda d, _: RING / d)
    assert facts.exchange == [False, False, False, True]
    assert any("distance 4" in note for note in facts.notes)


def test_unfair_shares_part_the_statistics() -> None:
    facts = distance_of(9, lambda d, rank: RING / d * (1.6 if rank % 2 else 0.7), Scatter(noise=0.001))
    assert facts.slowest is not None
    assert facts.harmonic is not None
    slowest, harmonic, mean = (
        values(one)[0] for one in (facts.slowest.bandwidth, facts.harmonic.bandwidth, facts.bandwidth)
    )
    assert slowest == pytest.approx(0.7 * RING, rel=0.01)
    assert slowest < harmonic < mean


def test_statistics_stand_in_for_the_ranks_of_many_nodes() -> None:
    reported = [(d, *one) for d in (1, 2, 3) for one in (("mean", 1.0), ("slowest", 1.5), ("harmonic", 1.1))]
    samples = probe_samples(
        "net_distance",
        [{"distance": d, "statistic": statistic, "bytes": 1000} for d, statistic, _ in reported],
        [[d * slow * 1e-3] * 7 for d, _, slow in reported],
    )
    samples.parameters["nodes"] = "6"
    facts, _ = infer_network({"net_distance": samples})
    assert facts is not None
    assert facts.distance is not None
    assert facts.distance.nodes == 6
    assert facts.distance.per_rank == []
    assert values(facts.distance.ratio) == pytest.approx([1, 2, 3])
    assert facts.distance.reference.value == pytest.approx(1e6)


def test_a_repetition_that_one_rank_did_not_finish_is_left_out() -> None:
    samples = distance_samples(3, lambda *_: RING, Scatter(repetitions=8))
    samples.values[0] = samples.values[0][:5]
    samples.values[1][2] = float("nan")
    (pattern,) = patterns(samples, "distance").values()
    assert pattern.repetitions == 4


def test_without_the_reference_there_are_no_ratios() -> None:
    samples = probe_samples("net_distance", [{"distance": 2, "rank": 0, "bytes": 8}], [[1.0]])
    facts, advice = infer_network({"net_distance": samples})
    assert facts is None
    assert [one.code for one in advice] == ["network.no_reference"]


def codes(advice: list[Advice]) -> list[str]:
    return [one.code for one in advice]


def test_few_repetitions_are_said() -> None:
    _, advice = infer_network({"net_distance": distance_samples(5, lambda *_: RING, Scatter(repetitions=3))})
    assert codes(advice) == ["network.few_repetitions"]


def test_hosts_under_one_kernel_are_no_network() -> None:
    samples = {"net_distance": distance_samples(3, lambda *_: RING)}
    apart, nothing = infer_network(samples, [launch_of(["a", "b", "c"])])
    _, advice = infer_network(samples, [launch_of(["a", "a", "a"])])
    assert (codes(nothing), codes(advice)) == ([], ["network.one_kernel"])
    assert apart is not None
    assert apart.distance is not None
    assert apart.distance.hosts == ["h0", "h1", "h2"]


@pytest.mark.parametrize(("link", "found"), [(RING, []), (RING / 5, ["network.above_link"])])
def test_more_than_the_link_carries_is_a_finding(link: float, found: list[str]) -> None:
    samples = distance_samples(5, lambda d, _: RING / d)
    samples.parameters["link_bandwidth"] = str(link)
    assert codes(infer_network({"net_distance": samples})[1]) == found


def access_of(shares: dict[int, float], processes: int) -> Access:
    facts, _ = infer_network({"net_access": access_samples(shares, processes)})
    assert facts is not None
    assert facts.access is not None
    return facts.access


def test_processes_that_share_an_adapter_leave_each_other_less() -> None:
    facts = access_of({1: 95.6e5, 2: 47.8e5, 4: 23.9e5}, 8)
    ratio = [None if one is None else one.value for one in facts.ratio]
    assert ratio == [1.0, pytest.approx(2, rel=0.05), None, pytest.approx(4, rel=0.05)]
    assert (facts.processes, facts.cores_per_node) == (8, 4)


def test_two_nodes_exchange_and_that_is_said() -> None:
    facts = access_of({1: 95.6e5, 2: 47.8e5, 4: 23.9e5}, 8)
    assert facts.exchange == [False, False, False, True]
    assert [note.partition(":")[0] for note in facts.notes] == ["an exchange with 4 per node"]


def test_the_pieces_of_messages_are_reported() -> None:
    samples = access_samples({1: 1e7, 2: 5e6}, 4)
    for case in samples.cases:
        case["piece"] = 12288 * case["per_node"]
    facts, _ = infer_network({"net_access": samples})
    assert facts is not None
    assert facts.access is not None
    assert facts.access.pieces == [12288, 24576]


@pytest.mark.parametrize(
    ("reference", "nodes", "found"),
    [
        (11.5e6, 8, []),
        (8.5e6, 8, ["network.reference_disagrees"]),
        (15e6, 8, ["network.reference_disagrees"]),
        (8.5e6, 16, ["network.reference_disagrees"]),
    ],
)
def test_the_reference_of_access_agrees_with_distance_1(
    reference: float, nodes: int, found: list[str]
) -> None:
    samples = {
        "net_distance": distance_samples(nodes, lambda d, _: 11.5e6 / d),
        "net_access": access_samples({1: reference, 2: reference / 2}, 8),
    }
    advice = infer_network(samples)[1]
    assert [one for one in codes(advice) if "reference" in one] == found
    same = [one for one in advice if "same pattern" in one.next]
    assert bool(same) == (bool(found) and nodes == 8)


def test_a_slow_link_explains_a_slower_distance_1() -> None:
    """The processes of the access benchmark need not lie on both sides of it."""
    access = access_of({1: 11.5e6, 2: 5.7e6}, 8)
    distance = distance_of(8, lambda d, _: 8.5e6 / d)
    assert [one.code for one in unlike_distance(access, distance)] == ["network.reference_disagrees"]
    distance.slow = [
        SlowPart(kind="link", ranks=[0, 1], hosts=["a", "b"], factor=distance.reference, explained=0.9)
    ]
    assert [*unlike_distance(access, distance)] == []


def test_a_changing_number_of_processes_is_said() -> None:
    samples = access_samples({1: 1e7, 2: 5e6}, 4)
    kept = [i for i, case in enumerate(samples.cases) if case["per_node"] == 2 or case["rank"] < 2]
    samples.cases = [samples.cases[i] for i in kept]
    samples.values = [samples.values[i] for i in kept]
    facts, _ = infer_network({"net_access": samples})
    assert facts is not None
    assert facts.access is not None
    assert "2 with 1 per node, 4 with 2 per node" in facts.access.notes[0]


def test_nothing_measured_gives_no_facts() -> None:
    assert infer_network({}) == (None, [])


def test_launches_are_kept_although_nothing_was_inferred() -> None:
    launch = launch_of(["a", "b"])
    facts, _ = infer_network({}, [launch])
    assert facts == NetworkFacts(launches=[launch])


@given(
    st.integers(2, 12),
    st.integers(1, 5),
    st.integers(0, 2**31),
    st.sampled_from(["mean", "slowest", "harmonic"]),
)
def test_every_interval_encloses_its_ratio(nodes: int, repetitions: int, seed: int, statistic: str) -> None:
    random = np.random.default_rng(seed)
    scatter = Scatter(repetitions, noise=0.5, seed=seed)
    samples = distance_samples(nodes, lambda *_: float(random.lognormal(16, 1)), scatter)
    found = degradation(patterns(samples, "distance"), statistic, nodes // 2)
    assert found is not None
    assert len(found.ratio) == nodes // 2
    for one in (*found.ratio, *found.bandwidth):
        assert one is not None
        assert 0 < one.low <= one.value <= one.high
