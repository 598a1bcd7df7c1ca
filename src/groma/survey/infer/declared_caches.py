"""The caches that the system declares around the core that measured: hybrid machines have several kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record import Advice
from groma.record.topology import core_of_probe
from groma.record.units import format_ids, format_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.record import Topology, TopologyCache
    from groma.survey.infer.registry import Evidence


def measuring_core(evidence: Evidence) -> int | None:
    """Its logical number; None if unknown."""
    samples = evidence.samples.get("load_latency")
    return core_of_probe(samples.parameters if samples is not None else {}, evidence.topology)


def declared_caches(evidence: Evidence) -> dict[int, TopologyCache]:
    """The first data or unified cache of each level around that core, the first level first."""
    topology, core = evidence.topology, measuring_core(evidence)
    if topology is None:
        return {}
    levels = sorted({cache.level for cache in topology.caches})
    found = ((level, topology.declared_data_cache(level, core)) for level in levels)
    return {level: cache for level, cache in found if cache is not None}


Kind = tuple[tuple[int, float], ...]
"""Level and size in bytes of the data caches around a core."""

_PROBES_OF_ONE_CORE = ("load_latency", "cache_line", "cache_associativity", "tlb_reach", "page_sets")


def other_kinds(evidence: Evidence) -> Iterator[Advice]:
    """Names the cores of a hybrid machine whose caches are others than those that were measured."""
    topology, core = evidence.topology, measuring_core(evidence)
    if topology is None or core is None:
        return
    cores_of = _kinds(topology)
    measured = next((kind for kind, cores in cores_of.items() if core in cores), None)
    others = {kind: cores for kind, cores in cores_of.items() if kind != measured}
    if measured is None or not others:
        return
    listed = " and ".join(f"{format_ids(cores)} ({_sizes(kind)})" for kind, cores in others.items())
    first = min(min(cores) for cores in others.values())
    asked = " ".join(f"--set {probe}.core={first}" for probe in _PROBES_OF_ONE_CORE)
    yield Advice(
        code="cache.kinds",
        what=f"the caches are those of core {core}; the system declares others for cores {listed}",
        next=f"measure those as well, into another profile: groma survey {asked}",
    )


def _kinds(topology: Topology) -> dict[Kind, list[int]]:
    """Allowed cores by what is declared around them; cores without any declared cache are of no kind."""
    declared = declared_sizes(topology)
    cores_of: dict[Kind, list[int]] = {}
    for core in topology.allowed:
        if caches := declared[core]:
            cores_of.setdefault(tuple(sorted(caches.items())), []).append(core)
    return cores_of


def declared_sizes(topology: Topology) -> dict[int, dict[int, float]]:
    """Declared sizes (bytes) of data caches by core and level; all allowed cores are there."""
    found: dict[int, dict[int, float]] = {core: {} for core in topology.allowed}
    for cache in topology.caches:
        if cache.kind != "instruction" and cache.size_bytes:
            for core in cache.cores:
                found.setdefault(core, {}).setdefault(cache.level, float(cache.size_bytes))
    return found


def _sizes(kind: Kind) -> str:
    return ", ".join(f"L{level} {format_value(size, 'B')}" for level, size in kind)
