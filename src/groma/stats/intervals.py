"""Intervals that hold a quantile with a stated probability, without assuming a distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Interval:
    """`confidence` is the coverage really reached, which few samples may keep below the one asked for."""

    low: float
    high: float
    confidence: float


class Ranks(NamedTuple):
    """Zero-based ranks of the samples at the ends of an interval, and the coverage that they reach."""

    first: int
    last: int
    confidence: float


def quantile_interval(
    samples: Sequence[float] | NDArray[np.float64], q: float, confidence: float = 0.95
) -> Interval:
    """Order-statistic interval of the `q` quantile; exact for any continuous distribution.

    ValueError when there is no sample.
    """
    ranks = quantile_ranks(len(samples), q, confidence)
    ordered = np.sort(np.asarray(samples, dtype=np.float64))
    return Interval(float(ordered[ranks.first]), float(ordered[ranks.last]), ranks.confidence)


@lru_cache(maxsize=1024)
def quantile_ranks(n: int, q: float, confidence: float = 0.95) -> Ranks:
    """The samples, of `n` in ascending order, between which the `q` quantile lies.

    The number of samples below the quantile is binomial(n, q), so a pair of order statistics encloses it with
    a probability that can be added up. The innermost pair with equal tails that reaches `confidence` is
    taken, or the extreme samples with their smaller probability where the samples are too few.
    ValueError when there is no sample.
    """
    if n == 0:
        raise ValueError("an interval needs at least one sample")
    below = _binomial_probabilities(n, q)
    first, last = _equal_tail_ranks(below, confidence)
    return Ranks(first, last, min(math.fsum(below[first + 1 : last + 1]), 1.0))


def median_interval(samples: Sequence[float] | NDArray[np.float64], confidence: float = 0.95) -> Interval:
    """Order-statistic interval of the median; ValueError when there is no sample."""
    return quantile_interval(samples, 0.5, confidence)


def bootstrap_interval(
    samples: Sequence[float] | NDArray[np.float64],
    statistic: Callable[[NDArray[np.float64]], float],
    confidence: float = 0.95,
    *,
    rounds: int = 400,
    seed: int = 1,
) -> Interval:
    """Percentile bootstrap of any statistic, reproducible by its seed; ValueError when there is no sample."""
    if len(samples) == 0:
        raise ValueError("an interval needs at least one sample")
    values = np.asarray(samples, dtype=np.float64)
    random = np.random.default_rng(seed)
    redrawn = values[random.integers(0, len(values), size=(rounds, len(values)))]
    statistics = np.array([statistic(row) for row in redrawn])
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(statistics, [tail, 1.0 - tail])
    return Interval(float(low), float(high), confidence)


def _binomial_probabilities(n: int, p: float) -> list[float]:
    """Probability that k = 0 … n of n samples lie below the `p` quantile (logarithms keep large n finite)."""
    log_p, log_not_p = math.log(max(p, 1e-300)), math.log(max(1.0 - p, 1e-300))
    return [
        math.exp(
            math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * log_p + (n - k) * log_not_p
        )
        for k in range(n + 1)
    ]


def _equal_tail_ranks(below: list[float], confidence: float) -> tuple[int, int]:
    """Zero-based ranks (i, j): sample i <= quantile <= sample j, each side missing at most half the rest.

    Where a side cannot be had (no sample may lie below a low quantile) it stays open at the extreme sample.
    """
    n = len(below) - 1
    tail = (1.0 - confidence) / 2.0
    cumulated = list(accumulate(below))
    first = max((k for k in range(n) if cumulated[k] <= tail), default=0)
    last = min((k for k in range(first, n) if 1.0 - cumulated[k] <= tail), default=n - 1)
    return first, last
