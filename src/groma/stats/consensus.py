"""Cells of a matrix of latencies that were disturbed: slower than what is seen from beside."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from groma.stats.similarity import with_common_partners

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Mask = NDArray[np.bool_]

NEIGHBOURS = 7
_NEARER = math.log(1.2)
_LEAST = math.log(1.5)
_DEVIATIONS = 6.0
_SIGMA = 1.4826  # standard deviation over median absolute deviation of normal noise

_NEARLY = 0.75
"""Of what makes a pair far slower: what pairs of a cluster may lack if the others do not."""

_SMALLEST_CLUSTER = 3
_FILLED = 0.75
"""Share of the pairs within a cluster, or between two, that must be slow."""
_ONE_LATENCY = 1.5
"""The 90th percentile of slow pairs over their 10th up to which they may have one cause in the machine."""

_FEWEST_TWINS = 3
_MOST_OF_THE_SLOW = 0.5
_TWINS_ALIKE = 1.05


def disturbed(latency: Matrix) -> Mask:
    """Cells of a symmetric matrix (NaN: not measured) that are far slower than their neighbourhood.

    What is nearer to a core than another one sees that other one as the core does: that is so in every
    hierarchy, and nearly so on a mesh. The slower of what the neighbours of either end see counts, so that a
    core which is slow with all others is not disturbed.

    Cores of a cluster may reach each other slower than they reach others. So slow cells that agree are no
    disturbance: those of whole clusters, and twins elsewhere in the machine.
    """
    slowness = _slowness(latency)
    slow = slowness > 1.0
    scattered = slow & ~_of_clusters(latency, slowness > _NEARLY)
    return np.asarray(scattered & ~_twins(latency, scattered))


def _slowness(latency: Matrix) -> Matrix:
    """How much slower a cell is than its neighbourhood: 1 where that is far slower, 0 where nobody knows."""
    logs = np.log(latency)
    excess = logs - _expected(logs)
    known = excess[np.isfinite(excess)]
    if not len(known):
        return np.zeros(latency.shape)
    noise = _SIGMA * float(np.median(np.abs(known - np.median(known))))
    return np.nan_to_num(excess / max(_LEAST, _DEVIATIONS * noise))


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


# ---- slow cells that agree ---------------------------------------------------------------------------------


def _of_clusters(latency: Matrix, slow: Mask) -> Mask:
    """Cells within clusters of cores, or between two, where nearly all are slow and by about as much.

    Cores of a cluster have mostly the same slow partners.
    """
    found = np.zeros(latency.shape, dtype=bool)
    groups = with_common_partners(slow, np.isfinite(latency))
    clusters = [group for group in groups if len(group) >= _SMALLEST_CLUSTER]
    for one, other in combinations_with_replacement(clusters, 2):
        cells = np.ix_(one, other)
        if _is_filled(latency[cells], slow[cells]):
            found[cells] = True
            found[np.ix_(other, one)] = True
    return found


def _is_filled(latency: Matrix, slow: Mask) -> bool:
    known = int(np.count_nonzero(np.isfinite(latency)))
    if not slow.any() or int(np.count_nonzero(slow)) < _FILLED * known:
        return False
    low, high = np.quantile(latency[slow], [0.1, 0.9])
    return bool(high <= _ONE_LATENCY * low)


def _twins(latency: Matrix, slow: Mask) -> Mask:
    """Three and more slow pairs of one latency that share no core, if they are most of the slow pairs."""
    ends = np.argwhere(np.triu(slow, 1))
    alone = ends[(np.count_nonzero(slow, axis=1)[ends] == 1).all(axis=1)]
    values = latency[tuple(alone.T)]
    alike = (values >= values[:, None]) & (values <= _TWINS_ALIKE * values[:, None])
    counts = np.count_nonzero(alike, axis=1)
    found = np.zeros(latency.shape, dtype=bool)
    if len(alone) and counts.max() >= max(_FEWEST_TWINS, _MOST_OF_THE_SLOW * len(ends)):
        one, other = alone[alike[np.argmax(counts)]].T
        found[one, other] = found[other, one] = True
    return found
