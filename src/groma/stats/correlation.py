"""How much less samples say that follow each other and are alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from groma.stats.mann_whitney import shared_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_FEWEST = 8
"""Of fewer samples nobody can tell whether they are correlated."""

_BY_CHANCE = 1.3
"""Standard errors that one in ten sets of independent samples exceeds."""

_WINDOW = 5.0
"""Lags to add up, in correlation times (Sokal)."""


def variance_inflation(samples: Sequence[float] | NDArray[np.float64]) -> float:
    """By how much the variance of a mean of their ranks exceeds that of independent samples; at least 1.

    It is the integrated autocorrelation time, 1 + 2 sum rho_k, with the window of Sokal ("Monte Carlo methods
    in statistical mechanics", 1996). Samples whose correlation may be chance count as independent: to correct
    for noise would only hide differences.
    """
    n = len(samples)
    if n < _FEWEST:
        return 1.0
    # Ranks, because one outlier would hide every correlation.
    ranks, _ = shared_ranks(np.asarray(samples, dtype=np.float64))
    if np.ptp(ranks) == 0.0:
        return 1.0
    rho = _autocorrelation(ranks - (n + 1) / 2.0)
    # Subtracting the mean makes every coefficient too small by about 1 / n.
    if rho[1] + 1.0 / n <= _BY_CHANCE / math.sqrt(n):
        return 1.0
    return min(_integrated(rho + 1.0 / n), n / 4.0)


def autoregressive_inflation(count: int, coefficient: float) -> float:
    """By how much the variance of a mean of so many samples exceeds that of independent ones, where they are
    autoregressive of the first order.
    """
    lags = np.arange(1, count)
    return 1.0 + 2.0 * float(((1.0 - lags / count) * coefficient**lags).sum())


def _autocorrelation(centred: NDArray[np.float64]) -> NDArray[np.float64]:
    n = len(centred)
    sums = np.correlate(centred, centred, mode="full")[n - 1 :]
    normed: NDArray[np.float64] = sums / sums[0]
    return normed


def _integrated(rho: NDArray[np.float64]) -> float:
    time = 1.0
    for lag in range(1, len(rho)):
        time += 2.0 * float(rho[lag])
        if lag >= _WINDOW * max(time, 1.0):
            break
    return max(time, 1.0)
