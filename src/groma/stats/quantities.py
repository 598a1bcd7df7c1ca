"""From samples to the quantity that leaves groma."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groma.record.quantity import Quantity, SampleSummary
from groma.stats.intervals import quantile_ranks
from groma.stats.quantiles import LOW_QUANTILE, by_size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray


def median_quantity(samples: Sequence[float] | NDArray[np.float64], unit: str, method: str) -> Quantity:
    """The median with its order-statistic interval; for figures that noise moves both ways."""
    return quantile_quantity(samples, unit, method, 0.5)


def low_quantile_quantity(
    samples: Sequence[float] | NDArray[np.float64], unit: str, method: str, q: float = LOW_QUANTILE
) -> Quantity:
    """A low quantile with its order-statistic interval; for latencies, to which noise only adds."""
    return quantile_quantity(samples, unit, method, q)


def quantile_quantity(
    samples: Sequence[float] | NDArray[np.float64], unit: str, method: str, q: float
) -> Quantity:
    """Any quantile (0 to 1) with its order-statistic interval; ValueError when there is no sample."""
    (found,) = quantile_quantities([samples], unit, method, q)
    return found


def quantile_quantities(
    groups: Sequence[Sequence[float] | NDArray[np.float64]], unit: str, method: str, q: float
) -> list[Quantity]:
    """That of each group, in their order; the groups of one size are sorted as one array.

    ValueError where a group has no sample.
    """
    found: dict[int, Quantity] = {}
    for indexes, rows in by_size(groups):
        found.update(zip(indexes, _of_rows(rows, unit, method, q), strict=True))
    return [found[index] for index in range(len(groups))]


def _of_rows(rows: NDArray[np.float64], unit: str, method: str, q: float) -> Iterator[Quantity]:
    n = rows.shape[1]
    ranks = quantile_ranks(n, q)
    ordered = np.sort(rows, axis=1)
    reported = [ordered[:, ranks.first], ordered[:, ranks.last], ordered[:, 0]]
    reported += list(np.quantile(ordered, [q, 0.05, 0.5, 0.95], axis=1))
    for low, high, least, value, p5, p50, p95 in zip(*(one.tolist() for one in reported), strict=True):
        yield Quantity(
            value=value,
            unit=unit,
            low=low,
            high=high,
            confidence=ranks.confidence,
            method=method,
            samples=SampleSummary(n=n, min=least, p5=p5, p50=p50, p95=p95),
        )


UNSTABLE = 0.10
"""Half the interval over the value from which a figure is called unstable: too wide to compare."""


def is_unstable(quantity: Quantity) -> bool:
    """Whether a quantity of several samples has an interval too wide to compare with anything."""
    few = quantity.samples is None or quantity.samples.n < 3
    return not few and quantity.high - quantity.low > 2 * UNSTABLE * abs(quantity.value)
