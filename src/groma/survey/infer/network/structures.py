"""Structures that a network may have: who is far from whom, what simultaneous messages leave each other.

A structure is data: hops between all nodes, and for each pair of nodes the links that a message crosses.
Capacities are in units of the link of a node.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.record.network import structure_title
from groma.stats import torus
from groma.stats.flows import link_loads, max_min_shares, shifted

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from numpy.typing import NDArray

RING, TORUS, TREE, GROUPS, CROSSBAR, UNKNOWN = "ring", "torus", "tree", "groups", "crossbar", "unknown"

MOST_DIMENSIONS = 3
_ENDS = ("out", "in")
"""The links of the two nodes to the network belong to every message."""


@dataclass(frozen=True)
class Structure:
    """`shape` holds the extents of a ring or torus, or the sizes of the groups of a tree or of linked groups.

    `group_of[node]` is the group of a node, empty where there are none. A link between groups (that of a
    group to the top of a tree, that between two linked groups) carries `uplink`.
    """

    kind: str
    nodes: int
    shape: tuple[int, ...]
    group_of: tuple[int, ...] = ()
    uplink: float = 1.0

    @property
    def name(self) -> tuple[str, tuple[int, ...]]:
        """What structures that differ in capacities only have in common."""
        return self.kind, self.shape

    @property
    def title(self) -> str:
        """As a reader knows it: "torus 4x4"."""
        return structure_title(self.kind, self.shape)


WAITS = ("receive", "both")
"""What the time of a rank is: until its message has come, or until the one that it sends has gone as well.

Where a send ends as soon as the message lies in buffers of the system, only the receive counts.
"""


class Share(NamedTuple):
    """At one distance: share of the message that each rank sends, mean hops, messages on the busiest link."""

    distance: int
    sent: NDArray[np.float64]
    hops: float
    busiest: int

    def of_ranks(self, waits: str) -> NDArray[np.float64]:
        """Bandwidth of each rank until that is done for which it waits."""
        received = np.roll(self.sent, self.distance)
        return received if waits == "receive" else np.minimum(self.sent, received)


def route(structure: Structure, source: int, target: int) -> list[Hashable]:
    """The links of a message, with those of the two nodes to the network."""
    out, into = _ENDS
    return [(out, source), *_inner(structure, source, target), (into, target)]


def _inner(structure: Structure, source: int, target: int) -> list[Hashable]:
    if structure.kind in {RING, TORUS}:
        return list(torus.route(structure.shape, source, target))
    if structure.kind == CROSSBAR or structure.group_of[source] == structure.group_of[target]:
        return []
    here, there = structure.group_of[source], structure.group_of[target]
    return [("up", here), ("down", there)] if structure.kind == TREE else [("between", here, there)]


def _capacity(structure: Structure, link: Hashable) -> float:
    between_groups = isinstance(link, tuple) and link[0] in {"up", "down", "between"}
    return structure.uplink if between_groups else 1.0


@lru_cache(maxsize=4096)
def routes_at(structure: Structure, distance: int) -> tuple[frozenset[Hashable], ...]:
    """The links of the message of each rank when all send to the one `distance` further on.

    For few nodes: they are kept, as many parts are suspected in turn, and a ring of 1024 takes gigabytes.
    """
    return tuple(frozenset(route(structure, *pair)) for pair in shifted(structure.nodes, distance))


@lru_cache(maxsize=4096)
def share_at(structure: Structure, distance: int) -> Share:
    """Max-min fair shares when every node sends to the one `distance` further on."""
    flows = [route(structure, *pair) for pair in shifted(structure.nodes, distance)]
    return Share(
        distance=distance,
        sent=_shares(structure, flows),
        hops=sum(map(len, flows)) / len(flows) - len(_ENDS),
        busiest=max(link_loads(flows).values()),
    )


def slowed_share_at(structure: Structure, distance: int, slow: frozenset[Hashable]) -> Share:
    """The same where the links in `slow` carry half of what they should."""
    flows = [tuple(flow) for flow in routes_at(structure, distance)]
    return share_at(structure, distance)._replace(sent=_shares(structure, flows, slow))


def _shares(
    structure: Structure, flows: Sequence[Sequence[Hashable]], slow: frozenset[Hashable] = frozenset()
) -> NDArray[np.float64]:
    capacities = {
        link: _capacity(structure, link) * (0.5 if link in slow else 1.0) for flow in flows for link in flow
    }
    return np.array(max_min_shares(flows, capacities))


def expected_ratio(structure: Structure, distance: int, waits: str = "both") -> float:
    """The ratDist of this distance: mean bandwidth of the ranks at distance 1 over that here."""
    reference, here = (share_at(structure, d).of_ranks(waits).mean() for d in (1, distance))
    return float(reference / here)


def crosses(structure: Structure, distance: int, cable: frozenset[Hashable], waits: str) -> NDArray[np.bool_]:
    """For each rank whether a message that it waits for takes a link of the cable."""
    sent = np.array([not cable.isdisjoint(flow) for flow in routes_at(structure, distance)])
    received: NDArray[np.bool_] = np.roll(sent, distance)
    return received if waits == "receive" else sent | received


def hops(structure: Structure) -> NDArray[np.float64]:
    """Links between switches or routers that a message crosses, for every pair of nodes."""
    if structure.kind in {RING, TORUS}:
        return _torus_hops(structure.shape)
    if structure.kind == CROSSBAR:
        return np.zeros((structure.nodes, structure.nodes))
    groups = np.array(structure.group_of)
    apart: NDArray[np.float64] = (groups[:, None] != groups[None, :]).astype(np.float64)
    return apart


def _torus_hops(shape: Sequence[int]) -> NDArray[np.float64]:
    where = np.array([torus.coordinates(tuple(shape), node) for node in range(math.prod(shape))])
    steps = np.zeros((len(where), len(where)))
    for places, extent in zip(where.T, shape, strict=True):
        along = np.abs(places[:, None] - places[None, :])
        steps += np.minimum(along, extent - along)
    return steps


def candidates(nodes: int) -> Iterator[Structure]:
    """All structures over nodes in the order of numbers: crossbar, ring, tori, groups of one size."""
    yield Structure(CROSSBAR, nodes, ())
    for shape in torus_shapes(nodes):
        yield Structure(RING if len(shape) == 1 else TORUS, nodes, shape)
    for size in range(2, nodes // 2 + 1):
        if nodes % size == 0:
            yield from grouped(in_blocks(nodes, size))


def in_blocks(nodes: int, size: int) -> tuple[int, ...]:
    """The group of each node where groups of one size follow each other."""
    return tuple(node // size for node in range(nodes))


def full_trees(nodes: int) -> Iterator[Structure]:
    """Trees whose uplinks carry all that their nodes send: crossbars, as long as every uplink is sound."""
    for size in range(2, nodes // 2 + 1):
        if nodes % size == 0:
            yield Structure(TREE, nodes, (size,) * (nodes // size), in_blocks(nodes, size), float(size))


def trees_over(group_of: tuple[int, ...]) -> Iterator[Structure]:
    """Trees over these groups with uplinks of 1, 1.5, 2 … links of a node, as many as fill the largest."""
    sizes = _sizes(group_of)
    for halves in range(2, 2 * max(sizes) + 1):
        yield Structure(TREE, len(group_of), sizes, group_of, halves / 2.0)


def _sizes(group_of: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(group_of.count(group) for group in sorted(set(group_of)))


def grouped(group_of: tuple[int, ...]) -> Iterator[Structure]:
    """Trees and linked groups over these groups, with every capacity that makes a difference."""
    sizes = _sizes(group_of)
    for uplink in (2.0**e for e in range(max(sizes).bit_length()) if 2**e < max(sizes)):
        yield Structure(TREE, len(group_of), sizes, group_of, uplink)
        if len(sizes) > 2:
            yield Structure(GROUPS, len(group_of), sizes, group_of, uplink)


def torus_shapes(nodes: int, dimensions: int = MOST_DIMENSIONS) -> Iterator[tuple[int, ...]]:
    """The ring first, then every ordered factorisation into extents of at least 2."""
    if nodes < 3:
        return
    yield (nodes,)
    for extents in range(2, dimensions + 1):
        yield from _factorisations(nodes, extents)


def _factorisations(number: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        if number >= 2:
            yield (number,)
        return
    for first in range(2, number // 2 + 1):
        if number % first == 0:
            yield from ((first, *rest) for rest in _factorisations(number // first, parts - 1))
