"""The caches of a node: the latency curve says which levels there are, other probes what they are like."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from groma.facts.survey import Cache, Indexing, Tlb
from groma.record import Advice, ProbeSamples, Quantity, Topology
from groma.record.units import format_ids
from groma.stats.quantiles import LOW_QUANTILE
from groma.survey.infer.associativity import associativity, why_undetermined
from groma.survey.infer.cache_lines import line_size
from groma.survey.infer.caches import (
    WITH_HUGE_PAGES,
    CacheInference,
    infer_caches,
    possible_advice,
)
from groma.survey.infer.clock import chains_by_core, core_frequency
from groma.survey.infer.curve import Curve, curve_of_samples
from groma.survey.infer.declared_caches import declared_caches, measuring_core, other_kinds
from groma.survey.infer.doubtful import HIGH_STEP
from groma.survey.infer.indexing import PriorKnowledge, Verdict, indexing, merged_verdicts, steps_of
from groma.survey.infer.page_sets import pages_differ
from groma.survey.infer.registry import Evidence, Inferred, infers
from groma.survey.infer.sharing import Sharing, sharing
from groma.survey.infer.tlb import SMALL_PAGE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.survey.infer.cache_numbers import CacheLevel

FEWEST_SIZES = 8
"""Fewer sizes than this are a curve that was cut short, not one to read caches from."""

_SHARED_NOTE = "other cores also use this cache: the size is the current share of this core"
_GUEST_NOTE = "a virtual machine: the size is the current effective share; the host may give it to others"
_PRIVATE_LEVELS = 2
_TYPICAL = 0.25
"""Quantile of the latencies over pages at random that stands for their mean."""

_SHOWN_GROUPS = 8


def latency_curve(samples: ProbeSamples) -> Curve | None:
    """The curve with huge pages, else the one with small pages; None where too little was sampled."""
    return curve_with(samples, "huge") or curve_with(samples, "small")


def curve_with(samples: ProbeSamples, pages: str, q: float = LOW_QUANTILE) -> Curve | None:
    """The curve with one kind of pages, quantile `q` of each size."""
    measured = [
        (float(case["size_bytes"]), values)
        for case, values in zip(samples.cases, samples.values, strict=True)
        if case.get("pages") == pages and values
    ]
    if len(measured) < FEWEST_SIZES:
        return None
    return curve_of_samples([size for size, _ in measured], [values for _, values in measured], "s", q)


UNDECLARED_CACHE = 32 * 2**20
_TIMES_CACHE = 4
_LARGEST_CHOICE = 2**31
"""The load-latency probe chooses so many times the last-level cache (native/survey/latency_plan.cpp)."""


def is_cut_by_memory(evidence: Evidence) -> bool:
    """Whether the largest size that load_latency planned is an octave below that which it wanted: only a lack
    of memory makes it do so.
    """
    samples = evidence.samples["load_latency"]
    planned = max((case["size_bytes"] for case in samples.cases if "size_bytes" in case), default=0)
    asked = samples.parameters.get("max_size", "")
    last_level = max((one.size_bytes or 0 for one in declared_caches(evidence).values()), default=0)
    chosen = min(max(_TIMES_CACHE * last_level, UNDECLARED_CACHE), _LARGEST_CHOICE)
    wanted = int(asked) if asked.isdecimal() and asked != "0" else chosen
    return bool(planned) and asked.isdecimal() and 2 * planned <= wanted


def latency_pages(samples: ProbeSamples) -> str:
    """The pages of the curve above."""
    pages = [case.get("pages") for case, values in zip(samples.cases, samples.values, strict=True) if values]
    return "huge" if pages.count("huge") >= FEWEST_SIZES else "small"


def curve_inference(evidence: Evidence) -> CacheInference | None:
    """Levels and memory latency from the load-latency probe, in seconds; None without a usable curve.

    First-level TLB reaches found by their own probe explain away the steps that they make.
    """
    samples = evidence.samples.get("load_latency")
    if samples is None:
        return None
    curve = latency_curve(samples)
    if curve is None:
        return None
    declared = {
        level: float(one.size_bytes) for level, one in declared_caches(evidence).items() if one.size_bytes
    }
    tlbs = _first_tlbs(evidence, samples)
    no_tlb_below = min((one.reach.low for one in tlbs), default=0.0)
    return infer_caches(curve, declared, _expected_steps(tlbs), no_tlb_below)


def _first_tlbs(evidence: Evidence, samples: ProbeSamples) -> list[Tlb]:
    """Those of the first level with the pages of the curve."""
    wanted = latency_pages(samples)
    return [
        one
        for one in evidence.facts.tlb
        if one.level == 1 and one.reach.confidence > 0 and _pages_of(one, evidence.topology) == wanted
    ]


def _expected_steps(tlbs: Sequence[Tlb]) -> list[tuple[float, float]]:
    """Reaches of the first-level TLBs, and what a miss costs.

    With small pages a TLB of 64 entries reaches as far as many a second cache, 256 KiB, which a curve with
    huge pages shows alone. Second-level TLBs end where last-level caches do on many machines; there the
    height of the rise must decide, so they explain nothing beforehand.
    """
    return [
        (one.reach.value, one.miss_cost.value if one.miss_cost.confidence > 0 else math.inf) for one in tlbs
    ]


def _pages_of(tlb: Tlb, topology: Topology | None) -> str:
    smallest = topology.page_bytes if topology else SMALL_PAGE
    return "small" if (tlb.advised_page or tlb.page) <= smallest else "huge"


_OF_LEVELS = ("cache_line", "cache_associativity", "cache_sharing", "page_sets")
"""Probes that tell what the levels of the curve are like."""


@infers("caches", needs=("load_latency", *_OF_LEVELS), after=("clock", "tlb"))
def infer_node_caches(evidence: Evidence) -> Inferred:
    found = curve_inference(evidence)
    if found is None:
        return Inferred(None, tuple(_without_curve(evidence)))
    shared = {one.level: _sharing(evidence, found.caches, one.level) for one in found.caches}
    caches = [_cache(evidence, one, shared[one.level]) for one in found.caches]
    for cache, verdict in zip(caches, _indexing(evidence, found, caches), strict=False):
        cache.indexing = Indexing(**verdict.stated())
    disagreements = [_sharing_disagrees(level, one) for level, one in shared.items() if one and one.declared]
    kinds = list(other_kinds(evidence))
    if caches:  # all readers look there, whatever they do with advice
        caches[0].notes.extend(one.what for one in kinds)
    possible = _possible(evidence, found)
    warnings = [_as_of_survey(one, evidence) for one in found.warnings]
    return Inferred(caches, (*warnings, *possible, *disagreements, *kinds))


_DISTURBED = frozenset({"curve.flat", "curve.smooth", "curve.noise", "curve.unclear", "curve.rough"})
_TOO_SHORT = frozenset({"curve.short", "curve.near", "curve.end"})


def _as_of_survey(advice: Advice, evidence: Evidence) -> Advice:
    """With what to do here: advice on a curve speaks to those who recorded it with any tool."""
    again = "groma survey --only load_latency"
    if advice.code in _DISTURBED:
        return msgspec.structs.replace(
            advice, next=f"measure it again on an idle machine (see groma doctor): {again} --depth thorough"
        )
    if advice.code in _TOO_SHORT and is_cut_by_memory(evidence):
        return msgspec.structs.replace(
            advice,
            next="make more memory available, which ended the curve early (groma doctor names the limits), "
            f"and measure again: {again}",
        )
    if advice.code in _TOO_SHORT:
        largest = max(case["size_bytes"] for case in evidence.samples["load_latency"].cases)
        mebibytes = math.ceil(4 * largest / 2**20)
        return msgspec.structs.replace(
            advice, next=f"measure larger sizes: {again} --set load_latency.max_size={mebibytes}MiB"
        )
    return advice


def _possible(evidence: Evidence, found: CacheInference) -> Iterator[Advice]:
    """Only of steps that leave a level in doubt, as high ones before a level and those behind the last do:
    what others take of a shared cache makes lower ones.
    """
    last = max((one.size.value for one in found.caches), default=math.inf)
    doubted = [
        one
        for one in found.possible
        if one.size.value > last or one.beyond.value >= HIGH_STEP * one.latency.value
    ]
    huge = latency_pages(evidence.samples["load_latency"]) == "huge"
    cure = _LARGER_REACH if huge else WITH_HUGE_PAGES
    yield from possible_advice(replace(found, possible=tuple(doubted)), cure)


_LARGER_REACH = (
    "compare it with the reach of the TLBs with large pages (groma survey --only load_latency,tlb_reach "
    "--depth thorough): elsewhere it is a cache"
)


def _without_curve(evidence: Evidence) -> Iterator[Advice]:
    sampled = [name for name in _OF_LEVELS if name in evidence.samples and any(evidence.samples[name].values)]
    if sampled:
        verb = "was" if len(sampled) == 1 else "were"
        yield Advice(
            code="cache.no_curve",
            what=f"{' and '.join(sampled)} {verb} sampled, but only the curve of load_latency tells which "
            "levels of cache there are: without it nothing is reported of them",
            next=f"run load_latency as well: groma survey --only load_latency,{','.join(sampled)}",
        )


def _indexing(evidence: Evidence, found: CacheInference, caches: Sequence[Cache]) -> list[Verdict]:
    """A typical latency counts, not the lowest: pages that lie well on the sets are an exception. Nor does
    the median: where a sibling is busy, half of the samples show it.
    """
    samples = evidence.samples["load_latency"]
    steps = steps_of(
        found, {one.level: round(one.associativity.value) for one in caches if one.associativity}
    )
    reach = min(_small_reaches(evidence), default=None)
    page = evidence.topology.page_bytes if evidence.topology else None
    known = PriorKnowledge(
        float(page or SMALL_PAGE), reach, pages_differ(evidence.samples.get("page_sets"), steps)
    )
    huge = curve_with(samples, "huge", _TYPICAL)
    given = indexing(huge, curve_with(samples, "small", _TYPICAL), steps, known)
    scattered = _scattered_pages(evidence)
    return given if scattered is None else merged_verdicts(indexing(huge, scattered, steps, known), given)


def _small_reaches(evidence: Evidence) -> list[float]:
    """Reaches of the first-level TLB with small pages."""
    return [
        one.reach.value
        for one in evidence.facts.tlb
        if one.level == 1 and one.reach.confidence > 0 and _pages_of(one, evidence.topology) == "small"
    ]


def _scattered_pages(evidence: Evidence) -> Curve | None:
    """The curve over pages in random order: those that the system gives may be as contiguous as huge ones."""
    sets = evidence.samples.get("page_sets")
    if sets is None:
        return None
    others = [
        (case, one) for case, one in zip(sets.cases, sets.values, strict=True) if case.get("set") == "other"
    ]
    some = ProbeSamples(
        probe=sets.probe, cases=[case for case, _ in others], values=[values for _, values in others]
    )
    return curve_with(some, "small", _TYPICAL)


def _core_frequency(evidence: Evidence) -> Quantity | None:
    """Of the core that measured the latencies, in Hz; None where the clock probe left it out."""
    clock, core = evidence.facts.clock, measuring_core(evidence)
    sampled = evidence.samples.get("clock")
    chains = chains_by_core(sampled) if sampled is not None else {}
    if clock is None or core is None or core == min(chains, default=core):
        return clock.core_frequency if clock else None
    return core_frequency(chains[core])[0] if core in chains else None


def _cache(evidence: Evidence, one: CacheLevel, shared: Sharing | None) -> Cache:
    frequency = _core_frequency(evidence)
    groups = shared.groups if shared else None
    ways, ways_note = _ways(evidence, one.level)
    return Cache(
        level=one.level,
        kind=_kind(evidence, one.level),
        size=one.size,
        latency=one.latency,
        latency_cycles=in_cycles(one.latency, frequency) if frequency else None,
        line=_line(evidence, one.level),
        associativity=ways,
        shared_by=groups,
        notes=[
            note for note in (_share_note(evidence, one, groups), _sharing_note(shared), ways_note) if note
        ],
    )


def in_cycles(latency: Quantity, frequency: Quantity) -> Quantity:
    """`latency` in cycles of a clock of `frequency` (Hz), the intervals of both multiplied out."""
    return Quantity(
        value=latency.value * frequency.value,
        unit="cycles",
        low=latency.low * frequency.low,
        high=latency.high * frequency.high,
        confidence=min(latency.confidence, frequency.confidence),
        method=f"{latency.method}; times the core frequency",
    )


def _kind(evidence: Evidence, level: int) -> str:
    """What the system says; without it the first level holds data and the others are taken as unified."""
    declared = declared_caches(evidence).get(level)
    if declared is not None:
        return declared.kind
    return "data" if level == 1 else "unified"


def _line(evidence: Evidence, level: int) -> Quantity | None:
    samples = evidence.samples.get("cache_line")
    found = line_size(samples, level) if samples is not None else None
    declared = declared_caches(evidence).get(level)
    if found is None or declared is None or declared.line_bytes is None:
        return found
    return found.beside_os(float(declared.line_bytes))


def _ways(evidence: Evidence, level: int) -> tuple[Quantity | None, str]:
    samples = evidence.samples.get("cache_associativity")
    if samples is None:
        return None, ""
    found = associativity(samples, level)
    if found is None:
        return None, why_undetermined(level)
    declared = declared_caches(evidence).get(level)
    return found.beside_os(float(declared.ways) if declared and declared.ways else None), ""


def _sharing(evidence: Evidence, levels: Sequence[CacheLevel], level: int) -> Sharing | None:
    """Who shares a level, None where that was not probed."""
    samples = evidence.samples.get("cache_sharing")
    if samples is None:
        return None
    sizes = [one.size.value for one in levels]
    return sharing(samples, sizes, level, evidence.topology, measuring_core(evidence))


def _sharing_note(shared: Sharing | None) -> str:
    if shared is None or shared.groups is None:
        return shared.evidence if shared else ""
    return f"{shared.evidence} (confidence {shared.confidence:.2f})"


def _sharing_disagrees(level: int, shared: Sharing) -> Advice:
    """A guest often sees other neighbours than it has; whoever places processes must know."""
    measured, declared = (_listed(groups or []) for groups in (shared.groups, shared.declared))
    return Advice(
        code="cache.sharing_disagrees",
        what=f"level {level} is shared by cores {measured} as measured, by {declared} as the system declares",
        next="place processes by the measured groups; in a guest, the host decides on the placement of cores",
    )


def _listed(groups: list[list[int]]) -> str:
    """The first groups of logical cores: `0-1 and 2-3`."""
    shown = [format_ids(group) for group in groups[:_SHOWN_GROUPS]]
    more = len(groups) - len(shown)
    return " and ".join([*shown, f"{more} more groups"] if more else shown)


def _share_note(evidence: Evidence, one: CacheLevel, groups: list[list[int]] | None) -> str:
    """What lies beyond the private levels is a share: of the neighbours here, or of those on the host."""
    if one.level <= _PRIVATE_LEVELS and not (groups and any(len(group) > 1 for group in groups)):
        return ""
    if evidence.virtual:
        return _GUEST_NOTE
    return _SHARED_NOTE if groups and any(len(group) > 1 for group in groups) else ""


def memory_latency(evidence: Evidence) -> Quantity | None:
    """Latency of memory (s): the plateau beyond the last level of cache."""
    found = curve_inference(evidence)
    return None if found is None else found.memory
