"""What a run did, from the summary of its merge. Pure functions."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from groma.record import Advice
from groma.record.counting import counted
from groma.record.units import format_ids
from groma.trace.statistics import TracerCost, nanoseconds_of, seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groma.trace.merging import MergeSummary, ThreadTimes


_MOST_NAMES = 256  # of regions and values
_MOST_RANGES = 8  # of ranks in a line
_MOST_HOSTS = 4  # in a line
_POLLS = frozenset(
    f"MPI_{one}"
    for one in ("Test", "Testall", "Testany", "Testsome", "Iprobe", "Improbe", "Request_get_status")
)  # what --count-misses counts
_MANY_POLLS = 1_000_000  # some 100 MB of a .prv
_SHARE_OF_POLLS = 0.9
_MOST_OF_PARAVER = 65_535  # its numbers of objects have 16 bits


class CallSum(NamedTuple):
    """All calls of one name, on all threads. Seconds."""

    call: str
    number: int
    seconds: float


def time_in_mpi(thread: ThreadTimes) -> float:
    return seconds(sum(nanoseconds_of(one.seconds) for one in thread.calls))


def tracer_cost(thread: ThreadTimes) -> TracerCost:
    """What recording its calls took of its time in MPI, and of the time outside."""
    calls = sum(one.count for one in thread.calls)
    inside = thread.call_cost_inside
    return TracerCost(calls * inside, calls * max(0.0, thread.call_cost - inside))


def calls_by_time(summary: MergeSummary) -> list[CallSum]:
    counts: defaultdict[str, int] = defaultdict(int)
    times: defaultdict[str, int] = defaultdict(int)  # nanoseconds
    for thread in summary.threads:
        for one in thread.calls:
            counts[one.call] += one.count
            times[one.call] += nanoseconds_of(one.seconds)
    sums = [CallSum(call, counts[call], seconds(times[call])) for call in counts]
    return sorted(sums, key=lambda one: (-one.seconds, one.call))


def warnings(summary: MergeSummary) -> Iterator[Advice]:
    """What is not as it should be: what is missing from the trace, and what its times cannot say.

    What holds for the run stands before what holds for some of its logs, of which there may be many.
    """
    if summary.missing:
        yield _advice("missing", _missing(summary))
    if summary.other_mpi:
        what = "a program of another MPI than the tracer ran as well, and was not traced"
        yield _advice("other-mpi", what)
    if max(summary.ranks, default=0) > _MOST_OF_PARAVER:
        what = f"Paraver reads over {_MOST_OF_PARAVER:,} ranks only if built with --enable-extended-objects"
        yield _advice("ranks", what)
    yield from _unfinished([one for one in summary.threads if not one.finished])
    yield from _aborted(summary.threads)
    yield from _without_partners(summary)
    yield from _clocks(summary)
    yield from _polling(summary)
    for threads in _by_application(summary.threads):
        yield from _what_threads_lack(threads)
    for what in summary.refused:
        yield _advice("refused", what)


def _clocks(summary: MergeSummary) -> Iterator[Advice]:
    hosts = [one.name for one in summary.hosts if one.aligned_by == "time of day"]
    if len(hosts) == 1:
        what = f"the clock of {hosts[0]} is aligned by its time of day only: its messages may seem early"
        yield _advice("clock", what)
    elif hosts:
        names = ", ".join(hosts[:_MOST_HOSTS])
        rest = len(hosts) - _MOST_HOSTS
        more = f" and {rest} more" if rest > 0 else ""
        what = f"the clocks of {names}{more} are aligned by their times of day only"
        yield _advice("clock", f"{what}: their messages may seem early")


def _without_partners(summary: MergeSummary) -> Iterator[Advice]:
    """What no line of a message shows, or a wrong one."""
    left = summary.unmatched_sends, summary.unmatched_receives
    if any(left):
        sends, receives = counted(left[0], "message"), counted(left[1], "receive")
        what = f"{sends} without a receive, {receives} without a message"
        yield _advice("unmatched", what)
    if summary.early_messages:
        what = (
            f"{counted(summary.early_messages, 'message')} arrived before the send, by more than the clocks "
            "are off: communicators with the same ranks may be mixed up"
        )
        yield _advice("early", what)
    if summary.undetermined_receives:
        receives = counted(summary.undetermined_receives, "receive")
        before = "an earlier one from any source has no end, and may have got their messages"
        yield _advice("undetermined", f"{receives} left out: {before}")
    if summary.left_out_messages:
        what = (
            f"{summary.left_out_messages} sends and receives after calls that were replaced or could not be "
            "read have no partner in the trace: nothing says which they are"
        )
        yield _advice("left-out", what)


def _aborted(threads: Sequence[ThreadTimes]) -> Iterator[Advice]:
    """Ranks that went on after MPI_Abort, from which some MPICH return: they ended in another call."""
    ranks = sorted({one.rank for one in threads if any(call.call == "MPI_Abort" for call in one.calls)})
    if ranks:
        yield _advice("aborted", f"{_ranks(ranks)} called MPI_Abort, which ended the run")


def _polling(summary: MergeSummary) -> Iterator[Advice]:
    """A program that polls makes a trace of little else, which `--count-misses` leaves out."""
    polls = sum(one.count for thread in summary.threads for one in thread.calls if one.call in _POLLS)
    if polls >= max(_MANY_POLLS, _SHARE_OF_POLLS * summary.calls):
        what = f"{polls:,} of {summary.calls:,} calls are tests and probes: --count-misses records only those"
        yield _advice("polling", f"{what} that get something")


def _missing(summary: MergeSummary) -> str:
    ranks = [one.rank for one in summary.missing]
    who = _ranks(ranks)
    if summary.untraced_ranks < len(ranks):
        return f"no log of {who}: not traced, or its log is elsewhere"
    clocks = ", and clocks of hosts were not compared" if len(summary.hosts) > 1 else ""
    whom = "it" if len(ranks) == 1 else "them"
    return f"{who} had no tracer: messages with {whom} are not in the trace{clocks}"


def _unfinished(threads: Sequence[ThreadTimes]) -> Iterator[Advice]:
    """Ranks by the call that their first thread was in. Who ended the run stands before those that waited."""
    first: dict[tuple[int, int], ThreadTimes] = {}
    for one in sorted(threads, key=lambda one: one.thread):
        first.setdefault((one.application, one.rank), one)
    alike: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for one in first.values():
        alike[one.application, one.in_call].append(one.rank)
    for (_, call), ranks in sorted(alike.items(), key=_cause_first):
        yield _advice("unfinished", f"{_ranks(ranks)} ended{_where(call)}")
    further: defaultdict[tuple[int, str], list[ThreadTimes]] = defaultdict(list)
    for one in threads:
        if one.in_call and one is not first[one.application, one.rank]:
            further[one.application, one.in_call].append(one)
    for (_, call), alike_threads in further.items():
        yield _advice("unfinished", f"{_whose(alike_threads)} ended in {call}")


def _cause_first(group: tuple[tuple[int, str], list[int]]) -> tuple[bool, int, bool, int]:
    """Who aborts ends the run. Else it is the few of whom all others wait, in no call if one side is not."""
    (_, call), ranks = group
    return call != "MPI_Abort", len(ranks), bool(call), min(ranks)


def _where(call: str) -> str:
    within = f" in {call}" if call else ""
    return within if call == "MPI_Finalize" else f"{within} without MPI_Finalize"


def _by_application(threads: Sequence[ThreadTimes]) -> Iterable[list[ThreadTimes]]:
    """Ranks of two programs have the same numbers."""
    found: defaultdict[int, list[ThreadTimes]] = defaultdict(list)
    for one in threads:
        found[one.application].append(one)
    return found.values()


def _whose(threads: Sequence[ThreadTimes]) -> str:
    """Of one application."""
    ranks = sorted({one.rank for one in threads})
    if all(one.thread == 0 for one in threads):
        return _ranks(ranks)
    if len(threads) == 1:
        return f"rank {threads[0].rank}, thread {threads[0].thread}"
    return f"{counted(len(threads), 'thread')} of {_ranks(ranks)}"


def _what_threads_lack(threads: Sequence[ThreadTimes]) -> Iterator[Advice]:
    """Those that lack the same are named together, with the sum of what they lack."""
    for who, lost, are_many in _having("lost_records", threads):
        last = f"{'their' if are_many else 'its'} last {counted(lost, 'call')}"
        full = "their logs were" if are_many else "its log was"
        yield _advice("lost", f"{who}: without {last}, for {full} full, or the disk was")
    yield from _without_counters(threads)
    for who, _, _ in _having("overwritten_chunks", threads):
        yield _advice("overwritten", f"{who}: the oldest calls were replaced by newer ones, as asked")
    for who, further, are_many in _having("unrecorded_threads", threads):
        where = "these processes" if are_many else "this process"
        what = f"{who}: {counted(further, 'further thread')} of {where} called MPI without a log"
        yield _advice("threads", what)
    for who, unnamed, _ in _having("unnamed_records", threads):
        what = f"{who}: {unnamed} begins and ends of regions, or values, were not recorded"
        yield _advice("names", f"{what}: a thread has at most {_MOST_NAMES} names")
    for who, unknown, _ in _having("unknown_communicators", threads):
        what = f"{who}: {counted(unknown, 'communicator')} at one time too many to be told apart"
        yield _advice("communicators", what)
    for who, damaged, are_many in _having("damaged_chunks", threads):
        parts = "a part" if damaged == 1 else f"{damaged} parts"
        logs = "their logs" if are_many else "its log"
        yield _advice("damaged", f"{who}: {parts} of {logs} could not be read")


class _Having(NamedTuple):
    """Threads that have some of a number, and its sum."""

    who: str
    number: int
    are_many: bool


def _having(number: str, threads: Sequence[ThreadTimes]) -> Iterator[_Having]:
    """None where no thread has some."""
    some = [one for one in threads if getattr(one, number)]
    if some:
        yield _Having(_whose(some), sum(getattr(one, number) for one in some), are_many=len(some) > 1)


def _without_counters(threads: Sequence[ThreadTimes]) -> Iterator[Advice]:
    reasons: defaultdict[str, list[ThreadTimes]] = defaultdict(list)
    for one in threads:
        if one.no_counters:
            reasons[one.no_counters].append(one)
    for reason, some in reasons.items():
        yield _advice("no-counters", f"{_whose(some)} counted nothing: {reason}")


def _advice(code: str, what: str) -> Advice:
    return Advice(code=f"trace.{code}", what=what, next="")


def _ranks(ranks: list[int]) -> str:
    """As ranges; of many ranges the first ones. Two neighbours are no range."""
    ranges = [part for one in format_ids(ranks).split(",") for part in _without_pairs(one)]
    rest = len(ranks) - sum(map(_length, ranges[:_MOST_RANGES]))
    more = f" and {rest} more" if rest else ""
    return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(ranges[:_MOST_RANGES])}{more}"


def _without_pairs(ids: str) -> list[str]:
    return ids.split("-") if _length(ids) == 2 else [ids]


def _length(ids: str) -> int:
    first, _, last = ids.partition("-")
    return int(last or first) - int(first) + 1


def matrix_csv(summary: MergeSummary) -> str:
    """What ranks sent each other, as `groma map --matrix` reads it."""
    rows = (f"{one.source},{one.target},{one.bytes},{one.messages}" for one in summary.matrix)
    return "\n".join(["source,target,bytes,messages", *rows]) + "\n"
