"""How alike samples of two records are that follow each other. Pure.

The few samples of one quantity cannot show it. All quantities of a record were sampled in turn while the same
clock or neighbour drifted, so they show it together.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from groma.stats.mann_whitney import shared_ranks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Samples = NDArray[np.float64]

_FEWEST = 3
"""Samples of a set that tell anything."""

_FEWEST_SETS = 10
"""Of both records. Fewer tell no more together than each by itself (`groma.stats.correlation`)."""

_LARGEST = 0.95
_ERROR = 1.9
"""Standard error of a coefficient times the root of the number of all samples, of independent ones."""

_BY_CHANCE = 2.5
"""Standard errors that a coefficient of independent samples hardly exceeds."""


def common_coefficient(sets: Iterable[Samples]) -> float:
    """The autoregressive coefficient of first order of all sets together; 0 where it may be chance.

    Squares of differences over two samples are as 1 + coefficient to those over one, in ranks: no outlier
    counts for more, and no mean is subtracted, which would hide the correlation of few samples.
    """
    ranked = [shared_ranks(samples)[0] for samples in sets if len(samples) >= _FEWEST]
    ranked = [ranks for ranks in ranked if np.ptp(ranks) > 0.0]
    if len(ranked) < _FEWEST_SETS:
        return 0.0
    one, two = (_mean_square(ranked, lag) for lag in (1, 2))
    coefficient = min(_LARGEST, two / one - 1.0)
    total = sum(map(len, ranked))
    return coefficient if coefficient > _BY_CHANCE * _ERROR / math.sqrt(total) else 0.0


def _mean_square(ranked: Sequence[Samples], lag: int) -> float:
    """Of differences over `lag` samples, in variances of the ranks of each set."""
    squares = sum(float(((ranks[lag:] - ranks[:-lag]) ** 2).sum() / ranks.var()) for ranks in ranked)
    return squares / sum(len(ranks) - lag for ranks in ranked)
