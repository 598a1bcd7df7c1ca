"""How far into the memory the sampled working sets reach, and what a latency of less is one of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from groma.record import Advice, ProbeSamples
from groma.record.units import format_value
from groma.survey.infer.declared_caches import declared_caches, measuring_core
from groma.survey.infer.node_caches import UNDECLARED_CACHE, curve_inference, is_cut_by_memory
from groma.survey.infer.selection import matching

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groma.survey.infer.registry import Evidence

TIMES_CACHE = 2.0
"""A working set this many times the last-level cache at least is one of memory (docs/measuring.md)."""

_MEMORY_TIMES_SET = 4.5
"""What the load-latency probe asks for: two arenas and the orders of visit take two thirds of the memory."""

_NOTHING = ProbeSamples(probe="", cases=[], values=[])


class Reach(NamedTuple):
    """Working sets of the load-latency probe beside the caches, all in bytes.

    `largest` is that of the sets that were sampled, `planned` of all, `asked` what the user allowed or 0.
    `cut` tells that the memory allowed less than was asked for or chosen. `last_level` is the last cache of
    the core, `side` the one in front of its memory or 0.
    """

    largest: float
    planned: float
    asked: float
    cut: bool
    last_level: float
    side: float

    @property
    def needed(self) -> float:
        return TIMES_CACHE * self.last_level

    @property
    def beyond_cache(self) -> bool:
        return self.largest >= self.needed


def reach_of(evidence: Evidence) -> Reach:
    """The last level is the larger of the declared one, which a host may exceed, and the measured one."""
    samples = evidence.samples.get("load_latency", _NOTHING)
    sizes = [(case["size_bytes"], values) for case, values in matching(samples) if "size_bytes" in case]
    found = curve_inference(evidence)
    measured = [one.size.value for one in found.caches] if found else []
    asked = samples.parameters.get("max_size", "")
    return Reach(
        largest=max((size for size, values in sizes if values), default=0.0),
        planned=max((size for size, _ in sizes), default=0.0),
        asked=float(asked) if asked.isdecimal() else 0.0,
        cut=bool(sizes) and is_cut_by_memory(evidence),
        last_level=max([*measured, _declared_last_level(evidence)], default=0.0),
        side=_memory_side_cache(evidence),
    )


def _declared_last_level(evidence: Evidence) -> float:
    return float(max((one.size_bytes or 0 for one in declared_caches(evidence).values()), default=0))


def _memory_side_cache(evidence: Evidence) -> float:
    """Of the NUMA node of the core that measured."""
    nodes = evidence.topology.numa if evidence.topology is not None else ()
    core = measuring_core(evidence)
    return float(next((node.memory_side_cache_bytes or 0 for node in nodes if core in node.cores), 0))


def reach_advice(reach: Reach) -> Iterable[Advice]:
    """What a reader must know of a latency of memory, or of its absence."""
    if reach.largest and not reach.beyond_cache:
        yield _within_cache(reach)
    elif reach.largest and reach.largest < TIMES_CACHE * reach.side:
        yield _within_side_cache(reach)


def _within_cache(reach: Reach) -> Advice:
    needed, largest, last = (
        format_value(amount, "B") for amount in (reach.needed, reach.largest, reach.last_level)
    )
    reason, cure = _reason(reach)
    return Advice(
        code="memory.within_cache",
        what=f"memory latency was not measured: it needs working sets of {needed}, twice the last-level "
        f"cache of {last}, and {largest} was the largest that {reason}",
        next=cure,
    )


def _reason(reach: Reach) -> tuple[str, str]:
    """Why no larger set was sampled, and what to do."""
    needed = format_value(reach.needed, "B")
    too_small = 0 < reach.asked < reach.needed
    larger = f"omit --set load_latency.max_size, or set it to {needed} at least"
    if too_small and not reach.cut:
        return "max_size allowed", larger
    if reach.planned >= reach.needed:
        return "was sampled in time", "use --depth thorough or a larger --budget"
    memory = format_value(_MEMORY_TIMES_SET * reach.needed, "B")
    cure = f"make {memory} of memory available (groma doctor names the limits)"
    return "the memory allowed", f"{cure}, and {larger}" if too_small else cure


class Streams(NamedTuple):
    """Probes of the memory whose arrays reach beyond the caches, and what is to be known of the others."""

    beyond_cache: dict[str, ProbeSamples]
    advice: tuple[Advice, ...]


def streams_beyond_cache(evidence: Evidence, probes: Iterable[str]) -> Streams:
    """Of those probes: the arrays of a core (`ring_bytes`) hold twice the last-level cache, or they are not
    told, as in older records.
    """
    last_level = _declared_last_level(evidence) or UNDECLARED_CACHE
    sampled = {name: evidence.samples[name] for name in probes if name in evidence.samples}
    rings = {
        name: min((case["ring_bytes"] for case in one.cases if case.get("ring_bytes")), default=math.inf)
        for name, one in sampled.items()
    }
    within = [name for name, ring in rings.items() if ring < TIMES_CACHE * last_level]
    advice = tuple(_streams_within(name, rings[name], last_level) for name in within)
    return Streams({name: one for name, one in sampled.items() if name not in within}, advice)


def _streams_within(probe: str, ring: float, last_level: float) -> Advice:
    needed, used, last = (format_value(one, "B") for one in (TIMES_CACHE * last_level, ring, last_level))
    return Advice(
        code="memory.within_cache",
        what=f"{probe} measured a cache and no memory: it needs {needed} for each core, twice the last-level "
        f"cache of {last}, and had {used}; nothing is reported of it",
        next=f"omit --set {probe}.memory, or set it to {needed} for each core at least",
    )


def _within_side_cache(reach: Reach) -> Advice:
    side, largest = (format_value(amount, "B") for amount in (reach.side, reach.largest))
    return Advice(
        code="memory.side_cache",
        what=f"a cache of {side} in front of the memory holds all working sets, of {largest} at most: the "
        "latency of memory is that of this cache, and bandwidths are too where their arrays fit",
        next="use larger sets (--set load_latency.max_size), or a mode of the memory without this cache",
    )
