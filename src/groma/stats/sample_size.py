"""How many samples a measurement needs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from groma.stats.student import critical

if TYPE_CHECKING:
    from groma.record.quantity import Quantity

MOST = 1_000_000
"""So many samples are as good as none: nobody takes them."""


def samples_needed(ratio: Quantity, counts: tuple[int, int], widest: float) -> int | None:
    """Samples of each side from which on the interval of `ratio` reaches at most `widest` to each side.

    From the interval that `counts` samples gave: its logarithm shrinks with the root of their number, and of
    few samples faster, with the quantile of Student. The farther side counts. None beyond all reason.
    """
    excess = max(_excess_above(ratio, widest), _excess_below(ratio, widest))
    now = 2.0 / (1.0 / counts[0] + 1.0 / counts[1])
    degrees = max(1.0, sum(counts) - 2.0)
    unit = excess * math.sqrt(now) / _quantile(ratio, degrees)
    low, high = 1, MOST
    while low < high:
        middle = (low + high) // 2
        enough = unit * _quantile(ratio, max(1.0, 2.0 * middle - 2.0)) / math.sqrt(middle) <= 1.0
        low, high = (low, middle) if enough else (middle + 1, high)
    return low if low < MOST else None


def _excess_above(ratio: Quantity, widest: float) -> float:
    """How many times as far as wanted the interval reaches upwards, on a logarithmic scale."""
    return _over(math.log(ratio.high) - math.log(ratio.value), math.log1p(widest))


def _excess_below(ratio: Quantity, widest: float) -> float:
    """The same downwards: by 100 % or more no ratio can fall."""
    if widest >= 1.0:
        return 0.0
    return _over(math.log(ratio.value) - math.log(ratio.low), -math.log1p(-widest))


def _over(reach: float, wanted: float) -> float:
    return reach / wanted if wanted > 0 else math.inf


def _quantile(ratio: Quantity, degrees: float) -> float:
    return critical(1.0 - min(max(ratio.confidence, 0.5), 0.9999), degrees)
