"""Tables of a trace, from its sums. Pure functions; times in seconds, sizes in bytes.

Efficiencies are those of the POP project (Rosas, Giménez, Labarta: "Scalability prediction for fundamental
performance factors", 2014). The useful time of a thread is that in state 1, Running, less what a tracer
whose cost is known took of it. With its mean u, its maximum m and the duration T of the trace: load balance =
u / m, communication efficiency = m / T, and parallel efficiency = u / T is their product. A trace without
states gives the time outside of MPI in place of state 1, and a trace without states and calls of MPI has no
efficiencies. Every thread that was traced counts.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from groma.facts.trace import (
    TraceCall,
    TraceCallSite,
    TraceCounter,
    TraceEfficiencies,
    TraceMessages,
    TracePair,
    TraceRank,
    TraceRegion,
    TraceSize,
    TraceState,
)
from groma.record import Advice
from groma.record.counting import counted
from groma.record.units import format_share
from groma.trace.labels import label_of_call, label_of_state
from groma.trace.sums import labels_of, length_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from groma.trace.sums import SiteSum, Thread, TraceSums

Place = tuple[int, int, int]
"""Application, task and thread."""

RUNNING = 1
NOT_CREATED = 2
BANDWIDTH_STEP = 10_000_000  # bytes per second: the bins of the figures on Blue Gene/L
_NANOSECONDS = 10**9  # in a second
_START_AND_END = frozenset(
    f"MPI_{one}" for one in ("Init", "Init_thread", "Finalize", "Session_init", "Session_finalize")
)
_MUCH_OF_TIME = 0.2
_CALLER, _CALLER_LINE = 70000001, 80000001


def seconds(nanoseconds: int) -> float:
    """One division of integers, so that it prints as the decimal that it is. A product with 1e-9 does not."""
    return nanoseconds / _NANOSECONDS


def nanoseconds_of(time: float) -> int:
    """Of a time in seconds, so that sums of times are sums of integers."""
    return round(time * _NANOSECONDS)


def mean_of(time: int, count: int) -> float:
    """Of so many calls, in seconds; 0 of none."""
    return time / (count * _NANOSECONDS) if count else 0.0


class TracerCost(NamedTuple):
    """What the tracer took of a thread, in seconds: within its calls of MPI, and outside."""

    inside: float
    outside: float


def thread_names(sums: TraceSums) -> list[str]:
    """As Paraver has them, but from 0 and without what all threads share."""
    many_applications = any(one.application > 0 for one in sums.threads)
    threaded = any(one.thread > 0 for one in sums.threads)

    def name(one: Thread) -> str:
        parts = (one.application if many_applications else None, one.task, one.thread if threaded else None)
        return ".".join(str(part) for part in parts if part is not None)

    return [name(one) for one in sums.threads]


def times_in_states(sums: TraceSums) -> list[TraceState]:
    """The longest first."""
    counts: defaultdict[int, int] = defaultdict(int)
    times: defaultdict[int, int] = defaultdict(int)
    for one in sums.states:
        counts[one.state] += one.count
        times[one.state] += one.time
    there = sum(lifetimes(sums))
    labels = dict(sums.state_labels)
    made = [
        TraceState(
            state=state,
            label=labels.get(state) or label_of_state(state),
            count=counts[state],
            seconds=seconds(time),
            share=time / there if there and state != NOT_CREATED else 0.0,
        )
        for state, time in times.items()
    ]
    return sorted(made, key=lambda one: (-one.seconds, one.state))


def times_in_calls(sums: TraceSums, threads: frozenset[int] | None = None) -> list[TraceCall]:
    """Of all threads, or of these; the longest first."""
    whole = sum(time for thread, time in enumerate(lifetimes(sums)) if threads is None or thread in threads)
    kinds: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * 7)
    for one in sums.calls:
        if threads is not None and one.thread not in threads:
            continue
        kind = kinds[one.type, one.value]
        parts = one.count, one.time, one.received, one.receiving_time
        for place, value in enumerate((*parts, one.collective_sent, one.collective_received)):
            kind[place] += value
        kind[6] = max(kind[6], one.longest)
    labels = labels_of(sums)
    made = [
        TraceCall(
            type=key[0],
            value=key[1],
            label=labels.get(key) or label_of_call(*key),
            count=count,
            seconds=seconds(time),
            share=time / whole if whole else 0.0,
            mean=mean_of(time, count),
            longest=seconds(longest),
            received=received,
            receiving=seconds(receiving),
            bandwidth=_rate(received, receiving),
            collective_sent=given,
            collective_received=got,
        )
        for key, (count, time, received, receiving, given, got, longest) in kinds.items()
    ]
    return sorted(made, key=lambda one: (-one.seconds, one.type, one.value))


def call_sites(sums: TraceSums) -> list[TraceCallSite]:
    """The longest first; none in a trace without callers.

    Extrae numbers the lines of each process anew: what has the same names is one site.
    """
    labels = labels_of(sums)
    named: defaultdict[tuple[str, str, str], list[SiteSum]] = defaultdict(list)
    for one in sums.call_sites:
        call = labels.get((one.type, one.value)) or label_of_call(one.type, one.value)
        function = labels.get((_CALLER, one.function), str(one.function))
        line = labels.get((_CALLER_LINE, one.line), str(one.line))
        named[call, function, line].append(one)
    whole = sum(lifetimes(sums))
    made = [_call_site(names, parts, whole) for names, parts in named.items()]
    return sorted(made, key=lambda one: (-one.seconds, one.call, one.function, one.line))


def _call_site(names: tuple[str, str, str], parts: Sequence[SiteSum], whole: int) -> TraceCallSite:
    call, function, line = names
    count = sum(one.count for one in parts)
    time = sum(one.time for one in parts)
    return TraceCallSite(
        call=call,
        function=function,
        line=line,
        count=count,
        seconds=seconds(time),
        share=time / whole if whole else 0.0,
        mean=mean_of(time, count),
        longest=seconds(max(one.longest for one in parts)),
        sent=sum(one.sent for one in parts),
        received=sum(one.received for one in parts),
    )


def useful_times(sums: TraceSums) -> list[float]:
    """Of each thread, in seconds."""
    in_mpi = _by_thread(sums, ((one.thread, one.time) for one in sums.calls))
    if not sums.states:
        return [seconds(max(0, length_of(sums) - time)) for time in in_mpi]
    running = ((one.thread, one.time) for one in sums.states if one.state == RUNNING)
    return [seconds(time) for time in _by_thread(sums, running)]


def _by_thread(sums: TraceSums, parts: Iterable[tuple[int, int]]) -> list[int]:
    made = [0] * len(sums.threads)
    for thread, value in parts:
        made[thread] += value
    return made


def times_of_ranks(sums: TraceSums, costs: Mapping[Place, TracerCost] | None = None) -> list[TraceRank]:
    """Of each thread, by its name. `costs` say what the tracer took of those that it knows."""
    useful = useful_times(sums)
    in_mpi = _by_thread(sums, ((one.thread, one.time) for one in sums.calls))
    calls = _by_thread(sums, ((one.thread, one.count) for one in sums.calls))
    sent = _by_thread(sums, ((one.sender, one.bytes) for one in sums.pairs))
    received = _by_thread(sums, ((one.receiver, one.bytes) for one in sums.pairs))
    present, lived = _presence(sums), lifetimes(sums)
    states = _grouped(sums, ((one.thread, str(one.state), one.time) for one in sums.states))
    by_call = _grouped(sums, ((one.thread, f"{one.type}:{one.value}", one.time) for one in sums.calls))
    counters, received_at = _counters(sums), _bandwidths(sums)
    names = thread_names(sums)
    cost_of = [(costs or {}).get(_place(one)) for one in sums.threads]
    return [
        TraceRank(
            name=names[i],
            useful=useful[i],
            in_mpi=seconds(in_mpi[i]),
            calls=calls[i],
            sent=sent[i],
            received=received[i],
            lifetime=seconds(lived[i]),
            present=present[i],
            tracer_in_mpi=None if cost is None else cost.inside,
            tracer_in_useful=None if cost is None else cost.outside,
            states=states[i],
            mpi=by_call[i],
            counters=counters[i],
            bandwidths=received_at[i],
        )
        for i, cost in enumerate(cost_of)
    ]


def _place(one: Thread) -> Place:
    return one.application, one.task, one.thread


def _grouped(sums: TraceSums, parts: Iterable[tuple[int, str, int]]) -> list[dict[str, float]]:
    made: list[dict[str, float]] = [{} for _ in sums.threads]
    for thread, key, time in parts:
        made[thread][key] = seconds(time)
    return made


def _counters(sums: TraceSums) -> list[dict[str, int]]:
    """What each counter counted on each thread."""
    names = {one.type: one.label for one in sums.types}
    made: list[dict[str, int]] = [{} for _ in sums.threads]
    for one in sums.thread_counters:
        made[one.thread][names.get(one.counter) or str(one.counter)] = one.sum
    return made


def _bandwidths(sums: TraceSums) -> list[dict[str, dict[int, int]]]:
    """The number of calls of each thread, by call and by the least bandwidth of their bin."""
    made: list[dict[str, dict[int, int]]] = [{} for _ in sums.threads]
    for one in sums.bandwidths:
        made[one.thread].setdefault(f"{one.type}:{one.value}", {})[one.bin * BANDWIDTH_STEP] = one.count
    return made


def tells_useful_time(sums: TraceSums) -> bool:
    """Whether the trace says when threads compute: it has states, or calls of MPI."""
    return bool(sums.states or sums.calls)


def efficiencies(ranks: Sequence[TraceRank], duration: float) -> TraceEfficiencies | None:
    """Of the threads that were traced; None for a trace without length or without useful time."""
    useful = [max(0.0, one.useful - (one.tracer_in_useful or 0.0)) for one in ranks if one.present]
    longest = max(useful, default=0.0)
    if duration <= 0 or longest <= 0:
        return None
    balance, communication = math.fsum(useful) / (len(useful) * longest), longest / duration
    return TraceEfficiencies(
        load_balance=balance, communication=communication, parallel=balance * communication
    )


def lifetimes(sums: TraceSums) -> list[int]:
    """How long each thread was there, in nanoseconds; in a trace without states all the time.

    Filters leave states out, and states may overlap: a thread was there from its first record to its last.
    One that has neither states nor calls, such as those that read counters of a package for all others, is no
    part of the program.
    """
    if not sums.states:
        return [length_of(sums)] * len(sums.threads)
    spans = sums.spans or _by_thread(sums, ((one.thread, one.time) for one in sums.states))
    absent = ((one.thread, one.time) for one in sums.states if one.state == NOT_CREATED)
    rows = zip(_presence(sums), spans, _by_thread(sums, absent), strict=True)
    return [max(0, span - away) if present else 0 for present, span, away in rows]


def _presence(sums: TraceSums) -> list[bool]:
    """Whether a thread has any state but "not created", or a call: ranks that were not traced have none."""
    if not sums.states:
        return [True] * len(sums.threads)
    there = {one.thread for one in sums.states if one.state != NOT_CREATED}
    there.update(one.thread for one in sums.calls)
    return [index in there for index in range(len(sums.threads))]


def messages(sums: TraceSums) -> TraceMessages:
    count, size = (sum(getattr(one, name) for one in sums.pairs) for name in ("count", "bytes"))
    return TraceMessages(count=count, bytes=size, pairs=len(sums.pairs))


def sizes(sums: TraceSums) -> list[TraceSize]:
    bounds = ((one, *bounds_of_bin(one.bin)) for one in sums.sizes)
    return [TraceSize(min=least, max=most, count=one.count, bytes=one.bytes) for one, least, most in bounds]


def pairs(sums: TraceSums) -> list[TracePair]:
    names = thread_names(sums)
    return [
        TracePair(sender=names[one.sender], receiver=names[one.receiver], count=one.count, bytes=one.bytes)
        for one in sums.pairs
    ]


def bounds_of_bin(number: int) -> tuple[int, int]:
    """Least and greatest size of the messages in a bin."""
    return (0, 0) if number == 0 else (1 << (number - 1), (1 << number) - 1)


def times_in_regions(sums: TraceSums) -> list[TraceRegion]:
    """The longest first; a thread that never was in a region counts with 0 in its mean."""
    labels = labels_of(sums)
    kinds: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0] * 6)
    for one in sums.regions:
        kind = kinds[one.type, one.value]
        for place, value in enumerate((one.count, one.time, one.calling_time, one.messages, one.received)):
            kind[place] += value
        kind[5] = max(kind[5], one.time)
    made = [
        TraceRegion(
            type=key[0],
            label=labels.get(key) or f"{key[0]}:{key[1]}",
            count=count,
            seconds=seconds(time),
            longest_thread=seconds(longest),
            mean_thread=time / (len(sums.threads) * _NANOSECONDS),
            in_mpi=seconds(calling),
            messages=arrived,
            received=received,
            bandwidth=_rate(received, longest if received else 0),
        )
        for key, (count, time, calling, arrived, received, longest) in kinds.items()
    ]
    return sorted(made, key=lambda one: (-one.seconds, one.label))


def counter_totals(sums: TraceSums) -> list[TraceCounter]:
    """For each counter that of the whole trace, then those of its regions."""
    names = {one.type: one.label for one in sums.types}
    labels = labels_of(sums)
    totals: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for one in sums.counters:
        counter = names.get(one.counter) or str(one.counter)
        region = (one.region_type, one.region)
        places = [""] if one.region_type == 0 else ["", labels.get(region) or f"{region[0]}:{region[1]}"]
        for place in places:
            totals[counter, place][0] += one.sum
            totals[counter, place][1] += one.sum if one.call_type == 0 else 0
    return [
        TraceCounter(counter=counter, place=place, total=total, outside_mpi=outside)
        for (counter, place), (total, outside) in sorted(totals.items())
    ]


def _rate(size: int, nanoseconds: int) -> float | None:
    """Bytes per second, where there is a time."""
    return size * _NANOSECONDS / nanoseconds if nanoseconds > 0 else None


def warnings(sums: TraceSums) -> Iterator[Advice]:
    """What is wrong with the trace, and what came of it."""
    yield from (_advice(one.code, str(one)) for one in sums.warnings)
    if sums.unpaired_calls:
        lasts = "a call without end lasts to the next call, or to the end of the trace"
        what = f"{counted(sums.unpaired_calls, 'call')} without a begin (left out) or without an end: {lasts}"
        yield _advice("unpaired", what)
    count, size = sums.outside_calls
    if count:
        where = "outside of calls, or many calls before their lines"
        what = f"{counted(count, 'message')} of {counted(size, 'byte')} arrived {where}: without a bandwidth"
        yield _advice("outside", what)
    if sums.clipped_counts:
        beyond = "beyond 2^63 in sum: their sums stay at that limit"
        yield _advice("clipped", f"{counted(sums.clipped_counts, 'value')} of counters {beyond}")
    if sums.left_out:
        yield _advice("left-out", f"{counted(sums.left_out, 'record')} left out, of too many different kinds")
    yield from _start_and_end(sums)


def _start_and_end(sums: TraceSums) -> Iterator[Advice]:
    """Of a short run they may be most of what the efficiencies are about."""
    share = math.fsum(one.share for one in times_in_calls(sums) if one.label in _START_AND_END)
    if share > _MUCH_OF_TIME:
        what = f"MPI_Init and MPI_Finalize took {format_share(share)} of the time of all threads"
        yield _advice("start", f"{what}, and the efficiencies include them: groma cut leaves them out")


def _advice(code: str, what: str) -> Advice:
    return Advice(code=f"trace.{code}", what=what, next="")
