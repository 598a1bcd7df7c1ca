"""Hops between the nodes of networks that are no interconnect of groma."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def hops_of_dragonfly(groups: int, routers: int, nodes: int) -> Matrix:
    """One link between any two routers of a group and between any two groups."""

    def gateway(here: int, there: int) -> int:
        return ((there - here - 1) % groups) % routers

    def hops(one: int, other: int) -> int:
        (here, router), (there, its) = divmod(one // nodes, routers), divmod(other // nodes, routers)
        if here == there:
            return int(router != its)
        return 1 + (router != gateway(here, there)) + (its != gateway(there, here))

    every = range(groups * routers * nodes)
    return np.array([[hops(one, other) for other in every] for one in every], dtype=np.float64)


def hops_of_fat_tree(*arities: int) -> Matrix:
    """`arities` from the leaf switches upwards."""
    nodes = np.arange(int(np.prod(arities)))
    hops = np.zeros((len(nodes), len(nodes)))
    for arity in arities[:-1]:
        nodes = nodes // arity
        hops += 2.0 * (nodes[:, None] != nodes[None, :])
    return hops


def hops_of_complete_graphs(*extents: int) -> Matrix:
    """Every two nodes that differ in one coordinate are linked (HyperX)."""
    nodes = np.arange(int(np.prod(extents)))
    hops = np.zeros((len(nodes), len(nodes)))
    for extent in extents:
        nodes, along = np.divmod(nodes, extent)
        hops += along[:, None] != along[None, :]
    return hops


def hops_over_links(linked: NDArray[np.bool_]) -> Matrix:
    """The shortest way from node to node, over links."""
    hops = np.where(linked, 1.0, np.inf)
    np.fill_diagonal(hops, 0.0)
    for way in range(len(hops)):
        np.minimum(hops, hops[:, way, None] + hops[None, way], out=hops)
    return hops


def hops_of_random_graph(nodes: int, links_of_each: int, seed: int) -> Matrix:
    """A connected graph (Jellyfish); a few nodes have fewer links."""
    random, hops = np.random.default_rng(seed), np.full((1, 1), np.inf)
    while not np.isfinite(hops).all():
        ends = random.permutation(np.repeat(np.arange(nodes), links_of_each)).reshape(-1, 2)
        linked = np.zeros((nodes, nodes), dtype=bool)
        linked[ends[:, 0], ends[:, 1]] = linked[ends[:, 1], ends[:, 0]] = True
        hops = hops_over_links(linked)
    return hops


def hops_of_slim_fly(prime: int) -> Matrix:
    """Two halves of as many groups of as many routers (McKay, Miller and Siran), for a prime 4 w + 1 that has
    2 as a primitive root.
    """
    powers = [pow(2, i, prime) for i in range(prime - 1)]
    half, group, router = (one.ravel() for one in np.indices((2, prime, prime)))
    apart = (router[:, None] - router[None, :]) % prime
    together = (half[:, None] == half[None, :]) & (group[:, None] == group[None, :])
    even, odd = (np.isin(apart, powers[first::2]) for first in (0, 1))
    within = together & np.where(half[:, None] == 0, even, odd)
    across = (half[:, None] < half[None, :]) & (apart == group[:, None] * group[None, :] % prime)
    return hops_over_links(within | across | across.T)


def hops_of_groups(sizes: tuple[int, ...], ways_out: tuple[float, ...]) -> Matrix:
    """Groups one after the other: between two of them lie the ways out of both."""
    group_of = np.repeat(np.arange(len(sizes)), sizes)
    ways = np.array(ways_out)[group_of]
    return np.asarray((group_of[:, None] != group_of[None, :]) * (ways[:, None] + ways[None, :]))


def hops_of_racks_in_a_row(racks: int, nodes: int, per_rack: float) -> Matrix:
    """Two hops between racks, and the way along the row."""
    rack_of = np.repeat(np.arange(racks), nodes)
    distance = np.abs(rack_of[:, None] - rack_of[None, :])
    return np.where(distance > 0, 2.0 + per_rack * distance, 0.0)


def at_routers(hops: Matrix, nodes: int) -> Matrix:
    """As many nodes at each router."""
    return np.repeat(np.repeat(hops, nodes, axis=0), nodes, axis=1)
