"""Groups within groups, read from latencies: leaf switches under pods, sockets in nodes.

Of all chains of groups within groups, the one counts that explains most of the latencies less what describing
it costs. The steps of all levels are fitted together (least squares, after the effects of nodes).
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from itertools import combinations, islice, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from groma.survey.infer.network.misfit import tolerated_square
from groma.survey.infer.network.own_steps import OwnSteps, may_have_own_steps, own_steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
MOST_JUDGED = 16
"""Chains of levels whose groups are judged one by one: such a fit takes long."""


class Level(NamedTuple):
    """Groups, and what another one adds to latency in steps of the smallest groups; `of_groups` where each
    adds its own.
    """

    group_of: Membership
    step: float
    of_groups: tuple[float, ...] = ()

    @property
    def groups(self) -> int:
        return len(set(self.group_of))


class NestedGroups(NamedTuple):
    """`levels` from the smallest groups to the largest, with the hops between nodes in steps of the smallest,
    and what describing the levels costs (nats). One level alone has groups with steps of their own.
    """

    levels: tuple[Level, ...]
    hops: Matrix
    cost: float


def nested_groups(latencies: Latencies, memberships: Sequence[Membership]) -> NestedGroups | None:
    """The levels among these few that explain latencies best; None where one of them does with one step for
    all.
    """
    return _Fits(latencies, memberships).best()


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


class _Weighed(NamedTuple):
    """Levels, those whose groups have their own steps, and the nats that they gain less their cost."""

    levels: Chosen
    owning: frozenset[int]
    fit: OwnSteps
    weight: float


class _Fits:
    """Fits of chains of these memberships, those of the smallest groups first; products of all of them serve
    every fit.
    """

    def __init__(self, latencies: Latencies, memberships: Sequence[Membership]) -> None:
        self._latencies = latencies
        self._memberships = sorted(memberships, key=lambda one: -len(set(one)))
        self._sizes = [len(set(one)) for one in self._memberships]
        self._within = [_pairs_within(latencies, one) for one in self._memberships]
        steps = np.array([latencies.effects.left_of(_apart(one)) for one in self._memberships])
        self._products, self._explains = steps @ steps.T, steps @ latencies.rest
        self._whole = float(latencies.rest @ latencies.rest)
        self._fit = lru_cache(maxsize=None)(self._fitted)

    def best(self) -> NestedGroups | None:
        """The chain that explains most less its cost; None where that is one level with one step."""
        of_all = filter(self._is_sound, sorted(self._chains, key=self._weight, reverse=True))
        alike = next(filter(self._parts_all, islice(of_all, MOST_JUDGED)), ())
        own = self._with_own_steps()
        if own is not None and own.weight > (self._weight(alike) if alike else 0.0):
            return self._nested(own)
        return self._nested(self._weighed(alike, frozenset())) if len(alike) > 1 else None

    @cached_property
    def _chains(self) -> list[Chosen]:
        """All chains of levels, each of which holds the one before."""
        every = range(len(self._memberships))
        held = {(lower, upper) for lower, upper in combinations(every, 2) if self._holds(upper, lower)}
        longest: list[Chosen] = [(one,) for one in every]
        found = list(longest)
        for _ in range(MOST_LEVELS - 1):
            longest = [(*some, one) for some in longest for one in every if (some[-1], one) in held]
            found += longest
        return found

    def _weight(self, levels: Chosen) -> float:
        """Nats that these levels gain, less their cost."""
        return self._latencies.gain_of(self._fit(levels).left) - self._cost(levels)

    def _is_sound(self, levels: Chosen) -> bool:
        """Whether each level adds to latency, and more than what real networks deviate from their hops."""
        fit = self._fit(levels)
        if not (fit.steps > 0).all():
            return False
        without = [self._fit(levels[:i] + levels[i + 1 :]).left for i in range(len(levels))]
        return self._all_show(levels, without, fit.left) and not self._has_mixture(levels, fit.steps)

    def _parts_all(self, levels: Chosen) -> bool:
        """Whether no group is clearly as near to the groups around it as its nodes are to each other."""
        return self._own(levels, frozenset(levels)).may_part_all

    def _all_show(self, levels: Chosen, without: Sequence[float], left: float) -> bool:
        """Whether more is left `without` each of the levels than such deviations. A level concerns the pairs
        within the groups of the next one: few pairs of small groups weigh little among all.
        """
        concerned = [*(self._within[one] for one in levels[1:]), self._latencies.pairs]
        return all(
            one - left > self._tolerated(one, pairs) for one, pairs in zip(without, concerned, strict=True)
        )

    def _has_mixture(self, levels: Chosen, steps: NDArray[np.float64]) -> bool:
        of_levels = [self._memberships[one] for one in levels]
        return any(
            is_mixture(self._latencies, lower, upper, step)
            for (lower, upper), step in zip(pairwise(of_levels), steps[:-1].tolist(), strict=True)
        )

    def _tolerated(self, left: float, pairs: int) -> float:
        """Of a sum of squares that a fit leaves, what is no structure of so many pairs."""
        return pairs * tolerated_square((self._whole - left) / self._latencies.pairs)

    def _with_own_steps(self) -> _Weighed | None:
        """From one level on, with one level more, less or another one as long as that weighs more; the groups
        of one level or of all have their own steps.
        """
        found: _Weighed | None = None
        while better := self._better_than(found):
            found = better
        return found

    def _better_than(self, found: _Weighed | None) -> _Weighed | None:
        levels, least = (found.levels, found.weight) if found is not None else ((), 0.0)
        near = (one for chain in self._one_level_from(levels) for one in self._owning(chain))
        heavier = sorted((one for one in near if one.weight > least), key=lambda one: -one.weight)
        return next(filter(self._is_sound_with_own, heavier), None)

    def _one_level_from(self, levels: Chosen) -> list[Chosen]:
        return [
            one
            for one in self._chains
            if abs(len(one) - len(levels)) <= 1 and len({*one} - {*levels}) <= 1 and one != levels
        ]

    def _owning(self, levels: Chosen) -> Iterator[_Weighed]:
        several = frozenset(one for one in levels if self._may_have_own_steps(one))
        for owning in {frozenset([one]) for one in several} | {several}:
            if owning:
                yield self._weighed(levels, owning)

    def _may_have_own_steps(self, one: int) -> bool:
        return may_have_own_steps(self._latencies, self._memberships[one])

    def _weighed(self, levels: Chosen, owning: frozenset[int]) -> _Weighed:
        found = self._own(levels, owning)
        cost = self._cost(levels) + self._cost_of_steps(found.free - len(levels))
        return _Weighed(levels, owning, found, self._latencies.gain_of(found.left) - cost)

    def _own(self, levels: Chosen, owning: frozenset[int]) -> OwnSteps:
        return own_steps(self._latencies, [(self._memberships[one], one in owning) for one in levels])

    def _is_sound_with_own(self, found: _Weighed) -> bool:
        """As `_is_sound`; steps of single groups have to explain more than such deviations, too."""
        levels, left = found.levels, found.fit.left
        without = [self._own(levels[:i] + levels[i + 1 :], found.owning).left for i in range(len(levels))]
        alike = [self._own(levels, found.owning - {one}).left for one in found.owning]
        every = self._latencies.pairs
        differ = all(one - left > self._tolerated(one, every) for one in alike)
        steps = np.array([one.mean() for one in found.fit.of_levels])
        all_show = self._all_show(levels, without, left) and not self._has_mixture(levels, steps)
        return found.fit.part_all and differ and all_show

    def _nested(self, found: _Weighed) -> NestedGroups:
        smallest = float(found.fit.of_levels[0].mean())
        levels, hops = [], np.zeros_like(self._latencies.between)
        for one, steps in zip(found.levels, found.fit.of_levels, strict=True):
            group_of, ratios = self._memberships[one], steps / smallest
            own = tuple(ratios.tolist()) if one in found.owning else ()
            levels.append(Level(group_of, float(ratios.mean()), own))
            hops += _apart(group_of) * _ways_out(group_of, ratios)
        free = found.fit.free - len(levels)
        return NestedGroups(tuple(levels), hops, self._cost(found.levels) + self._cost_of_steps(free))

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
        return self._cost_of_groups(levels) + self._cost_of_steps(len(levels) - 1)

    def _cost_of_steps(self, more: int) -> float:
        freedom = max(2, self._latencies.pairs - len(self._latencies.between))
        return 0.5 * more * math.log(freedom)

    def _cost_of_groups(self, levels: Chosen) -> float:
        """The group of each node, the larger group of each group."""
        members = [len(self._latencies.between), *(self._sizes[one] for one in levels)]
        return sum(count * math.log(self._sizes[one]) for count, one in zip(members, levels, strict=False))


class _FitsInOrder(_Fits):
    """Of groups that the order of the nodes makes."""

    def _cost_of_groups(self, levels: Chosen) -> float:  # noqa: ARG002
        return math.log(len(self._chains))


def is_mixture(latencies: Latencies, lower: Membership, upper: Membership, step: float) -> bool:
    """Whether the lower level divides some group of the upper one and leaves another whole, though the nodes
    of the one are as near to each other, by this step, as those of the other. Effects of nodes may hide that.
    """
    rows, columns = latencies.effects.rows, latencies.effects.columns
    small, large = np.array(lower), np.array(upper)
    within, together = small[rows] == small[columns], large[rows] == large[columns]
    is_whole = np.bincount(small)[small] == np.bincount(large)[large]
    whole, divided = within & is_whole[rows], together & ~within
    if not (whole.any() and divided.any()):
        return False
    farthest = _means_by(large[rows][whole], latencies.of_pairs[whole]).max()
    nearest = _means_by(large[rows][divided], latencies.of_pairs[divided]).min()
    return bool(farthest > nearest - 0.5 * step)


def _means_by(groups: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[np.float64]:
    counts, sums = np.bincount(groups), np.bincount(groups, values)
    means: NDArray[np.float64] = sums[counts > 0] / counts[counts > 0]
    return means


def _pairs_within(latencies: Latencies, membership: Membership) -> int:
    groups, effects = np.array(membership), latencies.effects
    return int((groups[effects.rows] == groups[effects.columns]).sum())


def _apart(membership: Membership) -> Matrix:
    """1 for nodes in different groups, else 0."""
    groups = np.array(membership)
    apart: Matrix = (groups[:, None] != groups[None, :]).astype(np.float64)
    return apart


def _ways_out(membership: Membership, steps: NDArray[np.float64]) -> Matrix:
    """Half of the steps of both groups, for each two nodes."""
    of_nodes = 0.5 * steps[np.array(membership)]
    ways: Matrix = of_nodes[:, None] + of_nodes[None, :]
    return ways
