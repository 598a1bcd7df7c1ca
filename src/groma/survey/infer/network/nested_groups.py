"""Groups within groups, read from latencies: leaf switches under pods, sockets in nodes.

Of all chains of groups within groups, the one counts that explains most of the latencies less what describing
it costs. The steps of all levels are fitted together (least squares, after the effects of nodes).
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from groma.survey.infer.network.misfit import tolerated_square

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from groma.survey.infer.network.likelihoods import Latencies

    Matrix = NDArray[np.float64]

S = TypeVar("S", "Membership", "NDArray[np.intp]")
Membership = tuple[int, ...]
"""The group of each node."""
Chosen = tuple[int, ...]
"""Which memberships are levels, from the smallest groups to the largest."""

TINY = 1e-12
"""Relative: keeps the normal equations solvable where no pair tells two levels apart."""
MOST_LEVELS = 4
MOST_CANDIDATES = 12
"""Every chain of levels among so many is compared."""


class Level(NamedTuple):
    """Groups, and what another one adds to latency in steps of the smallest groups."""

    group_of: Membership
    step: float

    @property
    def groups(self) -> int:
        return len(set(self.group_of))


class NestedGroups(NamedTuple):
    """`levels` from the smallest groups to the largest, with the hops between nodes in steps of the smallest,
    and what describing the levels costs (nats).
    """

    levels: tuple[Level, ...]
    hops: Matrix
    cost: float


def nested_groups(
    latencies: Latencies, distances: Matrix, memberships: Sequence[Membership]
) -> NestedGroups | None:
    """The levels among these that explain latencies best; None where one of them alone does.

    Of many memberships those count whose groups the `distances` between nodes part best.
    """
    return _Fits(latencies, parted_best(memberships, distances, MOST_CANDIDATES)).best()


def nested_blocks(latencies: Latencies, blocks: Iterable[Membership]) -> NestedGroups | None:
    """As `nested_groups`, of groups that follow from the order of the nodes: describing them costs the choice
    among all chains of such groups.
    """
    every = list(blocks)
    return _FitsInOrder(latencies, every).best() if len(every) > 1 else None


def parted_best(memberships: Sequence[S], distances: Matrix, most: int) -> list[S]:
    """Those whose groups the distances between nodes part best."""
    return sorted(memberships, key=lambda one: -_gap(one, distances))[:most]


def _gap(membership: Sequence[int] | NDArray[np.intp], distances: Matrix) -> float:
    """From the mean distance in the widest group to that between the two nearest groups."""
    is_in = np.eye(max(membership) + 1)[np.asarray(membership)]
    sums, sizes = is_in.T @ distances @ is_in, is_in.sum(axis=0)
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    means = np.divide(sums, pairs, out=np.zeros_like(sums), where=pairs > 0)
    between = means[~np.eye(len(means), dtype=bool)]
    return float(between.min(initial=np.inf) - np.diag(means).max())


class _Fit(NamedTuple):
    """The step of each level, and the sum of squares that they leave."""

    steps: NDArray[np.float64]
    left: float


class _Fits:
    """Fits of chains of these memberships, those of the smallest groups first; products of all of them serve
    every fit.
    """

    def __init__(self, latencies: Latencies, memberships: Sequence[Membership]) -> None:
        self._latencies = latencies
        self._memberships = sorted(memberships, key=lambda one: -len(set(one)))
        self._sizes = [len(set(one)) for one in self._memberships]
        steps = np.array([latencies.effects.left_of(_apart(one)) for one in self._memberships])
        self._products, self._explains = steps @ steps.T, steps @ latencies.rest
        self._whole = float(latencies.rest @ latencies.rest)
        self._fit = lru_cache(maxsize=None)(self._fitted)

    def best(self) -> NestedGroups | None:
        """The chain that explains most less its cost; None where that is one level alone."""
        found = max(filter(self._is_sound, self._chains), key=self._weight, default=())
        return self._nested(found) if len(found) > 1 else None

    @cached_property
    def _chains(self) -> list[Chosen]:
        """All chains of levels, each of which holds the one before."""
        every = range(len(self._memberships))
        return [
            some
            for count in range(1, MOST_LEVELS + 1)
            for some in combinations(every, count)
            if all(self._holds(upper, lower) for lower, upper in pairwise(some))
        ]

    def _weight(self, levels: Chosen) -> float:
        """Nats that these levels gain, less their cost."""
        return self._latencies.gain_of(self._fit(levels).left) - self._cost(levels)

    def _is_sound(self, levels: Chosen) -> bool:
        """Whether each level adds to latency, and more than what real networks deviate from their hops."""
        fit, pairs = self._fit(levels), len(self._latencies.rest)
        for i in range(len(levels)):
            without = self._fit(levels[:i] + levels[i + 1 :])
            tolerated = tolerated_square((self._whole - without.left) / pairs)
            if fit.steps[i] <= 0 or without.left - fit.left <= tolerated * pairs:
                return False
        return True

    def _nested(self, levels: Chosen) -> NestedGroups:
        steps = self._fit(levels).steps
        ratios = [float(step / steps[0]) for step in steps]
        found = tuple(Level(self._memberships[one], step) for one, step in zip(levels, ratios, strict=True))
        hops = np.sum([one.step * _apart(one.group_of) for one in found], axis=0)
        return NestedGroups(found, hops, self._cost(levels))

    def _holds(self, upper: int, lower: int) -> bool:
        """Whether every group of the lower one is within one of the upper one, which has fewer."""
        together = set(zip(self._memberships[upper], self._memberships[lower], strict=True))
        return self._sizes[upper] < self._sizes[lower] == len(together)

    def _fitted(self, levels: Chosen) -> _Fit:
        if not levels:
            return _Fit(np.empty(0), self._whole)
        products, explains = self._products[np.ix_(levels, levels)], self._explains[list(levels)]
        steps = np.linalg.solve(products + TINY * np.trace(products) * np.eye(len(levels)), explains)
        return _Fit(steps, max(0.0, self._whole - float(steps @ explains)))

    def _cost(self, levels: Chosen) -> float:
        """Of the groups, and of the steps of all levels but one."""
        freedom = max(2, self._latencies.pairs - len(self._latencies.between))
        return self._cost_of_groups(levels) + 0.5 * (len(levels) - 1) * math.log(freedom)

    def _cost_of_groups(self, levels: Chosen) -> float:
        """The group of each node, the larger group of each group."""
        members = [len(self._latencies.between), *(self._sizes[one] for one in levels)]
        return sum(count * math.log(self._sizes[one]) for count, one in zip(members, levels, strict=False))


class _FitsInOrder(_Fits):
    """Of groups that the order of the nodes makes."""

    def _cost_of_groups(self, levels: Chosen) -> float:  # noqa: ARG002
        return math.log(len(self._chains))


def _apart(membership: Membership) -> Matrix:
    """1 for nodes in different groups, else 0."""
    groups = np.array(membership)
    apart: Matrix = (groups[:, None] != groups[None, :]).astype(np.float64)
    return apart
