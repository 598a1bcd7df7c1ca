"""One latency for each pair from the two directions in which it was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Mask = NDArray[np.bool_]
    Indexes = NDArray[np.intp]

ALIKE = 1.25
"""Two directions that differ by less are averaged; else the slower one was disturbed."""

_SAME = 1.1
_FEWEST_LIKE = 3
_MOST_FASTER = 2.0
"""A measurement may come out too fast by less: a clock that rises, a burst that a prefetcher meets."""


class OfBothDirections(NamedTuple):
    """`latency` is symmetric; `doubtful` are the ends of pairs of which the slower direction counts."""

    latency: Matrix
    doubtful: Indexes


def of_both_directions(found: Matrix) -> OfBothDirections:
    """The mean of two that are alike, the lower of two that are not: noise mostly adds.

    But one low direction of one pair is no evidence of a layer. The slower direction counts if no other pair
    is as fast as the lower one, and several other pairs of the same ends are as fast as the slower one.
    """
    lower, upper = np.fmin(found, found.T), np.fmax(found, found.T)
    with np.errstate(invalid="ignore"):
        agree = upper <= ALIKE * lower
        latency = np.asarray(np.where(agree, (lower + upper) / 2.0, lower))
        ends = np.argwhere(np.triu(~agree & (upper < _MOST_FASTER * lower), 1))
    agreeing = np.where(agree & np.isfinite(found) & np.isfinite(found.T), latency, np.nan)
    alone = ends[_as_fast(latency, latency[tuple(ends.T)]) == 1]
    doubtful = alone[[_like(agreeing[pair], upper[tuple(pair)]) >= _FEWEST_LIKE for pair in alone]]
    one, other = doubtful.T
    latency[one, other] = latency[other, one] = upper[one, other]
    return OfBothDirections(latency, doubtful)


def _as_fast(latency: Matrix, values: Matrix) -> NDArray[np.intp]:
    """How many pairs have about the latency of each value."""
    known = np.sort(latency[np.triu(np.isfinite(latency), 1)])
    below = np.searchsorted(known, values / _SAME, side="left")
    return np.asarray(np.searchsorted(known, values * _SAME, side="right") - below)


def _like(rows: Matrix, value: float) -> int:
    with np.errstate(invalid="ignore"):
        return int(np.count_nonzero((rows <= _SAME * value) & (_SAME * rows >= value)))
