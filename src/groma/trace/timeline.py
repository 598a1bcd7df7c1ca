"""The timeline of a trace, and the part of it in which its threads compute least. Pure functions."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from groma.facts.trace import TraceTimeline, TraceTimelineRow
from groma.trace.statistics import NOT_CREATED, RUNNING, seconds, thread_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groma.trace.sums import TimelineRow, TraceSums

LEAST_DROP = 0.1
"""By which the share of computing time in a phase is below that around it, to be worth a word."""

LEAST_LOSS = 0.01
"""Of the time of all ranks that a phase loses, to be worth a word."""


def timeline_of(sums: TraceSums) -> TraceTimeline | None:
    """None of a trace without time in states."""
    found = sums.timeline
    if not found.rows:
        return None
    names = thread_names(sums)
    return TraceTimeline(
        begin=seconds(found.begin),
        width=seconds(found.width),
        bins=max(len(line.times) for row in found.rows for line in row.lines),
        rows=[_row(one, names) for one in found.rows],
    )


def _row(row: TimelineRow, names: Sequence[str]) -> TraceTimelineRow:
    first, last = names[row.first], names[row.last]
    return TraceTimelineRow(
        name=first if row.first == row.last else f"{first} to {last}",
        threads=row.last - row.first + 1,
        nanoseconds={str(one.state): one.times for one in row.lines},
    )


class Phase(NamedTuple):
    """Bins from `first` to before `end`."""

    first: int
    end: int


class PhaseTimes(NamedTuple):
    """Of some rows in a phase, in nanoseconds: `there` is all time but that of threads not yet created."""

    running: int
    there: int

    @property
    def share(self) -> float:
        return self.running / self.there if self.there else 0.0


def times_in(rows: Iterable[TraceTimelineRow], phase: Phase) -> PhaseTimes:
    running = there = 0
    for row in rows:
        times = states_in(row, phase)
        running += times.get(RUNNING, 0)
        there += sum(times.values())
    return PhaseTimes(running, there)


def states_in(row: TraceTimelineRow, phase: Phase) -> dict[int, int]:
    """The time in each state but "not created", in nanoseconds."""
    made = {int(state): sum(times[phase.first : phase.end]) for state, times in row.nanoseconds.items()}
    return {state: time for state, time in made.items() if state != NOT_CREATED}


def computing(timeline: TraceTimeline) -> Phase | None:
    """From the first bin to the last in which threads compute at least as much as in all of the trace.

    What is outside is start and end of the program. None of a trace that does not say when threads compute.
    """
    losses = _losses(timeline, Phase(0, timeline.bins))
    if times_in(timeline.rows, Phase(0, timeline.bins)).running == 0:
        return None
    gains = [place for place, loss in enumerate(losses) if loss is not None and loss <= 0]
    return Phase(gains[0], gains[-1] + 1)


def least_efficient(timeline: TraceTimeline, within: Phase) -> Phase | None:
    """The bins in a row that lose most computing time against the share in a part of the trace.

    None where that share hardly differs, or for so short a time that it does not count.
    """
    whole = times_in(timeline.rows, within)
    found = _largest_sum([loss or 0 for loss in _losses(timeline, within)])
    phase = Phase(within.first + found.first, within.first + found.end)
    times = times_in(timeline.rows, phase)
    drop = whole.share - times.share
    return phase if drop >= LEAST_DROP and drop * times.there >= LEAST_LOSS * whole.there > 0 else None


def _losses(timeline: TraceTimeline, within: Phase) -> list[int | None]:
    """What each bin computes less than with the share of them all; None where no thread is there."""
    whole = times_in(timeline.rows, within)
    each = [times_in(timeline.rows, Phase(one, one + 1)) for one in range(*within)]
    return [whole.running * one.there - one.running * whole.there if one.there else None for one in each]


def _largest_sum(values: Sequence[int]) -> Phase:
    """The neighbours whose sum is largest, the first and fewest of them; none without a sum above 0."""
    before = [0, *accumulate(values)]
    lowest, best = 0, Phase(0, 0)
    for end in range(1, len(before)):
        if before[end] - before[lowest] > before[best.end] - before[best.first]:
            best = Phase(lowest, end)
        if before[end] <= before[lowest]:
            lowest = end
    return best
