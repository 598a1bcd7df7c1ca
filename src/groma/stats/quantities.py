"""From samples to the quantity that leaves groma."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.quantity import Quantity
from groma.stats.intervals import quantile_interval
from groma.stats.quantiles import LOW_QUANTILE, quantile, summarize

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
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
    interval = quantile_interval(samples, q)
    return Quantity(
        value=quantile(samples, q),
        unit=unit,
        low=interval.low,
        high=interval.high,
        confidence=interval.confidence,
        method=method,
        samples=summarize(samples),
    )


UNSTABLE = 0.10
"""Half the interval over the value from which a figure is called unstable: too wide to compare."""


def is_unstable(quantity: Quantity) -> bool:
    """Whether a quantity of several samples has an interval too wide to compare with anything."""
    few = quantity.samples is None or quantity.samples.n < 3
    return not few and quantity.high - quantity.low > 2 * UNSTABLE * abs(quantity.value)
