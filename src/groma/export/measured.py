"""What a survey measured, as hwloc holds it: distances between objects, attributes of memories. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from groma.facts.matrices import measured_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from groma.facts.matrices import Entry
    from groma.facts.survey import CoreToCore, Numa, SurveyFacts
    from groma.record import Quantity, Topology

LINE_BYTES = 64
"""A read of a block takes one integer of each line (docs/probes/numa_read.md)."""

NANO, PICO, MIB = 1e9, 1e12, float(1 << 20)

FROM_OS, FROM_USER, LATENCY, BANDWIDTH = 1, 2, 4, 8
"""Kinds of distances, as hwloc/distances.h has them."""

MOST_DISTANCES = 1024
"""Objects of the largest matrix: hwloc reads a million of values in a second."""

Cells = dict[tuple[int, int], float]
"""Values by the kernel's numbers of two objects: from the initiator or first one, to the memory or second."""


@dataclass(frozen=True)
class Distances:
    """A whole matrix over objects of one `type`, by the kernel's numbers `of` them."""

    name: str
    type: str
    kind: int
    of: Sequence[int]
    values: Sequence[int]


@dataclass(frozen=True)
class Attribute:
    """A memory attribute of hwloc: `cells` holds its values by initiating and target node."""

    name: str
    cells: Cells


@dataclass
class Measured:
    """`left_out` says what of the profile hwloc cannot hold, and why."""

    distances: list[Distances] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def measured_of(facts: SurveyFacts, topology: Topology) -> Measured:
    found = Measured()
    _declared_distances(found, topology)
    if facts.node.core_to_core is not None:
        _core_to_core(found, facts.node.core_to_core, topology)
    latency, bandwidth = _between_memories(facts, topology)
    nodes = sorted(one.physical for one in topology.numa)
    for attribute, name, unit, kind in (
        (latency, "GromaNUMALatency(ps)", PICO / NANO, LATENCY),
        (bandwidth, "GromaNUMABandwidth(MiB/s)", 1.0, BANDWIDTH),
    ):
        if attribute.cells:
            found.attributes.append(attribute)
        if attribute.cells and len(nodes) > 1:
            scaled = {key: value * unit for key, value in attribute.cells.items()}
            _add(found, Distances(name, "NUMANode", FROM_USER | kind, nodes, ()), scaled)
    return found


def _declared_distances(found: Measured, topology: Topology) -> None:
    if topology.distances is None or len(topology.numa) != len(topology.distances):
        return
    cells = {
        (one.physical, other.physical): topology.distances[i][j]
        for i, one in enumerate(topology.numa)
        for j, other in enumerate(topology.numa)
    }
    nodes = [one.physical for one in topology.numa]
    if len(nodes) > 1:
        _add(found, Distances("NUMALatency", "NUMANode", FROM_OS | LATENCY, nodes, ()), cells)


def _core_to_core(found: Measured, facts: CoreToCore, topology: Topology) -> None:
    physical = {one.logical: one.physical for one in topology.cores}
    threads = [physical[core] for core in facts.cores if core in physical]
    cells = {
        (physical[facts.cores[one.row]], physical[facts.cores[one.column]]): one.quantity.value * PICO
        for one in measured_in(facts, "latency")
        if {facts.cores[one.row], facts.cores[one.column]} <= physical.keys()
    }
    cells |= {(thread, thread): 0.0 for thread in threads}
    if len(threads) > 1:
        _add(found, Distances("GromaCoreToCore(ps)", "PU", FROM_USER | LATENCY, threads, ()), cells)


def _add(found: Measured, empty: Distances, cells: Mapping[tuple[int, int], float]) -> None:
    """Hwloc has whole matrices only: a guess in place of a value would look measured."""
    pairs = [(one, other) for one in empty.of for other in empty.of]
    known = sum(pair in cells for pair in pairs)
    if known < len(pairs):
        found.left_out.append(
            f"{empty.name}: {known} of {len(pairs)} cells were measured, hwloc holds all or none"
        )
    elif len(empty.of) > MOST_DISTANCES:
        found.left_out.append(f"{empty.name}: {len(empty.of)} objects are more than {MOST_DISTANCES}")
    else:
        values = [max(0, round(cells[pair])) for pair in pairs]
        found.distances.append(Distances(empty.name, empty.type, empty.kind, empty.of, values))


# ---- memories ----------------------------------------------------------------------------------------------


def _between_memories(facts: SurveyFacts, topology: Topology) -> tuple[Attribute, Attribute]:
    """Latency in ns and bandwidth in MiB/s, the units of hwloc/memattrs.h."""
    if len(topology.numa) <= 1:
        return _of_one_memory(facts, topology)
    numa = facts.node.numa
    if numa is None:
        return Attribute("Latency", {}), Attribute("Bandwidth", {})
    nodes = _nodes_of_places(numa, topology)
    latency = _by_node(_times(numa, "random"), nodes, lambda time, size: time / (size / LINE_BYTES) * NANO)
    bandwidth = _by_node(_times(numa, "sequential_again"), nodes, lambda time, size: size / time / MIB)
    return Attribute("Latency", latency), Attribute("Bandwidth", bandwidth)


def _of_one_memory(facts: SurveyFacts, topology: Topology) -> tuple[Attribute, Attribute]:
    """Of a dependent load, and of the fastest kernel at any number of cores."""
    node = topology.numa[0].physical if topology.numa else 0
    memory = facts.node.memory
    latency = memory.latency if memory else None
    points = [one.value for kernel in memory.bandwidth.values() for one in kernel] if memory else []
    best = max((one.value for one in points), default=0.0)
    return (
        Attribute("Latency", {(node, node): latency.value * NANO} if _sound(latency) and latency else {}),
        Attribute("Bandwidth", {(node, node): best / MIB} if best > 0 else {}),
    )


def _sound(quantity: Quantity | None) -> bool:
    return quantity is not None and quantity.value > 0 and quantity.unit == "s"


def _nodes_of_places(numa: Numa, topology: Topology) -> list[int | None]:
    """The kernel's number of the memory of each place, in the order of the places."""
    physical = {one.logical: one.physical for one in topology.numa}
    if numa.over == "numa":
        return [physical.get(place) for place in numa.places]
    node_of = {one.logical: physical.get(one.numa) for one in topology.cores}
    return [node_of.get(place) for place in numa.places]


def _times(numa: Numa, name: str) -> Iterator[tuple[Entry, int]]:
    """The entries of an experiment with the bytes that each took the time for."""
    size = numa.block_bytes_of.get(name, numa.block_bytes)
    if size:
        yield from ((entry, size) for entry in measured_in(numa, name) if entry.quantity.value > 0)


def _by_node(
    times: Iterable[tuple[Entry, int]], nodes: Sequence[int | None], value: Callable[[float, int], float]
) -> Cells:
    """The median over the places of two memories: reader's node first, owner's node second."""
    found: dict[tuple[int, int], list[float]] = {}
    for entry, size in times:
        owner, reader = nodes[entry.row], nodes[entry.column]
        if owner is not None and reader is not None:
            found.setdefault((reader, owner), []).append(value(entry.quantity.value, size))
    return {pair: median(values) for pair, values in found.items()}
