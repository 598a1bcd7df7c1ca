"""Nodes under switches: one crossbar, leaf switches under a common top, groups linked in pairs."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from groma.interconnect.base import Cable, Interconnect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from groma.interconnect.base import Link


@dataclass(frozen=True)
class Crossbar(Interconnect):
    """Everybody is equally near, and nobody shares a link with others."""

    @property
    def kind(self) -> str:
        return "crossbar"

    def path(self, source: int, target: int) -> list[Link]:  # noqa: ARG002
        return []

    def hops(self) -> NDArray[np.float64]:
        return np.zeros((self.nodes, self.nodes))


@dataclass(frozen=True)
class Grouped(Interconnect):
    """`group_of[node]` is the group of a node. A link between groups carries `uplink`."""

    group_of: tuple[int, ...]
    uplink: float

    def path(self, source: int, target: int) -> list[Link]:
        here, there = self.group_of[source], self.group_of[target]
        return [] if here == there else self._between(here, there)

    @property
    def is_in_blocks(self) -> bool:
        """Whether the groups follow each other in the order of the nodes."""
        return list(self.group_of) == sorted(self.group_of)

    @abstractmethod
    def _between(self, here: int, there: int) -> list[Link]:
        """The links from one group to another."""

    def hops(self) -> NDArray[np.float64]:
        groups = np.array(self.group_of)
        apart: NDArray[np.float64] = (groups[:, None] != groups[None, :]).astype(np.float64)
        return apart

    def capacity(self, link: Link) -> float:
        return self.uplink if isinstance(link, tuple) and link[0] in {"up", "down", "between"} else 1.0


@dataclass(frozen=True)
class Tree(Grouped):
    """Leaf switches, each with one uplink to a common top that limits nobody."""

    @property
    def kind(self) -> str:
        return "tree"

    def _between(self, here: int, there: int) -> list[Link]:
        return [("up", here), ("down", there)]

    def cables(self) -> Iterator[Cable]:
        below: defaultdict[int, list[int]] = defaultdict(list)
        for node, group in enumerate(self.group_of):
            below[group].append(node)
        for group in sorted(below):
            yield Cable("uplink", tuple(below[group]), frozenset([("up", group), ("down", group)]))


@dataclass(frozen=True)
class LinkedGroups(Grouped):
    """Groups with one link between each pair of them, as those of a dragonfly."""

    @property
    def kind(self) -> str:
        return "groups"

    def _between(self, here: int, there: int) -> list[Link]:
        return [("between", here, there)]


def crossbar(nodes: int) -> Crossbar:
    return Crossbar(nodes, ())


def tree(group_of: tuple[int, ...], uplink: float = 1.0) -> Tree:
    """Leaf switches over these groups of nodes, each with an uplink that carries `uplink`."""
    return Tree(len(group_of), group_sizes(group_of), group_of, uplink)


def linked_groups(group_of: tuple[int, ...], link: float = 1.0) -> LinkedGroups:
    """These groups of nodes, each pair of them with a link that carries `link`."""
    return LinkedGroups(len(group_of), group_sizes(group_of), group_of, link)


def group_sizes(group_of: tuple[int, ...]) -> tuple[int, ...]:
    """Nodes of each group, in the order of the numbers of the groups."""
    nodes = Counter(group_of)
    return tuple(nodes[group] for group in sorted(nodes))


def in_blocks(nodes: int, size: int) -> tuple[int, ...]:
    """The group of each node where groups of one size follow each other."""
    return tuple(node // size for node in range(nodes))
