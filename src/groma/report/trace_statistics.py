"""The tables of a trace on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.record.counting import counted
from groma.record.units import format_share, format_value
from groma.report.document import Document, Pairs, Section, Table
from groma.report.terminal import table
from groma.report.trace_editing import counted_records
from groma.report.trace_summary import efficiency_pairs, first_notes
from groma.report.words.names import short_name
from groma.report.words.trace import clocks_of_hosts
from groma.trace.bandwidths import histogram, receiving_calls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.trace import TraceCallSite, TraceCollective, TraceFacts, TraceSize, Tracing
    from groma.record import Advice
    from groma.report.document import Block, Note

_MOST_RANKS = 16
_MOST_PAIRS = 16
_MOST_SITES = 16
_MOST_REGIONS = 32
_MOST_WARNINGS = 8
_MOST_HISTOGRAMS = 1
_TOTALS = (">count", ">time", ">share", ">mean", ">sent", ">received")
_BAR = 40


class Extent(NamedTuple):
    """Whether each row of the long tables is shown; else the option that shows the others."""

    everything: bool
    option: str


OF_RECORD = Extent(everything=False, option="--json")


def statistics_document(
    facts: TraceFacts, warnings: Sequence[Advice] = (), *, everything: bool = False
) -> Document:
    """`everything` shows each row of the long tables."""
    extent = Extent(everything, "--all")
    sections = [
        Section("trace", "Trace", [*trace_blocks(facts), *_notes(warnings, extent)]),
        Section("states", "Time in states", states(facts)),
        Section("calls", "Time in MPI calls", calls(facts)),
        Section("call-sites", "Time at call sites", call_sites(facts, extent)),
        Section("collectives", "Collectives by communicator", collectives(facts, extent)),
        *_bandwidths(facts, extent),
        Section("ranks", "Time of ranks", ranks(facts, extent)),
        Section("messages", "Messages", messages(facts, extent)),
        Section("regions", "Time in regions", regions(facts, extent)),
        Section("counters", "Counters", counters(facts, extent)),
    ]
    return Document([one for one in sections if one.blocks])


def trace_blocks(facts: TraceFacts) -> list[Block]:
    """What the trace is, and the efficiencies."""
    pairs = [
        ("created", facts.created),
        ("duration", _seconds(facts.duration)),
        ("threads", f"{facts.threads:,} on {counted(facts.nodes, 'node')}"),
        ("records", counted_records(facts.records)),
        *_tracing(facts.tracing),
        *_in_mpi(facts),
        *efficiency_pairs(facts.efficiencies),
    ]
    return [Pairs(pairs)]


def _tracing(tracing: Tracing | None) -> list[tuple[str, str]]:
    if tracing is None:
        return []
    return [("program", tracing.program), *clocks_of_hosts(tracing.hosts)]


def _in_mpi(facts: TraceFacts) -> list[tuple[str, str]]:
    """With what of it is the tracer's own, where that is known."""
    if not facts.calls:
        return []
    there = [one for one in facts.ranks if one.present]
    inside = sum(one.in_mpi for one in there)
    whole = sum(one.lifetime for one in there)
    own = [one.tracer_in_mpi for one in there if one.tracer_in_mpi is not None]
    share = f", {format_share(inside / whole)} of all time" if whole > 0 else ""
    tracer = f"; {_seconds(sum(own))} of it is the tracer's" if own else ""
    return [("in MPI", f"{_seconds(inside)}{share}{tracer}")]


def _notes(warnings: Sequence[Advice], extent: Extent) -> Sequence[Note]:
    most = len(warnings) if extent.everything else _MOST_WARNINGS
    return first_notes(warnings, most, extent.option)


def _seconds(value: float) -> str:
    return format_value(value, "s")


def states(facts: TraceFacts) -> list[Block]:
    rows = [
        (short_name(one.label), f"{one.count:,}", _seconds(one.seconds), format_share(one.share))
        for one in facts.states
    ]
    return table(("state", ">count", ">time", ">share"), rows)


def calls(facts: TraceFacts) -> list[Block]:
    rows = [
        (
            short_name(one.label),
            f"{one.count:,}",
            _seconds(one.seconds),
            format_share(one.share),
            _seconds(one.mean),
            _seconds(one.longest),
            "" if one.bandwidth is None else format_value(one.bandwidth, "B/s"),
        )
        for one in facts.calls
    ]
    return table(("call", ">count", ">time", ">share", ">mean", ">longest", ">received"), rows)


def _totals(one: TraceCallSite | TraceCollective) -> tuple[str, ...]:
    return (
        f"{one.count:,}",
        _seconds(one.seconds),
        format_share(one.share),
        _seconds(one.mean),
        format_value(float(one.sent), "B"),
        format_value(float(one.received), "B"),
    )


def call_sites(facts: TraceFacts, extent: Extent = OF_RECORD) -> list[Block]:
    shown = facts.call_sites if extent.everything else facts.call_sites[:_MOST_SITES]
    rows = [
        (
            short_name(one.call),
            short_name(one.function),
            short_name(one.line),
            *_totals(one),
        )
        for one in shown
    ]
    columns = ("call", "function", "line", *_TOTALS)
    return table(columns, rows, _rest(len(facts.call_sites) - len(shown), "call sites", extent))


def collectives(facts: TraceFacts, extent: Extent = OF_RECORD) -> list[Block]:
    """Of one communicator alone, the calls say as much."""
    if len({one.communicator for one in facts.collectives}) < 2:
        return []
    shown = facts.collectives if extent.everything else facts.collectives[:_MOST_SITES]
    rows = [
        (
            one.communicator,
            short_name(one.call),
            *_totals(one),
        )
        for one in shown
    ]
    columns = ("communicator", "call", *_TOTALS)
    return table(columns, rows, _rest(len(facts.collectives) - len(shown), "rows", extent))


def _bandwidths(facts: TraceFacts, extent: Extent) -> list[Section]:
    """A histogram for the call that received most, or for each."""
    found = receiving_calls(facts)
    chosen = found if extent.everything else found[:_MOST_HISTOGRAMS]
    return [
        Section(f"bandwidth-{type_}-{value}", title, [shown])
        for type_, value in chosen
        for title, shown in [_histogram(facts, type_, value)]
    ]


def bandwidths(facts: TraceFacts) -> list[Block]:
    """The histogram of the call that received most."""
    return [
        Table(shown.columns, shown.rows, title)
        for key in receiving_calls(facts)[:_MOST_HISTOGRAMS]
        for title, shown in [_histogram(facts, *key)]
    ]


def _histogram(facts: TraceFacts, type_: int, value: int) -> tuple[str, Table]:
    bins = histogram(facts, type_, value)
    highest = max(one.count for one in bins)
    rows = [
        (
            f"{one.min / 1e6:,.0f}" + ("+" if one.max is None else f"-{one.max / 1e6:,.0f}"),
            f"{one.count:,}",
            _seconds(one.seconds),
            "#" * -(-_BAR * one.count // highest),
        )
        for one in bins
    ]
    columns = (">received (MB/s)", ">calls", ">time", "")
    return f"Bandwidth of {short_name(bins[0].label)}", Table(columns, rows)


def ranks(facts: TraceFacts, extent: Extent = OF_RECORD) -> list[Block]:
    shown = facts.ranks if extent.everything else facts.ranks[:_MOST_RANKS]
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
    return table(columns, rows, _rest(len(facts.ranks) - len(shown), "ranks", extent))


def _rest(number: int, what: str, extent: Extent) -> str:
    return f"{number:,} more {what}: {extent.option}" if number > 0 else ""


def messages(facts: TraceFacts, extent: Extent = OF_RECORD) -> list[Block]:
    found = facts.messages
    if found.count == 0:
        return []
    pairs = [("messages", f"{found.count:,}"), ("bytes", format_value(float(found.bytes), "B"))]
    return [
        Pairs([*pairs, ("pairs of ranks", f"{found.pairs:,}")]),
        Table(("size", ">messages", ">bytes"), _sizes(facts)),
        _pairs(facts, extent),
    ]


def _sizes(facts: TraceFacts) -> Sequence[tuple[str, str, str]]:
    return [(size_text(one), f"{one.count:,}", format_value(float(one.bytes), "B")) for one in facts.sizes]


def size_text(one: TraceSize) -> str:
    return f"{one.min:,} B" if one.min == one.max else f"{one.min:,}-{one.max:,} B"


def _pairs(facts: TraceFacts, extent: Extent) -> Table:
    pairs = sorted(facts.pairs, key=lambda one: (-one.bytes, one.sender, one.receiver))
    shown = pairs if extent.everything else pairs[:_MOST_PAIRS]
    rows = [
        (
            one.sender,
            one.receiver,
            f"{one.count:,}",
            format_value(float(one.bytes), "B"),
        )
        for one in shown
    ]
    return Table(
        ("from", "to", ">messages", ">bytes"), rows, caption=_rest(len(pairs) - len(shown), "pairs", extent)
    )


def regions(facts: TraceFacts, extent: Extent = OF_RECORD) -> list[Block]:
    shown = facts.regions if extent.everything else facts.regions[:_MOST_REGIONS]
    rows = [
        (
            short_name(one.label),
            f"{one.count:,}",
            _seconds(one.seconds),
            _seconds(one.mean_thread),
            _seconds(one.longest_thread),
            _seconds(one.in_mpi),
            format_value(one.bandwidth, "B/s") if one.bandwidth else "",
        )
        for one in shown
    ]
    columns = ("region", ">count", ">time", ">mean of ranks", ">longest rank", ">in MPI", ">received")
    return table(columns, rows, _rest(len(facts.regions) - len(shown), "regions", extent))


def counters(facts: TraceFacts, extent: Extent = OF_RECORD) -> list[Block]:
    """Of all and of the regions that `regions` shows."""
    places = {"", *(one.label for one in facts.regions[:_MOST_REGIONS])}
    shown = [one for one in facts.counters if extent.everything or one.place in places]
    rows = [
        (
            short_name(one.counter),
            short_name(one.place) or "all",
            f"{one.total:,}",
            f"{one.outside_mpi:,}",
        )
        for one in shown
    ]
    rest = _rest(len(facts.counters) - len(shown), "rows", extent)
    return table(("counter", "region", ">total", ">outside MPI"), rows, rest)
