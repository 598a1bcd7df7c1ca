"""The declared topology as the tree of objects that hwloc has of a machine, normal and memory ones. Pure."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from groma.record import Topology, TopologyCache, TopologyNuma

Set = frozenset[int]

_DEPTHS = ("Machine", "Group", "Package", "Cache", "Core", "PU")
"""Objects on the same processors contain each other in this order."""

_CACHE_TYPES = {"unified": "0", "data": "1", "instruction": "2"}
_INSTRUCTION_LEVELS = 3
"""hwloc has types for instruction caches of the first three levels."""


@dataclass(eq=False)
class Object:
    """An object with its processors and memories by the numbers of the kernel. `memories` are those attached
    to it, each a memory or a cache in front of one.
    """

    type: str
    processors: Set
    attributes: dict[str, str] = field(default_factory=dict)
    infos: dict[str, str] = field(default_factory=dict)
    nodes: Set = frozenset()
    memories: list[Object] = field(default_factory=list)
    children: list[Object] = field(default_factory=list)
    number: int = 0

    def all(self) -> Iterator[Object]:
        yield self
        for one in (*self.memories, *self.children):
            yield from one.all()


def tree_of(topology: Topology, infos_of_caches: Mapping[TopologyCache, dict[str, str]]) -> Object:
    """The machine. `infos_of_caches` is what there is to tell of caches.

    Caches that contain each other partly, which hwloc cannot have, are left out.
    """
    physical = {one.logical: one.physical for one in topology.cores}
    machine = Object("Machine", frozenset(physical.values()), {"os_index": "0"})
    memories = [_memory(one, physical) for one in topology.numa] or [_only_memory(machine)]
    for one in sorted(
        [
            *_groups(machine, topology, memories),
            *_packages(topology),
            *(_cache(one, physical, infos_of_caches) for one in topology.caches),
            *_cores(topology),
            *(Object("PU", frozenset({n}), {"os_index": str(n)}) for n in machine.processors),
        ],
        key=_outer_first,
    ):
        _insert(machine, one)
    for memory in memories:
        _attach(machine, memory)
    for one in machine.all():
        one.children.sort(key=lambda child: min(child.processors))
    _set_nodes(machine, frozenset())
    for number, one in enumerate(machine.all(), start=1):
        one.number = number
    return machine


def _outer_first(one: Object) -> tuple[int, int, int, int]:
    kind = "Cache" if "Cache" in one.type else one.type
    level = int(one.attributes.get("depth", 0))
    return -len(one.processors), _DEPTHS.index(kind), -level, min(one.processors, default=0)


def _insert(parent: Object, new: Object) -> None:
    """Below the innermost object that contains it; not at all where it overlaps one in part."""
    if not new.processors:
        return
    for child in parent.children:
        if new.processors <= child.processors:
            _insert(child, new)
            return
        if new.processors & child.processors:
            return
    parent.children.append(new)


# ---- normal objects ----------------------------------------------------------------------------------------


def _packages(topology: Topology) -> Iterator[Object]:
    for package, threads in _grouped((one.package, one.physical) for one in topology.cores):
        yield Object("Package", threads, {"os_index": str(package)} if package >= 0 else {})


def _cores(topology: Topology) -> Iterator[Object]:
    for core, threads in _grouped((one.core, one.physical) for one in topology.cores):
        yield Object("Core", threads, {"os_index": str(core)})


def _grouped(pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, Set]]:
    for key, group in itertools.groupby(sorted(pairs), key=lambda pair: pair[0]):
        yield key, frozenset(number for _, number in group)


def _cache(
    one: TopologyCache, physical: Mapping[int, int], infos: Mapping[TopologyCache, dict[str, str]]
) -> Object:
    instruction = one.kind == "instruction" and one.level <= _INSTRUCTION_LEVELS
    return Object(
        f"L{one.level}{'i' if instruction else ''}Cache",
        frozenset(physical[core] for core in one.cores if core in physical),
        {
            "cache_size": str(one.size_bytes or 0),
            "depth": str(one.level),
            "cache_linesize": str(one.line_bytes or 0),
            "cache_associativity": str(one.ways or 0),
            "cache_type": _CACHE_TYPES.get(one.kind, "0"),
        },
        dict(infos.get(one, {})),
    )


def _groups(machine: Object, topology: Topology, memories: Iterable[Object]) -> Iterator[Object]:
    """Around the processors of a memory that no package and no cache has."""
    there = {machine.processors, *(one.processors for one in _packages(topology))}
    for memory in memories:
        if memory.processors and memory.processors not in there:
            there.add(memory.processors)
            yield Object("Group", memory.processors, {"kind": "0", "subkind": "0"})


# ---- memories ----------------------------------------------------------------------------------------------


def _memory(one: TopologyNuma, physical: Mapping[int, int]) -> Object:
    processors = frozenset(physical[core] for core in one.cores if core in physical)
    attributes = {"os_index": str(one.physical)}
    if one.memory_bytes is not None:
        attributes["local_memory"] = str(one.memory_bytes)
    node = Object("NUMANode", processors, attributes, nodes=frozenset({one.physical}))
    if one.memory_side_cache_bytes is None:
        return node
    cache = {
        "cache_size": str(one.memory_side_cache_bytes),
        "depth": "1",
        "cache_linesize": "0",
        "cache_associativity": "0",
        "cache_type": "0",
    }
    return Object("MemCache", processors, cache, nodes=node.nodes, memories=[node])


def _only_memory(machine: Object) -> Object:
    """Hwloc refuses a machine without memory."""
    return Object("NUMANode", machine.processors, {"os_index": "0"}, nodes=frozenset({0}))


def _attach(parent: Object, memory: Object) -> None:
    """To the outermost object on the same processors; without processors of its own, to the machine."""
    for child in parent.children:
        if memory.processors and memory.processors <= child.processors != parent.processors:
            _attach(child, memory)
            return
    parent.memories.append(memory)


def _set_nodes(one: Object, above: Set) -> Set:
    """An object is near the memories of those above it and of those below it."""
    own = above | frozenset().union(*(memory.nodes for memory in one.memories))
    one.nodes = own.union(*(_set_nodes(child, own) for child in one.children))
    return one.nodes
