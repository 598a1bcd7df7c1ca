"""Groups of unequal sizes in the order of the ranks, from bandwidths (docs/network/topology.md).

Messages that leave a group share its uplink, those within it do not. So the boundaries of groups are where
they divide the slow messages of each distance from the fast ones best. There are many partitions: this is
measured for all of two and three groups, and shares of links are computed for the best ones only.
"""

from __future__ import annotations

import math
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.interconnect.switched import group_sizes, in_blocks, tree
from groma.survey.infer.network.candidates import uplinks_of
from groma.survey.infer.network.likelihoods import MODEL_ERROR
from groma.survey.infer.network.shares import WAITS, share_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from groma.interconnect.switched import Tree
    from groma.survey.infer.network.bounds import Speeds

    Values = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Boundaries = tuple[int, ...]

NUMBERS_OF_GROUPS = (2, 3, 4)
MOST_PARTITIONS = 4096
"""Four groups of up to 31 nodes, three of up to 64."""
LEAST_SHARE = 0.5
"""Of the squared differences between the ranks of a distance that leaving a group explains."""
LEAST_SCATTER = MODEL_ERROR
"""Where the ranks of no distance differ by more on average, they share links as real networks do."""
SMALLEST = 2
"""Nodes of a group: one alone shares its uplink with nobody."""
MOST_GAIN = 3.0
"""Nats: ranks deviate from fair shares in ways that are alike for many of them."""
ROUNDS = 3
"""Each halves the step between uplinks, on a logarithmic axis."""


class UnevenTree(NamedTuple):
    """A tree over groups of unequal sizes, and the nats for choosing these groups and this uplink.

    `gain` are those that the bandwidths of single ranks give it against as many groups of one size: ratios of
    distances, which are means over all ranks, may hardly tell the two apart.
    """

    interconnect: Tree
    cost: float
    gain: float = 0.0


class Fitted(NamedTuple):
    """A tree with the uplink that suits best, the nats for choosing both, those of bandwidths against it."""

    tree: Tree
    cost: float
    against: float

    @property
    def nats(self) -> float:
        return self.cost + self.against


def uneven_tree(speeds: Speeds | None) -> UnevenTree | None:
    """The tree whose groups divide slow messages from fast ones best; None for equal groups, and for none.

    Two groups of which one may be one of several equal ones are left out: its uplink may be slow as well.
    """
    best = _best(speeds)
    if speeds is None or best is None or not _is_uneven(best.tree):
        return None
    return UnevenTree(best.tree, best.cost, _gain(best, speeds))


def tree_or_slow_uplink(speeds: Speeds | None) -> UnevenTree | None:
    """The tree that `uneven_tree` leaves out, where that is the best one."""
    best = _best(speeds)
    if best is None or len(set(best.tree.shape)) == 1 or _is_uneven(best.tree):
        return None
    return UnevenTree(best.tree, best.cost)


def _best(speeds: Speeds | None) -> Fitted | None:
    """The tree, over groups of equal or unequal sizes, that explains the bandwidths of ranks best."""
    if speeds is None:
        return None
    excess = -speeds.typical + speeds.typical.mean(axis=1, keepdims=True)
    if np.sqrt((excess**2).mean(axis=1)).max() < LEAST_SCATTER:
        return None
    likely = set(_best_of_each_number(speeds.distances, excess))
    return min((fitted(one, speeds) for one in sorted(likely)), key=lambda one: one.nats, default=None)


def _gain(best: Fitted, speeds: Speeds) -> float:
    """Zero where ranks deviate from fair shares by more than networks do, and where as many groups cannot be
    equal.
    """
    nodes, number = best.tree.nodes, len(best.tree.shape)
    if best.against > 0.5 * speeds.typical.size or nodes % number:
        return 0.0
    even = fitted(in_blocks(nodes, nodes // number), speeds)
    return min(MOST_GAIN, max(0.0, even.against - best.against))


def _best_of_each_number(distances: Sequence[int], excess: Values) -> Iterator[tuple[int, ...]]:
    """The group of each node in the partitions that explain enough."""
    nodes, enough = excess.shape[1], LEAST_SHARE * float((excess**2).sum())
    for number in NUMBERS_OF_GROUPS:
        if math.comb(nodes - 1, number - 1) > MOST_PARTITIONS:
            return
        every = [one for one in combinations(range(1, nodes), number - 1) if _are_large(one, nodes)]
        if every:
            group_of = np.array([np.searchsorted(one, np.arange(nodes), side="right") for one in every])
            for waits in WAITS:
                explained = _explained(group_of, distances, excess, waits)
                best = int(np.argmax(explained))
                if explained[best] >= enough:
                    yield tuple(group_of[best].tolist())


def _are_large(boundaries: Boundaries, nodes: int) -> bool:
    ends = (0, *boundaries, nodes)
    return all(last - first >= SMALLEST for first, last in pairwise(ends))


def _explained(group_of: NDArray[np.intp], distances: Sequence[int], excess: Values, waits: str) -> Values:
    """By partition: the sum of squares of the differences that leaving a group explains."""
    total = np.zeros(len(group_of))
    for distance, row in zip(distances, excess, strict=True):
        received = np.roll(group_of, distance, axis=1) != group_of
        slow = received if waits == "receive" else received | np.roll(received, -distance, axis=1)
        leaves = slow.astype(np.float64)
        leaves -= leaves.mean(axis=1, keepdims=True)
        power, along = (leaves**2).sum(axis=1), np.maximum(leaves @ row, 0.0)
        total += np.divide(along**2, power, out=np.zeros_like(power), where=power > 0)
    return total


def _is_uneven(found: Tree) -> bool:
    sizes = found.shape
    return len(set(sizes)) > 1 and (len(sizes) > 2 or found.nodes % min(sizes) != 0)


def fitted(group_of: tuple[int, ...], speeds: Speeds) -> Fitted:
    """With the uplink, if possible of halves, under which fair shares are nearest to the bandwidths."""
    sizes = group_sizes(group_of)
    left = {uplink: _left(tree(group_of, uplink), speeds) for uplink in uplinks_of(max(sizes))}
    for _ in range(ROUNDS):
        known, best = sorted(left), min(left, key=lambda uplink: left[uplink])
        at = known.index(best)
        for neighbour in (*known[max(at - 1, 0) : at], *known[at + 1 : at + 2]):
            between = math.sqrt(best * neighbour)
            left[between] = _left(tree(group_of, between), speeds)
    whole = round(2.0 * min(left, key=lambda uplink: left[uplink])) / 2.0
    left[whole] = _left(tree(group_of, whole), speeds)
    best = min(left, key=lambda uplink: left[uplink])
    cost = math.log(math.comb(len(group_of) - 1, len(sizes) - 1)) + math.log(len(left))
    return Fitted(tree(group_of, best), cost, 0.5 * left[best] / MODEL_ERROR**2)


def _left(found: Tree, speeds: Speeds) -> float:
    """The sum of squares by which logarithms of bandwidths differ from fair shares; their unit is unknown."""
    deviations = (
        speeds.typical - np.log([share_at(found, d).of_ranks(waits) for d in speeds.distances])
        for waits in WAITS
    )
    return min(float(((one - one.mean()) ** 2).sum()) for one in deviations)
