"""The equations of Aggarwal, Sabharwal, Garg, Heidelberger: HPCC RandomAccess Benchmark for Next Generation
Supercomputers.

Costs are times of one update in a unit of the caller's choice (cycles, seconds); rates are updates per that
unit. They are upper bounds: nothing waits, every bucket is full.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.interconnect.lattice import Shape


def cpu_bound(processors: float, local: float, travel: float, hops: float) -> float:
    """First term of equation 1: processors / (t_g + t_u + t_s^o + hops (t_s + t_r + t_p^o)).

    `local` is t_g + t_u + t_s^o, `travel` is t_s + t_r + t_p^o. `hops` is (N - 1)/N where every update is
    sent straight to its owner, and the mean number of hops where it is routed (section 5.2).
    """
    return processors / (local + hops * travel)


def routed_hops(shape: Shape) -> float:
    """Section 5.2: mean number of dimensions in which the owner of a random update lies elsewhere."""
    return sum(1 - 1 / extent for extent in shape)


def crossing_share(extent: int) -> float:
    """Share of random updates that cross the cut of a dimension: a half, and less where its extent is odd.

    An odd extent has a half of (L - 1)/2 and one of (L + 1)/2, between which 2 (L^2 - 1)/4 of L^2 pairs lie.
    """
    return 2 * (extent // 2) * ((extent + 1) // 2) / extent**2


def network_bound(bisection: float, bytes_per_update: float, crossing: float = 0.5) -> float:
    """Second term of equation 1: 4 B / b, updates per second, where half of the updates cross the cut.

    `bisection` is B in one direction (B/s): half of the updates that cross do so in each direction.
    """
    return 2 * bisection / (crossing * bytes_per_update)


def core_load(own: float, send: float, receive: float, bucket: float) -> float:
    """A line of equation 6: the core's own work (t_g, t_u, t_pi^o) and its share of the packets.

    `send` and `receive` are costs of a packet of `bucket` updates, 0 for a core that does not.
    """
    return own + (send + receive) / bucket


def specialised_bound(nodes: float, loads: Mapping[str, float]) -> tuple[float, str]:
    """Equation 7: nodes / max(T_0, T_1, …), and the role that binds."""
    slowest = max(loads, key=lambda role: loads[role])
    return nodes / loads[slowest], slowest
