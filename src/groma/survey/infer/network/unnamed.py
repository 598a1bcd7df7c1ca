"""Structures that occur, but that no kind of `NetworkTopology` describes.

What they explain has no known kind. Without them the nearest known kind would explain most of it: a ring of
12 nodes the latencies of a ring of six routers with two nodes each.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from groma.interconnect.lattice import coordinates, mesh, symmetries, torus
from groma.interconnect.shapes import lattice_shapes
from groma.survey.infer.network.arrangements import Layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from groma.interconnect.lattice import Shape

    Matrix = NDArray[np.float64]

FEWEST_LEVELS = 2
"""Hops between routers: where all are one apart, the structure is a tree of one level, or a crossbar."""
LARGEST_CLOSED = 3
"""Extent up to which all nodes of a ring are neighbours."""


def unnamed_layouts(nodes: int) -> Iterator[Layout]:
    """Lattices of routers with several nodes each, and complete graphs in several dimensions (HyperX), in the
    order of the nodes.
    """
    for at_a_router in range(1, nodes // 2 + 1):
        if nodes % at_a_router == 0:
            for shape in lattice_shapes(nodes // at_a_router):
                yield from _over(shape, at_a_router)


def stands_for_dimensions(shape: Sequence[int]) -> bool:
    """Whether it is the one of all shapes that differ in the order of their dimensions only."""
    return list(shape) == sorted(shape)


def _over(shape: Shape, at_a_router: int) -> Iterator[Layout]:
    """The layouts whose routers have this shape."""
    if at_a_router > 1:
        for lattice in (torus(*shape), mesh(*shape)):
            hops = lattice.hops()
            if hops.max() >= FEWEST_LEVELS and (lattice.closed or max(shape) > 2):
                yield _with_nodes(shape, hops, at_a_router, math.log(symmetries(lattice)))
    if len(shape) > 1 and max(shape) > LARGEST_CLOSED:
        of_dimensions = sum(math.lgamma(extent + 1) for extent in shape)
        exchanged = sum(math.lgamma(shape.count(extent) + 1) for extent in set(shape))
        yield _with_nodes(shape, _differing(shape), at_a_router, of_dimensions + exchanged)


def _with_nodes(shape: Shape, of_routers: Matrix, at_each: int, log_symmetries: float) -> Layout:
    hops: Matrix = np.kron(of_routers, np.ones((at_each, at_each))).astype(np.float64)
    return Layout(None, hops, log_symmetries + len(of_routers) * math.lgamma(at_each + 1), shape)


def _differing(shape: Shape) -> Matrix:
    """Coordinates in which two routers differ."""
    where = np.array([coordinates(shape, router) for router in range(math.prod(shape))])
    return np.asarray((where[:, None] != where[None, :]).sum(axis=-1), dtype=np.float64)
