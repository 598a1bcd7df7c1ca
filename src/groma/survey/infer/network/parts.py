"""Nodes in any order on a part of a lattice that has more sites than they are: a job on a part of a machine.

As in `placement`, nodes change places, here with empty sites as well. Nodes that move apart make all hops
longer, so that the products of latencies and hops do not say which sites suit: what the hops leave of the
latencies (least squares) does.
"""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.interconnect.lattice import mesh, symmetries, torus
from groma.interconnect.shapes import lattice_shapes
from groma.survey.infer.network.arrangements import Arrangement, own_hops, tell_an_order
from groma.survey.infer.network.placement import Measured, laid
from groma.survey.infer.network.unnamed import stands_for_dimensions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from groma.interconnect.lattice import Lattice
    from groma.survey.infer.network.likelihoods import Latencies

    Matrix = NDArray[np.float64]
    Order = NDArray[np.intp]

MOST_SITES = 2.2
"""For each node."""
MOST_ELONGATED = 2
"""The longest dimension over the shortest: a lattice of nearly the same shape explains nearly as much."""
MOST_SEARCHED = 1024
"""Lattices times nodes: some seconds for 128 nodes, and nearly all for 20."""
FIRST_STARTS = 2
"""On each lattice: enough to see which ones explain most."""
SEARCHED_AGAIN = 2
"""Lattices that explain most."""
STARTS = 8
"""On these. From two, a third of the parts of a torus of 8x8 were not found, from eight hardly any."""
ENOUGH = 0.9
"""Explained: no other start reaches more than noise."""
MOST_CHANGES = 4
"""For each node, so that rounding never makes the search endless."""
ALIKE = 1e-9


class Part(NamedTuple):
    """The site of each node, and the share of the latencies that the hops between these sites explain, as if
    effects of nodes were those of the whole lattice.
    """

    sites: Order
    explained: float


def parts_of_lattices(latencies: Latencies) -> Iterator[Arrangement]:
    """The part that explains most, less what describing it costs; of many lattices some are searched."""
    nodes = len(latencies.between)
    lattices = list(larger_lattices(nodes)) if tell_an_order(latencies) else []
    if not lattices:
        return
    measured = Measured(latencies.effects.as_matrix(latencies.rest))
    count = min(len(lattices), max(1, MOST_SEARCHED // nodes))
    chosen = [lattices[i] for i in np.linspace(0, len(lattices) - 1, count).round().astype(int)]

    def part(lattice: Lattice, starts: int) -> Arrangement:
        return _arrangement(
            placed_on_part(measured, own_hops(lattice.hops()), starts), lattice, math.log(count)
        )

    def worth(found: Arrangement) -> float:
        return latencies.explained_by(found.hops).gain - found.cost

    best = sorted(chosen, key=lambda lattice: worth(part(lattice, FIRST_STARTS)), reverse=True)
    yield max((part(lattice, STARTS) for lattice in best[:SEARCHED_AGAIN]), key=worth)


def larger_lattices(nodes: int) -> Iterator[Lattice]:
    """With at least an eighth more sites, by the number of sites."""
    for sites in range(nodes + max(1, nodes // 8), round(MOST_SITES * nodes) + 1):
        for shape in lattice_shapes(sites):
            is_even = len(shape) > 1 and shape[-1] <= MOST_ELONGATED * shape[0]
            if is_even and stands_for_dimensions(shape):
                yield from (torus(*shape), mesh(*shape))


def _arrangement(part: Part, lattice: Lattice, choice: float) -> Arrangement:
    hops, sites, nodes = lattice.hops(), part.sites, len(part.sites)
    choices = math.lgamma(len(hops) + 1) - math.lgamma(len(hops) - nodes + 1)
    cost = choices + choice - math.log(symmetries(lattice))
    return Arrangement(None, hops[np.ix_(sites, sites)], cost, tuple(sites.tolist()))


def placed_on_part(measured: Measured, hops: Matrix, starts: int = STARTS) -> Part:
    """The best sites that were found; `hops` are less the effects of sites."""
    nodes = len(measured.rest)
    power = float((hops**2).sum()) * (nodes / len(hops)) ** 2
    step = math.sqrt(measured.power / power)
    best = Part(np.arange(nodes), 0.0)
    for guide, node in islice(measured.starts(), starts):
        found = _improved(measured, hops, laid(guide, step * hops, node))
        best = max(best, found, key=lambda one: one.explained)
        if best.explained >= ENOUGH:
            break
    return best


def _improved(measured: Measured, hops: Matrix, first: Order) -> Part:
    """A node and what is on another site, a node or none, change places as long as less is left then."""
    sites = np.concatenate([first, np.setdiff1d(np.arange(len(hops)), first)])
    nodes, rest = len(first), np.pad(measured.rest, (0, len(hops) - len(first)))
    for _ in range(MOST_CHANGES * nodes):
        steps = hops[np.ix_(sites, sites)]
        gains = _gains(rest[:nodes], steps, nodes)
        node, other = divmod(int(np.argmax(gains)), len(hops))
        if gains[node, other] <= ALIKE * measured.power:
            break
        sites[[node, other]] = sites[[other, node]]
    occupied = hops[np.ix_(sites[:nodes], sites[:nodes])]
    product = float((measured.rest * occupied).sum())
    power = float((occupied**2).sum()) * measured.power
    return Part(sites[:nodes], product * abs(product) / power if power > 0 else 0.0)


def _gains(rest: Matrix, steps: Matrix, nodes: int) -> Matrix:
    """Half of what each change of places of a node (row) with another one or an empty site (column) takes off
    the sum of squares that the hops leave, over the step of a hop.
    """
    products = rest @ steps
    own = np.einsum("ij,ij->i", rest, steps[:nodes])
    of_others = np.concatenate([own, np.zeros(len(steps) - nodes)])
    back = np.zeros_like(products)
    back[:, :nodes] = products[:, :nodes].T
    gains = products + back - own[:, None] - of_others[None, :] + 2.0 * rest * steps[:nodes]
    squares = steps[:, :nodes] ** 2
    longer = squares.sum(axis=1)
    empty = slice(nodes, None)
    whole = float(longer[:nodes].sum())
    step = float(own.sum()) / whole if whole > 0 else 0.0
    gains[:, empty] -= 0.5 * step * (longer[None, empty] - squares[empty].T - longer[:nodes, None])
    return np.asarray(gains)
