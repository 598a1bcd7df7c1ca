from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from groma.facts.network import Access, NetworkFacts
from groma.facts.survey import Cache, Core, CoreToCore, Memory, NodeFacts, SurveyFacts
from groma.profile import CodeClass, Place, Profile, open_profile
from groma.record import Quantity

CLUSTER = Path(__file__).parents[3] / "build/test-data/example-cluster.json"


def quantity(value: float, unit: str = "ratio") -> Quantity:
    return Quantity(value=value, unit=unit, low=value, high=value, confidence=0.9, method="given")


Groups = list[list[int]]


def machine(caches: Groups, memory: Groups, near: Groups, ratios: list[float]) -> Profile:
    """Four cores share caches and memory in these groups; within `near` a line passes ten times as fast."""
    cores, together = 4, [set(group) for group in near]

    def latency(one: int, other: int) -> Quantity:
        return quantity(1e-8 if any({one, other} <= group for group in together) else 1e-7, "s")

    node = NodeFacts(
        cores=[Core(logical=i, physical=i, package=0, numa=0, core=i) for i in range(cores)],
        caches=[
            Cache(level=1, kind="data", size=quantity(1, "B"), latency=quantity(1, "s"), shared_by=caches)
        ],
        memory=Memory(contention_groups=memory),
        core_to_core=CoreToCore(
            cores=list(range(cores)),
            latency=[[None if i == j else latency(i, j) for j in range(cores)] for i in range(cores)],
        ),
    )
    access = Access(
        cores_per_node=cores,
        message=1,
        processes=2,
        reference=quantity(1, "B/s"),
        ratio=[quantity(ratio) for ratio in ratios],
    )
    return Profile(SurveyFacts(node=node, network=NetworkFacts(access=access)))


def second(profile: Profile, code: CodeClass, nodes: int = 1) -> Place:
    places = profile.mapping(code, nodes, 2)
    assert places is not None
    return places[1]


def test_rule_1_keeps_memory_bound_processes_off_a_shared_cache() -> None:
    profile = machine([[0, 1], [2, 3]], [], [], [])
    assert second(profile, CodeClass.MEMORY_BOUND) == Place(0, 2)


def test_rule_2_keeps_memory_bound_processes_off_a_shared_memory() -> None:
    profile = machine([], [[0, 2], [1, 3]], [], [])
    assert second(profile, CodeClass.MEMORY_BOUND) == Place(0, 1)


def test_rule_3_draws_communicating_processes_together_against_rule_1() -> None:
    profile = machine([[0, 3]], [], [[0, 3]], [])
    assert second(profile, CodeClass.COMMUNICATION_INTENSIVE) == Place(0, 3)
    assert second(profile, CodeClass.MEMORY_BOUND) == Place(0, 1)


def test_rule_4_keeps_communicating_processes_off_a_shared_way_to_the_network() -> None:
    profile = machine([], [], [[0, 1]], [1.0, 1.4, 1.6, 2.0])
    assert second(profile, CodeClass.COMMUNICATION_INTENSIVE) == Place(0, 2)
    quiet = machine([], [], [[0, 1]], [1.0, 1.4, 1.5, 1.5])
    assert second(quiet, CodeClass.COMMUNICATION_INTENSIVE) == Place(0, 1)


def test_rule_4_counts_less_for_memory_bound_codes() -> None:
    """A shared memory outweighs a shared way to the network."""
    profile = machine([], [[0, 2, 3]], [], [1.0, 1.0, 1.6, 1.6])
    assert second(profile, CodeClass.MEMORY_BOUND) == Place(0, 1)
    assert second(profile, CodeClass.COMMUNICATION_INTENSIVE) == Place(0, 2)


def test_one_process_runs_on_a_package_then_one_on_an_l3_as_section_6_2_says() -> None:
    cluster = open_profile(CLUSTER)
    for processes, cores in ((8, 16), (16, 8), (32, 2)):
        places = cluster.mapping(CodeClass.COMMUNICATION_INTENSIVE, 4, processes)
        assert places is not None
        assert len({(place.node, place.core // cores) for place in places}) == processes


@given(
    code=st.sampled_from(CodeClass),
    nodes=st.integers(min_value=1, max_value=5),
    processes=st.integers(min_value=1, max_value=32),
    allowed=st.sets(st.integers(min_value=0, max_value=31), min_size=7),
)
def test_processes_have_cores_of_their_own_and_earlier_ones_stay(
    code: CodeClass, nodes: int, processes: int, allowed: set[int]
) -> None:
    processes = min(processes, nodes * len(allowed))
    profile = restricted(allowed)
    places = profile.mapping(code, nodes, processes)
    assert places is not None
    assert len(set(places)) == processes
    assert {place.core for place in places} <= allowed
    assert {place.node for place in places} <= set(range(nodes))
    if processes > 1 and nodes == 1:
        assert profile.mapping(code, nodes, processes - 1) == places[:-1]


@cache
def cluster_facts() -> SurveyFacts:
    return open_profile(CLUSTER).facts


def restricted(allowed: set[int]) -> Profile:
    """The cluster with fewer cores of each node."""
    facts = cluster_facts()
    cores = [core for core in facts.node.cores if core.logical in allowed]
    return Profile(msgspec.structs.replace(facts, node=msgspec.structs.replace(facts.node, cores=cores)))
