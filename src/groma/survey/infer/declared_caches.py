"""The caches that the system declares around the core that measured: hybrid machines have several kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.topology import core_of_probe

if TYPE_CHECKING:
    from groma.record import TopologyCache
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
