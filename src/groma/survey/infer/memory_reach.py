"""How far into the memory the sampled working sets reach, and what a latency of less is one of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.record import Advice, ProbeSamples
from groma.record.units import format_value
from groma.survey.infer.declared_caches import declared_caches, measuring_core
from groma.survey.infer.node_caches import curve_inference
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
    `last_level` is the last cache of the core, `side` the one in front of its memory or 0.
    """

    largest: float
    planned: float
    asked: float
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
    if 0 < reach.asked < reach.needed:
        return "max_size allowed", f"omit --set load_latency.max_size, or set it to {needed} at least"
    if reach.planned >= reach.needed:
        return "was sampled in time", "use --depth thorough or a larger --budget"
    memory = format_value(_MEMORY_TIMES_SET * reach.needed, "B")
    return "the memory allowed", f"make {memory} of memory available (groma doctor names the limits)"


def _within_side_cache(reach: Reach) -> Advice:
    side, largest = (format_value(amount, "B") for amount in (reach.side, reach.largest))
    return Advice(
        code="memory.side_cache",
        what=f"a cache of {side} in front of the memory holds all working sets, of {largest} at most: the "
        "latency of memory is that of this cache, and bandwidths are too where their arrays fit",
        next="use larger sets (--set load_latency.max_size), or a mode of the memory without this cache",
    )
