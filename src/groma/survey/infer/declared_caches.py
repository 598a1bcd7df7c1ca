"""The caches that the system declares around the core that measured: hybrid machines have several kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groma.record import TopologyCache
    from groma.survey.infer.registry import Evidence


def measuring_core(evidence: Evidence) -> int | None:
    """Its logical number: what the parameter `core` names, else the first allowed one; None if unknown."""
    samples = evidence.samples.get("load_latency")
    asked = samples.parameters.get("core", "") if samples is not None else ""
    if asked.isdecimal():
        return int(asked)
    return next(iter(evidence.topology.allowed), None) if evidence.topology is not None else None


def declared_caches(evidence: Evidence) -> dict[int, TopologyCache]:
    """The first data or unified cache of each level around that core, the first level first."""
    topology, core = evidence.topology, measuring_core(evidence)
    if topology is None:
        return {}
    found: dict[int, TopologyCache] = {}
    for cache in topology.caches:
        if cache.kind != "instruction" and core in cache.cores:
            found.setdefault(cache.level, cache)
    return dict(sorted(found.items()))
