"""What hwloc itself reads back is the machine of the profile with the values that were measured."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groma.errors import ExitCode, GromaError
from groma.export.hwloc import bitmap, hwloc_of
from groma.export.tree import tree_of
from groma.facts.survey import Cache, CoreToCore, Memory, NodeFacts, Numa, ScalingPoint, SurveyFacts
from groma.record import (
    Build,
    ProbeSamples,
    Quantity,
    Record,
    Topology,
    TopologyCache,
    TopologyCore,
    TopologyNuma,
)

if TYPE_CHECKING:
    from pathlib import Path

LSTOPO = shutil.which("lstopo-no-graphics")
needs_hwloc = pytest.mark.skipif(LSTOPO is None, reason="hwloc's tools are not installed")

BLOCK = 1 << 20


def known(value: float, unit: str) -> Quantity:
    return Quantity(value=value, unit=unit, low=value, high=value, confidence=0.9, method="")


def machine(nodes: int = 2, cores: int = 2, **changes: Any) -> Topology:
    """One package and one memory of 1 GiB for each node; caches of a core and of a package."""
    count = nodes * cores
    of = [tuple(range(n * cores, (n + 1) * cores)) for n in range(nodes)]
    cores_of = tuple(
        TopologyCore(logical=i, physical=i, core=i, package=i // cores, numa=i // cores) for i in range(count)
    )
    topology = Topology(
        source="sysfs",
        cores=cores_of,
        caches=(
            *(
                TopologyCache(level=1, kind=kind, size_bytes=32768, line_bytes=64, ways=8, cores=(i,))
                for i in range(count)
                for kind in ("data", "instruction")
            ),
            *(
                TopologyCache(level=3, kind="unified", size_bytes=1 << 23, line_bytes=64, ways=16, cores=one)
                for one in of
            ),
        ),
        numa=tuple(
            TopologyNuma(logical=n, physical=n, memory_bytes=1 << 30, cores=one) for n, one in enumerate(of)
        ),
        distances=tuple(tuple(10.0 if i == j else 21.0 for j in range(nodes)) for i in range(nodes)),
        allowed=tuple(range(count)),
        page_bytes=4096,
        huge_page_bytes=None,
    )
    return msgspec.structs.replace(topology, **changes)


def matrix(rows: int, value: Any) -> list[list[Quantity | None]]:
    return [
        [None if value(i, j) is None else known(value(i, j), "s") for j in range(rows)] for i in range(rows)
    ]


def near_far(owner: int, reader: int) -> float:
    """100 ns for a near line, 200 ns and a bit for a far one, another in each direction."""
    lines = BLOCK / 64
    return (100e-9 if owner == reader else (200 + owner * 3 + reader) * 1e-9) * lines


def numa(rows: int, over: str = "numa", value: Any = near_far) -> Numa:
    return Numa(
        over=over,
        places=list(range(rows)),
        sequential_first=[],
        sequential_again=matrix(rows, lambda i, j: None if value(i, j) is None else value(i, j) / 10),
        random=matrix(rows, value),
        block_bytes=BLOCK,
    )


def record(topology: Topology | None, **facts: Any) -> Record[SurveyFacts]:
    return Record(
        kind="survey",
        created="2026-01-02T03:04:05+00:00",
        command=["groma", "survey"],
        build=Build(version="1"),
        environment={"host": "wal<n>\x1but"},
        parameters={},
        samples={},
        facts=SurveyFacts(node=NodeFacts(**facts), declared=topology),
    )


def exported(path: Path, one: Record[SurveyFacts]) -> Path:
    target = path / "machine.xml"
    target.write_bytes(hwloc_of(one, "profile").content)
    return target


def said(*words: object) -> str:
    """What a tool prints; it complains about nothing."""
    done = subprocess.run(
        list(map(str, words)),
        capture_output=True,
        check=True,
        timeout=60,
        text=True,
        env={"HWLOC_XML_VERBOSE": "1", "PATH": "/usr/bin:/bin"},
    )
    assert done.stderr == ""
    return done.stdout


def objects(file: Path) -> dict[str, int]:
    """Numbers of objects by type, as hwloc-info counts them."""
    counts: dict[str, int] = {}
    for number, type_ in re.findall(r"(\d+) (\w+) \(type", said("hwloc-info", "-i", file)):
        counts[type_] = counts.get(type_, 0) + int(number)
    return counts


def attribute(file: Path, name: str) -> list[tuple[int, int, str]]:
    """Values of a memory attribute: memory by its logical number, value, processors."""
    lines = said("lstopo-no-graphics", "-i", file, "--memattrs")
    part = re.search(rf"name `{name}' .*\n((?:  .*\n)*)", lines)
    found = re.findall(r"L#(\d+) = (\d+) from cpuset (\S+)", part[1] if part else "")
    return [(int(node), int(value), processors) for node, value, processors in found]


def distances(file: Path, name: str) -> list[list[int]]:
    lines = said("lstopo-no-graphics", "-i", file, "--distances").splitlines()
    start = next((i for i, line in enumerate(lines) if f"name {name} " in line), None)
    if start is None:
        return []
    rows = lines[start + 2 : start + 2 + len(lines[start + 1].split()) - 1]
    return [[int(word) for word in row.split()[1:]] for row in rows]


@needs_hwloc
@pytest.mark.parametrize(("nodes", "cores"), [(1, 2), (2, 4), (3, 1), (24, 2), (256, 1)])
def test_hwloc_reads_every_object_back(tmp_path: Path, nodes: int, cores: int) -> None:
    file = exported(tmp_path, record(machine(nodes, cores), numa=numa(nodes)))
    found = objects(file)
    assert (found["Package"], found["L3Cache"]) == (nodes, nodes)
    assert found["NUMANode"] == nodes
    assert (found["Core"], found["PU"]) == (nodes * cores, nodes * cores)
    assert (found["L1dCache"], found["L1iCache"]) == (nodes * cores, nodes * cores)


@needs_hwloc
@pytest.mark.parametrize("nodes", [2, 5, 24])
def test_distances_between_memories_are_those_that_were_measured(tmp_path: Path, nodes: int) -> None:
    file = exported(tmp_path, record(machine(nodes), numa=numa(nodes)))
    latency = distances(file, "GromaNUMALatency(ps)")
    expected = [
        [near_far(owner, reader) * 64 / BLOCK * 1e12 for owner in range(nodes)] for reader in range(nodes)
    ]
    assert latency == [[round(value) for value in row] for row in expected]
    bandwidth = distances(file, "GromaNUMABandwidth(MiB/s)")
    assert bandwidth[0][1] == round(BLOCK / (near_far(1, 0) / 10) / 2**20)
    assert distances(file, "NUMALatency")[0][:2] == [10, 21]


@needs_hwloc
def test_memory_attributes_have_the_units_of_hwloc_and_name_the_readers(tmp_path: Path) -> None:
    file = exported(tmp_path, record(machine(2, 2), numa=numa(2)))
    assert attribute(file, "Latency") == [
        (0, 100, "0x00000003"),
        (0, 201, "0x0000000c"),
        (1, 203, "0x00000003"),
        (1, 100, "0x0000000c"),
    ]
    assert len(attribute(file, "Bandwidth")) == 4


@needs_hwloc
def test_places_that_are_cores_become_the_memories_near_them(tmp_path: Path) -> None:
    def value(owner: int, reader: int) -> float:
        return near_far(owner // 2, reader // 2)

    file = exported(tmp_path, record(machine(2, 2), numa=numa(4, "cores", value)))
    assert [one[1] for one in attribute(file, "Latency")] == [100, 201, 203, 100]


@needs_hwloc
def test_one_memory_has_the_latency_of_a_load_and_the_best_bandwidth(tmp_path: Path) -> None:
    points = [ScalingPoint(cores=n, value=known(n * 10e9, "B/s")) for n in (1, 2)]
    memory = Memory(latency=known(91.2e-9, "s"), bandwidth={"triad": points, "read": points[:1]})
    file = exported(tmp_path, record(machine(1), memory=memory))
    assert attribute(file, "Latency") == [(0, 91, "0x00000003")]
    assert attribute(file, "Bandwidth") == [(0, round(20e9 / 2**20), "0x00000003")]


@needs_hwloc
def test_core_to_core_latencies_are_distances_of_threads_in_picoseconds(tmp_path: Path) -> None:
    latency = matrix(4, lambda i, j: None if i == j else (50.25 + i + j) * 1e-9)
    file = exported(
        tmp_path, record(machine(2), core_to_core=CoreToCore(cores=[0, 1, 2, 3], latency=latency))
    )
    found = distances(file, "GromaCoreToCore(ps)")
    assert found[0] == [0, 51250, 52250, 53250]
    assert found[3][2] == 55250


@needs_hwloc
def test_what_was_measured_in_part_is_an_attribute_but_no_distance(tmp_path: Path) -> None:
    def sampled(owner: int, reader: int) -> float | None:
        return None if (owner, reader) == (0, 1) else near_far(owner, reader)

    one = record(machine(3), numa=numa(3, value=sampled))
    file = exported(tmp_path, one)
    assert distances(file, "GromaNUMALatency(ps)") == []
    assert len(attribute(file, "Latency")) == 8
    left_out = hwloc_of(one, "profile").measured.left_out
    assert left_out[0] == "GromaNUMALatency(ps): 8 of 9 cells were measured, hwloc holds all or none"


@needs_hwloc
def test_a_profile_without_measurements_still_is_a_machine(tmp_path: Path) -> None:
    bare = machine(2, caches=(), distances=None)
    bare = msgspec.structs.replace(bare, numa=())
    file = exported(tmp_path, record(bare))
    assert objects(file)["PU"] == 4
    assert attribute(file, "Latency") == []


@needs_hwloc
def test_numbers_of_the_kernel_stay_where_processors_are_offline(tmp_path: Path) -> None:
    topology = machine(2)
    cores = tuple(msgspec.structs.replace(one, physical=one.physical * 40 + 3) for one in topology.cores)
    file = exported(tmp_path, record(msgspec.structs.replace(topology, cores=cores), numa=numa(2)))
    numbers = said("hwloc-calc", "-i", file, "--po", "-I", "PU", "all").strip()
    assert numbers == "3,43,83,123"
    assert len(attribute(file, "Latency")) == 4


@needs_hwloc
def test_cores_that_a_control_group_forbids_are_disallowed_not_gone(tmp_path: Path) -> None:
    file = exported(tmp_path, record(machine(2, allowed=(0, 1)), numa=numa(2)))
    assert objects(file)["PU"] == 2
    assert said("hwloc-calc", "-i", file, "--disallowed", "-N", "PU", "all").strip() == "4"


@needs_hwloc
def test_memory_without_cores_and_caches_of_memory_are_kept(tmp_path: Path) -> None:
    topology = machine(2)
    fast = TopologyNuma(logical=2, physical=7, memory_bytes=1 << 33, cores=())
    cached = msgspec.structs.replace(topology.numa[0], memory_side_cache_bytes=1 << 34)
    changed = msgspec.structs.replace(topology, numa=(cached, topology.numa[1], fast), distances=None)
    found = objects(exported(tmp_path, record(changed, numa=numa(3))))
    assert (found["NUMANode"], found["MemCache"]) == (3, 1)


@needs_hwloc
def test_several_memories_of_one_package_are_grouped(tmp_path: Path) -> None:
    topology = machine(4, 2)
    cores = tuple(msgspec.structs.replace(one, package=one.package // 2) for one in topology.cores)
    caches = tuple(one for one in topology.caches if one.level == 1)
    found = objects(exported(tmp_path, record(msgspec.structs.replace(topology, cores=cores, caches=caches))))
    assert (found["Package"], found["NUMANode"], found["PU"]) == (2, 4, 8)


@needs_hwloc
@pytest.mark.parametrize("sharing", [[(0, 1), (2,), (3,), (4, 5, 6, 7)], [(4, 5, 6, 7), (0,), (1, 2, 3)]])
def test_caches_of_several_sizes_stand_in_the_order_of_their_processors(
    tmp_path: Path, sharing: list[tuple[int, ...]]
) -> None:
    """As on hybrid machines; hwloc complains of another order, since its own functions rely on it."""
    caches = tuple(
        TopologyCache(level=2, kind="unified", size_bytes=1 << 21, line_bytes=64, ways=8, cores=cores)
        for cores in sharing
    )
    assert objects(exported(tmp_path, record(machine(1, 8, caches=caches))))["L2Cache"] == len(sharing)


@needs_hwloc
def test_packages_with_unlike_numbers_of_processors_stand_in_their_order(tmp_path: Path) -> None:
    topology = machine(2)
    cores = (*topology.cores[:1], *(msgspec.structs.replace(one, package=1) for one in topology.cores[1:]))
    bare = msgspec.structs.replace(topology, cores=cores, caches=(), numa=())
    assert objects(exported(tmp_path, record(bare)))["Package"] == 2


def hybrid() -> Topology:
    """Two large cores and two small ones under one last level; the small ones have a larger second level."""
    topology = machine(1, 4)
    sizes = {0: (48 << 10, 1 << 21), 1: (48 << 10, 1 << 21), 2: (32 << 10, 1 << 22), 3: (32 << 10, 1 << 22)}
    of_cores = (
        TopologyCache(level=level, kind=kind, size_bytes=size, line_bytes=64, ways=8, cores=(core,))
        for core, some in sizes.items()
        for level, kind, size in ((1, "data", some[0]), (2, "unified", some[1]))
    )
    outer = tuple(one for one in topology.caches if one.level == 3)
    return msgspec.structs.replace(topology, caches=(*of_cores, *outer))


@pytest.mark.parametrize(("core", "like"), [("-1", [0, 1]), ("3", [2, 3])])
def test_what_was_measured_is_told_of_the_kind_of_core_that_measured(core: str, like: list[int]) -> None:
    levels = ((1, "data", 48 << 10), (2, "unified", 1 << 21), (3, "unified", 1 << 23))
    caches = [
        Cache(level=level, kind=kind, size=known(float(size), "B"), latency=known(level * 1e-9, "s"))
        for level, kind, size in levels
    ]
    one = record(hybrid(), caches=caches)
    one.samples["load_latency"] = ProbeSamples(
        probe="load_latency", cases=[], values=[], parameters={"core": core}
    )
    root = ET.fromstring(hwloc_of(one, "profile").content)  # noqa: S314  of groma itself
    told = {
        (found.get("type"), found.get("cpuset"))
        for found in root.iter("object")
        if any(info.get("name") == "GromaSize" for info in found.findall("info"))
    }
    assert told == {(kind, bitmap({at})) for kind in ("L1Cache", "L2Cache") for at in like} | {
        ("L3Cache", bitmap(range(4)))
    }


def test_a_cache_that_overlaps_another_in_part_is_left_out() -> None:
    odd = TopologyCache(level=2, kind="unified", size_bytes=1, line_bytes=64, ways=1, cores=(1, 2))
    topology = machine(2)
    tree = tree_of(msgspec.structs.replace(topology, caches=(*topology.caches, odd)), {})
    assert "L2Cache" not in {one.type for one in tree.all()}
    assert sum(one.type == "PU" for one in tree.all()) == 4


def test_a_profile_that_does_not_tell_the_cores_is_refused() -> None:
    with pytest.raises(GromaError, match=r"x\.json has no topology") as refused:
        hwloc_of(record(None), "x.json")
    assert refused.value.exit_code == ExitCode.USAGE
    assert refused.value.next_step


@given(st.sets(st.integers(min_value=0, max_value=400)))
def test_a_set_survives_as_hwloc_writes_it(numbers: set[int]) -> None:
    bits = int("".join(word.removeprefix("0x") for word in bitmap(numbers).split(",")), 16)
    assert {n for n in range(401) if bits >> n & 1} == numbers


SHARING = st.lists(st.sets(st.integers(0, 7), min_size=1).map(lambda s: tuple(sorted(s))), max_size=6)


@settings(max_examples=60)
@given(SHARING)
def test_any_caches_make_a_tree_whose_objects_lie_within_each_other(sharing: list[tuple[int, ...]]) -> None:
    caches = tuple(
        TopologyCache(level=2, kind="unified", size_bytes=1, line_bytes=64, ways=1, cores=one)
        for one in sharing
    )
    tree = tree_of(machine(2, 4, caches=caches), {})
    for one in tree.all():
        taken = [number for child in one.children for number in child.processors]
        assert len(taken) == len(set(taken))
        assert set(taken) <= one.processors
    assert sorted(n for one in tree.all() if one.type == "PU" for n in one.processors) == list(range(8))
