"""Memory facts: latency idle and under load, bandwidth from one to all cores, contention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.facts.survey import LoadedLatency, Memory, ScalingPoint, StreamKernel
from groma.record import Advice, ProbeSamples, Quantity
from groma.record.counting import counted
from groma.record.units import format_share, format_value
from groma.stats.quantities import median_quantity, quantile_quantity
from groma.survey.infer.contention import contention, contention_advice, contention_pairs
from groma.survey.infer.group_scaling import group_scaling
from groma.survey.infer.memory_reach import reach_advice, reach_of, streams_beyond_cache
from groma.survey.infer.node_caches import memory_latency
from groma.survey.infer.registry import Evidence, Inferred, infers
from groma.survey.infer.selection import matching

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groma.record import Topology

NOTHING = ProbeSamples(probe="", cases=[], values=[])

STREAMING = ("memory_bandwidth", "memory_contention", "group_bandwidth", "loaded_latency")

BANDWIDTH = "bytes of a pass over the time from first start to last finish; median over the passes"
BEST_BANDWIDTH = "95th percentile of the same passes"
LOADED = "chase of dependent loads while others stream; median over the rounds"
INJECTED = "bytes moved by the others during the chase; median over the rounds"
IDLE = "nothing was injected"

BEST = 0.95

UNSTABLE = 0.35
"""Distance of 5th and 95th percentile over the median from which a reader must be warned."""


@infers(
    "memory",
    needs=("load_latency", *STREAMING),
    after=("tlb",),
)
def infer_memory(evidence: Evidence) -> Inferred:
    beyond = streams_beyond_cache(evidence, STREAMING)
    streams, beside, grouped, loaded = (beyond.beyond_cache.get(name, NOTHING) for name in STREAMING)
    contended = contention(beside, evidence.topology)
    reach = reach_of(evidence)
    memory = Memory(
        latency=memory_latency(evidence) if reach.beyond_cache else None,
        bandwidth=bandwidths(streams),
        kernels=kernels(streams),
        contention_groups=contended.groups,
        contention_pairs=contention_pairs(beside),
        contention_scaling=group_scaling(grouped, contended.groups),
        loaded_latency=loaded_latencies(loaded),
    )
    advice = (
        *reach_advice(reach),
        *beyond.advice,
        *_memory_alone(evidence.topology),
        *contention_advice(contended),
        *_unstable(memory, virtual=evidence.virtual),
        *_never_loaded(loaded),
    )
    return Inferred(None if memory == Memory() else memory, advice)


def _memory_alone(topology: Topology | None) -> Iterable[Advice]:
    """Other kinds of memory, which no core has as its own, are in no figure."""
    alone = [node for node in topology.numa if not node.cores and node.memory_bytes] if topology else []
    if not alone:
        return
    nodes = ", ".join(f"{node.physical} ({format_value(node.memory_bytes or 0, 'B')})" for node in alone)
    yield Advice(
        code="memory.without_cores",
        what=f"the memory of {counted(len(alone), 'NUMA node')} without cores was not measured, by the "
        f"system's numbers: {nodes}. Such is high-bandwidth memory, an expander (CXL) or the memory of a GPU",
        next=f"to measure it: numactl --membind={alone[0].physical} groma survey --only "
        "load_latency,memory_bandwidth",
    )


def bandwidths(samples: ProbeSamples) -> dict[str, list[ScalingPoint]]:
    """Bandwidth of each kernel in B/s, by number of threads."""
    found: dict[str, list[ScalingPoint]] = {}
    for case, values in matching(samples):
        if values:
            found.setdefault(case["kernel"], []).append(_scaling_point(case, values))
    return {kernel: sorted(points, key=lambda point: point.cores) for kernel, points in found.items()}


def _scaling_point(case: dict[str, Any], values: list[float]) -> ScalingPoint:
    return ScalingPoint(
        cores=case["threads"],
        value=median_quantity(values, "B/s", BANDWIDTH),
        best=quantile_quantity(values, "B/s", BEST_BANDWIDTH, BEST),
        placed=list(case.get("cores", ())),
    )


def kernels(samples: ProbeSamples) -> dict[str, StreamKernel]:
    """What the kernels do, as their cases declare it."""
    return {
        case["kernel"]: msgspec.convert(case, StreamKernel, strict=False)
        for case, values in matching(samples)
        if values
    }


def loaded_latencies(samples: ProbeSamples) -> list[LoadedLatency]:
    """Latency against injected bandwidth, by share of reads (most reads last) and growing bandwidth.

    The idle memory begins the curve of each share of reads; alone, as on one core, it is no curve under load.
    """
    loads = [(case, values) for case, values in matching(samples, quantity="latency") if values]
    moved = {_point(case): values for case, values in matching(samples, quantity="bandwidth")}
    injected = [
        _loaded(case["read_fraction"], case, values, moved.get(_point(case), []))
        for case, values in loads
        if case["injectors"]
    ]
    under_load = [one for one in injected if one]
    idle = [
        _loaded(share, case, values, [])
        for case, values in loads
        for share in {one.read_fraction for one in under_load}
        if not case["injectors"]
    ]
    found = [*under_load, *(one for one in idle if one)]
    return sorted(found, key=lambda one: (one.read_fraction, one.bandwidth.value))


def _point(case: dict[str, Any]) -> tuple[Any, ...]:
    return case["kernel"], case["pace"]


def _loaded(
    read_fraction: float, case: dict[str, Any], times: list[float], moved: list[float]
) -> LoadedLatency | None:
    """None where the bandwidth that belongs to the latency was lost with an interrupted probe."""
    injectors = case["injectors"]
    if injectors and not moved:
        return None
    idle = Quantity(value=0.0, unit="B/s", low=0.0, high=0.0, confidence=1.0, method=IDLE)
    return LoadedLatency(
        read_fraction=read_fraction,
        bandwidth=median_quantity(moved, "B/s", INJECTED) if injectors else idle,
        latency=median_quantity(times, "s", LOADED),
        injectors=injectors,
    )


def _unstable(memory: Memory, *, virtual: bool) -> Iterable[Advice]:
    """One advice that names the widest spread, not one for each figure."""
    figures = [(_spread(one), name, one) for name, one in _figures(memory)]
    wide = [figure for figure in figures if figure[0] > UNSTABLE]
    if not wide:
        return
    spread, name, worst = max(wide, key=lambda figure: figure[0])
    cure = "stop other work (groma doctor names it) and measure again, or use --depth thorough"
    if virtual:
        cure += "; in a virtual machine, other guests use the same memory"
    yield Advice(
        code="memory.unstable",
        what=f"{len(wide)} of {len(figures)} memory figures scatter widely, most of all {name}: "
        f"5th to 95th percentile span {format_share(spread)} of {format_value(worst.value, worst.unit)}",
        next=cure,
    )


def _figures(memory: Memory) -> Iterator[tuple[str, Quantity]]:
    for kernel, points in memory.bandwidth.items():
        for point in points:
            yield f"{kernel} (cores: {point.cores})", point.value
    for one in memory.loaded_latency:
        moved = format_value(one.bandwidth.value, "B/s")
        yield f"latency under {moved} with {format_share(one.read_fraction)} reads", one.latency


def _spread(quantity: Quantity) -> float:
    samples = quantity.samples
    if samples is None or samples.p50 <= 0:
        return 0.0
    return (samples.p95 - samples.p5) / samples.p50


def _never_loaded(samples: ProbeSamples) -> Iterable[Advice]:
    """Also a probe that was cut short planned its loads."""
    if not samples.cases or any(case.get("injectors") for case in samples.cases):
        return
    yield Advice(
        code="memory.not_loaded",
        what="latency under load was not measured: no other core of the NUMA node can stream",
        next="allow this process more cores (taskset, cpuset) and measure again",
    )
