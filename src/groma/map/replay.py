"""What groma-replay repeats under a placement: messages of a matrix, a halo exchange, memory traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.interconnect.lattice import torus
from groma.interconnect.shapes import cubic_shape
from groma.map.traffic import Traffic
from groma.record.units import format_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BUSIEST = 4 << 20
"""Bytes that the busiest rank sends and receives in one iteration: more only takes longer."""

MOST_MESSAGES = 1024
"""Of one pair of ranks in one iteration."""


class Replay(NamedTuple):
    """A kernel in words, and its option of groma-replay: lines of messages, or bytes of memory."""

    title: str
    pattern: str = ""
    triad: int = 0


def replay_of(traffic: Iterable[Traffic], title: str = "the given matrix") -> Replay:
    """The messages of one iteration.

    Where the busiest rank has more than `BUSIEST` bytes, all traffic is scaled down by one factor: the number
    of messages first, and the size of those that remain. A size that is not known is that of one message.
    """
    given = [one for one in traffic if one.source != one.target and one.bytes >= 0]
    scale = min(1.0, BUSIEST / max(_busiest(given), 1.0))
    lines = [_line(one, scale) for one in given]
    share = "" if scale == 1.0 else f", {100 * scale:.2g} % of its bytes"
    return Replay(f"{title}{share}", pattern="".join(lines))


def _busiest(traffic: Sequence[Traffic]) -> float:
    """Bytes that the busiest rank sends and receives."""
    moved: dict[int, float] = {}
    for one in traffic:
        for rank in (one.source, one.target):
            moved[rank] = moved.get(rank, 0.0) + one.bytes
    return max(moved.values(), default=0.0)


def _line(one: Traffic, scale: float) -> str:
    messages = max(one.messages or 1.0, 1.0)
    count = min(max(round(messages * scale), 1), MOST_MESSAGES)
    size = max(round(one.bytes * scale / count), 1 if one.bytes else 0)
    return f"{one.source} {one.target} {size} {count}\n"


def halo(ranks: int, size: int) -> list[Traffic]:
    """Each rank sends `size` bytes to its neighbours on the grid of 2 dimensions nearest to a square."""
    grid = torus(*reversed(cubic_shape(ranks, 2)))
    pairs = dict.fromkeys(grid.neighbours())
    return [Traffic(*ends, size) for pair in pairs for ends in (pair, pair[::-1]) if ends[0] != ends[1]]


def halo_replay(ranks: int, size: int) -> Replay:
    """A halo exchange; its ranks count rows first."""
    shape = "x".join(map(str, reversed(cubic_shape(ranks, 2))))
    return replay_of(halo(ranks, size), f"halo exchange of {shape} ranks, {format_value(size, 'B')}")


def triad_replay(size: int) -> Replay:
    """STREAM's triad on `size` bytes of each rank."""
    return Replay(f"triad on {format_value(size, 'B')} of each rank", triad=size)
