"""Latencies between nodes without those of disturbed pairs, which would outweigh all others in a fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

FEWEST_NODES = 6
FAR = 6.0
"""Interquartile ranges above the upper quartile: beyond them lie four of 10 ** 19 normal values."""
LEAST_SPREAD = 0.01
"""Relative: what other deviations of latencies always have."""
MOST_DISTURBED = 0.15
"""Of all pairs: what more of them have in common is a structure."""


def undisturbed(between: Matrix) -> Matrix:
    """The symmetric matrix with NaN for the pairs that are far slower than ways over a third node.

    A message to a third node on the way and one from there cross the links of a message all the way, and the
    ends cost twice as much. So whatever the structure, the latency of a pair is the sum of two others less a
    constant; the effects of its two nodes cancel. Where no third node is on the way, the latency is less.
    Disturbances only add. Nodes that are much nearer to each other than others make short ways: these save no
    more than the latency of the nearest pair.
    """
    measured = np.isfinite(between) & ~np.eye(len(between), dtype=bool)
    if len(between) < FEWEST_NODES or not measured.any(axis=1).all():
        return between
    excess = _excess(np.where(measured, between, np.nan))
    known = np.isfinite(excess)
    if not known.any():
        return between
    lower, upper = np.quantile(excess[known], [0.25, 0.75])
    nearest = float(between[measured].min() / np.median(between[measured]))
    is_late = known & (excess > max(upper, -nearest) + FAR * max(upper - lower, LEAST_SPREAD))
    return between if is_late.sum() > MOST_DISTURBED * measured.sum() else np.where(is_late, np.nan, between)


def _excess(between: Matrix) -> Matrix:
    """By how much each pair exceeds the shortest way over a third node, in medians of all pairs."""
    times = np.where(np.isfinite(between), between, np.inf)
    shortest = np.full_like(times, np.inf)
    for of_third in times:
        np.minimum(shortest, of_third[:, None] + of_third[None, :], out=shortest)
    found: Matrix = (between - shortest) / float(np.nanmedian(between))
    return found
