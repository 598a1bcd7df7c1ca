"""The ratio of two sets of samples, with an interval that assumes no distribution."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from groma.record.quantity import Quantity
from groma.stats.mann_whitney import cumulated, is_cheap, spread_of
from groma.stats.quantiles import summarize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def ratio_quantity(
    above: Sequence[float] | NDArray[np.float64],
    below: Sequence[float] | NDArray[np.float64],
    method: str,
    confidence: float = 0.95,
    *,
    inflation: float = 1.0,
) -> Quantity:
    """The median of `above` over the median of `below`, both of positive samples.

    The interval is that of Hodges and Lehmann for the factor between two distributions of one shape: order
    statistics of all pairwise ratios, at the ranks that the Wilcoxon-Mann-Whitney statistic gives (Hollander
    and Wolfe, Nonparametric Statistical Methods, section 4.3). `confidence` of the result is the coverage
    reached, smaller than asked for where the samples are few. `inflation` is the factor by which correlated
    samples widen the variance of the statistic. ValueError when a side has no sample.
    """
    one, other = np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)
    if len(one) == 0 or len(other) == 0:
        raise ValueError("a ratio needs at least one sample on each side")
    value = float(np.median(one) / np.median(other))
    ratios = np.sort((one[:, None] / other[None, :]).ravel())
    first, reached = _lower_rank(len(one), len(other), confidence, inflation)
    return Quantity(
        value=value,
        unit="ratio",
        low=min(value, float(ratios[first])),
        high=max(value, float(ratios[-1 - first])),
        confidence=reached,
        method=method,
        samples=summarize(ratios),
    )


def _lower_rank(n: int, m: int, confidence: float, inflation: float) -> tuple[int, float]:
    """Zero-based rank of the lower bound among the n m sorted ratios, and the coverage that it gives."""
    tail = (1.0 - confidence) / 2.0
    if inflation > 1.0 or not is_cheap(n, m):
        spread = spread_of(n, m) * math.sqrt(inflation)
        return max(0, math.floor(n * m / 2.0 + NormalDist().inv_cdf(tail) * spread)), confidence
    below = cumulated(n, m)
    first = max(0, int(np.searchsorted(below, tail, side="right")) - 1)
    return first, max(0.0, 1.0 - 2.0 * float(below[first]))
