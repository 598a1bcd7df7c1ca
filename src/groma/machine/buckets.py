"""How many updates RandomAccess sends in a bucket (Aggarwal et al., section 4.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.machine.description import Direct

if TYPE_CHECKING:
    from groma.interconnect.lattice import Shape
    from groma.machine.description import Algorithm, Packet, PublishedRow, RandomAccess


class Bucket(NamedTuple):
    """`origin` is "printed", "derived" or "single"."""

    size: int
    origin: str


SINGLE = Bucket(1, "single")
"""Updates that are sent one by one."""


def bucket_of(
    given: RandomAccess, packet: Packet, algorithm: Algorithm, shape: Shape, printed: PublishedRow | None
) -> Bucket:
    """The bucket of an algorithm on a torus: as printed where it is, else by the rule."""
    if isinstance(algorithm, Direct):
        return SINGLE
    if printed is not None and printed.bucket is not None:
        return Bucket(printed.bucket, "printed")
    largest = int((packet.largest.value - packet.header.value) // given.update.value)
    buckets = bucket_count(shape, algorithm.fixed_buckets.value)
    return Bucket(bucket_size(given.look_ahead.value, buckets, largest), "derived")


def bucket_count(shape: Shape, fixed: int) -> int:
    """Section 4.3.1: X + Y + Z + 21 buckets. `fixed` is what does not depend on the shape, 21 for the paper's
    four cores: -3 for the node itself, 12 received, 6 sent and 6 received between cores.
    """
    return sum(shape) + fixed


def bucket_size(look_ahead: int, buckets: int, largest: int) -> int:
    """Updates of a bucket: the look-ahead shared equally, `largest` at most, 1 at least."""
    return max(1, min(look_ahead // max(1, buckets), largest))
