"""What the links of an interconnect leave to simultaneous messages of the Distance Benchmark."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from groma.interconnect.sharing import Crossings, crossings, link_loads, shares_of, shifted
from groma.survey.infer.network.node_speeds import WithFactors

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from groma.interconnect.base import Interconnect, Link

T = TypeVar("T", np.float64, np.bool_)

WAITS = ("receive", "both")
"""What the time of a rank is: until its message has come, or until the one that it sends has gone as well.

groma-network counts what a rank receives; earlier versions and other programs wait for both.
"""

_LINKS_OF_NODES = 2
"""The links of the two nodes to the network belong to every message and are no hops."""


class Share(NamedTuple):
    """At one distance: share of the message that each rank sends, mean hops, messages on the busiest link."""

    distance: int
    sent: NDArray[np.float64]
    hops: float
    busiest: int

    def of_ranks(self, waits: str) -> NDArray[np.float64]:
        """Bandwidth of each rank until that is done for which it waits."""
        received = _received(self.sent, self.distance)
        return received if waits == "receive" else np.minimum(self.sent, received)


@lru_cache(maxsize=4096)
def routes_at(interconnect: Interconnect, distance: int) -> tuple[frozenset[Link], ...]:
    """The links of the message of each rank when all send to the one `distance` further on.

    For few nodes: they are kept, as many parts are suspected in turn, and a ring of 1024 takes gigabytes.
    """
    return tuple(frozenset(interconnect.route(*pair)) for pair in shifted(interconnect.nodes, distance))


@lru_cache(maxsize=4096)
def share_at(interconnect: Interconnect, distance: int) -> Share:
    """Max-min fair shares when every node sends to the one `distance` further on."""
    flows = [interconnect.route(*pair) for pair in shifted(interconnect.nodes, distance)]
    return Share(
        distance=distance,
        sent=_shares(interconnect, _shared(flows)),
        hops=sum(map(len, flows)) / len(flows) - _LINKS_OF_NODES,
        busiest=max(link_loads(flows).values()),
    )


@lru_cache(maxsize=4096)
def slowed_share_at(interconnect: Interconnect, distance: int, slow: frozenset[Link]) -> Share:
    """The same where the links in `slow` carry half of what they should."""
    shared = _shared_at(_routed_as(interconnect), distance)
    return share_at(interconnect, distance)._replace(sent=_shares(interconnect, shared, slow))


class _Shared(NamedTuple):
    """The links that messages cross, and which message crosses which."""

    links: list[Link]
    crossings: Crossings


@lru_cache(maxsize=4096)
def _shared_at(interconnect: Interconnect, distance: int) -> _Shared:
    return _shared(routes_at(interconnect, distance))


def _shared(flows: Sequence[Collection[Link]]) -> _Shared:
    links = list(dict.fromkeys(link for flow in flows for link in flow))
    return _Shared(links, crossings(flows, links))


def _routed_as(interconnect: Interconnect) -> Interconnect:
    """What links carry changes no route."""
    return interconnect.sound if isinstance(interconnect, WithFactors) else interconnect


def _shares(
    interconnect: Interconnect, shared: _Shared, slow: frozenset[Link] = frozenset()
) -> NDArray[np.float64]:
    capacities = [interconnect.capacity(link) * (0.5 if link in slow else 1.0) for link in shared.links]
    return shares_of(shared.crossings, np.array(capacities, dtype=np.float64))


def _received(sent: NDArray[T], distance: int) -> NDArray[T]:
    """By receiver; np.roll does the same, but takes several times as long for few ranks."""
    first = len(sent) - distance % len(sent)
    return np.concatenate((sent[first:], sent[:first]))


@lru_cache(maxsize=65536)
def expected_ratio(interconnect: Interconnect, distance: int, waits: str = "receive") -> float:
    """The ratDist of this distance: mean bandwidth of the ranks at distance 1 over that here."""
    reference, here = (share_at(interconnect, d).of_ranks(waits).mean() for d in (1, distance))
    return float(reference / here)


def crosses(
    interconnect: Interconnect, distance: int, cable: frozenset[Link], waits: str
) -> NDArray[np.bool_]:
    """For each rank whether a message that it waits for takes a link of the cable."""
    sent = np.array([not cable.isdisjoint(flow) for flow in routes_at(interconnect, distance)])
    received = _received(sent, distance)
    return received if waits == "receive" else sent | received
