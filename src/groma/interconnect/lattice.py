"""Rings, tori and meshes: coordinates, neighbours, and the way a packet takes along the dimensions.

Nodes are numbered with the first coordinate running fastest. Packets go along one dimension after the other,
the first one first, the shorter way round; where both ways are as long, in the positive direction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from groma.interconnect.base import Cable, Interconnect

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from groma.interconnect.base import Link

Shape = tuple[int, ...]
Hop = tuple[int, int]
"""A link in one direction: the node that sends, the node that receives."""


def coordinates(shape: Shape, node: int) -> tuple[int, ...]:
    """Where a node is, one coordinate for each dimension."""
    found = []
    for extent in shape:
        node, coordinate = divmod(node, extent)
        found.append(coordinate)
    return tuple(found)


def node_at(shape: Shape, where: Sequence[int]) -> int:
    """The node at these coordinates, each taken modulo the extent of its dimension."""
    node = 0
    for extent, coordinate in zip(reversed(shape), reversed(where), strict=True):
        node = node * extent + coordinate % extent
    return node


@dataclass(frozen=True)
class Lattice(Interconnect):
    """A mesh, or a torus where its dimensions are closed to rings."""

    closed: bool

    @property
    def kind(self) -> str:
        if not self.closed:
            return "mesh"
        return "ring" if len(self.shape) == 1 else "torus"

    def path(self, source: int, target: int) -> list[Link]:
        return list(self.steps(source, target))

    def steps(self, source: int, target: int) -> Iterator[Hop]:
        """The path hop by hop."""
        node, stride = source, 1
        ends = zip(self.shape, coordinates(self.shape, source), coordinates(self.shape, target), strict=True)
        for extent, here, there in ends:
            step = self._direction(extent, here, there)
            for at in range(here, here + step * self._apart(extent, here, there), step):
                after = node + ((at + step) % extent - at % extent) * stride
                yield node, after
                node = after
            stride *= extent

    def next_hop(self, node: int, target: int) -> int:
        """The neighbour that a packet for `target` goes to; the node itself where it has arrived."""
        return next((after for _, after in self.steps(node, target)), node)

    def distance(self, source: int, target: int) -> int:
        """Hops between two nodes."""
        ends = zip(self.shape, coordinates(self.shape, source), coordinates(self.shape, target), strict=True)
        return sum(self._apart(extent, here, there) for extent, here, there in ends)

    def _apart(self, extent: int, here: int, there: int) -> int:
        if not self.closed:
            return abs(there - here)
        return min((there - here) % extent, (here - there) % extent)

    def _direction(self, extent: int, here: int, there: int) -> int:
        """The direction of the shorter way along one dimension, +1 or -1."""
        if not self.closed:
            return 1 if there >= here else -1
        forward = (there - here) % extent
        return 1 if forward <= extent - forward else -1

    def hops(self) -> NDArray[np.float64]:
        where = np.array([coordinates(self.shape, node) for node in range(self.nodes)])
        steps = np.zeros((self.nodes, self.nodes))
        for places, extent in zip(where.T, self.shape, strict=True):
            along = np.abs(places[:, None] - places[None, :])
            steps += np.minimum(along, extent - along) if self.closed else along
        return steps

    def neighbour(self, node: int, axis: int) -> int | None:
        """The node one further on along dimension `axis`; None beyond the edge of a mesh, or in extent 1."""
        where = list(coordinates(self.shape, node))
        where[axis] += 1
        is_beyond = where[axis] == self.shape[axis] and not self.closed
        return None if is_beyond or self.shape[axis] == 1 else node_at(self.shape, where)

    def neighbours(self) -> list[Hop]:
        """Every pair of neighbours once, the node whose positive direction it is first.

        A closed dimension of extent 2 has one cable for each pair.
        """
        return [
            (node, other)
            for axis, extent in enumerate(self.shape)
            for node in range(self.nodes)
            if (other := self.neighbour(node, axis)) is not None
            if extent > 2 or coordinates(self.shape, node)[axis] == 0
        ]

    def cables(self) -> Iterator[Cable]:
        for one, other in self.neighbours():
            yield Cable("link", (one, other), frozenset([(one, other), (other, one)]))


def torus(*extents: int) -> Lattice:
    """A torus of these extents; a ring for one."""
    return Lattice(math.prod(extents), extents, closed=True)


def mesh(*extents: int) -> Lattice:
    """A mesh of these extents."""
    return Lattice(math.prod(extents), extents, closed=False)


def symmetries(lattice: Lattice) -> int:
    """Orders of the nodes that leave all hops as they are: dimensions turned round, shifted, exchanged.

    A closed dimension of extent 4 is two of extent 2.
    """
    extents = [extent for extent in lattice.shape if extent > 1]
    if lattice.closed:
        halves = 2 * extents.count(4)
        extents = [extent for extent in extents if extent != 4] + [2] * halves
    of_each = [2 * extent if lattice.closed and extent > 2 else 2 for extent in extents]
    exchanged = [math.factorial(extents.count(extent)) for extent in set(extents)]
    return math.prod(of_each) * math.prod(exchanged)
