"""How fast messages came in the calls that received them: bytes that arrived in a call by its duration."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from groma.facts.trace import TraceBandwidth
from groma.trace.labels import label_of_call
from groma.trace.statistics import BANDWIDTH_STEP, nanoseconds_of, seconds
from groma.trace.sums import labels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.trace import TraceFacts, TraceRank
    from groma.trace.sums import TraceSums

STEP = float(BANDWIDTH_STEP)
_LAST = 1000  # the bin of all that is faster
FASTEST = _LAST * STEP


def bandwidths(sums: TraceSums) -> list[TraceBandwidth]:
    """The bins of each call on all threads that are not empty, from slow to fast."""
    labels = labels_of(sums)
    kinds: defaultdict[tuple[int, int, int], list[int]] = defaultdict(lambda: [0, 0])
    for one in sums.bandwidths:
        kind = kinds[one.type, one.value, one.bin]
        kind[0] += one.count
        kind[1] += one.time
    return [
        TraceBandwidth(
            type=type_,
            value=value,
            label=labels.get((type_, value)) or label_of_call(type_, value),
            min=bin_ * STEP,
            max=None if bin_ >= _LAST else (bin_ + 1) * STEP,
            count=count,
            seconds=seconds(time),
        )
        for (type_, value, bin_), (count, time) in sorted(kinds.items())
    ]


def histogram(facts: TraceFacts, type_: int, value: int) -> list[TraceBandwidth]:
    """Of one call, with bins that double: 0 to 10 MB/s, 10 to 20, 20 to 40; empty ones are there."""
    counts: defaultdict[int, int] = defaultdict(int)
    times: defaultdict[int, int] = defaultdict(int)  # nanoseconds
    label = ""
    for one in facts.bandwidths:
        if (one.type, one.value) == (type_, value):
            place = _place(one.min)
            counts[place] += one.count
            times[place] += nanoseconds_of(one.seconds)
            label = one.label
    return [
        TraceBandwidth(
            type=type_,
            value=value,
            label=label,
            min=_least(place),
            max=_most(place),
            count=counts[place],
            seconds=seconds(times[place]),
        )
        for place in range(min(counts, default=0), max(counts, default=-1) + 1)
    ]


def counts_of_rank(rank: TraceRank, bins: Sequence[TraceBandwidth]) -> list[int]:
    """How many calls of a rank are in each of the bins of a histogram."""
    counts: defaultdict[int, int] = defaultdict(int)
    for least, count in rank.bandwidths.get(f"{bins[0].type}:{bins[0].value}", {}).items():
        counts[_place(least)] += count
    return [counts[_place(one.min)] for one in bins]


def receiving_calls(facts: TraceFacts) -> list[tuple[int, int]]:
    """Types and values of the calls that received data, those with most bytes first."""
    received = {(one.type, one.value): one.received + one.collective_received for one in facts.calls}
    with_bins = {(one.type, one.value) for one in facts.bandwidths}
    return sorted(with_bins, key=lambda key: (-received.get(key, 0), key))


def _place(least: float) -> int:
    """Of a bin that begins there, in a histogram; the bin of what is faster than all stays apart."""
    return round(least / STEP).bit_length() if least < FASTEST else _LAST.bit_length() + 1


def _least(place: int) -> float:
    if place > _LAST.bit_length():
        return _LAST * STEP
    return 0.0 if place == 0 else (1 << (place - 1)) * STEP


def _most(place: int) -> float | None:
    return None if place > _LAST.bit_length() else min(1 << place, _LAST) * STEP
