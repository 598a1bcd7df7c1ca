"""Flows that share links: how many cross each, and what a fair network gives to each of them.

A flow is the sequence of links that it crosses; a link is anything that can be a key.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

L = TypeVar("L", bound="Hashable")

Pair = tuple[int, int]
"""Who sends to whom."""

_TIE = 1e-12
"""Links whose shares differ by rounding alone settle their flows at once."""


def shifted(nodes: int, by: int) -> list[Pair]:
    """Every node sends to the one `by` further on, all at once: the pattern of the distance benchmark."""
    return [(node, (node + by) % nodes) for node in range(nodes)]


def link_loads(flows: Iterable[Iterable[L]]) -> Counter[L]:
    """Flows that cross each link; a link without any is not named."""
    return Counter(link for flow in flows for link in flow)


def max_min_shares(flows: Sequence[Sequence[L]], capacities: Mapping[L, float]) -> list[float]:
    """The rate of each flow when none can get more without one of at most that rate getting less.

    Progressive filling (Bertsekas and Gallager, Data Networks, section 6.5.2): the links that leave least to
    each of their flows settle them, then the next. Rates are in the unit of the capacities; a link that is
    not named there is unlimited, and a flow that no link limits gets infinity.
    """
    of_links = np.array(list(capacities.values()), dtype=np.float64)
    return [float(one) for one in shares_of(crossings(flows, capacities), of_links)]


def shares_of(network: Crossings, capacities: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same, where only capacities differ from one time to another: they are in the order of the links."""
    shares = np.full(network.flows, np.inf)
    left = capacities.copy()
    flow_of, link_of = network.flow_of, network.link_of
    while len(flow_of):
        loads = np.bincount(link_of, minlength=len(left))
        per_flow = np.where(loads > 0, left / np.maximum(loads, 1), np.inf)
        share = float(per_flow.min())
        settled = np.zeros(network.flows, dtype=bool)
        settled[flow_of[per_flow[link_of] <= share * (1 + _TIE)]] = True
        shares[settled] = share
        done = settled[flow_of]
        left -= share * np.bincount(link_of[done], minlength=len(left))
        flow_of, link_of = flow_of[~done], link_of[~done]
    return shares


class Crossings(NamedTuple):
    """Each crossing of a limited link by one of so many flows once, both by number."""

    flows: int
    flow_of: NDArray[np.intp]
    link_of: NDArray[np.intp]


def crossings(flows: Sequence[Collection[L]], limited: Iterable[L]) -> Crossings:
    """Of these links; they are numbered in this order."""
    number = {link: i for i, link in enumerate(limited)}
    found = [(i, number[link]) for i, flow in enumerate(flows) for link in set(flow) if link in number]
    pairs = np.array(found, dtype=np.intp).reshape(-1, 2)
    return Crossings(len(flows), pairs[:, 0], pairs[:, 1])
