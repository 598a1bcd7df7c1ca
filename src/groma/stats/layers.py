"""Layers of pairs: groups of pairs of cores, nodes or places that differ visibly and significantly."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.stats.clusters import density_groups, joined_until_apart, without_outliers

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from groma.record.quantity import Quantity


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
    return [group.tolist() for group in without_outliers(groups, measured.values, *_numbered(pairs))]


def _separation(lower: NDArray[np.intp], upper: NDArray[np.intp], measured: _Measured, gap: float) -> float:
    """At least 1 for groups that are visibly and significantly apart."""
    if np.median(measured.highs[lower]) >= np.median(measured.lows[upper]):
        return 0.0
    below, above = np.quantile(measured.values[lower], 0.9), np.quantile(measured.values[upper], 0.1)
    return float(above / below / gap)


def _numbered(pairs: Sequence[tuple[Hashable, Hashable]]) -> tuple[NDArray[np.intp], int]:
    """The ends of each pair by their number, and how many there are."""
    number_of: dict[Hashable, int] = {}
    rows = [[number_of.setdefault(end, len(number_of)) for end in pair] for pair in pairs]
    return np.array(rows, dtype=np.intp).reshape(len(rows), 2), len(number_of)
