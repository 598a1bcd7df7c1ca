"""Rings and tori of nodes: neighbours, and the way a packet takes along them.

Nodes are numbered with the first coordinate running fastest. Packets go along one dimension after the other,
the first one first, the shorter way round; where both ways are as long, in the positive direction.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Shape = tuple[int, ...]
Link = tuple[int, int]
"""A link in one direction: the node that sends, the node that receives."""


def coordinates(shape: Shape, node: int) -> tuple[int, ...]:
    """Where a node is, one coordinate for each dimension."""
    found = []
    for length in shape:
        node, coordinate = divmod(node, length)
        found.append(coordinate)
    return tuple(found)


def node_at(shape: Shape, where: Sequence[int]) -> int:
    """The node at these coordinates, each taken modulo the length of its dimension."""
    node = 0
    for length, coordinate in zip(reversed(shape), reversed(where), strict=True):
        node = node * length + coordinate % length
    return node


def neighbour(shape: Shape, node: int, axis: int, step: int) -> int:
    """The node `step` (+1 or -1) further along dimension `axis`."""
    where = list(coordinates(shape, node))
    where[axis] += step
    return node_at(shape, where)


def cables(shape: Shape) -> list[Link]:
    """Every pair of neighbours once, the node whose positive direction it is first.

    Dimensions of length 2 have one cable for each pair, those of length 1 none.
    """
    return [
        (node, neighbour(shape, node, axis, 1))
        for axis, length in enumerate(shape)
        for node in range(math.prod(shape))
        if length > 2 or coordinates(shape, node)[axis] < length - 1
    ]


def next_hop(shape: Shape, node: int, target: int) -> int:
    """The neighbour that a packet for `target` goes to; the node itself where it has arrived."""
    here, there = coordinates(shape, node), coordinates(shape, target)
    for axis, length in enumerate(shape):
        if here[axis] != there[axis]:
            return neighbour(shape, node, axis, _step(length, here[axis], there[axis]))
    return node


def route(shape: Shape, source: int, target: int) -> list[Link]:
    """The links that a packet crosses."""
    return list(_hops(shape, source, target))


def _hops(shape: Shape, node: int, target: int) -> Iterator[Link]:
    stride = 1
    for length, here, there in zip(shape, coordinates(shape, node), coordinates(shape, target), strict=True):
        step = _step(length, here, there)
        for at in range(here, here + step * distance((length,), here, there), step):
            after = node + ((at + step) % length - at % length) * stride
            yield node, after
            node = after
        stride *= length


def _step(length: int, here: int, there: int) -> int:
    """The direction of the shorter way round one dimension, +1 or -1."""
    forward = (there - here) % length
    return 1 if forward <= length - forward else -1


def distance(shape: Shape, source: int, target: int) -> int:
    """Hops between two nodes."""
    pairs = zip(shape, coordinates(shape, source), coordinates(shape, target), strict=True)
    return sum(min((a - b) % length, (b - a) % length) for length, a, b in pairs)
