"""The node as the operating system declares it (hwloc or /sys); nothing here was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping


class TopologyCore(msgspec.Struct, frozen=True, kw_only=True):
    """One hardware thread. `logical` is the id used everywhere in groma, `physical` the kernel's.

    `core` is the number of the physical core: hardware threads with equal `core` are SMT siblings. `numa` is
    the first node for a thread to which no memory is local.
    """

    logical: int
    physical: int
    core: int
    package: int
    numa: int


class TopologyCache(msgspec.Struct, frozen=True, kw_only=True):
    """One cache instance with the logical ids that share it. `kind` is data, instruction or unified.

    None is what the system does not declare, such as sizes in virtual machines on Arm.
    """

    level: int
    kind: str
    size_bytes: int | None
    line_bytes: int | None
    ways: int | None
    cores: tuple[int, ...]


class TopologyNuma(msgspec.Struct, frozen=True, kw_only=True):
    """One memory and the logical ids local to it; none for memory without CPUs.

    `memory_side_cache_bytes` is a cache in front of the memory that belongs to no core, such as KNL's MCDRAM.
    """

    logical: int
    physical: int
    memory_bytes: int | None
    memory_side_cache_bytes: int | None = None
    cores: tuple[int, ...]


class Topology(msgspec.Struct, frozen=True, kw_only=True):
    """`allowed` are the logical ids this process may run on (affinity mask and cpuset). `forbidden` are those
    that its control group denies; an older groma did not record them.

    Not `this_system`: a machine that hwloc loaded from a file, for planning and inference only.
    """

    source: str
    cores: tuple[TopologyCore, ...]
    caches: tuple[TopologyCache, ...]
    numa: tuple[TopologyNuma, ...]
    distances: tuple[tuple[float, ...], ...] | None
    allowed: tuple[int, ...]
    page_bytes: int
    huge_page_bytes: int | None
    this_system: bool = True
    forbidden: tuple[int, ...] = ()

    def declared_data_cache(self, level: int, core: int | None = None) -> TopologyCache | None:
        """The first data or unified cache of `level` around a logical `core`, or around any allowed one."""
        usable = set(self.allowed) if core is None else {core}
        for cache in self.caches:
            if cache.level == level and cache.kind != "instruction" and usable & set(cache.cores):
                return cache
        return None


def core_of_probe(parameters: Mapping[str, str], topology: Topology | None) -> int | None:
    """The logical core on which a probe with the parameter `core` measured: this one, else the first that is
    allowed; None if that is unknown.
    """
    asked = parameters.get("core", "")
    if asked.isdecimal():
        return int(asked)
    return next(iter(topology.allowed), None) if topology is not None else None
