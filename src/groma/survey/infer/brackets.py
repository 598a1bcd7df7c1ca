"""From a level's rise to its size: an estimate, and a bracket of grid points that holds it.

The size is read where the curve has climbed 30 % of the way from the level's plateau to the next. There the
sharp step of LRU, the late one of random replacement and the early one of unevenly spread pages meet: over
simulated caches of all kinds this crossing lies within a quarter of an octave of the capacity, while the
first rise begins up to an octave early. How far it may be off is judged by how soft the rise is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.survey.infer.levels import Interpretation, Level

    Array = NDArray[np.float64]

CLIMBED = 0.3
FARTHEST = 4.0
"""Latency over the level's own beyond which the level is left, however far up the next plateau is."""

FARTHEST_FIRST = 2.0
"""The same for a first level: the next one is nearer than its plateau, where a TLB step follows closely."""

FIRST_EARLY = 0.2
"""Octaves per octave of softness by which the innermost level begins to rise early."""

_INDEPENDENT_LAG = -math.log2(1.0 - CLIMBED)
"""Loads at addresses drawn anew miss in 1 - capacity / size of all cases."""

WIDEST = 2
"""Grid steps that a bracket may reach to either side of the value."""

_WANTED = 0.98
_MANTISSAS = (1.0, 1.5, 1.25, 1.75)


@dataclass(frozen=True)
class _Sizes:
    """Capacities are m * 2^e. `usual` is the relative frequency of each of `_MANTISSAS`.

    `other` is the weight per octave of any other size: shares of a cache, disabled ways, sums of exclusive
    levels. Those are things of outer levels; a first level has the ways of a page times a whole number.
    """

    usual: tuple[float, ...]
    other: float


_SIZES = (
    _Sizes((1.0, 0.3, 0.01, 0.01), 0.03),
    _Sizes((1.0, 0.2, 0.08, 0.02), 0.1),
    _Sizes((1.0, 0.4, 0.25, 0.1), 0.25),
)
"""By level; the last also stands for levels further out."""

_OFF_CENTRE = 0.03
"""Probability that a bracket must gain for its value to leave the likeliest size."""

_ARRIVED = 0.9
"""Part of the next plateau's latency from which a point lies on it: disturbance seldom ends just there."""

_FINE = 48
_SAME = 1e-6  # octaves within which two sizes are the same


@dataclass(frozen=True)
class Bracket:
    """Sizes in bytes; `low` and `high` are sizes of the grid, `confidence` the probability between them."""

    value: float
    low: float
    high: float
    confidence: float


class Points(NamedTuple):
    """A curve whose latencies never fall. Of `lowered` points only an upper bound of the latency is known."""

    log2_size: Array
    latency: Array
    lowered: NDArray[np.bool_] | None = None

    def at(self, chosen: NDArray[np.bool_]) -> Points:
        return Points(self.log2_size[chosen], self.latency[chosen])


def bracket(points: Points, interpretation: Interpretation, i: int, grid: Array) -> Bracket:
    """The bracket of level `i` of the interpretation.

    `grid` are all sizes (log2) that the curve was recorded at, those of dropped points included.
    """
    level, expected = interpretation.levels[i], _SIZES[min(i, len(_SIZES) - 1)]
    parts = []
    for weight, part in _readings(points, level):
        leaves = _Exit.of(
            part.log2_size, part.latency, level, first=i == 0, independent=interpretation.independent
        )
        parts.append((weight, *_posterior(part.log2_size, leaves, expected)))
    sizes, probability = _mixed(parts)
    low, value, high = _window(grid, sizes, probability)
    inside = (sizes >= grid[low] - _SAME) & (sizes <= grid[high] + _SAME)
    return Bracket(
        value=_bytes(value),
        low=_bytes(float(grid[low])),
        high=_bytes(float(grid[high])),
        confidence=float(probability[inside].sum()),
    )


def _bytes(log2_size: float) -> float:
    return float(round(2.0**log2_size))


def _mixed(parts: list[tuple[float, Array, Array]]) -> tuple[Array, Array]:
    """Candidate sizes (ascending) with their probabilities, of weighted posteriors."""
    sizes = np.concatenate([one for _, one, _ in parts])
    probability = np.concatenate([weight * one for weight, _, one in parts])
    order = np.argsort(sizes, kind="stable")
    return sizes[order], probability[order]


def _readings(points: Points, level: Level) -> list[tuple[float, Points]]:
    """The points that tell where the level ends, with the probability that they tell it rightly.

    A lowered point tells nothing, unless its upper bound is that of the level. The first point beyond the
    level, where it is on its way up, may be disturbed as many others were: then those without it are right.
    """
    if points.lowered is None or not points.lowered.any():
        return [(1.0, points)]
    told = points.at(~points.lowered | (points.latency < _threshold(level, CLIMBED)))
    at = _crossing_index(told.latency, level, CLIMBED)
    if at + 1 >= len(told.latency) or told.latency[at] >= _ARRIVED * level.after:
        return [(1.0, told)]
    disturbed = float(points.lowered.mean())
    return [(1.0 - disturbed, told), (disturbed, told.at(np.arange(len(told.latency)) != at))]


@dataclass(frozen=True)
class _Exit:
    """Between which grid points the level is left, and how far off that may be (octaves)."""

    low: float
    high: float
    blur: float

    @classmethod
    def of(cls, log2_size: Array, latency: Array, level: Level, *, first: bool, independent: bool) -> _Exit:
        at = _crossing_index(latency, level, CLIMBED)
        low, high = float(log2_size[at - 1]), float(log2_size[at])
        start, middle = (crossing(log2_size, latency, level, climbed) for climbed in (0.1, 0.5))
        # A sharp step seen on a coarse grid looks as wide as 0.4 of the grid step.
        softness = max(0.0, middle - start - 0.45 * (high - low))
        low, high = _narrowed(log2_size, latency, level, at)
        # A chase over exactly the capacity still hits, so the first slow size is too large.
        high -= 0.2 * (high - low)
        if independent:
            return cls(low - _INDEPENDENT_LAG, high - _INDEPENDENT_LAG, 0.1)
        # Only unevenly spread pages make a first level soft, and they make it rise early.
        shift = FIRST_EARLY * softness if first else 0.0
        return cls(low + shift, high + shift, min(0.04 + 0.3 * softness, 0.45))


def _narrowed(log2_size: Array, latency: Array, level: Level, at: int) -> tuple[float, float]:
    """The part of the grid step before index `at` in which the level may be left.

    Between a point on the plateau and one on the next the size may lie anywhere; a point that is on its way
    up already shows where.
    """
    crossed = crossing(log2_size, latency, level, CLIMBED)
    threshold = _threshold(level, CLIMBED)
    begun = min(max((float(latency[at - 1]) - level.before) / (threshold - level.before), 0.0), 1.0)
    done = min(max((float(latency[at]) - threshold) / (level.after - threshold), 0.0), 1.0)
    low, high = float(log2_size[at - 1]), float(log2_size[at])
    return crossed - (1.0 - begun) * (crossed - low), crossed + done * (high - crossed)


def _threshold(level: Level, climbed: float) -> float:
    """Latency at the part `climbed` of the rise.

    Where the next plateau is far up, two levels may have run together; the lower one is left much earlier.
    """
    if climbed > CLIMBED:
        return level.before + climbed * (level.after - level.before)
    part = level.before + climbed * (level.behind - level.before)
    farthest = FARTHEST_FIRST if level.first else FARTHEST
    return min(part, level.before * (1.0 + (farthest - 1.0) * climbed / CLIMBED))


def _crossing_index(latency: Array, level: Level, climbed: float) -> int:
    """Index of the first point at or above the part `climbed` of the rise; at least 1."""
    threshold = _threshold(level, climbed)
    above = np.flatnonzero(latency >= threshold)
    return max(int(above[0]), 1) if len(above) else len(latency) - 1


def crossing(log2_size: Array, latency: Array, level: Level, climbed: float) -> float:
    """Where (log2 bytes) the curve has climbed the part `climbed` of the level's rise."""
    at = _crossing_index(latency, level, climbed)
    threshold = _threshold(level, climbed)
    below, above = float(latency[at - 1]), float(latency[at])
    part = (threshold - below) / (above - below) if above > below else 1.0
    return float(log2_size[at - 1] + min(max(part, 0.0), 1.0) * (log2_size[at] - log2_size[at - 1]))


def _posterior(log2_size: Array, leaves: _Exit, expected: _Sizes) -> tuple[Array, Array]:
    """Candidate sizes (log2, ascending) with their probabilities."""
    around = (max(leaves.low - 3.0, float(log2_size[0])), min(leaves.high + 3.0, float(log2_size[-1])))
    other = np.arange(around[0], around[1], 1.0 / _FINE)
    usual = [
        (e + math.log2(m), weight)
        for e in range(math.floor(around[0]) - 1, math.ceil(around[1]) + 1)
        for m, weight in zip(_MANTISSAS, expected.usual, strict=True)
        if around[0] <= e + math.log2(m) <= around[1]
    ]
    sizes = np.concatenate([other, [size for size, _ in usual]])
    prior = np.concatenate([np.full(len(other), expected.other / _FINE), [weight for _, weight in usual]])
    probability = prior * _likelihood(sizes, leaves)
    order = np.argsort(sizes, kind="stable")
    return sizes[order], probability[order] / probability.sum()


def _likelihood(sizes: Array, leaves: _Exit) -> Array:
    """Anywhere between the two grid points, blurred by a heavy-tailed error."""
    inside = _student_cdf((sizes - leaves.low) / leaves.blur) - _student_cdf(
        (sizes - leaves.high) / leaves.blur
    )
    return np.maximum(inside, 1e-12)


def _student_cdf(t: Array) -> Array:
    """Cumulative distribution of Student's t with three degrees of freedom."""
    x = t / math.sqrt(3.0)
    return 0.5 + (np.arctan(x) + x / (1.0 + x**2)) / math.pi


def _window(log2_size: Array, sizes: Array, probability: Array) -> tuple[int, float, int]:
    """Grid index of the low end, value, grid index of the high end.

    Around the likeliest size if that can be sure enough, else wherever most probability comes together: two
    usual capacities that are about as likely lie in one bracket when the value stands between them.
    """
    spans = _Spans(log2_size, sizes, probability)
    likeliest = float(sizes[int(np.argmax(probability))])
    around = spans.around(likeliest)
    enough = [span for span in around if spans.mass(*span) >= _WANTED]
    if enough:
        low, high = min(enough, key=lambda span: (span[1] - span[0], -spans.mass(*span)))
        return low, likeliest, high
    centred = max(around, key=lambda span: spans.mass(*span))
    anywhere = max(spans.all(), key=lambda span: spans.mass(*span))
    if spans.mass(*anywhere) <= spans.mass(*centred) + _OFF_CENTRE:
        return centred[0], likeliest, centred[1]
    return anywhere[0], spans.likeliest_within_reach(*anywhere), anywhere[1]


class _Spans:
    """Brackets between two grid points, no further than `WIDEST` steps from a value inside."""

    def __init__(self, log2_size: Array, sizes: Array, probability: Array) -> None:
        self._grid, self._sizes, self._probability = log2_size, sizes, probability
        self._cumulated = np.concatenate([[0.0], np.cumsum(probability)])

    def around(self, value: float) -> list[tuple[int, int]]:
        """From at most two steps below the value to one or two above: the first size that is too large."""
        below = int(np.searchsorted(self._grid, value + _SAME, side="right")) - 1
        on_grid = abs(float(self._grid[below]) - value) < _SAME
        lowest = max(below - WIDEST + (0 if on_grid else 1), 0)
        highest = min(below + WIDEST, len(self._grid) - 1)
        return [
            (low, high)
            for low in range(lowest, below + 1)
            for high in range(min(below + 1, highest), highest + 1)
        ]

    def all(self) -> list[tuple[int, int]]:
        widest = min(2 * WIDEST, len(self._grid) - 1)
        return [(low, low + widest) for low in range(len(self._grid) - widest)]

    def mass(self, low: int, high: int) -> float:
        first = np.searchsorted(self._sizes, self._grid[low] - _SAME, side="left")
        last = np.searchsorted(self._sizes, self._grid[high] + _SAME, side="right")
        return float(self._cumulated[last] - self._cumulated[first])

    def likeliest_within_reach(self, low: int, high: int) -> float:
        """The likeliest size from which both ends are within reach; the middle where there is no choice."""
        from_, to = self._grid[max(high - WIDEST, low)], self._grid[min(low + WIDEST, high)]
        within = (self._sizes >= from_ - _SAME) & (self._sizes <= to + _SAME)
        if not within.any() or to - from_ < _SAME:
            return float(from_)
        return float(self._sizes[within][int(np.argmax(self._probability[within]))])
