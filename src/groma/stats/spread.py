"""What several quantities of one kind say together."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
