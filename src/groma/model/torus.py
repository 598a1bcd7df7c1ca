"""Shape of a torus and what follows from it: hops of an update, links of the bisection, bytes of packets."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groma.model.machine import Packet

Shape = tuple[int, ...]


@functools.cache
def torus_shape(nodes: int, dimensions: int) -> Shape:
    """Lengths of the dimensions, shortest first: of all that multiply to `nodes` those nearest to a cube.

    These have the smallest sum and so the fewest buckets. Powers of two give 4x4x4, 4x4x8, 4x8x8, 8x8x8 …
    """
    if dimensions == 1:
        return (nodes,)
    shapes = (
        tuple(sorted((first, *torus_shape(nodes // first, dimensions - 1)))) for first in _divisors(nodes)
    )
    return min(shapes, key=lambda shape: (sum(shape), shape[-1]))


def _divisors(number: int) -> list[int]:
    low = [one for one in range(1, math.isqrt(number) + 1) if number % one == 0]
    return sorted({*low, *(number // one for one in low)})


def routed_hops(shape: Shape) -> float:
    """Mean number of dimensions in which a random destination differs: hops of dimension-ordered routing."""
    return sum(1 - 1 / length for length in shape)


def bisection_links(shape: Shape) -> int:
    """Links in one direction through a cut that halves the longest dimension; a ring is cut twice.

    0 where there is one node only.
    """
    longest = max(shape)
    return 2 * math.prod(shape) // longest if longest > 1 else 0


def wire_bytes(packet: Packet, payload: float) -> float:
    """Bytes that a message of `payload` bytes takes on a link, in as many packets as it needs."""
    header, step = packet.header.value, packet.step.value
    room = packet.largest.value - header
    full, rest = divmod(payload, room)
    last = math.ceil((rest + header) / step) * step + packet.on_wire.value if rest else 0.0
    return full * (packet.largest.value + packet.on_wire.value) + last
