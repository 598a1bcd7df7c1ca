"""What a run did, from the summary of its merge. Pure functions.

Efficiencies are those of the POP project. The useful time of a rank is its time outside of MPI between the
begin of MPI_Init and the end of MPI_Finalize. Load balance is its mean / maximum, communication efficiency is
maximum / run time, and parallel efficiency is their product.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.trace.merging import MergeSummary, ThreadTimes


_MOST_OF_PARAVER = 65_535  # its numbers of objects have 16 bits


class Efficiencies(NamedTuple):
    load_balance: float
    communication: float

    @property
    def parallel(self) -> float:
        return self.load_balance * self.communication


class CallSum(NamedTuple):
    """All calls of one name, on all threads. Seconds."""

    call: str
    number: int
    seconds: float


def time_in_mpi(thread: ThreadTimes) -> float:
    return sum(one.seconds for one in thread.calls)


def tracer_time(thread: ThreadTimes) -> float:
    """The part of the time in MPI that is the tracer's own."""
    return sum(one.count for one in thread.calls) * thread.call_cost_inside


def useful_time(thread: ThreadTimes) -> float:
    """Outside of MPI, without what the tracer took there."""
    outside = thread.end - thread.begin - time_in_mpi(thread)
    own = sum(one.count for one in thread.calls) * (thread.call_cost - thread.call_cost_inside)
    return max(0.0, outside - own)


def efficiencies(summary: MergeSummary) -> Efficiencies | None:
    """Of the first threads of all ranks; None for a run without length."""
    first = [one for one in summary.threads if one.thread == 0]
    run = max((one.end for one in first), default=0.0) - min((one.begin for one in first), default=0.0)
    useful = [useful_time(one) for one in first]
    longest = max(useful, default=0.0)
    if run <= 0 or longest <= 0:
        return None
    return Efficiencies(sum(useful) / len(useful) / longest, longest / run)


def calls_by_time(summary: MergeSummary) -> list[CallSum]:
    counts: defaultdict[str, int] = defaultdict(int)
    seconds: defaultdict[str, float] = defaultdict(float)
    for thread in summary.threads:
        for one in thread.calls:
            counts[one.call] += one.count
            seconds[one.call] += one.seconds
    sums = [CallSum(call, counts[call], seconds[call]) for call in counts]
    return sorted(sums, key=lambda one: (-one.seconds, one.call))


def warnings(summary: MergeSummary) -> Iterator[str]:
    """What is not as it should be: what is missing from the trace, and what its times cannot say."""
    yield from summary.refused
    if summary.missing:
        who = _ranks([one.rank for one in summary.missing])
        yield f"no log of {who}: not traced, or its log is elsewhere"
    if max(summary.ranks, default=0) > _MOST_OF_PARAVER:
        yield f"Paraver reads over {_MOST_OF_PARAVER:,} ranks only if built with --enable-extended-objects"
    for thread in summary.threads:
        yield from _of_thread(thread)
    left = summary.unmatched_sends, summary.unmatched_receives
    if any(left):
        yield f"{left[0]} messages without a receive, {left[1]} receives without a message"
    for host in summary.hosts:
        if host.aligned_by == "time of day":
            yield f"the clock of {host.name} is aligned by its time of day only: its messages may seem early"


def _of_thread(thread: ThreadTimes) -> Iterator[str]:
    who = f"rank {thread.rank}" + (f", thread {thread.thread}" if thread.thread else "")
    if not thread.finished:
        where = f" in {thread.in_call}" if thread.in_call else ""
        yield f"{who} ended{where} without MPI_Finalize"
    if thread.lost_records:
        lost = thread.lost_records
        yield f"{who}: the last {lost} calls were not recorded: its log was full, or the disk was"
    if thread.no_counters:
        yield f"{who} counted nothing: {thread.no_counters}"
    if thread.overwritten_chunks:
        yield f"{who}: the oldest calls were replaced by newer ones, as asked"
    if thread.damaged_chunks:
        parts = "a part" if thread.damaged_chunks == 1 else f"{thread.damaged_chunks} parts"
        yield f"{who}: {parts} of its log could not be read"


def _ranks(ranks: list[int]) -> str:
    shown = ", ".join(map(str, ranks[:8]))
    more = f" and {len(ranks) - 8} more" if len(ranks) > 8 else ""
    return f"rank{'s' if len(ranks) > 1 else ''} {shown}{more}"


def matrix_csv(summary: MergeSummary) -> str:
    """What ranks sent each other, as `groma map --matrix` reads it."""
    rows = (f"{one.source},{one.target},{one.bytes},{one.messages}" for one in summary.matrix)
    return "\n".join(["source,target,bytes,messages", *rows]) + "\n"
