"""Groups of things that lie near each other, from the distances between all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def partitions(distances: NDArray[np.float64]) -> list[list[list[int]]]:
    """Every partition that average linkage passes through, from two groups to as many as there are things.

    `distances` is a symmetric matrix. The two groups with the smallest mean distance are joined first (UPGMA:
    Sokal and Michener, 1958). O(n^3); groups and their members are in ascending order. Fewer than two things
    have none.
    """
    n = len(distances)
    sums = np.array(distances, dtype=np.float64)
    groups = [[i] for i in range(n)]
    found = [_ordered(groups)]
    while len(groups) > 2:
        sizes = np.array([len(group) for group in groups])
        means = sums / np.outer(sizes, sizes)
        np.fill_diagonal(means, np.inf)
        one, other = sorted(map(int, np.unravel_index(int(np.argmin(means)), means.shape)))
        groups[one] += groups.pop(other)
        sums[one] += sums[other]
        sums[:, one] += sums[:, other]
        sums = np.delete(np.delete(sums, other, axis=0), other, axis=1)
        found.append(_ordered(groups))
    return found[::-1] if n >= 2 else []


def _ordered(groups: list[list[int]]) -> list[list[int]]:
    return sorted(sorted(group) for group in groups)
