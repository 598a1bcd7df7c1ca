"""Clusters on a line: layers of latencies, classes of distances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Separation = Callable[[NDArray[np.intp], NDArray[np.intp]], float]

_GRID_POINTS = 1024

LEAST_SHARE_OF_ENDS = 0.1
"""A group of pairs that touches fewer of their ends (cores, nodes) is an outlier and no layer."""


@dataclass(frozen=True)
class Cluster:
    """`members` are indexes into the values given, in ascending order; `centre` is their median."""

    centre: float
    low: float
    high: float
    members: tuple[int, ...]


def ratio_clusters(
    values: Sequence[float] | NDArray[np.float64], *, ratio: float = 1.25, valley: float = 0.6
) -> list[Cluster]:
    """Groups of positive values by magnitude, ascending by centre.

    Values are cut at the valleys of their density on a logarithmic axis. Two neighbouring groups stay apart
    when their centres differ by at least the factor `ratio` and by three times the sum of their spreads, and
    the density between them falls below `valley` times the lower of the two peaks; a small group between two
    large ones therefore survives, and a broad skewed one is not split. Equal values give one cluster, no
    values none.
    ValueError for a value that is not positive and finite.
    """
    data = np.asarray(values, dtype=np.float64)
    return _merge_close(density_groups(data, ratio=ratio, valley=valley), data, ratio)


def density_groups(
    values: Sequence[float] | NDArray[np.float64], *, ratio: float = 1.25, valley: float = 0.6
) -> list[NDArray[np.intp]]:
    """Indexes of positive values, cut at the valleys of their density on a logarithmic axis, ascending.

    `ratio` is the factor between two magnitudes to be kept apart, `valley` how deep the density must
    fall below the lower of two peaks. Candidates only: whether two groups really differ is for the caller.
    ValueError for a value that is not positive and finite.
    """
    data = np.asarray(values, dtype=np.float64)
    if len(data) == 0:
        return []
    if not (np.isfinite(data).all() and (data > 0).all()):
        raise ValueError("clusters by ratio need positive, finite values")
    cuts = _density_valleys(np.log(data), bandwidth=math.log(ratio) / 5.0, valley=valley)
    return _split(data, np.exp(cuts))


def _density_valleys(logs: NDArray[np.float64], bandwidth: float, valley: float) -> NDArray[np.float64]:
    """Positions of the density minima that are deep enough against the peaks on either side."""
    grid = np.linspace(logs.min() - 3 * bandwidth, logs.max() + 3 * bandwidth, _grid_size(logs, bandwidth))
    histogram, edges = np.histogram(logs, bins=grid)
    middles = (edges[:-1] + edges[1:]) / 2.0
    step = middles[1] - middles[0]
    reach = np.arange(-math.ceil(4 * bandwidth / step), math.ceil(4 * bandwidth / step) + 1) * step
    density = np.convolve(histogram.astype(np.float64), np.exp(-0.5 * (reach / bandwidth) ** 2), mode="same")
    valleys: NDArray[np.float64] = middles[_deep_minima(density, valley)]
    return valleys


def _grid_size(logs: NDArray[np.float64], bandwidth: float) -> int:
    """At least five grid points per bandwidth, so that no valley falls between two."""
    return max(_GRID_POINTS, math.ceil(5.0 * (float(np.ptp(logs)) + 6.0 * bandwidth) / bandwidth))


def _deep_minima(density: NDArray[np.float64], valley: float) -> list[int]:
    """One index per accepted valley, walking up and down the density once."""
    cuts: list[int] = []
    peak = trough = density[0]
    trough_at = 0
    for i, height in enumerate(density):
        if height < trough:
            trough, trough_at = height, i
        climbing_out = trough < valley * min(peak, height)
        if climbing_out and height > 0:
            cuts.append(trough_at)
            peak = trough = height
        elif height > peak:
            peak = trough = height
    return cuts


def _split(data: NDArray[np.float64], cuts: NDArray[np.float64]) -> list[NDArray[np.intp]]:
    group_of = np.searchsorted(cuts, data)
    groups = [np.flatnonzero(group_of == group) for group in range(len(cuts) + 1)]
    return [group for group in groups if len(group)]


def _merge_close(groups: list[NDArray[np.intp]], data: NDArray[np.float64], ratio: float) -> list[Cluster]:
    """Joins neighbours that are not clearly apart, the least separated pair first."""
    apart = joined_until_apart(groups, lambda lower, upper: _separation(data[lower], data[upper], ratio))
    return [_cluster(group, data) for group in apart]


def joined_until_apart(groups: Sequence[NDArray[np.intp]], separation: Separation) -> list[NDArray[np.intp]]:
    """The groups (members ascending) that remain when neighbours whose separation is below 1 are joined.

    The least separated two are joined first; then only the separations of the new group are found anew.
    """
    left = list(groups)
    apart = [separation(lower, upper) for lower, upper in pairwise(left)]
    while apart and min(apart) < 1.0:
        nearest = int(np.argmin(apart))
        left = joined_at(left, nearest)
        around = [separation(*two) for two in pairwise(left[max(0, nearest - 1) : nearest + 2])]
        apart[max(0, nearest - 1) : nearest + 2] = around
    return left


def joined_at(groups: Sequence[NDArray[np.intp]], lower: int) -> list[NDArray[np.intp]]:
    """The groups (members ascending), of which that at `lower` and the next one are one."""
    both = np.sort(np.concatenate(groups[lower : lower + 2]))
    return [*groups[:lower], both, *groups[lower + 2 :]]


def without_outliers(
    groups: Sequence[NDArray[np.intp]], values: NDArray[np.float64], ends: NDArray[np.intp], count: int
) -> list[NDArray[np.intp]]:
    """The groups of pairs, by ascending value, of which each touches its share of all `count` ends.

    One that touches fewer joins the neighbour whose median is nearer by ratio. `ends` has one row for each
    pair.
    """
    left = list(groups)
    while len(left) > 1:
        touched = [len(np.unique(ends[group])) for group in left]
        fewest = int(np.argmin(touched))
        if touched[fewest] >= LEAST_SHARE_OF_ENDS * count:
            break
        left = joined_at(left, _nearer_neighbour(left, fewest, values))
    return left


def _nearer_neighbour(groups: Sequence[NDArray[np.intp]], at: int, values: NDArray[np.float64]) -> int:
    """The index of the lower one of the two groups to join."""
    centres = [math.log(float(np.median(values[group]))) for group in groups]
    steps = [upper - lower for lower, upper in pairwise(centres)]
    return min((i for i in (at - 1, at) if 0 <= i < len(steps)), key=lambda i: steps[i])


def _separation(lower: NDArray[np.float64], upper: NDArray[np.float64], ratio: float) -> float:
    """Distance of the centres over the distance that separate groups need; below 1 they belong together."""
    gap = math.log(float(np.median(upper)) / float(np.median(lower)))
    return gap / max(math.log(ratio), 3.0 * (_log_spread(lower) + _log_spread(upper)))


def _log_spread(values: NDArray[np.float64]) -> float:
    """Standard deviation of the logarithms, estimated by their median absolute deviation."""
    logs = np.log(values)
    return 1.4826 * float(np.median(np.abs(logs - np.median(logs))))


def _cluster(members: NDArray[np.intp], data: NDArray[np.float64]) -> Cluster:
    inside = data[members]
    return Cluster(
        centre=float(np.median(inside)),
        low=float(inside.min()),
        high=float(inside.max()),
        members=tuple(int(i) for i in members),
    )
