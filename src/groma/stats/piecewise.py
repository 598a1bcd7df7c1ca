"""Piecewise linear fits of positive values, as of message times over message sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Values = NDArray[np.float64]

SHORTEST = 3
"""Points of a segment: two lie on a line whatever they are."""


class Segment(NamedTuple):
    """values[first:last] follow intercept + slope x."""

    first: int
    last: int
    intercept: float
    slope: float

    def at(self, x: float) -> float:
        return self.intercept + self.slope * x


def linear_segments(
    x: Sequence[float] | Values, values: Sequence[float] | Values, noise: float, penalty: float = 20.0
) -> list[Segment]:
    """The optimal cut of positive `values` over ascending `x` into straight segments.

    Minimises the squared relative deviations in units of the relative `noise`, plus `penalty` for each
    segment, exactly, by dynamic programming (Bellman and Roth, "Curve fitting by segmented straight
    lines", 1969). With the default penalty noise of the given size splits a line of twenty points in one of
    a thousand cases. Fewer points than two segments need give one segment.
    ValueError where lengths differ, nothing is given, or a value is not positive.
    """
    places, heights = np.asarray(x, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if len(places) != len(heights) or len(places) == 0 or not (heights > 0).all():
        raise ValueError("a piecewise fit needs as many positive values as places, and at least one")
    sums = _prefix_sums(places, heights)
    cuts = _optimal_cuts(len(places), sums, noise, penalty)
    return [_segment(first, last, sums) for first, last in cuts]


def straight(x: Sequence[float] | Values, values: Sequence[float] | Values) -> Segment:
    """The one line that fits all positive `values` with the least squared relative deviations."""
    places, heights = np.asarray(x, dtype=np.float64), np.asarray(values, dtype=np.float64)
    return _segment(0, len(places), _prefix_sums(places, heights))


def _prefix_sums(x: Values, y: Values) -> Values:
    """Cumulated sums of w, w x, w x², w y, w x y, w y² with w = 1 / y²: deviations count relative to y."""
    weight = 1.0 / y**2
    terms = np.stack([weight, weight * x, weight * x**2, 1.0 / y, x / y, np.ones_like(y)])
    return np.concatenate([np.zeros((len(terms), 1)), np.cumsum(terms, axis=1)], axis=1)


class _Lines(NamedTuple):
    """The best line of each segment, and the sum of its squared relative deviations."""

    intercepts: Values
    slopes: Values
    squares: Values


def _lines(first: NDArray[np.intp], last: NDArray[np.intp], sums: Values) -> _Lines:
    w, wx, wxx, wy, wxy, wyy = sums[:, last] - sums[:, first]
    spread = wxx - wx * wx / w
    sloped = spread > 1e-12 * wxx
    slopes = np.where(sloped, (wxy - wx * wy / w) / np.where(sloped, spread, 1.0), 0.0)
    intercepts = (wy - slopes * wx) / w
    return _Lines(intercepts, slopes, np.maximum(0.0, wyy - intercepts * wy - slopes * wxy))


def _segment(first: int, last: int, sums: Values) -> Segment:
    found = _lines(np.array([first]), np.array([last]), sums)
    return Segment(first, last, float(found.intercepts[0]), float(found.slopes[0]))


def _optimal_cuts(n: int, sums: Values, noise: float, penalty: float) -> list[tuple[int, int]]:
    costs = _costs(n, sums, noise)
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    previous = np.zeros(n + 1, dtype=np.intp)
    for last in range(1, n + 1):
        totals = best[:last] + costs[:last, last] + penalty
        previous[last] = np.argmin(totals)
        best[last] = totals[previous[last]]
    return _walk_back(previous, n)


def _costs(n: int, sums: Values, noise: float) -> Values:
    """costs[i, j]: squared deviations of the segment i … j in units of the noise; infinite if too short."""
    costs = np.full((n + 1, n + 1), np.inf)
    first, last = np.triu_indices(n + 1, SHORTEST)
    if not len(first):
        first, last = np.array([0]), np.array([n])
    costs[first, last] = _lines(first, last, sums).squares / noise**2
    return costs


def _walk_back(previous: NDArray[np.intp], n: int) -> list[tuple[int, int]]:
    cuts: list[tuple[int, int]] = []
    last = n
    while last > 0:
        cuts.insert(0, (int(previous[last]), last))
        last = int(previous[last])
    return cuts
