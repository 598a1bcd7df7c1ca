"""Cores that are slow with others because something else ran there: their latencies tell no distance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Mask = NDArray[np.bool_]

_SLOW = 1.5
_FEWEST_CORES = 6
_MOST_OF = 10
"""One core of so many is an outlier; more are a kind of core."""

_SLOWER = 1.25
"""Factor from which a core that sees the others as a peer does is slow: what less makes is no layer."""

_ALIKE = math.log(1.35)
"""By as much may the factor between a slow core and its peer vary from core to core."""

_STRUCTURE = math.log(1.3)
"""By so much, beyond that, must near and far cores of the peer differ: else no factor tells slow from far."""


class SlowCores(NamedTuple):
    """`everywhere` are slow with all others, `beyond_nearest` with all but the nearest core.

    `cells` are the latencies that are known to come from that. A core that is far from all others by one
    distance may be slow or far: its cells are none of them.
    """

    everywhere: Mask
    beyond_nearest: Mask
    cells: Mask


def slow_cores(latency: Matrix) -> SlowCores:
    """Those of a symmetric matrix (NaN where none was measured) that are few enough to be outliers."""
    none = np.zeros(len(latency), dtype=bool)
    if len(latency) < _FEWEST_CORES:
        return SlowCores(none, none, np.zeros(latency.shape, dtype=bool))
    fastest = np.nanmin(latency, axis=1, initial=np.inf)
    alone = np.isfinite(fastest) & (fastest > _SLOW * float(np.nanmedian(latency)))
    near = fastest <= _SLOW * float(np.median(fastest))
    scaled = _slower_than_a_peer(latency)
    beyond_nearest = _few(~alone & near & ((_beside_nearest(latency) > _SLOW) | scaled))
    everywhere = _few(alone | (scaled & ~near))
    known = beyond_nearest | (everywhere & scaled)
    return SlowCores(everywhere, beyond_nearest, _cells(latency, known, near))


def _few(slow: Mask) -> Mask:
    return slow & (np.count_nonzero(slow) <= max(1, len(slow) // _MOST_OF))


def _cells(latency: Matrix, slow: Mask, near: Mask) -> Mask:
    """All pairs of the slow cores but those with the nearest core where that is as near as usual."""
    cells = (slow[:, None] | slow[None, :]) & np.isfinite(latency)
    for core in np.flatnonzero(slow & near):
        nearest = np.nanargmin(latency[core])
        cells[core, nearest] = cells[nearest, core] = False
    return cells


def _beside_nearest(latency: Matrix) -> Matrix:
    """For each core, how much slower it is with the others than the core that is nearest to it; usually 1."""
    filled = np.where(np.isfinite(latency), latency, np.inf)
    nearest = np.argmin(filled, axis=1)
    ratios = latency / latency[nearest]
    known = np.isfinite(ratios).sum(axis=1) >= _FEWEST_CORES // 2
    found = np.ones(len(latency))
    found[known] = np.nanmedian(ratios[known], axis=1)
    return found


def _slower_than_a_peer(latency: Matrix) -> Mask:
    """Cores that reach all others as some other core does, near and far ones, but slower by one factor.

    What only lies far away is as far from the near ones of that other core as from its far ones.
    """
    found = np.zeros(len(latency), dtype=bool)
    known = np.isfinite(latency).sum(axis=1) > len(latency) / 2
    usual = _medians(latency, known)
    beside_usual = _medians(latency / usual, known)
    for core in np.flatnonzero(_few(known & (beside_usual > _SLOWER))):
        peers = np.flatnonzero(known & (np.arange(len(latency)) != core))
        ratios = np.log(latency[core] / latency[peers])
        low, high = _tenths(ratios)
        best = int(np.argmin(high - low))
        spread = float((high - low)[best])
        near, far = np.nanquantile(np.log(np.delete(latency[peers[best]], core)), [0.1, 0.9])
        is_slower = math.exp(float(np.nanmedian(ratios[best]))) > _SLOWER
        found[core] = is_slower and spread <= _ALIKE and far - near >= 1.5 * spread + _STRUCTURE
    return found


def _tenths(values: Matrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of each row `np.nanquantile` of 0.1 and of 0.9: numpy takes one row after the other, this takes all."""
    ordered = np.sort(values, axis=1)
    last = np.count_nonzero(~np.isnan(ordered), axis=1) - 1
    return _between(ordered, 0.1 * last), _between(ordered, 0.9 * last)


def _between(ordered: Matrix, place: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each row the value at a place between two of its values, rounded as numpy does; NaN of no values."""
    below = np.maximum(np.floor(place), 0).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(np.count_nonzero(~np.isnan(ordered), axis=1) - 1, 0))
    rows = np.arange(len(ordered))
    low, high = ordered[rows, below], ordered[rows, above]
    part = place - below
    step = high - low
    found: NDArray[np.float64] = np.where(part < 0.5, low + step * part, high - step * (1 - part))
    return found


def _medians(values: Matrix, known: Mask) -> Matrix:
    """Of each row that is `known`; NaN for the others."""
    found = np.full(len(values), np.nan)
    found[known] = np.nanmedian(values[known], axis=1)
    return found
