"""Layers of pairs: groups of pairs of cores, nodes or places that differ visibly and significantly."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.stats.clusters import density_groups, joined_until_apart

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from groma.record.quantity import Quantity

Groups = list["NDArray[np.intp]"]

LEAST_SHARE_OF_ENDS = 0.1
"""A group that touches fewer of the ends (cores, nodes) is an outlier and no layer of the machine."""


class _Measured(NamedTuple):
    values: NDArray[np.float64]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]


def layers_of(
    pairs: Sequence[tuple[Hashable, Hashable]], times: Sequence[Quantity], *, gap: float = 1.2
) -> list[list[int]]:
    """Indexes into `pairs` by layer, the fastest layer first.

    Candidates are the groups between the valleys of the times' density. Two neighbours stay apart when there
    is a visible gap (the 10th percentile of the slower one is `gap` times the 90th of the faster one) and
    when it is significant (their typical intervals do not overlap); the least separated ones are joined
    first. A candidate that touches next to none of the ends joins its nearest neighbour.
    ValueError for a time that is not positive and finite.
    """
    measured = _Measured(
        np.array([time.value for time in times], dtype=np.float64),
        np.array([time.low for time in times], dtype=np.float64),
        np.array([time.high for time in times], dtype=np.float64),
    )
    candidates = density_groups(measured.values, ratio=gap)
    groups = joined_until_apart(candidates, lambda one, other: _separation(one, other, measured, gap))
    return [sorted(map(int, group)) for group in _join_outliers(groups, pairs, measured)]


def _separation(lower: NDArray[np.intp], upper: NDArray[np.intp], measured: _Measured, gap: float) -> float:
    """At least 1 for groups that are visibly and significantly apart."""
    if np.median(measured.highs[lower]) >= np.median(measured.lows[upper]):
        return 0.0
    below, above = np.quantile(measured.values[lower], 0.9), np.quantile(measured.values[upper], 0.1)
    return float(above / below / gap)


def _join_outliers(groups: Groups, pairs: Sequence[tuple[Hashable, Hashable]], measured: _Measured) -> Groups:
    touched = [{end for index in group for end in pairs[index]} for group in groups]
    ends = len(set().union(*touched))
    while len(groups) > 1:
        fewest = int(np.argmin([len(some) for some in touched]))
        if len(touched[fewest]) >= LEAST_SHARE_OF_ENDS * ends:
            break
        lower = _nearer_neighbour(groups, fewest, measured)
        groups = _joined(groups, lower)
        touched[lower : lower + 2] = [touched[lower] | touched[lower + 1]]
    return groups


def _nearer_neighbour(groups: Groups, at: int, measured: _Measured) -> int:
    """The index of the lower one of the two groups to join."""
    centres = [float(np.log(np.median(measured.values[group]))) for group in groups]
    steps = [upper - lower for lower, upper in pairwise(centres)]
    candidates = [index for index in (at - 1, at) if 0 <= index < len(steps)]
    return min(candidates, key=lambda index: steps[index])


def _joined(groups: Groups, lower: int) -> Groups:
    return [*groups[:lower], np.concatenate(groups[lower : lower + 2]), *groups[lower + 2 :]]
