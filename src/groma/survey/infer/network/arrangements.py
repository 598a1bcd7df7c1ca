"""Interconnects read from a matrix of latencies, whatever order the nodes are in."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.interconnect.lattice import torus
from groma.interconnect.shapes import lattice_shapes
from groma.interconnect.switched import tree
from groma.stats.linkage import partitions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from groma.interconnect.base import Interconnect

    Matrix = NDArray[np.float64]

MOST_NODES = 128
"""Finding groups takes the cube of the nodes."""


class Arrangement(NamedTuple):
    """An interconnect, the hops between nodes in any order, the cost of describing that order (nats)."""

    interconnect: Interconnect
    hops: Matrix
    cost: float


def arrangements(latencies: Matrix) -> Iterator[Arrangement]:
    """Groups, rings and tori that the matrix suggests; none where pairs are missing or nodes too many."""
    nodes = len(latencies)
    off_diagonal = latencies[~np.eye(nodes, dtype=bool)]
    if nodes < 4 or nodes > MOST_NODES or not np.isfinite(off_diagonal).all():
        return
    filled = np.where(np.eye(nodes, dtype=bool), 0.0, latencies)
    yield from _groups(filled)
    yield from _lattices(filled)


def _groups(latencies: Matrix) -> Iterator[Arrangement]:
    nodes = len(latencies)
    for partition in partitions(latencies):
        if len(partition) > nodes // 2:
            return
        group_of = tuple(
            next(g for g, members in enumerate(partition) if node in members) for node in range(nodes)
        )
        found = tree(group_of)
        yield Arrangement(found, found.hops(), nodes * math.log(len(partition)))


def _lattices(latencies: Matrix) -> Iterator[Arrangement]:
    """Rings and tori whose links are the fastest pairs."""
    nodes = len(latencies)
    for degree in sorted({_degree(shape) for shape in lattice_shapes(nodes)}):
        steps = _steps(_neighbours(latencies, degree))
        if steps is None:
            continue
        for shape in lattice_shapes(nodes):
            if list(shape) == sorted(shape) and _alike(steps, shape):
                yield Arrangement(torus(*shape), steps, math.lgamma(nodes))
                break  # 2 x 2 is a ring of 4: the shape of fewest dimensions stands for all


def _degree(shape: tuple[int, ...]) -> int:
    return sum(1 if extent == 2 else 2 for extent in shape)


def _neighbours(latencies: Matrix, degree: int) -> NDArray[np.bool_]:
    """As many of the fastest pairs as a lattice of that degree has links."""
    nodes = len(latencies)
    upper = np.triu_indices(nodes, 1)
    fastest = np.argsort(latencies[upper], kind="stable")[: nodes * degree // 2]
    linked = np.zeros((nodes, nodes), dtype=bool)
    linked[upper[0][fastest], upper[1][fastest]] = True
    both: NDArray[np.bool_] = linked | linked.T
    return both


def _steps(linked: NDArray[np.bool_]) -> Matrix | None:
    """Links on the shortest way between all nodes; None where some cannot be reached."""
    nodes = len(linked)
    steps = np.full((nodes, nodes), np.inf)
    reached = np.eye(nodes, dtype=bool)
    for step in range(nodes):
        steps[reached & np.isinf(steps)] = step
        further = reached | (reached @ linked)
        if (further == reached).all():
            break
        reached = further
    return steps if np.isfinite(steps).all() else None


def _alike(steps: Matrix, shape: tuple[int, ...]) -> bool:
    """Whether every node has as many others at each number of steps as in a torus of this shape."""
    wanted = np.sort(torus(*shape).hops()[0])
    return bool((np.sort(steps, axis=1) == wanted).all())
