"""Trees whose uplinks limit at two levels, from bandwidths (docs/network/topology.md).

No kind of `NetworkTopology` describes what limits them. Without them a tree of other groups would explain
most: four groups of 9 the bandwidths of six groups of 6 in two pods.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.interconnect.base import Interconnect
from groma.interconnect.switched import in_blocks
from groma.survey.infer.network.candidates import uplinks_of
from groma.survey.infer.network.likelihoods import of_ratios

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from groma.interconnect.base import Link
    from groma.survey.infer.network.likelihoods import Ratio

SMALLEST = 2
"""Nodes of a leaf switch."""


@dataclass(frozen=True)
class Level:
    """The group of each node, and what the uplink of a group carries."""

    group_of: tuple[int, ...]
    uplink: float


@dataclass(frozen=True)
class TaperedTwice(Interconnect):
    """Leaf switches under pods, the pods under a common top that limits nobody."""

    leaves: Level
    pods: Level

    @property
    def kind(self) -> str:
        return "tree"

    def path(self, source: int, target: int) -> list[Link]:
        return [
            (way, height, level.group_of[node])
            for height, level in enumerate((self.leaves, self.pods))
            if level.group_of[source] != level.group_of[target]
            for way, node in (("up", source), ("down", target))
        ]

    def hops(self) -> NDArray[np.float64]:
        groups = [np.array(level.group_of) for level in (self.leaves, self.pods)]
        apart = [one[:, None] != one[None, :] for one in groups]
        found: NDArray[np.float64] = np.sum(apart, axis=0, dtype=np.float64)
        return found

    def capacity(self, link: Link) -> float:
        if isinstance(link, tuple) and link[0] in {"up", "down"}:
            return (self.leaves, self.pods)[link[1]].uplink
        return 1.0


class Fitted(NamedTuple):
    """The tree that suits best, and the nats for choosing it."""

    tree: TaperedTwice
    cost: float


def tapered_twice(nodes: int, ratios: Sequence[Ratio]) -> Fitted | None:
    """Of equal groups in rank order the ones that suit the ratios best; None where no such groups exist."""
    found = max(_trees(nodes), key=lambda one: of_ratios(one, ratios), default=None)
    return None if found is None else Fitted(found, 2.0 * math.log(_levels(nodes)))


def _levels(nodes: int) -> int:
    """Among how many each of both levels is chosen."""
    return sum(len(uplinks_of(size)) for size in _divisors(nodes, SMALLEST, nodes // 2))


def _trees(nodes: int) -> Iterator[TaperedTwice]:
    """Every size of leaf switches and of pods, with every capacity that makes a difference."""
    for leaf, pod in _sizes(nodes):
        for of_leaf, of_pod in product(uplinks_of(leaf), uplinks_of(pod)):
            leaves, pods = Level(in_blocks(nodes, leaf), of_leaf), Level(in_blocks(nodes, pod), of_pod)
            if of_pod < of_leaf * pod / leaf:
                yield TaperedTwice(nodes, (), leaves, pods)


def _sizes(nodes: int) -> Iterator[tuple[int, int]]:
    """Nodes of a leaf switch and of a pod of several."""
    for pod in _divisors(nodes, 2 * SMALLEST, nodes // 2):
        yield from ((leaf, pod) for leaf in _divisors(pod, SMALLEST, pod // 2))


def _divisors(number: int, least: int, most: int) -> list[int]:
    return [one for one in range(least, most + 1) if number % one == 0]
