"""Layers and groups of cores from a matrix of the latencies between them (docs/inference-layers.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.stats.clusters import (
    LEAST_SHARE_OF_ENDS,
    density_groups,
    joined_at,
    joined_until_apart,
    without_outliers,
)
from groma.stats.consensus import disturbed
from groma.stats.resolution import clock_step, resolved
from groma.stats.similarity import Grouping, grouped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Indexes = NDArray[np.intp]

GAP = 1.2
"""The 10th percentile of a layer over the 90th of the one before it."""

STRUCTURE = 0.75
"""Agreement of a boundary with groups of cores from which they explain it."""
COVERED = 0.5
RANKED = 0.9
"""Share of the cores that must be in groups for a boundary that the clock hardly resolves."""

_ONE_KIND = 2.0
"""Pairs of hardware threads whose latencies differ by less are of one kind."""
_FEW, _FEW_OF_FEW = 0.03, 0.1
"""A share of all pairs that makes no layer where groups of cores do not explain it."""
_SMALLEST_CLIQUE = 3
_THREADS = 2
_NOISY = 0.005
_FEW_SPOILT = 0.3
_DENSE = 0.6
_SMALL = 0.25
_STRAYS = 0.25
"""Share of the fastest pairs that may be of two cores where all others are of the two threads of one."""


class MatrixLayers(NamedTuple):
    """`layers` hold indexes into the measured pairs, the fastest first; `groups` for each layer the groups of
    two and more cores within which pairs lie in it or in a faster one.

    `disturbed` are indexes of pairs that are in no layer; `step` is that of a coarse clock, or 0.
    """

    layers: list[Indexes]
    groups: list[list[list[int]]]
    disturbed: Indexes
    step: float


class _MeasuredPairs(NamedTuple):
    """The pairs that count: ends and values; `resolved` are the values as far as the clock resolves them."""

    cores: int
    ends: NDArray[np.intp]
    values: Matrix
    resolved: Matrix
    known: NDArray[np.bool_]

    def marked(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """A symmetric matrix, true at the chosen pairs."""
        found = np.zeros((self.cores, self.cores), dtype=bool)
        one, other = self.ends[chosen].T
        found[one, other] = found[other, one] = True
        return found

    def grouped(self, chosen: NDArray[np.bool_]) -> Grouping:
        """The groups of cores that the chosen pairs make."""
        return grouped(self.marked(chosen), self.known)


def matrix_layers(latency: Matrix) -> MatrixLayers:
    """Layers of a symmetric matrix of positive latencies; NaN where none was measured.

    ValueError for a matrix that holds none.
    """
    ends = np.argwhere(np.triu(np.isfinite(latency), 1))
    values = latency[ends[:, 0], ends[:, 1]]
    if not len(values):
        raise ValueError("layers need a latency")
    step = clock_step(values)
    odd = disturbed(latency)
    known = np.isfinite(latency) & ~odd
    odd_pairs = odd[ends[:, 0], ends[:, 1]]
    kept = np.flatnonzero(~odd_pairs)
    measured = _MeasuredPairs(len(latency), ends[kept], values[kept], resolved(values[kept], step), known)
    criteria = _BoundaryCriteria(measured, noisy=len(kept) < (1.0 - _NOISY) * len(values))
    layers, late = _without_stragglers(measured, _layers(measured, criteria), criteria)
    left_out = np.sort(np.concatenate([np.flatnonzero(odd_pairs), kept[late]]))
    layers, groups = _with_threads_apart(layers, _groups(layers, criteria), measured, step)
    return MatrixLayers([kept[layer] for layer in layers], groups, left_out, step)


# ---- layers ------------------------------------------------------------------------------------------------


class _Boundary(NamedTuple):
    """What lies at and below a threshold: how it groups the cores, and how well groups explain it."""

    grouping: Grouping
    largest: int

    @classmethod
    def of(cls, grouping: Grouping) -> _Boundary:
        return cls(grouping, int(np.bincount(grouping.label).max()))

    def explained(self, covered: float = COVERED) -> bool:
        found = self.grouping
        return found.divides and found.agreement >= STRUCTURE and found.coverage >= covered

    def same_as(self, other: _Boundary) -> bool:
        return self.grouping.divides and bool((self.grouping.label == other.grouping.label).all())


class _BoundaryCriteria:
    """Keeps or drops boundaries between groups of pairs, given by ascending value."""

    def __init__(self, measured: _MeasuredPairs, *, noisy: bool) -> None:
        """`noisy` where other pairs were found to be disturbed."""
        self._measured = measured
        self.noisy = noisy
        self._known: dict[float, _Boundary] = {}

    def above(self, group: Indexes) -> _Boundary:
        threshold = float(self._measured.values[group].max())
        if threshold not in self._known:
            self._known[threshold] = _Boundary.of(self._measured.grouped(self._measured.values <= threshold))
        return self._known[threshold]

    def separation(self, lower: Indexes, upper: Indexes) -> float:
        """At least 1 for two neighbouring groups that are two layers."""
        if self._of_one_kind(lower, upper):
            return 0.0
        ranked = self.above(lower).explained(RANKED)
        values = self._measured.values if ranked else self._measured.resolved
        below, above = np.quantile(values[lower], 0.9), np.quantile(values[upper], 0.1)
        return float(above / below / GAP)

    def _of_one_kind(self, lower: Indexes, upper: Indexes) -> bool:
        """Whether both are pairs of hardware threads of one core each, of about one latency."""
        both = self.above(upper)
        ratio = np.median(self._measured.values[upper]) / np.median(self._measured.values[lower])
        return both.largest == _THREADS and self._measured.cores > 2 and bool(ratio < _ONE_KIND)

    def is_structure(self, group: Indexes, boundary: _Boundary) -> bool:
        """Whether the pairs are all those between some groups of cores, or all within groups of their own."""
        return self._fills_blocks(group, boundary.grouping.label) or self.is_cliques(group)

    def _fills_blocks(self, group: Indexes, label: NDArray[np.intp]) -> bool:
        """As those between neighbouring sockets do, where others are two links away."""
        one, other = np.sort(label[self._measured.ends], axis=1).T
        blocks = one * self._measured.cores + other
        every = np.bincount(blocks)
        share = np.bincount(blocks[group], minlength=len(every)) / np.maximum(every, 1)
        filled = (share >= STRUCTURE) & (every > 1)
        between = one[group] != other[group]
        return bool((filled[blocks[group]] & between).mean() >= STRUCTURE)

    def within(self, group: Indexes) -> Grouping:
        """The groups of cores that these pairs alone make."""
        chosen = np.zeros(len(self._measured.values), dtype=bool)
        chosen[group] = True
        return self._measured.grouped(chosen)

    def is_cliques(self, group: Indexes) -> bool:
        """Whether the pairs are those within groups of cores, though faster pairs join the same cores."""
        found = self.within(group)
        sizes = [len(some) for some in found.groups()]
        return found.agreement >= STRUCTURE and bool(sizes) and min(sizes) >= _SMALLEST_CLIQUE


def _layers(measured: _MeasuredPairs, criteria: _BoundaryCriteria) -> list[Indexes]:
    candidates = _few(density_groups(measured.values, ratio=GAP))
    groups = _one_for_each_grouping(candidates, criteria)
    groups = joined_until_apart(groups, criteria.separation)
    explained = _join_unexplained(groups, measured, criteria)
    return without_outliers(explained, measured.values, measured.ends, measured.cores)


_MOST_CANDIDATES = 24


def _few(groups: list[Indexes]) -> list[Indexes]:
    """At most so many that each can be looked at: the smallest join what lies below them, or the next."""
    while len(groups) > _MOST_CANDIDATES:
        smallest = int(np.argmin([len(group) for group in groups]))
        groups = joined_at(groups, max(smallest - 1, 0))
    return groups


def _one_for_each_grouping(groups: list[Indexes], criteria: _BoundaryCriteria) -> list[Indexes]:
    """Of boundaries with the same groups of cores only the one that agrees best remains.

    What lies between them is noise of one layer, unless it is pairs within groups of its own.
    """
    at = 0
    while at + 2 < len(groups):
        lower, upper = criteria.above(groups[at]), criteria.above(groups[at + 1])
        if lower.same_as(upper) and not criteria.is_structure(groups[at + 1], lower):
            better = lower.grouping.agreement > upper.grouping.agreement
            groups = joined_at(groups, at + 1 if better else at)
        else:
            at += 1
    return groups


def _join_unexplained(
    groups: list[Indexes], measured: _MeasuredPairs, criteria: _BoundaryCriteria
) -> list[Indexes]:
    """Without small fast groups little below the next one that no groups of cores explain.

    Only where most pairs were measured is that known.
    """
    dense = len(measured.values) >= _DENSE * measured.cores * (measured.cores - 1) / 2
    at = 0
    while dense and at + 1 < len(groups):
        lower, upper = groups[at : at + 2]
        near = np.median(measured.values[upper]) < _ONE_KIND * np.median(measured.values[lower])
        small = len(lower) < _SMALL * len(measured.values)
        if near and small and not criteria.above(lower).explained(LEAST_SHARE_OF_ENDS):
            groups = joined_at(groups, at)
        else:
            at += 1
    return groups


# ---- pairs in no layer, groups -----------------------------------------------------------------------------

_BROAD = 1.5
_SLOW = 1.5


def _without_stragglers(
    measured: _MeasuredPairs, layers: list[Indexes], criteria: _BoundaryCriteria
) -> tuple[list[Indexes], Indexes]:
    """The layers less those that are only disturbed pairs, and the pairs that are in none then."""
    late: list[Indexes] = []
    for at in range(len(layers) - 1, 0, -1):
        if not _is_disturbance(measured, layers[at - 1], layers[at], criteria):
            continue
        if np.quantile(measured.values[layers[at]], 0.1) > _SLOW * np.median(measured.values[layers[at - 1]]):
            late.append(layers[at])
            layers = layers[:at] + layers[at + 1 :]
        else:
            layers = joined_at(layers, at - 1)
    return layers, np.sort(np.concatenate(late)) if late else np.empty(0, dtype=np.intp)


def _is_disturbance(
    measured: _MeasuredPairs, lower: Indexes, upper: Indexes, criteria: _BoundaryCriteria
) -> bool:
    """Whether pairs are few or scattered, and no groups of cores explain that they are slower."""
    if (
        criteria.noisy
        and criteria.above(upper).largest == _THREADS
        and len(upper) <= _FEW_SPOILT * len(lower)
    ):
        return True  # pairs of threads that were disturbed, but are still faster than other pairs
    if criteria.above(lower).explained() or criteria.is_cliques(upper):
        return False
    low, high = np.quantile(measured.values[upper], [0.1, 0.9])
    every = len(measured.values)
    few = max(1.0, min(2.0, _FEW_OF_FEW * every), _FEW * every)
    return bool(len(upper) <= few or high > _BROAD * low)


def _groups(layers: Sequence[Indexes], criteria: _BoundaryCriteria) -> list[list[list[int]]]:
    """Those of the layer and all faster ones; where it adds none, those within which its own pairs lie."""
    found = []
    for index, layer in enumerate(layers):
        grouping = criteria.above(layer).grouping
        before = criteria.above(layers[index - 1]).grouping if index else None
        if before is not None and (before.label == grouping.label).all() and criteria.is_cliques(layer):
            grouping = criteria.within(layer)
        found.append(grouping.groups())
    return found


def _with_threads_apart(
    layers: list[Indexes], groups: list[list[list[int]]], measured: _MeasuredPairs, step: float
) -> tuple[list[Indexes], list[list[list[int]]]]:
    """Pairs as fast as those of hardware threads, within a step of the clock, belong to the next layer."""
    threads = _threads(layers[0], measured) if len(layers) > 1 else None
    if threads is None:
        return layers, groups
    others = np.setdiff1d(layers[0], threads)
    if measured.values[threads].max() - measured.values[others].min() > step:
        return layers, groups
    second = np.sort(np.concatenate([layers[1], others]))
    return [threads, second, *layers[2:]], [measured.ends[threads].tolist(), *groups[1:]]


def _threads(layer: Indexes, measured: _MeasuredPairs) -> Indexes | None:
    """Those of the fastest pairs that give each core one partner, the faster first, if few others remain."""
    touched = len(np.unique(measured.ends[layer]))
    if not 0 < len(layer) - touched / 2 <= _STRAYS * len(layer):
        return None
    taken: set[int] = set()
    chosen: list[int] = []
    for pair in layer[np.argsort(measured.values[layer], kind="stable")].tolist():
        ends = set(measured.ends[pair].tolist())
        if not ends & taken:
            taken |= ends
            chosen.append(pair)
    return np.sort(np.array(chosen)) if len(taken) == touched else None
