"""Latencies between nodes without those of disturbed pairs, which would outweigh all others in a fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Values = NDArray[np.float64]

FEWEST_NODES = 6
FAR = 6.0
"""Interquartile ranges above the upper quartile: beyond them lie four of 10 ** 19 normal values."""
LEAST_SPREAD = 0.01
"""Relative: what other deviations of latencies always have."""
MOST_DISTURBED = 0.15
"""Of all pairs: what more of them have in common is a structure."""


def undisturbed(between: Matrix) -> Matrix:
    """The symmetric matrix with NaN for the pairs that are far slower than the medians of their nodes say.

    Disturbances only add, and no structure makes a few pairs far slower than all others of the same nodes.
    """
    measured = np.isfinite(between) & ~np.eye(len(between), dtype=bool)
    if len(between) < FEWEST_NODES or not measured.any(axis=1).all():
        return between
    late = np.zeros_like(measured)
    late[measured] = are_late(_excess(np.where(measured, between, np.nan))[measured])
    return np.where(late, np.nan, between)


def are_late(deviations: Values) -> NDArray[np.bool_]:
    """Which relative deviations are far above the others; none where they are too many for disturbances."""
    lower, upper = np.quantile(deviations, [0.25, 0.75])
    late: NDArray[np.bool_] = deviations > upper + FAR * max(upper - lower, LEAST_SPREAD)
    return late if late.sum() <= MOST_DISTURBED * len(late) else np.zeros_like(late)


def _excess(between: Matrix) -> Matrix:
    """By how much each pair exceeds the medians of its nodes, in units of the median of all."""
    of_node = np.nanmedian(between, axis=1)
    typical = float(np.nanmedian(between))
    found: Matrix = (between - of_node[:, None] - of_node[None, :]) / typical
    return found
