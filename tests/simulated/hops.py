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
