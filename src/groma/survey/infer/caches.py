"""Cache levels, their latencies and that of memory, inferred from one latency curve.

The curve is cleaned (latency cannot fall as the size grows), taken apart into knees, the knees are read as
caches or explained away, the caches are weighed against noise and smooth laws, and every cache gets a bracket
of grid sizes. docs/inference-caches.md explains why.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from groma.record.quantity import Quantity
from groma.record.record import Advice
from groma.record.units import format_share, format_value
from groma.stats.quantiles import summarize
from groma.survey.infer.brackets import Points, bracket, crossing
from groma.survey.infer.cache_numbers import CacheLevel, numbered, undeclared_advice
from groma.survey.infer.cleaning import CleanCurve
from groma.survey.infer.doubtful import BEHIND, begins_late, doubtful_steps, hidden_before, in_place
from groma.survey.infer.gaps import splits, weight_outside
from groma.survey.infer.knees import decompositions
from groma.survey.infer.levels import (
    MEMORY,
    Interpretation,
    Level,
    Step,
    TlbReach,
    Translation,
    interpretations,
    whole,
)
from groma.survey.infer.verdict import LEAST, Kind, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from groma.survey.infer.curve import Curve
    from groma.survey.infer.gaps import Gap, Split
    from groma.survey.infer.indexing import Verdict

    Array = NDArray[np.float64]

Tlb = tuple[float, float]
"""Reach in bytes, and what a miss costs in the unit of the curve; inf where that is not known."""

SIZE_METHOD = (
    "knees fitted to the latency curve; size at 30 % of the rise, "
    "common capacities (1, 1.25, 1.5 or 1.75 times a power of two) preferred within the error"
)
LATENCY_METHOD = "lower quartile of the points on the plateau of the level; interval of all points there"
FEW_POINTS_METHOD = "plateau fitted between points; interval of the points around it"
FITTED_METHOD = "plateau fitted beside the step"
POSSIBLE_METHOD = "knee fitted to a step of the latency curve; size at 30 % of the rise"
_ADDITION = "; an addition to the latency of the first level, which the tool subtracted"
MEMORY_METHOD = "plateau fitted beyond the last rise, TLB misses included; interval of all points there"

_SAME_LEVEL = 0.8  # octaves by which two interpretations may place a level and still mean the same one
_ROUGH = 0.25  # relative misfit beyond which the curve does not look like caches at all
_UNSEEN = 0.1  # probability of another cache between two sizes from which it is reported
_ENOUGH_POINTS = 3
_PLATEAU_CONFIDENCE = (0.4, 0.5, 0.75, 0.85)  # by number of points; from the simulated curves

_NO_CACHES = {
    "flat": Advice(
        code="curve.flat",
        what="no rise of the latency looks like the end of a cache",
        next="record dependent loads for sizes from 4 KiB to several times the last cache",
    ),
    "smooth": Advice(
        code="curve.smooth",
        what="latency rises evenly with the size: without a plateau, no cache can be found",
        next="check that the column is the latency of one dependent load, not the time of a pass",
    ),
    "noise": Advice(
        code="curve.noise",
        what="the curve is noise: no rise of the latency stands out from the scatter",
        next="record it again on a quiet machine: many short samples of each size, then their low quantile",
    ),
}


_PREDICTABLE = Advice(
    code="curve.predictable",
    what="the tool visits memory in an order that some prefetchers follow, which hides whole caches: "
    "levels beyond the first may be one further out",
    next="record random loads to be sure: tinymembench with huge pages, or groma survey",
)


_NOT_BEYOND = Advice(
    code="curve.unclear",
    what="beyond these levels the curve may be noise or a smooth law: no level is reported there",
    next="record it again on a quiet machine: many short samples of each size, then their low quantile",
)


@dataclass(frozen=True)
class PossibleLevel:
    """A step that may be the end of a cache or has another cause, and the latencies on either side."""

    size: Quantity
    latency: Quantity
    beyond: Quantity


@dataclass(frozen=True)
class CacheInference:
    """`explained_by` says what explains the curve best; where that is not "caches" there are none.

    `possible` levels are steps that cannot be distinguished from the reach of a TLB. `steps` are all rises
    that were not taken for caches. `memory` is None where no level was found, the end of the curve was left
    out, or its last plateau is too fast to be that of memory.
    """

    explained_by: Kind
    caches: tuple[CacheLevel, ...]
    memory: Quantity | None
    steps: tuple[Step, ...]
    warnings: tuple[Advice, ...]
    possible: tuple[PossibleLevel, ...] = ()


def infer_caches(
    curve: Curve,
    declared: Mapping[int, float] | None = None,
    tlb: Sequence[Tlb] = (),
    no_tlb_below: float = 0.0,
) -> CacheInference:
    """Levels of cache seen by a curve.

    `declared` maps a level to the bytes the system declares; it is put beside the result and never pulls it,
    but levels have its numbers. `tlb` are reaches measured by other means, with the pages of the curve: a
    rise there that is no higher than a miss costs is expected and explained away. No TLB misses in working
    sets of less than `no_tlb_below` bytes: a rise there is no step of one.
    """
    seen = CleanCurve.of(curve)
    translation = _translation(seen, tlb, no_tlb_below)
    candidates = [
        (interpretation, decomposition)
        for decomposition in decompositions(seen.log2_size, seen.relative)
        for interpretation in interpretations(decomposition, translation)
    ]
    best, decomposition = max(candidates, key=lambda candidate: candidate[0].score)
    found = verdict(seen, best, decomposition)
    if found.kind != "caches":
        return CacheInference(found.kind, (), None, (), (*curve.warnings, _NO_CACHES[found.kind]))
    certainty = _certainty(best, [interpretation for interpretation, _ in candidates])
    steps = [step for step in doubtful_steps(best) if not translation.explains(step)]
    hidden = hidden_before(best, steps) if curve.predictable else None
    late = begins_late(best, float(seen.log2_size[0]))
    confidence = certainty * found.of_levels * in_place(best, steps, hidden, late=late)
    unseen = splits(seen, best, decomposition, translation)
    levels = [
        _less_sure(_cache(seen, best, i, float(confidence[i])), i, best, unseen)
        for i, sure in enumerate(found.of_levels)
        if sure >= LEAST
    ]
    caches, undeclared = numbered(levels, declared or {}, first=2 if late else 1)
    predictable = [_PREDICTABLE] if hidden is not None else []
    of_levels = (*undeclared_advice(undeclared), *_disagreements(caches))
    cut_off = len(levels) < len(best.levels)
    of_gaps = _of_gaps(unseen, best.levels[len(levels) - 1].left_at if cut_off else math.inf)
    warnings = (*curve.warnings, *_curve_warnings(seen, best), *predictable, *of_gaps, *of_levels)
    if cut_off:
        return CacheInference(found.kind, caches, None, (), (*warnings, _NOT_BEYOND))
    possible = tuple(_possible_level(seen, best, step.as_level()) for step in steps)
    return CacheInference(found.kind, caches, _memory(seen, best), best.steps, warnings, possible)


def _translation(seen: CleanCurve, tlb: Sequence[Tlb], no_tlb_below: float) -> Translation:
    """In the units of the cleaned curve."""
    reaches = [TlbReach(math.log2(size), cost / seen.scale) for size, cost in tlb if size > 0]
    return Translation(reaches, math.log2(no_tlb_below) if no_tlb_below > 0 else -math.inf)


def answer(inference: CacheInference, indexing: Sequence[Verdict] = ()) -> dict[str, Any]:
    """The inference as JSON-able values, sizes in bytes and latencies in the curve's unit.

    `indexing` is that of the first levels.
    """
    stated = [one.stated() for one in indexing]
    return {
        "explained_by": inference.explained_by,
        "caches": [
            {
                "level": cache.level,
                "size": msgspec.to_builtins(cache.size),
                "latency": msgspec.to_builtins(cache.latency),
                **({"indexing": stated[i]} if i < len(stated) else {}),
            }
            for i, cache in enumerate(inference.caches)
        ],
        "memory": {"latency": msgspec.to_builtins(inference.memory)},
        "steps": [
            {"size_bytes": round(2.0**step.log2_size), "ratio": step.ratio} for step in inference.steps
        ],
        "possible": [
            {name: msgspec.to_builtins(getattr(one, name)) for name in ("size", "latency", "beyond")}
            for one in inference.possible
        ],
        "warnings": [
            msgspec.to_builtins(warning) for warning in (*inference.warnings, *possible_advice(inference))
        ],
    }


def _certainty(best: Interpretation, candidates: list[Interpretation]) -> Array:
    """For each level of the best interpretation: share of the probability held by those that have it too."""
    weights = np.exp(np.array([interpretation.score for interpretation in candidates]) - best.score)
    places = np.full((len(candidates), max(len(best.levels), 1)), np.nan)
    for row, interpretation in zip(places, candidates, strict=True):
        for i, level in enumerate(interpretation.levels[: len(row)]):
            row[i] = level.left_at
    wanted = np.array([level.left_at for level in best.levels] or [np.nan])
    same = np.abs(places - wanted) <= _SAME_LEVEL
    shares: Array = (weights[:, None] * same).sum(axis=0) / weights.sum()
    return shares * (0.5 if best.misfit > _ROUGH else 1.0)


def _points(seen: CleanCurve) -> Points:
    return Points(seen.log2_size, seen.relative, seen.lowered)


def _cache(seen: CleanCurve, interpretation: Interpretation, i: int, certainty: float) -> CacheLevel:
    grid = np.log2(seen.curve.size_bytes)
    b = bracket(_points(seen), interpretation, i, grid)
    size = Quantity(
        value=b.value,
        unit="B",
        low=b.low,
        high=b.high,
        confidence=b.confidence * certainty,
        method=SIZE_METHOD,
    )
    return CacheLevel(i + 1, size, _latency(seen, interpretation.levels, i))


def _less_sure(cache: CacheLevel, i: int, best: Interpretation, unseen: Sequence[Split]) -> CacheLevel:
    """Level `i` with the confidence that is left if another cache may end between two sizes."""
    size = cache.size
    against = weight_outside(unseen, i, best.levels[i], size.low, size.high)
    return replace(cache, size=msgspec.structs.replace(size, confidence=size.confidence / (1.0 + against)))


def _of_gaps(unseen: Sequence[Split], end: float) -> Iterator[Advice]:
    """One for each gap that begins up to `end` (log2 bytes) and in which another cache is likely enough."""
    weights: dict[Gap, float] = {}
    for one in unseen:
        weights[one.gap] = weights.get(one.gap, 0.0) + one.weight
    for gap, weight in weights.items():
        share = weight / (1.0 + weight)
        if share < _UNSEEN or gap.low > end:
            continue
        low, high = (format_value(2.0**size, "B") for size in (gap.low, gap.high))
        yield Advice(
            code="curve.gap",
            what=f"no size was recorded between {low} and {high}: another cache may end there "
            f"(probability {format_share(share)}); then levels beyond it are one further out",
            next=f"record at least one size for each power of two between {low} and {high}",
        )


def _latency(seen: CleanCurve, levels: tuple[Level, ...], i: int) -> Quantity:
    """Latency of a level, from the points between the rise before it and its own.

    These lie on a plateau and on the foot of the next rise: their lower quartile is the level's own latency.
    """
    start = crossing(seen.log2_size, seen.relative, levels[i - 1], 0.9) if i else -math.inf
    end = crossing(seen.log2_size, seen.relative, levels[i], 0.1)
    points = seen.points_between(start, end)
    confidence = _PLATEAU_CONFIDENCE[min(len(points), len(_PLATEAU_CONFIDENCE) - 1)]
    if i == 0 and seen.curve.baseline:
        confidence = 0.0  # it was subtracted
    fitted = levels[i - 1].after if i else levels[i].before
    if len(points) < _ENOUGH_POINTS:
        points = _around(seen, start, end)
        return _quantity(seen, points, fitted, confidence, FEW_POINTS_METHOD)
    return _quantity(
        seen, points, float(np.quantile(seen.relative[points], 0.25)), confidence, LATENCY_METHOD
    )


def _around(seen: CleanCurve, start: float, end: float) -> NDArray[np.intp]:
    """The points on a short plateau and one on either side of it."""
    first, last = np.searchsorted(seen.log2_size, [min(start, end), max(start, end)])
    return np.arange(max(int(first) - 1, 0), min(int(last) + 1, len(seen.relative)))


_NEAREST_MEMORY = math.exp(MEMORY.low)
"""Times the latency of the first level; only cores at a low clock are nearer to memory."""

_FASTEST_MEMORY = {"ns": 60.0, "s": 60e-9, "cycles": 180.0}
"""Latency from which a plateau is that of memory, however slow the core is. Cycles are those of 3 GHz."""


def _possible_level(seen: CleanCurve, interpretation: Interpretation, level: Level) -> PossibleLevel:
    grid = np.log2(seen.curve.size_bytes)
    alone = replace(interpretation, levels=(level, level))  # brackets of first levels are another matter
    b = bracket(_points(seen), alone, 1, grid)
    size = Quantity(value=b.value, unit="B", low=b.low, high=b.high, confidence=0.0, method=POSSIBLE_METHOD)
    return PossibleLevel(size, _plateau(seen, level.before), _plateau(seen, level.after))


def _plateau(seen: CleanCurve, relative: float) -> Quantity:
    value = seen.recorded(relative)
    return Quantity(
        value=value, unit=seen.curve.unit, low=value, high=value, confidence=0.0, method=FITTED_METHOD
    )


WITH_HUGE_PAGES = "record the curve with huge pages: the step stays if it is a cache"


def possible_advice(inference: CacheInference, cure: str = WITH_HUGE_PAGES) -> Iterator[Advice]:
    """One for each possible level, and what would tell."""
    last = max((cache.size.value for cache in inference.caches), default=math.inf)
    for one in inference.possible:
        before, beyond = (format_value(value.value, value.unit) for value in (one.latency, one.beyond))
        size = format_value(one.size.value, "B")
        behind = one.size.value > last
        yield Advice(
            code="curve.possible",
            what=f"a step at about {size} ({before} to {beyond}) is the reach of a TLB, or possibly the end "
            "of a cache: "
            + ("then there is one more level" if behind else "then levels beyond it are one further out"),
            next=cure,
        )


def _memory(seen: CleanCurve, interpretation: Interpretation) -> Quantity | None:
    """The plateau beyond the last rise; None where what rises at the end of the curve was left out, or where
    that plateau is that of a cache.
    """
    if not interpretation.levels or seen.cut or _is_near(seen, interpretation):
        return None
    rise, early = _last_rise(interpretation), _ends_early(seen, interpretation)
    start = crossing(seen.log2_size, seen.relative, interpretation.levels[-1] if early else rise, 0.9)
    points = seen.points_between(start, math.inf)
    if not len(points):
        points = np.array([len(seen.relative) - 1])
    return _quantity(seen, points, rise.after, 0.3 if early else 0.8, MEMORY_METHOD)


def _is_near(seen: CleanCurve, interpretation: Interpretation) -> bool:
    """Whether the last plateau is too fast to be memory, both by itself and beside the first level."""
    plateau = _last_rise(interpretation).after
    fast = seen.recorded(plateau) < _FASTEST_MEMORY[seen.curve.unit]
    return fast and plateau < _NEAREST_MEMORY * interpretation.levels[0].before


def _last_rise(interpretation: Interpretation) -> Level:
    """The last level or the last high step behind it: only beyond that can memory be."""
    last = interpretation.levels[-1]
    behind = [
        step.as_level()
        for step in whole(interpretation.steps)
        if step.ratio >= BEHIND and step.log2_size > last.log2_size
    ]
    return [last, *behind][-1]


def _quantity(
    seen: CleanCurve, points: NDArray[np.intp], value: float, confidence: float, method: str
) -> Quantity:
    """A latency whose interval is the range of `points`, with the raw samples behind them."""
    low, high = float(seen.relative[points].min()), float(seen.relative[points].max())
    samples = seen.curve.samples
    behind = np.concatenate([samples[i] for i in seen.kept[points]]) if samples else None
    return Quantity(
        value=seen.recorded(min(max(value, low), high)),
        unit=seen.curve.unit,
        low=seen.recorded(low),
        high=seen.recorded(high),
        confidence=confidence,
        method=method + (_ADDITION if seen.curve.baseline else ""),
        samples=None if behind is None else summarize(behind),
    )


def _ends_early(seen: CleanCurve, interpretation: Interpretation) -> bool:
    """Whether the curve stops before the plateau of memory: no point one octave beyond the last rise."""
    end = crossing(seen.log2_size, seen.relative, _last_rise(interpretation), 0.9)
    return float(seen.log2_size[-1]) < end + 0.99


def _curve_warnings(seen: CleanCurve, interpretation: Interpretation) -> list[Advice]:
    """What is wrong with the curve, each with what to do."""
    short = (
        "curve.short",
        "the curve ends before the latency of memory is reached",
        "record sizes up to four times that of the last rise",
    )
    rough = (
        "curve.rough",
        f"no set of caches explains the curve (typical misfit {format_share(interpretation.misfit)})",
        "confidences are halved; record the curve again on a quiet machine",
    )
    near = _is_near(seen, interpretation) and not seen.cut
    found = [
        *([_cut(seen)] if seen.cut else []),
        *([_near(seen, interpretation)] if near else []),
        *([_late(seen)] if begins_late(interpretation, float(seen.log2_size[0])) else []),
        *([short] if _ends_early(seen, interpretation) and not seen.cut and not near else []),
        *([rough] if interpretation.misfit > _ROUGH else []),
    ]
    return [Advice(code=code, what=what, next=cure) for code, what, cure in found]


def _late(seen: CleanCurve) -> tuple[str, str, str]:
    begin = format_value(float(seen.curve.size_bytes[seen.kept[0]]), "B")
    what = (
        f"the curve begins at {begin}, beyond a first cache: levels are counted from the second, but caches "
        "that end before do not show"
    )
    return "curve.begin", what, "record sizes from 4 KiB on, and at least four for each power of two"


def _near(seen: CleanCurve, interpretation: Interpretation) -> tuple[str, str, str]:
    """The curve ends on the plateau of a cache; nobody knows how far that cache reaches."""
    plateau = _last_rise(interpretation).after
    latency = format_value(seen.recorded(plateau), seen.curve.unit)
    times = plateau / interpretation.levels[0].before
    last = format_value(float(seen.curve.size_bytes[seen.kept[-1]]), "B")
    what = (
        f"the last plateau ({latency}) has only {times:.2g} times the latency of the first: "
        f"it is probably that of a further cache, of {last} or more, and not that of memory"
    )
    return "curve.near", what, f"record sizes up to several times the last cache, not only to {last}"


def _cut(seen: CleanCurve) -> tuple[str, str, str]:
    """A disturbance that no larger size contradicts, or the rise behind a cache that ends with the curve."""
    left_out = (
        "the last size rises and does not settle; it was left out"
        if seen.cut == 1
        else f"the last {seen.cut} sizes rise and do not settle; they were left out"
    )
    last, first = (float(one) for one in seen.curve.size_bytes[seen.kept[-1] :][:2])
    latency = format_value(seen.recorded(float(seen.relative[-1])), seen.curve.unit)
    inside, outside, beyond = (format_value(size, "B") for size in (last, first, 4.0 * first))
    meaning = f"that of memory, or of a cache that ends between {inside} and {outside}"
    return (
        "curve.end",
        f"{left_out}: the plateau before ({latency}) is {meaning}",
        f"record sizes up to {beyond}, on a quiet machine",
    )


def _disagreements(caches: Sequence[CacheLevel]) -> Iterator[Advice]:
    for cache in caches:
        if cache.size.os_value is None or cache.size.agrees:
            continue
        declared, low, high = (
            format_value(size, "B") for size in (cache.size.os_value, cache.size.low, cache.size.high)
        )
        yield Advice(
            code="cache.disagrees",
            what=f"the system declares {declared} for level {cache.level}, but the curve shows {low} to "
            f"{high}",
            next="use the curve for tuning; shared levels and guests often get less than declared",
        )
