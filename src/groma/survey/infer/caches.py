"""Cache levels, their latencies and that of memory, inferred from one latency curve.

The curve is cleaned (latency cannot fall as the size grows), taken apart into knees, the knees are read as
caches or explained away, and every cache gets a bracket of grid sizes. docs/inference-caches.md tells why.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from groma.record.quantity import Quantity
from groma.record.record import Advice
from groma.stats.quantiles import summarize
from groma.survey.infer.brackets import bracket, crossing
from groma.survey.infer.knees import decompositions
from groma.survey.infer.levels import Level, Reading, Shelf, readings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from groma.survey.infer.curve import Curve

    Array = NDArray[np.float64]

SIZE_METHOD = (
    "knees fitted to the latency curve; read where 30 % of the rise is climbed, "
    "usual capacities (1, 1.25, 1.5 or 1.75 times a power of two) preferred within the error"
)
LATENCY_METHOD = "median of the points on the level's plateau"
MEMORY_METHOD = "plateau fitted beyond the last level; interval of all points there"

_SAME_LEVEL = 0.8  # octaves by which two readings may place a level and still mean the same one
_ROUGH = 0.25  # relative misfit beyond which the curve does not look like caches at all
_PLATEAU_CONFIDENCE = (0.3, 0.6, 0.7, 0.8)  # by number of points; from the simulated curves


@dataclass(frozen=True)
class CacheLevel:
    """One level: capacity in bytes and load-to-use latency in the curve's unit."""

    level: int
    size: Quantity
    latency: Quantity


@dataclass(frozen=True)
class CacheInference:
    """`shelves` are rises that were seen and are no caches; `memory` is None where no level was found."""

    caches: tuple[CacheLevel, ...]
    memory: Quantity | None
    shelves: tuple[Shelf, ...]
    warnings: tuple[Advice, ...]


def infer_caches(
    curve: Curve,
    declared: Mapping[int, float] | None = None,
    tlb: Sequence[float] | None = None,
) -> CacheInference:
    """Levels of cache seen by a curve.

    `declared` maps a level to the bytes the system declares; it is put beside the result and never pulls it.
    `tlb` are reaches in bytes measured by other means: a rise there is expected and explained away.
    """
    seen = _Seen.of(curve)
    candidates = [
        reading
        for decomposition in decompositions(seen.log2_size, seen.relative)
        for reading in readings(decomposition, [math.log2(reach) for reach in tlb or () if reach > 0])
    ]
    best = max(candidates, key=lambda reading: reading.score)
    certainty = _certainty(best, candidates) * (0.5 if best.misfit > _ROUGH else 1.0)
    caches = tuple(
        _cache(seen, best, i, float(certainty[i]), (declared or {}).get(i + 1))
        for i in range(len(best.levels))
    )
    warnings = (*curve.warnings, *_curve_warnings(seen, best), *_disagreements(caches))
    return CacheInference(caches, _memory(seen, best), best.shelves, warnings)


def answer(inference: CacheInference) -> dict[str, Any]:
    """The inference as JSON-able values, sizes in bytes and latencies in the curve's unit."""
    return {
        "caches": [
            {
                "level": cache.level,
                "size": msgspec.to_builtins(cache.size),
                "latency": msgspec.to_builtins(cache.latency),
            }
            for cache in inference.caches
        ],
        "memory": {"latency": msgspec.to_builtins(inference.memory)},
        "shelves": [
            {"size_bytes": round(2.0**shelf.log2_size), "ratio": shelf.ratio} for shelf in inference.shelves
        ],
        "warnings": [msgspec.to_builtins(warning) for warning in inference.warnings],
    }


@dataclass(frozen=True)
class _Seen:
    """The cleaned curve; `relative` is latency (with its baseline) over that of the smallest size."""

    curve: Curve
    kept: NDArray[np.intp]
    log2_size: Array
    relative: Array
    scale: float

    @classmethod
    def of(cls, curve: Curve) -> _Seen:
        """Noise mostly adds, so each point is lowered to the least latency of any larger size.

        That cannot mend the last point, which is dropped when it alone jumps up, and it would let one point
        that is too low (a wrong reading) flatten the plateau before it, so such a point is dropped as well.
        """
        absolute = curve.latency + curve.baseline
        kept = np.flatnonzero(~_too_low(absolute))
        a, b, c = absolute[kept[-3:]]
        if c > 1.3 * b and b < 1.1 * a:
            kept = kept[:-1]
        latency = np.minimum.accumulate(absolute[kept][::-1])[::-1]
        return cls(curve, kept, np.log2(curve.size_bytes[kept]), latency / latency[0], float(latency[0]))

    def recorded(self, relative: float) -> float:
        """A relative latency as the recording tool would have given it."""
        return max(relative * self.scale - self.curve.baseline, 0.0)

    def points_between(self, low: float, high: float) -> NDArray[np.intp]:
        """Indexes into the kept points whose log2 size lies within the two bounds."""
        return np.flatnonzero((self.log2_size >= low - 1e-9) & (self.log2_size <= high + 1e-9))


def _too_low(latency: Array) -> NDArray[np.bool_]:
    """Points a quarter below both neighbours on either side."""
    low = np.zeros(len(latency), dtype=bool)
    for i in range(2, len(latency) - 2):
        around = min(latency[i - 2], latency[i - 1], latency[i + 1], latency[i + 2])
        low[i] = latency[i] < 0.75 * around
    return low


def _certainty(best: Reading, candidates: list[Reading]) -> Array:
    """For each level of the best reading: share of the probability held by readings that have it too."""
    weights = np.exp(np.array([reading.score for reading in candidates]) - best.score)
    places = np.full((len(candidates), max(len(best.levels), 1)), np.nan)
    for row, reading in zip(places, candidates, strict=True):
        for i, level in enumerate(reading.levels[: len(row)]):
            row[i] = level.log2_size
    wanted = np.array([level.log2_size for level in best.levels] or [np.nan])
    same = np.abs(places - wanted) <= _SAME_LEVEL
    shares: Array = (weights[:, None] * same).sum(axis=0) / weights.sum()
    return shares


def _cache(seen: _Seen, reading: Reading, i: int, certainty: float, declared: float | None) -> CacheLevel:
    grid = np.log2(seen.curve.size_bytes)
    b = bracket(seen.log2_size, seen.relative, reading, i, grid)
    size = Quantity(
        value=b.value,
        unit="B",
        low=b.low,
        high=b.high,
        confidence=b.confidence * certainty,
        method=SIZE_METHOD,
    )
    return CacheLevel(i + 1, size.beside_os(declared), _latency(seen, reading.levels, i))


def _latency(seen: _Seen, levels: tuple[Level, ...], i: int) -> Quantity:
    """Latency of a level, from the points between the rise before it and its own."""
    start = crossing(seen.log2_size, seen.relative, levels[i - 1], 0.9) if i else -math.inf
    end = crossing(seen.log2_size, seen.relative, levels[i], 0.1)
    points = seen.points_between(start, end)
    confidence = _PLATEAU_CONFIDENCE[min(len(points), len(_PLATEAU_CONFIDENCE) - 1)]
    if not len(points):
        return _unseen_plateau(seen, levels[i].before, start, end, confidence)
    value = float(np.median(seen.relative[points]))
    return _quantity(seen, points, value, confidence, LATENCY_METHOD)


def _unseen_plateau(seen: _Seen, fitted: float, start: float, end: float, confidence: float) -> Quantity:
    """A plateau on which no point lies: the fitted latency between the two points around it."""
    around = np.searchsorted(seen.log2_size, [min(start, end), max(start, end)])
    first, last = max(int(around[0]) - 1, 0), min(int(around[1]), len(seen.relative) - 1)
    return _quantity(
        seen, np.arange(first, last + 1), fitted, confidence, "plateau fitted between two points"
    )


def _memory(seen: _Seen, reading: Reading) -> Quantity | None:
    if not reading.levels:
        return None
    last = reading.levels[-1]
    start = crossing(seen.log2_size, seen.relative, last, 0.9)
    points = seen.points_between(start, math.inf)
    if not len(points):
        points = np.array([len(seen.relative) - 1])
    confidence = 0.3 if _ends_early(seen, reading) else 0.8
    return _quantity(seen, points, last.after, confidence, MEMORY_METHOD)


def _quantity(
    seen: _Seen, points: NDArray[np.intp], value: float, confidence: float, method: str
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
        confidence=0.0 if seen.curve.baseline else confidence,
        method=method,
        samples=None if behind is None else summarize(behind),
    )


def _ends_early(seen: _Seen, reading: Reading) -> bool:
    """Whether the curve stops before the plateau of memory: no point one octave beyond the last rise."""
    end = crossing(seen.log2_size, seen.relative, reading.levels[-1], 0.9)
    return float(seen.log2_size[-1]) < end + 0.99


def _curve_warnings(seen: _Seen, reading: Reading) -> list[Advice]:
    found = []
    if not reading.levels:
        found.append(
            Advice(
                code="curve.flat",
                what="no rise of the latency looks like the edge of a cache",
                next="record sizes from 4 KiB to several times the last cache, one dependent load at a time",
            )
        )
    elif _ends_early(seen, reading):
        found.append(
            Advice(
                code="curve.short",
                what="the curve ends before the latency of memory is reached",
                next="record sizes up to four times the last cache",
            )
        )
    if reading.misfit > _ROUGH:
        found.append(
            Advice(
                code="curve.rough",
                what=f"no set of caches explains the curve (typical misfit {reading.misfit:.0%})",
                next="record it again on a quiet machine; confidences are halved",
            )
        )
    return found


def _disagreements(caches: Sequence[CacheLevel]) -> list[Advice]:
    return [
        Advice(
            code="cache.disagrees",
            what=f"the system declares {_bytes(cache.size.os_value)} for level {cache.level}, "
            f"the curve shows {_bytes(cache.size.low)} to {_bytes(cache.size.high)}",
            next="trust the curve for tuning; shared levels and guests often get less than is declared",
        )
        for cache in caches
        if cache.size.os_value is not None and not cache.size.agrees
    ]


def _bytes(size: float) -> str:
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= factor:
            return f"{size / factor:.4g} {unit}"
    return f"{size:.0f} B"
