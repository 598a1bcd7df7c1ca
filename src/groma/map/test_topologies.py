"""Machines by name, and the places of their nodes."""

from __future__ import annotations

import shutil

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.errors import GromaError
from groma.facts.network import Access, NetworkFacts
from groma.map.conftest import SMT, node
from groma.map.machine import LatticeMachine, MatrixMachine, TreeMachine
from groma.map.profiles import CLASSES, placed_by_weights, survey_of
from groma.map.targets import on_hosts, places_of, repeated, with_threads
from groma.map.topologies import FoundMachine, hwloc_topology, machine_named, node_of
from groma.profile import Profile
from groma.record import Quantity
from groma.record.topology import Topology, TopologyCache, TopologyNuma

HECTOR = "pack:2 numa:2 l3:1 l2:4 core:2 pu:1"
"""Figure 2 of the Servet paper: 4 NUMA nodes of 8 cores, an L3 for each; the L2 is that of a module."""


def test_names_are_machines() -> None:
    assert machine_named("torus:4x2").machine == LatticeMachine((4, 2), closed=True)
    assert machine_named("mesh:5").machine == LatticeMachine((5,), closed=False)
    assert machine_named("tree:2x4x8").machine == TreeMachine((2, 4, 8), (6.0, 4.0, 2.0))
    assert machine_named("tree:3x4:10,0.5").machine == TreeMachine((3, 4), (10.0, 0.5))


NO_TOPOLOGIES = """torus torus: torus:4x torus:0x4 torus:x ring:4 tree:2x2:1 tree:2:a tree:2:1.1.1
torus:9999999x9999999 mesh:4x-4 hwloc:nowhere.xml hwloc:$(id) torus:4x4:3"""


@pytest.mark.parametrize("costs", ["1,5,10", "10,1,5"])
def test_costs_that_rise_towards_the_leaves_are_refused(costs: str) -> None:
    """Leaves first is a likely mistake: partners would be placed as far apart as possible."""
    with pytest.raises(GromaError, match="rise from the top switch to the leaves") as problem:
        machine_named(f"tree:2x4x8:{costs}")
    assert "10,5,1" in problem.value.next_step


def test_equal_costs_are_no_rise() -> None:
    assert machine_named("tree:2x4:3,3").machine == TreeMachine((2, 4), (3.0, 3.0))


@pytest.mark.parametrize("cost", ["1" + 31 * "0", 300 * "9", 400 * "9"])
def test_costs_with_which_bytes_exceed_all_numbers_are_refused(cost: str) -> None:
    with pytest.raises(GromaError, match=r"a cost above 1e\+30") as problem:
        machine_named(f"tree:2x4:{cost},1")
    assert problem.value.exit_code == 2
    assert machine_named(f"tree:2:1{30 * '0'}").machine == TreeMachine((2,), (1e30,))


@pytest.mark.parametrize("name", ["", *NO_TOPOLOGIES.split(), f"tree:2:{'9' * 400}"])
def test_what_is_no_topology_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(GromaError) as refused:
        machine_named(name)
    assert refused.value.exit_code == 2
    assert "\n" not in refused.value.what


def test_hardware_threads_are_as_far_apart_as_what_they_share() -> None:
    found = node_of(SMT)
    assert isinstance(found.machine, MatrixMachine)
    assert found.machine.names == ("same place", "same core", "same NUMA node", "same machine")
    assert found.machine.distance[0].tolist() == [0, 1, 2, 2, 3, 3, 3, 3]


def divided(cores_of_l3: int, cores_of_numa: int) -> Topology:
    """Two packages of 8 cores, with an L3 and a NUMA node for so many neighbours each."""
    whole = node(packages=2, cores=8, threads=1)
    cores = [msgspec.structs.replace(one, numa=one.logical // cores_of_numa) for one in whole.cores]
    caches = [
        TopologyCache(
            level=3,
            kind="unified",
            size_bytes=None,
            line_bytes=None,
            ways=None,
            cores=tuple(range(first, first + cores_of_l3)),
        )
        for first in range(0, 16, cores_of_l3)
    ]
    return msgspec.structs.replace(whole, cores=tuple(cores), caches=tuple(caches))


@pytest.mark.parametrize(
    ("topology", "names", "row"),
    [
        (divided(2, 4), ["L3", "NUMA node", "package"], [0, 1, 2, 2, 3, 3, 3, 3] + [4] * 8),
        (divided(4, 2), ["NUMA node", "L3", "package"], [0, 1, 2, 2, 3, 3, 3, 3] + [4] * 8),
        (divided(8, 2), ["NUMA node", "L3"], [0, 1, 2, 2, 2, 2, 2, 2] + [3] * 8),
        (divided(8, 8), ["L3"], [0, 1, 1, 1, 1, 1, 1, 1] + [2] * 8),
        (divided(2, 16), ["L3", "package"], [0, 1, 2, 2, 2, 2, 2, 2] + [3] * 8),
    ],
    ids=["L3 in NUMA", "NUMA in L3", "NUMA in L3 of a package", "all alike", "one NUMA node"],
)
def test_levels_are_nested_as_they_contain_each_other(
    topology: Topology, names: list[str], row: list[int]
) -> None:
    found = node_of(topology).machine
    assert isinstance(found, MatrixMachine)
    assert found.names == ("same place", *(f"same {name}" for name in names), "same machine")
    assert found.distance[0].tolist() == row


def with_memory(topology: Topology, *local: tuple[int, ...]) -> Topology:
    """With a NUMA node for each list of cores; the first one is the home of others."""
    nodes = [
        TopologyNuma(logical=at, physical=at, memory_bytes=None, cores=own) for at, own in enumerate(local)
    ]
    home = {core: node.logical for node in nodes for core in node.cores}
    cores = [msgspec.structs.replace(one, numa=home.get(one.logical, 0)) for one in topology.cores]
    return msgspec.structs.replace(topology, cores=tuple(cores), numa=tuple(nodes))


def test_cores_without_local_memory_share_no_numa_node() -> None:
    """They were in the first one."""
    found = node_of(with_memory(node(packages=1, cores=6, threads=1), (2, 3), (4, 5))).machine
    assert isinstance(found, MatrixMachine)
    assert found.names == ("same place", "same NUMA node", "same machine")
    assert found.distance[0].tolist() == [0, 2, 2, 2, 2, 2]
    assert found.distance[2].tolist() == [2, 2, 0, 1, 2, 2]


def test_a_numa_node_within_a_package_is_nearer_where_a_package_has_no_memory() -> None:
    found = node_of(with_memory(divided(16, 16), (0, 1, 2, 3), (4, 5, 6, 7))).machine
    assert isinstance(found, MatrixMachine)
    assert found.names == ("same place", "same NUMA node", "same package", "same machine")
    assert found.distance[0].tolist() == [0, 1, 1, 1, 2, 2, 2, 2] + [3] * 8
    assert found.distance[8].tolist() == [3] * 8 + [0] + [2] * 7


def test_a_cache_of_some_cores_alone_makes_these_near() -> None:
    """As the L3 of fast cores, beside slow ones without any."""
    (cache, *_) = divided(4, 16).caches
    topology = msgspec.structs.replace(node(packages=1, cores=8, threads=1), caches=(cache,))
    found = node_of(topology).machine
    assert isinstance(found, MatrixMachine)
    assert found.distance[0].tolist() == [0, 1, 1, 1, 2, 2, 2, 2]
    assert found.distance[4].tolist() == [2, 2, 2, 2, 0, 2, 2, 2]
    groups = found.groups()
    assert groups is not None
    assert len(set(groups[:4].tolist())) == 1
    assert len(set(groups.tolist())) == 5, "cores that share nothing are no group"


def test_teams_of_threads_stay_within_a_cluster_of_a_shared_cache() -> None:
    teams = with_threads(node_of(divided(8, 2)), 2).teams
    assert teams == tuple((first, first + 1) for first in range(0, 16, 2))


def test_only_cores_that_may_be_used_are_places() -> None:
    found = node_of(msgspec.structs.replace(SMT, allowed=(1, 2, 7)))
    assert found.cores == (1, 2, 7)
    assert found.machine.places == 3
    assert [place.cores for place in places_of(found, [2, 0], 1)] == [(7,), (1,)]


@pytest.mark.parametrize(
    ("threads", "teams"),
    [
        (2, [(0, 1), (2, 3), (4, 5), (6, 7)]),
        (3, [(0, 1, 2), (4, 5, 6)]),
        (4, [(0, 1, 2, 3), (4, 5, 6, 7)]),
        (8, [(0, 1, 2, 3, 4, 5, 6, 7)]),
    ],
)
def test_threads_of_a_rank_share_what_is_nearest(threads: int, teams: list[tuple[int, ...]]) -> None:
    found = with_threads(node_of(SMT), threads)
    assert [place.cores for place in places_of(found, found.allowed, 1)] == teams


def test_what_groups_leave_over_makes_teams_as_well() -> None:
    """Of two packages with three cores each."""
    found = with_threads(node_of(node(packages=2, cores=3, threads=1)), 2)
    assert sorted(found.teams) == [(0, 1), (2, 5), (3, 4)]


def test_teams_are_as_far_apart_as_their_threads_on_average() -> None:
    found = with_threads(node_of(SMT), 2)
    assert isinstance(found.machine, MatrixMachine)
    assert found.machine.distance[0].tolist() == [0.0, 2.0, 3.0, 3.0]
    assert found.machine.layer[0].tolist() == [0, 2, 3, 3]
    assert places_of(repeated(on_hosts(found, ("a", "b")), 2), [0, 1, 2, 8], 2) == [
        (0, (0, 1)),
        (0, (0, 1)),
        (0, (2, 3)),
        (1, (0, 1)),
    ]


@given(packages=st.integers(1, 3), cores=st.integers(1, 4), smt=st.integers(1, 2), threads=st.integers(2, 9))
def test_teams_are_disjoint_and_as_many_as_possible(
    packages: int, cores: int, smt: int, threads: int
) -> None:
    found = node_of(node(packages, cores, smt))
    count = packages * cores * smt
    if threads > count:
        with pytest.raises(GromaError, match="do not fit"):
            with_threads(found, threads)
        return
    every = [core for team in with_threads(found, threads).teams for core in team]
    assert len(set(every)) == len(every) == count // threads * threads


def test_the_same_node_as_several_hosts() -> None:
    found = on_hosts(node_of(SMT), ("a", "b", "c"))
    assert found.machine.places == 24
    every = np.arange(24)
    distance = found.machine.distances(np.zeros(24, dtype=np.int64), every)
    assert distance[:8].max() == 3
    assert set(distance[8:].tolist()) == {4.0}
    assert places_of(found, [9, 0, 23], 3) == [(1, (1,)), (0, (0,)), (2, (7,))]
    assert places_of(found, [9], 3, bound=False) == [(1, ())]


def test_places_of_a_network_are_divided_over_the_hosts() -> None:
    found = machine_named("tree:4x2")
    assert [place.host for place in places_of(found, range(8), 4)] == [0, 0, 1, 1, 2, 2, 3, 3]
    with pytest.raises(GromaError, match="8 places cannot be divided over 3 hosts"):
        places_of(found, range(8), 3)


def test_several_ranks_on_a_place() -> None:
    found = repeated(machine_named("torus:4"), 2)
    assert len(found.allowed) == 8
    assert [place.host for place in places_of(found, [0, 1, 6], 4)] == [0, 0, 3]
    with pytest.raises(GromaError, match="add a level of cores"):
        repeated(machine_named("torus:16x16x16"), 4)


def hector() -> FoundMachine:
    if shutil.which("lstopo-no-graphics") is None:
        pytest.skip("there is no hwloc")
    return node_of(hwloc_topology(HECTOR))


def access(*ratios: float) -> NetworkFacts:
    quantities: list[Quantity | None] = [
        Quantity(value=value, unit="ratio", low=value, high=value, confidence=0.95, method="figure 4")
        for value in ratios
    ]
    reference = Quantity(value=1e9, unit="B/s", low=1e9, high=1e9, confidence=0.95, method="figure 4")
    measured = Access(cores_per_node=32, message=1 << 25, processes=2, reference=reference, ratio=quantities)
    return NetworkFacts(access=measured)


def test_hector_gets_a_process_on_each_socket_first_then_on_each_l3() -> None:
    """Section 6.2 of the paper, with ratNC as in figure 4: 2 processes as fast as one, 4 and more slower."""
    found = hector()
    assert found.topology is not None
    facts = survey_of(found.topology)
    facts.network = access(1.0, 1.0, 1.6, 2.0, 3.0, 4.0, 5.0, 8.0)
    mapping = placed_by_weights("communication", found, facts, 1, 8).mapping
    package = [found.topology.cores[core].package for core in mapping]
    numa = [found.topology.cores[core].numa for core in mapping]
    assert sorted(package[:2]) == [0, 1]
    assert sorted(numa[:4]) == [0, 1, 2, 3]
    assert sorted(numa[4:]) == [0, 1, 2, 3]


def test_every_weight_is_the_sum_of_its_reasons() -> None:
    facts = placed_by_weights("communication", node_of(SMT), survey_of(SMT), 1, 8)
    assert facts.selections[0].weight == 0.0
    for one in facts.selections:
        assert sum(float(reason.split()[0]) for reason in one.reasons) == pytest.approx(one.weight)


@pytest.mark.parametrize("code", ["memory", "communication"])
@pytest.mark.parametrize("hosts", [1, 2])
def test_ranks_of_one_thread_are_where_the_profile_suggests(code: str, hosts: int) -> None:
    facts = survey_of(SMT)
    places = Profile(facts).mapping(CLASSES[code], hosts, 7)
    assert places is not None
    assert placed_by_weights(code, node_of(SMT), facts, hosts, 7).mapping == [
        place.node * 8 + place.core for place in places
    ]


def test_more_processes_than_cores_are_refused() -> None:
    found = node_of(SMT)
    with pytest.raises(GromaError, match="9 ranks do not fit 1 host with places for 8 ranks each"):
        placed_by_weights("memory", found, survey_of(SMT), 1, 9)
