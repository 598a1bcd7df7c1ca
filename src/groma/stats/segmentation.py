"""Change points: the optimal cut of a sequence into segments of constant level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def change_points(values: Sequence[float] | Array, penalty: float, shortest: int = 1) -> list[int]:
    """Indexes at which a new constant segment begins, never 0.

    Minimises the sum of squared deviations from each segment's mean plus `penalty` (in squared units of the
    values) per change point, exactly, by dynamic programming in O(n^2) time and O(n) memory; `shortest` is
    the least length of a segment. Reference: Jackson et al., "An algorithm for optimal partitioning of data
    on an interval", 2005.
    """
    n = len(values)
    costs = _Costs(np.asarray(values, dtype=np.float64))
    best = np.full(n + 1, np.inf)
    best[0] = -penalty
    previous = np.zeros(n + 1, dtype=np.intp)
    for end in range(shortest, n + 1):
        totals = best[: end - shortest + 1] + costs.up_to(end)[: end - shortest + 1]
        previous[end] = int(np.argmin(totals))
        best[end] = totals[previous[end]] + penalty
    return _walk_back(previous, n)


class _Costs:
    """Squared deviations of segments from their means, from sums of all values before each place."""

    def __init__(self, values: Array) -> None:
        # Centring first keeps the difference of the two sums from cancelling.
        centred = values - (values.mean() if len(values) else 0.0)
        self._sums = np.concatenate([[0.0], np.cumsum(centred)])
        self._squares = np.concatenate([[0.0], np.cumsum(centred**2)])
        self._lengths = np.arange(len(values), -1, -1, dtype=np.float64)

    def up_to(self, end: int) -> Array:
        """Of values[start:end], for each start below `end`."""
        sums = self._sums[end] - self._sums[:end]
        deviation = self._squares[end] - self._squares[:end] - sums**2 / self._lengths[-end - 1 : -1]
        floored: Array = np.maximum(deviation, 0.0)
        return floored


def _walk_back(previous: NDArray[np.intp], n: int) -> list[int]:
    starts: list[int] = []
    end = n
    while end > 0:
        end = int(previous[end])
        starts.append(end)
    return sorted(start for start in starts if start > 0)
