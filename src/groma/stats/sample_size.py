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
    few samples faster, with the quantile of Student. None beyond all reason.
    """
    reach = math.log(ratio.high / ratio.low) / 2.0
    wanted = math.asinh(widest)
    now = 2.0 / (1.0 / counts[0] + 1.0 / counts[1])
    degrees = max(1.0, sum(counts) - 2.0)
    unit = reach * math.sqrt(now) / _quantile(ratio, degrees)
    low, high = 1, MOST
    while low < high:
        middle = (low + high) // 2
        enough = unit * _quantile(ratio, max(1.0, 2.0 * middle - 2.0)) / math.sqrt(middle) <= wanted
        low, high = (low, middle) if enough else (middle + 1, high)
    return low if low < MOST else None


def _quantile(ratio: Quantity, degrees: float) -> float:
    return critical(1.0 - min(max(ratio.confidence, 0.5), 0.9999), degrees)
