"""Change points: the optimal cut of a sequence into segments of constant level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def change_points(
    values: Sequence[float] | NDArray[np.float64], penalty: float, shortest: int = 1
) -> list[int]:
    """Indexes at which a new constant segment begins, never 0.

    Minimises the sum of squared deviations from each segment's mean plus `penalty` (in squared units of the
    values) per change point, exactly, by dynamic programming in O(n^2); `shortest` is the least length of a
    segment. Reference: Jackson et al., "An algorithm for optimal partitioning of data on an interval", 2005.
    """
    n = len(values)
    cost = _segment_costs(np.asarray(values, dtype=np.float64))
    best = np.full(n + 1, np.inf)
    best[0] = -penalty
    previous = np.zeros(n + 1, dtype=np.intp)
    for end in range(shortest, n + 1):
        starts = np.arange(0, end - shortest + 1)
        totals = best[starts] + cost[starts, end] + penalty
        previous[end] = starts[int(np.argmin(totals))]
        best[end] = totals.min()
    return _walk_back(previous, n)


def _segment_costs(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """cost[i, j]: squared deviation of values[i:j] from its mean."""
    # Centring first keeps the difference of the two sums from cancelling.
    centred = values - (values.mean() if len(values) else 0.0)
    sums = np.concatenate([[0.0], np.cumsum(centred)])
    squares = np.concatenate([[0.0], np.cumsum(centred**2)])
    length = np.arange(len(values) + 1)
    count = np.maximum(length[None, :] - length[:, None], 1)
    deviation = squares[None, :] - squares[:, None] - (sums[None, :] - sums[:, None]) ** 2 / count
    floored: NDArray[np.float64] = np.maximum(deviation, 0.0)
    return floored


def _walk_back(previous: NDArray[np.intp], n: int) -> list[int]:
    starts: list[int] = []
    end = n
    while end > 0:
        end = int(previous[end])
        starts.append(end)
    return sorted(start for start in starts if start > 0)
