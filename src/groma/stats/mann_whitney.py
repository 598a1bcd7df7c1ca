"""The rank test of Wilcoxon, Mann and Whitney: whether two sets of samples are of one distribution."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

EXACT_UP_TO = 50
"""More samples than this on both sides: the normal approximation is as good and much cheaper."""

_MOST_STEPS = EXACT_UP_TO**3
"""Few samples against many cost little, and the normal approximation knows no small probability there: of 3
against 102 none below 0.003, where the least one is 1.1e-5.
"""


def rank_test(
    one: Sequence[float] | NDArray[np.float64],
    other: Sequence[float] | NDArray[np.float64],
    *,
    inflation: float = 1.0,
) -> float:
    """Probability (two-sided) of a difference like this one if both are of one distribution.

    Exact for few samples without ties, otherwise by the normal approximation with its correction for ties.
    `inflation` is the factor by which correlated samples widen the variance of the statistic: the ranks of
    samples that follow each other are alike, so there is less evidence than their number says.
    ValueError when a side has no sample.
    """
    n, m = len(one), len(other)
    if n == 0 or m == 0:
        raise ValueError("a rank test needs at least one sample on each side")
    values = np.concatenate([np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)])
    ranks, ties = shared_ranks(values)
    statistic = float(ranks[:n].sum()) - n * (n + 1) / 2.0
    if ties == 0.0 and inflation <= 1.0 and is_cheap(n, m):
        least = round(min(statistic, n * m - statistic))
        return min(1.0, 2.0 * float(cumulated(n, m)[least]))
    return _normal(statistic, n, m, ties, inflation)


def _normal(statistic: float, n: int, m: int, ties: float, inflation: float) -> float:
    """With correction for continuity; ranks that are all the same tell nothing."""
    total = n + m
    variance = n * m / 12.0 * (total + 1 - ties / (total * (total - 1)))
    if variance <= 0.0:
        return 1.0
    away = max(0.0, abs(statistic - n * m / 2.0) - 0.5)
    return math.erfc(away / math.sqrt(2.0 * variance * inflation))


def shared_ranks(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Ranks from 1, equal values sharing the mean of theirs, and the sum of t^3 - t over t equal values."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts).astype(np.float64)
    shared: NDArray[np.float64] = (last - (counts - 1) / 2.0)[inverse]
    cubes = counts.astype(np.float64)
    return shared, float((cubes**3 - cubes).sum())


def spread_of(n: int, m: int) -> float:
    """Standard deviation of the statistic without ties."""
    return math.sqrt(n * m * (n + m + 1) / 12.0)


def is_cheap(n: int, m: int) -> bool:
    """Whether `cumulated` takes little time: it goes through n m values for each sample of the few."""
    return min(n, m) * n * m <= _MOST_STEPS


def cumulated(n: int, m: int) -> NDArray[np.float64]:
    """Probability that the statistic of two samples of one distribution is at most u = 0, 1, … n m / 2."""
    return _cumulated(min(n, m), max(n, m))


@lru_cache(maxsize=64)
def _cumulated(n: int, m: int) -> NDArray[np.float64]:
    """Probability that the statistic of two samples of one distribution is at most u = 0, 1, … n m / 2.

    Its generating function is the Gaussian binomial coefficient: for each i = 1 … n multiply by 1 - q^(m + i)
    and divide by 1 - q^i.
    """
    counts = np.zeros(n * m // 2 + 1)
    counts[0] = 1.0
    for i in range(1, n + 1):
        if m + i < len(counts):
            counts[m + i :] -= counts[: -(m + i)].copy()
        for start in range(min(i, len(counts))):
            counts[start::i] = np.cumsum(counts[start::i])
    cumulated: NDArray[np.float64] = np.cumsum(counts) / math.comb(n + m, n)
    return cumulated
