"""The tables of a trace on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_value
from groma.report.document import Document, Note, Pairs, Section, Table
from groma.report.words.text import format_share
from groma.trace import statistics as of
from groma.trace.bandwidths import histogram, receiving_calls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.report.document import Block
    from groma.trace.sums import TraceSums

_MOST_THREADS = 16
_MOST_PAIRS = 16
_MOST_WARNINGS = 8
_MOST_HISTOGRAMS = 1
_BAR = 40


def statistics_document(sums: TraceSums, *, everything: bool = False) -> Document:
    """`everything` shows each row of the long tables."""
    sections = [
        Section("trace", "Trace", [Pairs(_facts(sums)), *_notes(sums)]),
        Section("states", "Time in states", [_states(sums)] if sums.states else []),
        Section("calls", "Time in MPI calls", [_calls(sums)] if sums.calls else []),
        *_bandwidths(sums, everything=everything),
        Section("threads", "Time of ranks", [_threads(sums, everything=everything)]),
        Section("messages", "Messages", _messages(sums, everything=everything)),
        Section("regions", "Time in regions", [_regions(sums)] if sums.regions else []),
        Section("counters", "Counters", [_counters(sums)] if sums.counters else []),
    ]
    return Document([one for one in sections if one.blocks])


def _facts(sums: TraceSums) -> list[tuple[str, str]]:
    records = sums.records
    facts = [
        ("created", sums.created),
        ("duration", _seconds(sums.duration * of.NANOSECOND)),
        ("threads", f"{len(sums.threads):,} on {sums.nodes:,} node{'' if sums.nodes == 1 else 's'}"),
        (
            "records",
            f"{records.states:,} states, {records.events:,} events, {records.communications:,} messages",
        ),
    ]
    found = of.efficiencies(sums)
    if found is None:
        return facts
    parts = (format_share(found.load_balance), format_share(found.communication))
    whole = format_share(found.parallel)
    text = f"{whole} = load balance {parts[0]} x communication {parts[1]}"
    return [*facts, ("parallel efficiency", text)]


def _notes(sums: TraceSums) -> list[Block]:
    return [Note(what) for what in list(of.warnings(sums))[:_MOST_WARNINGS]]


def _seconds(value: float) -> str:
    return format_value(value, "s")


def _states(sums: TraceSums) -> Table:
    rows = [
        (one.label, f"{one.count:,}", _seconds(one.seconds), format_share(one.share))
        for one in of.times_in_states(sums)
    ]
    return Table(("state", ">count", ">time", ">share"), rows)


def _calls(sums: TraceSums) -> Table:
    rows = [
        (
            one.label,
            f"{one.count:,}",
            _seconds(one.seconds),
            format_share(one.share),
            _seconds(one.mean),
            _seconds(one.longest),
            "" if one.bandwidth is None else format_value(one.bandwidth, "B/s"),
        )
        for one in of.times_in_calls(sums)
    ]
    return Table(("call", ">count", ">time", ">share", ">mean", ">longest", ">received"), rows)


def _bandwidths(sums: TraceSums, *, everything: bool) -> list[Section]:
    """A histogram for the call that received most; for each with `everything`."""
    calls = receiving_calls(sums)
    return [_histogram(sums, *key) for key in (calls if everything else calls[:_MOST_HISTOGRAMS])]


def _histogram(sums: TraceSums, type_: int, value: int) -> Section:
    bins = histogram(sums, type_, value)
    highest = max(one.count for one in bins)
    rows = [
        (
            f"{one.least / 1e6:,.0f}" + ("+" if one.most is None else f"-{one.most / 1e6:,.0f}"),
            f"{one.count:,}",
            _seconds(one.seconds),
            "#" * -(-_BAR * one.count // highest),
        )
        for one in bins
    ]
    table = Table((">received (MB/s)", ">calls", ">time", ""), rows)
    return Section(f"bandwidth-{type_}-{value}", f"Bandwidth of {bins[0].label}", [table])


def _threads(sums: TraceSums, *, everything: bool) -> Table:
    times = of.times_of_threads(sums)
    shown = times if everything else times[:_MOST_THREADS]
    rows = [
        (
            one.name,
            _seconds(one.useful),
            _seconds(one.in_mpi),
            f"{one.calls:,}",
            format_value(float(one.sent), "B"),
            format_value(float(one.received), "B"),
        )
        for one in shown
    ]
    columns = ("rank", ">useful", ">in MPI", ">calls", ">sent", ">received")
    return Table(columns, rows, caption=_rest(len(times) - len(shown), "ranks"))


def _rest(number: int, what: str) -> str:
    return f"{number:,} more {what}: --all" if number > 0 else ""


def _messages(sums: TraceSums, *, everything: bool) -> list[Block]:
    found = of.messages(sums)
    if found.count == 0:
        return []
    facts = [("messages", f"{found.count:,}"), ("bytes", format_value(float(found.bytes), "B"))]
    return [
        Pairs([*facts, ("pairs of ranks", f"{found.pairs:,}")]),
        Table(("size", ">messages", ">bytes"), _sizes(sums)),
        _pairs(sums, everything=everything),
    ]


def _sizes(sums: TraceSums) -> Sequence[tuple[str, str, str]]:
    def bounds(number: int) -> str:
        least, most = of.bounds_of_bin(number)
        return f"{least:,} B" if least == most else f"{least:,}-{most:,} B"

    return [(bounds(one.bin), f"{one.count:,}", format_value(float(one.bytes), "B")) for one in sums.sizes]


def _pairs(sums: TraceSums, *, everything: bool) -> Table:
    pairs = sorted(sums.pairs, key=lambda one: (-one.bytes, one.sender, one.receiver))
    shown = pairs if everything else pairs[:_MOST_PAIRS]
    rows = [
        (
            of.thread_name(sums, one.sender),
            of.thread_name(sums, one.receiver),
            f"{one.count:,}",
            format_value(float(one.bytes), "B"),
        )
        for one in shown
    ]
    return Table(("from", "to", ">messages", ">bytes"), rows, caption=_rest(len(pairs) - len(shown), "pairs"))


def _regions(sums: TraceSums) -> Table:
    rows = [
        (
            one.label,
            f"{one.count:,}",
            _seconds(one.seconds),
            _seconds(one.mean_thread),
            _seconds(one.longest_thread),
            _seconds(one.in_mpi),
            format_value(one.bandwidth, "B/s") if one.bandwidth else "",
        )
        for one in of.times_in_regions(sums)
    ]
    columns = ("region", ">count", ">time", ">mean of ranks", ">longest rank", ">in MPI", ">received")
    return Table(columns, rows)


def _counters(sums: TraceSums) -> Table:
    rows = [
        (one.counter, one.place or "all", f"{one.total:,}", f"{one.outside_mpi:,}")
        for one in of.counter_totals(sums)
    ]
    return Table(("counter", "region", ">total", ">outside MPI"), rows)
