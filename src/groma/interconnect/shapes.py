"""Extents that a lattice of a number of nodes may have, and what follows from them."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.interconnect.lattice import Shape

MOST_DIMENSIONS = 3


def lattice_shapes(nodes: int, dimensions: int = MOST_DIMENSIONS) -> Iterator[Shape]:
    """The line first, then every ordered factorisation into extents of at least 2; none below 3 nodes."""
    if nodes < 3:
        return
    yield (nodes,)
    for extents in range(2, dimensions + 1):
        yield from _factorisations(nodes, extents)


def _factorisations(number: int, parts: int) -> Iterator[Shape]:
    if parts == 1:
        if number >= 2:
            yield (number,)
        return
    for first in range(2, number // 2 + 1):
        if number % first == 0:
            yield from ((first, *rest) for rest in _factorisations(number // first, parts - 1))


@functools.cache
def cubic_shape(nodes: int, dimensions: int) -> Shape:
    """Extents in ascending order: of all that multiply to `nodes` those nearest to a cube.

    These have the smallest sum. Powers of two give 4x4x4, 4x4x8, 4x8x8, 8x8x8 …
    """
    if dimensions == 1:
        return (nodes,)
    shapes = (
        tuple(sorted((first, *cubic_shape(nodes // first, dimensions - 1)))) for first in _divisors(nodes)
    )
    return min(shapes, key=lambda shape: (sum(shape), shape[-1]))


def _divisors(number: int) -> list[int]:
    low = [one for one in range(1, math.isqrt(number) + 1) if number % one == 0]
    return sorted({*low, *(number // one for one in low)})


def bisection_links(shape: Shape) -> int:
    """Links of a torus in one direction through a cut that halves the longest dimension; a ring is cut twice.

    0 where there is one node only.
    """
    longest = max(shape)
    return 2 * math.prod(shape) // longest if longest > 1 else 0
