"""Tables of a trace, from its sums. Pure functions; times in seconds, sizes in bytes.

Efficiencies are those of the POP project (Rosas, Giménez, Labarta: "Scalability prediction for fundamental
performance factors", 2014). The useful time of a thread is that in state 1, Running. With its mean u, its
maximum m and the duration T of the trace: load balance = u / m, communication efficiency = m / T, and
parallel efficiency = u / T is their product. A trace without states gives the time outside of MPI in place
of state 1.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from groma.trace.labels import label_of_call, label_of_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groma.trace.sums import TraceSums

RUNNING = 1
NOT_CREATED = 2
NANOSECOND = 1e-9


class StateTime(msgspec.Struct, frozen=True):
    """`share` of the time of all threads that were there."""

    state: int
    label: str
    count: int
    seconds: float
    share: float


class CallTime(msgspec.Struct, frozen=True):
    """`received` bytes of messages arrived in calls that took `receiving` seconds."""

    type: int
    value: int
    label: str
    count: int
    seconds: float
    share: float
    longest: float
    received: int
    receiving: float

    @property
    def mean(self) -> float:
        return self.seconds / self.count if self.count else 0.0

    @property
    def bandwidth(self) -> float | None:
        """Bytes received in the calls, by second of those that received any."""
        return self.received / self.receiving if self.received and self.receiving > 0 else None


class ThreadTime(msgspec.Struct, frozen=True):
    """Where the time of a thread went. `bytes` of messages that it sent and received."""

    name: str
    useful: float
    in_mpi: float
    calls: int
    sent: int
    received: int


class Efficiencies(msgspec.Struct, frozen=True):
    load_balance: float
    communication: float

    @property
    def parallel(self) -> float:
        return self.load_balance * self.communication


class Messages(msgspec.Struct, frozen=True):
    count: int
    bytes: int
    pairs: int


class RegionTime(msgspec.Struct, frozen=True):
    """`received` bytes arrived within the calls of a region, by message."""

    type: int
    label: str
    count: int
    seconds: float
    longest_thread: float
    mean_thread: float
    in_mpi: float
    messages: int
    received: int

    @property
    def bandwidth(self) -> float | None:
        """Bytes received by second of the thread that was there longest."""
        return self.received / self.longest_thread if self.received and self.longest_thread > 0 else None


class CounterTotal(msgspec.Struct, frozen=True):
    """What a counter counted, in all and outside of MPI; `place` is the region, "" for all of the trace."""

    counter: str
    place: str
    total: int
    outside_mpi: int


def thread_name(sums: TraceSums, index: int) -> str:
    """As Paraver has it, but from 0 and without what all threads share."""
    one = sums.threads[index]
    many_applications = sums.threads[-1].application > 0
    threaded = any(other.thread > 0 for other in sums.threads)
    parts = [one.application] if many_applications else []
    return ".".join(map(str, [*parts, one.task, *([one.thread] if threaded else [])]))


def times_in_states(sums: TraceSums) -> list[StateTime]:
    """The longest first."""
    counts: defaultdict[int, int] = defaultdict(int)
    times: defaultdict[int, int] = defaultdict(int)
    for one in sums.states:
        counts[one.state] += one.count
        times[one.state] += one.time
    there = sum(time for state, time in times.items() if state != NOT_CREATED)
    labels = dict(sums.state_labels)
    made = [
        StateTime(
            state,
            labels.get(state) or label_of_state(state),
            counts[state],
            time * NANOSECOND,
            time / there if there and state != NOT_CREATED else 0.0,
        )
        for state, time in times.items()
    ]
    return sorted(made, key=lambda one: (-one.seconds, one.state))


def times_in_calls(sums: TraceSums, threads: frozenset[int] | None = None) -> list[CallTime]:
    """Of all threads, or of these; the longest first."""
    whole = sums.duration * (len(sums.threads) if threads is None else len(threads))
    kinds: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * 5)
    for one in sums.calls:
        if threads is not None and one.thread not in threads:
            continue
        kind = kinds[one.type, one.value]
        for place, value in enumerate((one.count, one.time, one.received, one.receiving_time)):
            kind[place] += value
        kind[4] = max(kind[4], one.longest)
    labels = {(one.type, one.value): one.label for one in sums.labels}
    made = [
        CallTime(
            *key,
            labels.get(key) or label_of_call(*key),
            count,
            time * NANOSECOND,
            time / whole if whole else 0.0,
            longest * NANOSECOND,
            received,
            receiving * NANOSECOND,
        )
        for key, (count, time, received, receiving, longest) in kinds.items()
    ]
    return sorted(made, key=lambda one: (-one.seconds, one.type, one.value))


def useful_times(sums: TraceSums) -> list[float]:
    """Of each thread, in seconds."""
    in_mpi = _by_thread(sums, ((one.thread, one.time) for one in sums.calls))
    if not sums.states:
        return [max(0, sums.duration - time) * NANOSECOND for time in in_mpi]
    running = ((one.thread, one.time) for one in sums.states if one.state == RUNNING)
    return [time * NANOSECOND for time in _by_thread(sums, running)]


def _by_thread(sums: TraceSums, parts: Iterable[tuple[int, int]]) -> list[int]:
    made = [0] * len(sums.threads)
    for thread, value in parts:
        made[thread] += value
    return made


def times_of_threads(sums: TraceSums) -> list[ThreadTime]:
    """In the order of the trace."""
    useful = useful_times(sums)
    in_mpi = _by_thread(sums, ((one.thread, one.time) for one in sums.calls))
    calls = _by_thread(sums, ((one.thread, one.count) for one in sums.calls))
    sent = _by_thread(sums, ((one.sender, one.bytes) for one in sums.pairs))
    received = _by_thread(sums, ((one.receiver, one.bytes) for one in sums.pairs))
    return [
        ThreadTime(thread_name(sums, i), useful[i], in_mpi[i] * NANOSECOND, calls[i], sent[i], received[i])
        for i in range(len(sums.threads))
    ]


def efficiencies(sums: TraceSums) -> Efficiencies | None:
    """Of the threads that were there; None for a trace without length or without useful time."""
    useful = [time for time, there in zip(useful_times(sums), _presence(sums), strict=True) if there]
    longest = max(useful, default=0.0)
    run = sums.duration * NANOSECOND
    if run <= 0 or longest <= 0:
        return None
    return Efficiencies(sum(useful) / len(useful) / longest, longest / run)


def _presence(sums: TraceSums) -> list[bool]:
    """Whether a thread has any state but "not created": places of ranks that were not traced have none."""
    if not sums.states:
        return [True] * len(sums.threads)
    there = {one.thread for one in sums.states if one.state != NOT_CREATED}
    return [index in there for index in range(len(sums.threads))]


def messages(sums: TraceSums) -> Messages:
    return Messages(
        sum(one.count for one in sums.pairs), sum(one.bytes for one in sums.pairs), len(sums.pairs)
    )


def bounds_of_bin(number: int) -> tuple[int, int]:
    """Least and greatest size of the messages in a bin."""
    return (0, 0) if number == 0 else (1 << (number - 1), (1 << number) - 1)


def times_in_regions(sums: TraceSums) -> list[RegionTime]:
    """The longest first; a thread that never was in a region counts with 0 in its mean."""
    labels = {(one.type, one.value): one.label for one in sums.labels}
    kinds: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * 6)
    for one in sums.regions:
        kind = kinds[one.type, one.value]
        for place, value in enumerate((one.count, one.time, one.calling_time, one.messages, one.received)):
            kind[place] += value
        kind[5] = max(kind[5], one.time)
    made = [
        RegionTime(
            key[0],
            labels.get(key) or f"{key[0]}:{key[1]}",
            count,
            time * NANOSECOND,
            longest * NANOSECOND,
            time * NANOSECOND / len(sums.threads),
            calling * NANOSECOND,
            arrived,
            received,
        )
        for key, (count, time, calling, arrived, received, longest) in kinds.items()
    ]
    return sorted(made, key=lambda one: (-one.seconds, one.label))


def counter_totals(sums: TraceSums) -> list[CounterTotal]:
    """For each counter that of the whole trace, then those of its regions."""
    names = {one.type: one.label for one in sums.types}
    labels = {(one.type, one.value): one.label for one in sums.labels}
    totals: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for one in sums.counters:
        counter = names.get(one.counter) or str(one.counter)
        region = (one.region_type, one.region)
        places = [""] if one.region_type == 0 else ["", labels.get(region) or f"{region[0]}:{region[1]}"]
        for place in places:
            totals[counter, place][0] += one.sum
            totals[counter, place][1] += one.sum if one.call_type == 0 else 0
    return [CounterTotal(*key, *both) for key, both in sorted(totals.items())]


def warnings(sums: TraceSums) -> Iterator[str]:
    """What is wrong with the trace, and what came of it."""
    yield from map(str, sums.warnings)
    if sums.unpaired_calls:
        lasts = "a call without end lasts to the next call, or to the end of the trace"
        yield f"{sums.unpaired_calls:,} calls do not begin (left out) or do not end: {lasts}"
    count, size = sums.outside_calls
    if count:
        yield f"{count:,} messages of {size:,} bytes arrived outside of calls: they have no bandwidth"
    if sums.left_out:
        yield f"{sums.left_out:,} records left out: they have too many different kinds"
