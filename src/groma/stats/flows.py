"""Flows that share links: how many cross each, and what a fair network gives to each of them.

A flow is the sequence of links that it crosses; a link is anything that can be a key.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from groma.stats.torus import Link, Shape, route

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

L = TypeVar("L", bound="Hashable")

Pair = tuple[int, int]
"""Who sends to whom."""

_TIE = 1e-12
"""Links whose shares differ by rounding alone settle their flows at once."""


def shifted(nodes: int, by: int) -> list[Pair]:
    """Every node sends to the one `by` further on, all at once: the pattern of the distance benchmark."""
    return [(node, (node + by) % nodes) for node in range(nodes)]


def torus_flows(shape: Shape, pairs: Iterable[Pair]) -> list[list[Link]]:
    """The links of each pair by dimension-ordered shortest routes; none from a node to itself."""
    return [route(shape, source, target) for source, target in pairs]


def link_loads(flows: Iterable[Iterable[L]]) -> Counter[L]:
    """Flows that cross each link; a link without any is not named."""
    return Counter(link for flow in flows for link in flow)


def max_min_shares(flows: Sequence[Sequence[L]], capacities: Mapping[L, float]) -> list[float]:
    """The rate of each flow when none can get more without one of at most that rate getting less.

    Progressive filling (Bertsekas and Gallager, Data Networks, section 6.5.2): the links that leave least to
    each of their flows settle them, then the next. Rates are in the unit of the capacities; a link that is
    not named there is unlimited, and a flow that no link limits gets infinity.
    """
    shares = [float("inf")] * len(flows)
    left = dict(capacities)
    open_flows = {number for number, flow in enumerate(flows) if any(link in left for link in flow)}
    while open_flows:
        loads = link_loads(set(flows[number]) & left.keys() for number in open_flows)
        share = min(left[link] / load for link, load in loads.items())
        full = {link for link, load in loads.items() if left[link] / load <= share * (1 + _TIE)}
        for number in [number for number in open_flows if not full.isdisjoint(flows[number])]:
            shares[number] = share
            open_flows.remove(number)
            for link in set(flows[number]) & left.keys():
                left[link] -= share
    return shares
