"""What several quantities of one kind say together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groma.stats.quantities import median_quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record.quantity import Quantity


def typical(some: Sequence[Quantity], method: str) -> Quantity:
    """The median of the values with its order-statistic interval; a single quantity as it is.

    The spread between them is what counts where there are several: each of their own intervals tells only how
    well that one was measured. ValueError without any.
    """
    if len(some) == 1:
        return some[0]
    return median_quantity([one.value for one in some], some[0].unit if some else "", method)


def typical_error(some: Sequence[Quantity]) -> float:
    """The median of their relative standard errors: an interval reaches two of them to each side.

    ValueError without any.
    """
    if not some:
        raise ValueError("a typical error needs at least one quantity")
    return float(np.median([(one.high - one.low) / one.value for one in some])) / 4.0
