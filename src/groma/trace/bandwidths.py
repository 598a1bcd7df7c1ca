"""How fast messages came in the calls that received them: bytes that arrived in a call by its duration."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from groma.trace.labels import label_of_call
from groma.trace.statistics import NANOSECOND

if TYPE_CHECKING:
    from groma.trace.sums import TraceSums

STEP = 10e6  # bytes per second: the bins of the figures on Blue Gene/L
_LAST = 1000  # the bin of all that is faster


class Bandwidth(msgspec.Struct, frozen=True):
    """Calls that received `least` to `most` bytes per second; the fastest bin has no `most`."""

    type: int
    value: int
    label: str
    least: float
    most: float | None
    count: int
    seconds: float


def bandwidths(sums: TraceSums) -> list[Bandwidth]:
    """The bins of each call that are not empty, from slow to fast."""
    return [
        Bandwidth(
            one.type,
            one.value,
            _label(sums, one.type, one.value),
            one.bin * STEP,
            _most(one.bin),
            one.count,
            one.time * NANOSECOND,
        )
        for one in sums.bandwidths
    ]


def histogram(sums: TraceSums, type_: int, value: int) -> list[Bandwidth]:
    """Of one call, with bins that double: 0 to 10 MB/s, 10 to 20, 20 to 40; empty ones are there."""
    merged: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0])
    for one in sums.bandwidths:
        if (one.type, one.value) == (type_, value):
            # The bin of what is faster than all stays apart.
            place = one.bin.bit_length() if one.bin < _LAST else _LAST.bit_length() + 1
            merged[place][0] += one.count
            merged[place][1] += one.time
    places = range(min(merged, default=0), max(merged, default=-1) + 1)
    label = _label(sums, type_, value)
    return [
        Bandwidth(type_, value, label, *_bounds(place), merged[place][0], merged[place][1] * NANOSECOND)
        for place in places
    ]


def receiving_calls(sums: TraceSums) -> list[tuple[int, int]]:
    """Types and values of the calls that received messages, those with most bytes first."""
    received: defaultdict[tuple[int, int], int] = defaultdict(int)
    for one in sums.calls:
        received[one.type, one.value] += one.received
    with_bins = {(one.type, one.value) for one in sums.bandwidths}
    return sorted(with_bins, key=lambda key: (-received[key], key))


def _label(sums: TraceSums, type_: int, value: int) -> str:
    labels = {(one.type, one.value): one.label for one in sums.labels}
    return labels.get((type_, value)) or label_of_call(type_, value)


def _most(number: int) -> float | None:
    return None if number >= _LAST else (number + 1) * STEP


def _bounds(place: int) -> tuple[float, float | None]:
    if place > _LAST.bit_length():
        return _LAST * STEP, None
    least = 0 if place == 0 else 1 << (place - 1)
    return least * STEP, min(1 << place, _LAST) * STEP
