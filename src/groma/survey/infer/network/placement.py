"""Nodes in any order laid on the sites of a lattice, so that its hops explain the latencies best.

Latencies and hops, each less the effects of nodes, are symmetric matrices R and H. The search is for the
order of the nodes with the largest sum of R times H: a quadratic assignment (Koopmans and Beckmann, 1957).
One node after the other is laid on the site where it fits those laid before; then pairs change places as long
as that helps. No single latency decides, so noise does not break the lattice. Eigenvalues bound the sum from
above (Finke, Burkard and Rendl, 1987), which saves most searches.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]
    Order = NDArray[np.intp]

STARTS = 12
"""First nodes that are tried; most lattices are found from every second one."""
ENOUGH = 0.98
"""Of what eigenvalues allow: no other start reaches more than noise."""
NOISE_MEDIAN = 0.404
"""Of the eigenvalues of symmetric noise: the median over the largest (Wigner's semicircle)."""
ABOVE_NOISE = 1.1
"""Eigenvalues that exceed those of noise by this are structure."""
MOST_CHANGES = 4
"""For each node, so that rounding never makes the search endless."""
ALIKE = 1e-9


class Placement(NamedTuple):
    """The site of each node, and the sum of products that it reaches."""

    sites: Order
    reached: float


class Measured:
    """Latencies less the effects of nodes, with what all lattices are compared with."""

    def __init__(self, rest: Matrix) -> None:
        self.rest = rest
        self.values, self._vectors = np.linalg.eigh(rest)
        self.power = float((rest**2).sum())

    def most(self, hops: Matrix) -> float:
        """No order of the nodes reaches a larger sum with these hops (less the effects of nodes)."""
        return float(self.values @ np.linalg.eigvalsh(hops))

    def placed(self, hops: Matrix) -> Placement:
        """The best order that was found."""
        most = self.most(hops)
        step = most / float((hops**2).sum())
        best = Placement(np.arange(len(hops)), -math.inf)
        for guide, node in self.starts():
            found = _improved(self.rest, hops, laid(guide, step * hops, node))
            best = max(best, found, key=lambda one: one.reached)
            if best.reached >= ENOUGH * most:
                break
        return best

    def starts(self) -> Iterator[tuple[Matrix, int]]:
        """Nodes that differ most from a mean one first: they lie in the corners of a mesh."""
        clean = self._clean()
        nodes = np.argsort(-(clean**2).sum(axis=1), kind="stable")
        chosen = np.unique(np.linspace(0, len(nodes) - 1, min(STARTS, len(nodes))).round().astype(int))
        for node in nodes[chosen].tolist():
            if clean.any():
                yield clean, node
            yield self.rest, node

    def _clean(self) -> Matrix:
        """The part of the latencies whose eigenvalues noise does not reach."""
        sizes = np.abs(self.values)
        kept = sizes > ABOVE_NOISE * float(np.median(sizes)) / NOISE_MEDIAN
        vectors = self._vectors[:, kept]
        return np.asarray((vectors * self.values[kept]) @ vectors.T, dtype=np.float64)


def laid(guide: Matrix, expected: Matrix, first: int) -> Order:
    """The first node on site 0, then always that node on that free site which deviate least.

    There may be more sites than nodes.
    """
    nodes, every = len(guide), len(expected)
    sites = np.full(nodes, -1, dtype=np.intp)
    cost = np.zeros((nodes, every))
    node, site = first, 0
    for _ in range(nodes):
        sites[node] = site
        cost += (guide[:, [node]] - expected[[site], :]) ** 2
        cost[node, :] = cost[:, site] = np.inf
        node, site = divmod(int(np.argmin(cost)), every)
    return sites


def _improved(rest: Matrix, hops: Matrix, sites: Order) -> Placement:
    """The two nodes change places that gain most, until none gain."""
    sites = sites.copy()
    steps = hops[np.ix_(sites, sites)]
    products = rest @ steps
    for _ in range(MOST_CHANGES * len(rest)):
        own = np.diag(products)
        gains = products + products.T - own[:, None] - own[None, :] + 2.0 * rest * steps
        pair = list(divmod(int(np.argmax(gains)), len(rest)))
        if gains[pair[0], pair[1]] <= ALIKE * float(np.abs(own).sum()):
            break
        _change_places(pair, rest, steps, products)
        sites[pair] = sites[pair[::-1]]
    return Placement(sites, float((rest * steps).sum()))


def _change_places(pair: list[int], rest: Matrix, steps: Matrix, products: Matrix) -> None:
    """Brings the hops between all nodes, and their products with the latencies, up to date."""
    turned = pair[::-1]
    products[:, pair] = products[:, turned]
    steps[:, pair] = steps[:, turned]
    products += rest[:, pair] @ (steps[turned] - steps[pair])
    steps[pair] = steps[turned]
