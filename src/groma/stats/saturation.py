"""Where a sum stops growing: rate times the number of contributors, up to a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Values = NDArray[np.float64]

_STEPS_PER_UNIT = 20


class Saturation(NamedTuple):
    """The sum of k is rate min(k, knee)."""

    rate: float
    knee: float


def saturation(
    numbers: Sequence[float] | Values, sums: Sequence[float] | Values, rate: float | None = None
) -> Saturation:
    """The best fit to positive `sums` over `numbers` of contributors, by relative deviations.

    With `rate` the contribution of one is given and only the knee is sought, which may then lie below 1. A
    knee at the largest number means that no limit was reached. ValueError without a sum.
    """
    counts, logs = np.asarray(numbers, dtype=np.float64), np.log(np.asarray(sums, dtype=np.float64))
    if len(counts) == 0:
        raise ValueError("a saturation needs at least one sum")
    least = counts.min() if rate is None else 1.0 / _STEPS_PER_UNIT
    steps = max(1, round((counts.max() - least) * _STEPS_PER_UNIT))
    knees = np.linspace(least, counts.max(), steps + 1)
    shapes = np.log(np.minimum(counts[None, :], knees[:, None]))
    level = (logs - shapes).mean(axis=1, keepdims=True) if rate is None else np.log(rate)
    errors = ((logs - shapes - level) ** 2).sum(axis=1)
    best = int(np.argmin(errors))
    found = float(np.exp(level[best, 0])) if rate is None else rate
    return Saturation(found, float(knees[best]))
