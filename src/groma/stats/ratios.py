"""The ratio of two sets of samples, with an interval that assumes no distribution."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from groma.record.quantity import Quantity
from groma.stats.quantiles import summarize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_EXACT_UP_TO = 50
"""More samples on a side than this: the normal approximation is as good and much cheaper."""


def ratio_quantity(
    above: Sequence[float] | NDArray[np.float64],
    below: Sequence[float] | NDArray[np.float64],
    method: str,
    confidence: float = 0.95,
) -> Quantity:
    """The median of `above` over the median of `below`, both of positive samples.

    The interval is that of Hodges and Lehmann for the factor between two distributions of one shape: order
    statistics of all pairwise ratios, at the ranks that the Wilcoxon-Mann-Whitney statistic gives (Hollander
    and Wolfe, Nonparametric Statistical Methods, section 4.3). `confidence` of the result is the coverage
    reached, smaller than asked for where the samples are few. ValueError when a side has no sample.
    """
    one, other = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    if len(one) == 0 or len(other) == 0:
        raise ValueError("a ratio needs at least one sample on each side")
    value = float(np.median(one) / np.median(other))
    ratios = np.sort((one[:, None] / other[None, :]).ravel())
    first, reached = _lower_rank(len(one), len(other), confidence)
    return Quantity(
        value=value,
        unit="ratio",
        low=min(value, float(ratios[first])),
        high=max(value, float(ratios[-1 - first])),
        confidence=reached,
        method=method,
        samples=summarize(ratios) if len(ratios) > 1 else None,
    )


def _lower_rank(n: int, m: int, confidence: float) -> tuple[int, float]:
    """Zero-based rank of the lower bound among the n m sorted ratios, and the coverage that it gives."""
    tail = (1.0 - confidence) / 2.0
    if max(n, m) > _EXACT_UP_TO:
        spread = math.sqrt(n * m * (n + m + 1) / 12.0)
        return max(0, math.floor(n * m / 2.0 + NormalDist().inv_cdf(tail) * spread)), confidence
    below = _mann_whitney_cumulated(min(n, m), max(n, m))
    first = max(0, int(np.searchsorted(below, tail, side="right")) - 1)
    return first, max(0.0, 1.0 - 2.0 * float(below[first]))


@lru_cache(maxsize=64)
def _mann_whitney_cumulated(n: int, m: int) -> NDArray[np.float64]:
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
