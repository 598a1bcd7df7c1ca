"""Cells of a matrix of latencies that were disturbed: slower than what is seen from beside."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

NEIGHBOURS = 7
_NEARER = math.log(1.2)
_LEAST = math.log(1.5)
_DEVIATIONS = 6.0
_SIGMA = 1.4826  # standard deviation over median absolute deviation of normal noise


def disturbed(latency: Matrix) -> NDArray[np.bool_]:
    """Cells of a symmetric matrix (NaN: not measured) that are far slower than their neighbourhood.

    What is nearer to a core than another one sees that other one as the core does: that is so in every
    hierarchy, and nearly so on a mesh. The slower of what the neighbours of either end see counts, so that a
    core which is slow with all others is not disturbed.
    """
    logs = np.log(latency)
    excess = logs - _expected(logs)
    known = excess[np.isfinite(excess)]
    if not len(known):
        return np.zeros(latency.shape, dtype=bool)
    noise = _SIGMA * float(np.median(np.abs(known - np.median(known))))
    with np.errstate(invalid="ignore"):
        return np.asarray(excess > max(_LEAST, _DEVIATIONS * noise))


def _expected(logs: Matrix) -> Matrix:
    """The slower of the two medians over neighbours; NaN where neither end has a nearer neighbour."""
    seen = _seen_by_neighbours(logs)
    return np.fmax(seen, seen.T)


def _seen_by_neighbours(logs: Matrix) -> Matrix:
    """For each core (row) and other one: the upper median of what neighbours nearer than it see of it.

    Row by row: all at once would take seven times the memory of the matrix.
    """
    far = np.where(np.isfinite(logs), logs, np.inf)
    nearest = np.argsort(far, axis=1, kind="stable")[:, :NEIGHBOURS]
    seen = np.full(logs.shape, np.nan)
    for core, neighbours in enumerate(nearest):
        others = np.flatnonzero(np.isfinite(logs[core]))
        nearer = far[core, neighbours, None] < logs[core, others] - _NEARER
        seen[core, others] = _upper_medians(np.where(nearer, logs[np.ix_(neighbours, others)], np.nan))
    return seen


def _upper_medians(values: Matrix) -> Matrix:
    """Of what is known in each column."""
    ascending = np.sort(values, axis=0)  # NaN last
    middle = np.isfinite(ascending).sum(axis=0) // 2
    upper: Matrix = ascending[middle, np.arange(len(middle))]
    return upper
