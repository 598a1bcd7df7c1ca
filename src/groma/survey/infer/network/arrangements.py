"""Interconnects read from latencies between all nodes, whatever order the nodes are in."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.interconnect.lattice import symmetries
from groma.interconnect.switched import tree
from groma.stats.linkage import partitions
from groma.survey.infer.network.likelihoods import NodeEffects
from groma.survey.infer.network.placement import Measured

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from groma.interconnect.base import Interconnect
    from groma.interconnect.lattice import Lattice
    from groma.survey.infer.network.likelihoods import Latencies

    Matrix = NDArray[np.float64]

FEWEST_NODES = 4
MOST_NODES = 128
"""Finding groups takes the cube of the nodes, and so does every change of places on a lattice."""


LEAST_KNOWN = 0.5
"""Share of all pairs; what is not known counts as the mean."""
MOST_SEARCHED = 512
"""Lattices times their nodes: a second or two for 128 nodes, and all that promise enough for 16."""


class Arrangement(NamedTuple):
    """An interconnect, the hops between nodes in any order, the cost of describing that order (nats)."""

    interconnect: Interconnect
    hops: Matrix
    cost: float


def groups_in(latencies: Latencies) -> Iterator[Arrangement]:
    """Trees over every partition that average linkage makes of the latencies less the effects of nodes."""
    nodes = len(latencies.between)
    if not _tell_an_order(latencies):
        return
    distances = latencies.effects.as_matrix(latencies.rest - latencies.rest.min())
    unknown = ~np.isfinite(latencies.between) & ~np.eye(nodes, dtype=bool)
    for partition in partitions(np.where(unknown, -latencies.rest.min(), distances)):
        if len(partition) > nodes // 2:
            return
        group_of = tuple(
            next(g for g, members in enumerate(partition) if node in members) for node in range(nodes)
        )
        found = tree(group_of)
        yield Arrangement(found, found.hops(), nodes * math.log(len(partition)))


def lattices_in(
    latencies: Latencies, lattices: Iterable[tuple[Lattice, Matrix]], least: float
) -> Iterator[Arrangement]:
    """These lattices with their hops, in the order that suits the latencies best.

    `least` is the gain less cost that another explanation has: what cannot exceed it is not searched.
    """
    if not _tell_an_order(latencies):
        return
    measured = Measured(latencies.effects.as_matrix(latencies.rest))
    promising = _by_promise(latencies, lattices, measured)
    choices = math.lgamma(len(latencies.between) + 1) + math.log(max(len(promising), 1))
    for promise, lattice, steps in promising[: MOST_SEARCHED // len(latencies.between)]:
        cost = choices - math.log(symmetries(lattice))
        if promise - cost <= least:
            continue
        sites = measured.placed(_own(steps)).sites
        found = Arrangement(lattice, steps[np.ix_(sites, sites)], cost)
        least = max(least, latencies.explained_by(found.hops).gain - cost)
        yield found


def _tell_an_order(latencies: Latencies) -> bool:
    """Whether enough pairs were measured, of nodes that are not too many."""
    nodes = len(latencies.between)
    return FEWEST_NODES <= nodes <= MOST_NODES and latencies.known >= LEAST_KNOWN


def _by_promise(
    latencies: Latencies, lattices: Iterable[tuple[Lattice, Matrix]], measured: Measured
) -> list[tuple[float, Lattice, Matrix]]:
    """What each lattice explains in the best order that eigenvalues allow, the most first."""
    promises = [(_most_gain(latencies, measured, _own(steps)), lattice, steps) for lattice, steps in lattices]
    return sorted(promises, key=lambda one: -one[0])


def _own(steps: Matrix) -> Matrix:
    """Hops less the effects of nodes."""
    effects = NodeEffects(steps)
    return effects.as_matrix(effects.left_of(steps))


def _most_gain(latencies: Latencies, measured: Measured, own: Matrix) -> float:
    power = latencies.known * float((own**2).sum())
    if power <= 0 or measured.power <= 0:
        return 0.0
    explained = min(1.0, measured.most(own) ** 2 / (power * measured.power))
    return latencies.gain_of((1.0 - explained) * float(latencies.rest @ latencies.rest))
