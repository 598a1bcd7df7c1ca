"""Whether a cache is indexed by virtual or by physical addresses: what random pages do to its latency.

Two comparisons tell it (docs/inference-indexing.md): small pages against huge ones, and other pages in each
round against the same ones again. Neither a TLB nor noise can pass for page colours: a TLB costs no less
where the set is larger, and noise hits pages that are used again as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from groma.record.units import format_value
from groma.stats.resampling import certainty
from groma.survey.infer.page_colours import PagedCache, miss_share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from groma.survey.infer.caches import CacheInference
    from groma.survey.infer.curve import Curve, RecordedCurves

    Array = NDArray[np.float64]

SMALL_PAGE = 4096.0

PHYSICAL, VIRTUAL, OFFSET, UNKNOWN = "physical", "virtual", "page offset", "unknown"

_WAYS = (1, 2, 4, 8, 12, 16, 24)
_STRICT = (0.0, 0.5, 1.0)
_SIZES = (0.85, 1.0)
"""Of the capacity: its bracket is that wide at least."""

_NEAR_SIZE = 1.15
"""Factor by which a size in whole colours may leave these."""

_NOISE = 0.02
"""Relative error that every point may have: less is not believed of any curve."""

_LEAST_PART = 0.1
"""Of a measured latency: an explanation that gives less is as wrong as one that gives this."""

_DECISIVE = 6.0
"""Difference of the Bayesian information criterion from which an explanation is better ("strong")."""

_LEAST_ENTRIES = 16
"""No TLB holds fewer pages, so that smaller sets pay nothing to it."""

_FIRST_MISSES = 0.8
"""Of the reach of a TLB: where translations begin to miss."""

_FILLED = (0.5, 1.0)
"""Parts of the capacity between which some colours overflow."""

_EARLY = 0.1
"""Part of the step above which small pages miss where huge ones do not."""

_MOST_EARLY = 0.25
"""Share of the sizes at which a disturbance may look so."""

_LEAST_CONFIDENCE = 0.5
"""An answer that is rather wrong than right is none."""

_FEWEST_POINTS = 3
_LEAST_EFFECT = 0.05
"""Part of the step to the next level below which an excess of small pages tells nothing."""

_MANY_COLOURS = 16.0
"""From here on numbers next to each other look alike, and slices need not be a power of two."""

_SWEEPS = 2


class Step(NamedTuple):
    """A level as the indexing sees it: capacity (B), latency, that beyond it, its ways where known, and how
    sure the level is.
    """

    size: float
    before: float
    after: float
    ways: int | None = None
    confidence: float = 1.0


class Verdict(NamedTuple):
    """What indexes a level. `cache` is the model that explains the curve, `reason` one sentence."""

    kind: str
    confidence: float
    reason: str
    cache: PagedCache | None = None

    def stated(self) -> dict[str, Any]:
        """Without the model, whose ways and colours other pairs explain nearly as well."""
        return {"kind": self.kind, "confidence": self.confidence, "reason": self.reason}


def steps_of(found: CacheInference, ways: Mapping[int, int] | None = None) -> list[Step]:
    """The levels of a curve, each with the plateau beyond it."""
    beyond = [one.latency.value for one in found.caches[1:]]
    if found.memory is not None:
        beyond.append(found.memory.value)
    return [
        Step(one.size.value, one.latency.value, after, (ways or {}).get(one.level), one.size.confidence)
        for one, after in zip(found.caches, beyond, strict=False)
    ]


def indexing_of_file(curves: RecordedCurves, found: CacheInference) -> list[Verdict]:
    """What indexes the levels that were found in a recorded file."""
    steps = steps_of(found)
    if curves.huge is None and curves.small is None:
        lacking = "the sizes of pages are missing: add a column pages with rows of huge and of small ones"
        return [Verdict(UNKNOWN, 0.0, lacking)] * len(steps)
    added = max(one.baseline for one in (curves.best, curves.huge, curves.small) if one is not None)
    huge, small = (_restored(one, added) for one in (curves.huge, curves.small))
    steps = [one._replace(before=one.before + added, after=one.after + added) for one in steps]
    return indexing(huge, small, steps, PriorKnowledge(page=curves.page))


def _restored(curve: Curve | None, baseline: float) -> Curve | None:
    """With what the tool subtracted: errors are parts of whole latencies."""
    return None if curve is None else replace(curve, latency=curve.latency + baseline)


def merged_verdicts(one: Sequence[Verdict], other: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts of `one`, where it has none those of `other`."""
    return [b if a.kind == UNKNOWN and b.kind != UNKNOWN else a for a, b in zip(one, other, strict=True)]


# ---- small pages against huge ones -------------------------------------------------------------------------


@dataclass(frozen=True)
class _CurvePair:
    """Latencies of both kinds of pages at the sizes that both have."""

    size: Array
    huge: Array
    small: Array
    page: float
    reach: float
    """Bytes up to which translations cost nothing."""

    @property
    def count(self) -> int:
        return len(self.size)


def _curve_pair(huge: Curve, small: Curve, known: PriorKnowledge) -> _CurvePair:
    """Sizes of the small-page curve within those of the other, whose latencies are read between its sizes.

    Disturbances only add, and latency cannot fall as the set grows: the huge-page curve is lowered to the
    least of any larger size. That of small pages may fall: past the capacity, all miss with any pages.
    """
    inside = (small.size_bytes >= huge.size_bytes[0]) & (small.size_bytes <= huge.size_bytes[-1])
    size = small.size_bytes[inside]
    lowered = np.minimum.accumulate(huge.latency[::-1])[::-1]
    level = np.exp(np.interp(np.log(size), np.log(huge.size_bytes), np.log(np.maximum(lowered, 1e-300))))
    reach = _LEAST_ENTRIES * known.page if known.reach is None else _FIRST_MISSES * known.reach
    return _CurvePair(size, level, small.latency[inside], known.page, reach)


class _Colours(NamedTuple):
    """A level as a cache of page colours, and what that adds to the latency at each size."""

    cache: PagedCache
    effect: float
    added: Array


class _Explanation(NamedTuple):
    """An explanation of the small-page curve: page colours or None (no effect) for each level."""

    levels: tuple[_Colours | None, ...]
    score: float = math.inf
    """The Bayesian information criterion: smaller is better."""

    def with_level(self, i: int, colours: _Colours | None) -> _Explanation:
        return _Explanation((*self.levels[:i], colours, *self.levels[i + 1 :]))


def _scored(curves: _CurvePair, explanation: _Explanation) -> _Explanation:
    colours = curves.huge + sum((one.added for one in explanation.levels if one), np.zeros(curves.count))
    added = _never_falling(curves.small - colours, 1.0 / curves.small**2)
    added = np.where(curves.size > curves.reach, np.maximum(added, 0.0), 0.0)
    error = np.abs(np.log(np.maximum(colours + added, _LEAST_PART * curves.small) / curves.small))
    paid = len(np.unique(added[added > 0.0])) + 2 * sum(one is not None for one in explanation.levels)
    score = 2.0 * curves.count * math.log(float(np.mean(error)) + _NOISE) + paid * math.log(curves.count)
    return explanation._replace(score=score)


def _never_falling(values: Array, weights: Array) -> Array:
    """Isotonic regression (pool adjacent violators): what a TLB adds does not fall as the set grows."""
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        blocks.append((value, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (a, wa, na), (b, wb, nb) = blocks[-2:]
            blocks[-2:] = [((a * wa + b * wb) / (wa + wb), wa + wb, na + nb)]
    return np.concatenate([np.full(n, value) for value, _, n in blocks])


def _candidates(curves: _CurvePair, step: Step) -> list[_Colours]:
    """Caches of more than one colour that the step may be."""
    ways = _WAYS if step.ways is None else (step.ways,)
    caches = (PagedCache(size, k, curves.page) for k in ways for size in _sizes(step.size, k * curves.page))
    return [_colours(curves, step, cache, strict) for cache in caches for strict in _STRICT]


def _sizes(capacity: float, colour: float) -> list[float]:
    """About the capacity, in whole colours of so many bytes: few of them are a power of two, as sets are."""
    wanted = sorted({part * capacity for part in _SIZES})
    if wanted[-1] >= _MANY_COLOURS * colour:
        return wanted
    colours = 2.0 ** round(math.log2(wanted[-1] / colour))
    near = wanted[0] / _NEAR_SIZE <= colours * colour <= wanted[-1] * _NEAR_SIZE
    return [colours * colour] if colours > 1.0 and near else []


def _colours(curves: _CurvePair, step: Step, cache: PagedCache, strict: float) -> _Colours:
    """Misses of pages on colours over those of the huge-page curve; less than 0 where all miss with those."""
    climb = max(step.after - step.before, 1e-300)
    usual = np.clip((curves.huge - step.before) / climb, 0.0, 1.0)
    excess = miss_share(cache, curves.size, strict) - usual
    return _Colours(cache, float(np.max(excess)), climb * excess)


_Candidates = Sequence[Sequence[_Colours]]


def _best_with(
    curves: _CurvePair, explanation: _Explanation, i: int, candidates: Sequence[_Colours]
) -> _Explanation | None:
    tried = [_scored(curves, explanation.with_level(i, colours)) for colours in candidates]
    return min(tried, key=lambda one: one.score, default=None)


def _explained(curves: _CurvePair, candidates: _Candidates) -> _Explanation:
    """The best explanation, one level after the other, from the outermost in: its smear reaches furthest."""
    best = _scored(curves, _Explanation((None,) * len(candidates)))
    for _ in range(_SWEEPS):
        for i in reversed(range(len(candidates))):
            without = _scored(curves, best.with_level(i, None))
            colours = _best_with(curves, best, i, candidates[i])
            best = min((one for one in (without, colours) if one), key=lambda one: one.score)
    return best


class PriorKnowledge(NamedTuple):
    """What else was measured: the first reach of a TLB (B), and of each level whether its latency depends on
    which pages are used (None: not known). `page` is the size of a small page (B).
    """

    page: float = SMALL_PAGE
    reach: float | None = None
    pages_differ: Sequence[bool | None] = ()


_NOTHING_KNOWN = PriorKnowledge()


def indexing(
    huge: Curve | None, small: Curve | None, steps: Sequence[Step], known: PriorKnowledge = _NOTHING_KNOWN
) -> list[Verdict]:
    """What indexes each level."""
    by_pages = [*known.pages_differ, *[None] * (len(steps) - len(known.pages_differ))]
    by_curves = _by_curves(huge, small, steps, known)
    found = [_joined(*one) for one in zip(by_curves, by_pages, strict=True)]
    at_random = any(one.kind == PHYSICAL for one in found)
    settled = [one if at_random else _not_at_random(one) for one in found]
    settled[1:] = [_no_outer(one) for one in settled[1:]]
    of_levels = [_as_sure_as_level(one, step) for one, step in zip(settled, steps, strict=True)]
    return [_of_offset(one, step, known.page) for one, step in zip(of_levels, steps, strict=True)]


def _by_curves(
    huge: Curve | None, small: Curve | None, steps: Sequence[Step], known: PriorKnowledge
) -> list[Verdict]:
    lacking = _what_lacks(huge, small)
    if lacking or huge is None or small is None:
        return [Verdict(UNKNOWN, 0.0, lacking)] * len(steps)
    curves = _curve_pair(huge, small, known)
    if curves.count < 2 * _FEWEST_POINTS:
        return [
            Verdict(UNKNOWN, 0.0, "the curves of small and of huge pages have too few sizes in common")
        ] * len(steps)
    candidates = [_candidates(curves, step) for step in steps]
    explanation = _explained(curves, candidates)
    found = [
        _verdict(curves, steps[i], _Trial.of(curves, explanation, i, candidates[i]))
        for i in range(len(steps))
    ]
    samples = min(huge.draws, small.draws)
    return [one._replace(confidence=certainty(one.confidence, samples)) for one in found]


def _what_lacks(huge: Curve | None, small: Curve | None) -> str:
    if huge is None:
        return "no curve with huge pages: they were not available or not recorded"
    return "no curve with small pages to compare with" if small is None else ""


class _Trial(NamedTuple):
    """A level with page colours, at their best, against the same without."""

    colours: _Colours | None
    gain: float
    least: float
    """The effect that any colours would have had at least."""

    @classmethod
    def of(
        cls, curves: _CurvePair, explanation: _Explanation, i: int, candidates: Sequence[_Colours]
    ) -> _Trial:
        with_colours = _best_with(curves, explanation, i, candidates)
        if with_colours is None:
            return cls(None, 0.0, 0.0)
        gain = _scored(curves, explanation.with_level(i, None)).score - with_colours.score
        return cls(with_colours.levels[i], gain, min(one.effect for one in candidates))


def _verdict(curves: _CurvePair, step: Step, trial: _Trial) -> Verdict:
    if _points_near(curves, step) < _FEWEST_POINTS:
        return Verdict(UNKNOWN, 0.0, "too few sizes near the capacity have both kinds of pages")
    colours = trial.colours
    if colours is None:
        return Verdict(UNKNOWN, 0.0, "no cache with a whole number of page colours has this capacity")
    if trial.gain > _DECISIVE and colours.effect >= _LEAST_EFFECT:
        return Verdict(PHYSICAL, _sure(trial.gain), _explains(colours.cache), colours.cache)
    if trial.gain < -_DECISIVE and trial.least >= _LEAST_EFFECT and _alike_below(curves, step):
        return Verdict(VIRTUAL, _sure(-trial.gain), _NO_EFFECT)
    return Verdict(UNKNOWN, 0.0, "the curves of small and of huge pages do not differ enough to tell")


_NO_EFFECT = "small pages do not make it miss earlier than huge ones"


def _explains(cache: PagedCache) -> str:
    return (
        f"small pages miss early, as pages on {cache.colours:.3g} colours of {cache.ways} ways do, "
        "and no longer past the capacity"
    )


def _sure(gain: float) -> float:
    return min(1.0 / (1.0 + math.exp(-gain / 2.0)), 0.97)


def _alike_below(curves: _CurvePair, step: Step) -> bool:
    """Whether both kinds of pages have the same latency at nearly all sizes below the capacity: colours that
    fit badly are no proof that there are none.
    """
    below = (curves.size >= _FILLED[0] * step.size) & (curves.size <= _FILLED[1] * step.size)
    early = (curves.small - curves.huge)[below] > _EARLY * (step.after - step.before)
    return bool(below.any()) and float(early.mean()) <= _MOST_EARLY


def _points_near(curves: _CurvePair, step: Step) -> int:
    return int(((curves.size >= step.size / 2.2) & (curves.size <= step.size * 2.2)).sum())


# ---- other pages against the same ones ---------------------------------------------------------------------


def _joined(verdict: Verdict, pages_differ: bool | None) -> Verdict:
    """Both comparisons; what other pages do is the plainer of the two, because no TLB takes part in it."""
    other = "other pages of the same size have other latencies, the same pages again do not"
    if pages_differ and verdict.kind in {PHYSICAL, UNKNOWN, OFFSET}:
        reason = f"{verdict.reason}; {other}" if verdict.kind == PHYSICAL else other
        return verdict._replace(kind=PHYSICAL, confidence=max(verdict.confidence, 0.9), reason=reason)
    if pages_differ and verdict.kind == VIRTUAL:
        return Verdict(
            UNKNOWN, 0.0, "the curves show no effect of the pages, but other pages have other latencies"
        )
    if pages_differ is False and verdict.kind == UNKNOWN:
        return Verdict(VIRTUAL, 0.8, "other pages of the same size have the same latency")
    if pages_differ is False and verdict.kind == VIRTUAL:
        reason = f"{verdict.reason}, nor do other pages change its latency"
        return verdict._replace(confidence=0.95, reason=reason)
    return verdict


def _not_at_random(verdict: Verdict) -> Verdict:
    """No level shows an effect of pages: then they may have been contiguous, and nothing follows."""
    if verdict.kind != VIRTUAL:
        return verdict
    return Verdict(
        UNKNOWN,
        0.0,
        "no level tells small pages from huge ones: small pages were contiguous, or huge ones were split",
    )


def _no_outer(verdict: Verdict) -> Verdict:
    """Only first levels are indexed by virtual addresses: translations are known before a level behind it."""
    if verdict.kind != VIRTUAL:
        return verdict
    return Verdict(UNKNOWN, 0.0, f"{_NO_EFFECT}: they were contiguous, or this is no cache")


def _as_sure_as_level(verdict: Verdict, step: Step) -> Verdict:
    """Nothing indexes a level that is none."""
    confidence = min(verdict.confidence, step.confidence)
    if verdict.kind != UNKNOWN and confidence < _LEAST_CONFIDENCE:
        return Verdict(UNKNOWN, 0.0, "the level itself is too uncertain to tell")
    return verdict._replace(confidence=confidence)


def _of_offset(verdict: Verdict, step: Step, page: float) -> Verdict:
    """Ways no larger than a page: virtual and physical addresses select the same set. Of unknown ways, a
    first level may have so many.
    """
    if step.ways is None:
        return _maybe_of_offset(verdict, step, page)
    if step.size > 1.25 * step.ways * page:
        return verdict
    way = format_value(step.size / step.ways, "B")
    return Verdict(
        OFFSET,
        0.95,
        f"a way has {way}, so the offset within a page selects the set: virtual or physical is the same",
    )


def _maybe_of_offset(verdict: Verdict, step: Step, page: float) -> Verdict:
    if verdict.kind != VIRTUAL or step.size > max(_WAYS) * page:
        return verdict
    reason = (
        f"{verdict.reason}: the address is virtual, or a way has no more than a page and both are the same"
    )
    return Verdict(UNKNOWN, 0.0, reason)
