"""A traced run on one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.counting import counted
from groma.record.units import format_share, format_value
from groma.report.document import Document, Note, Pairs, Table, one_section
from groma.report.words.trace import clocks_of_hosts
from groma.trace import summary as of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.trace import TraceEfficiencies
    from groma.record import Advice
    from groma.trace.merging import MergeSummary

_MOST_CALLS = 8
_MOST_WARNINGS = 6


def trace_document(summary: MergeSummary, efficiencies: TraceEfficiencies | None) -> Document:
    notes = first_notes(list(of.warnings(summary)), _MOST_WARNINGS, "groma stat --all")
    return one_section(Pairs(_run(summary, efficiencies)), _calls(summary), *notes)


def first_notes(warnings: Sequence[Advice], most: int, option: str) -> list[Note]:
    """With the number of the others, and what shows them."""
    notes = [Note(one.what) for one in warnings[:most]]
    rest = len(warnings) - most
    return [*notes, Note(f"{counted(rest, 'more warning')}: {option}")] if rest > 0 else notes


def _run(summary: MergeSummary, efficiencies: TraceEfficiencies | None) -> list[tuple[str, str]]:
    threads = f", {len(summary.threads)} threads" if len(summary.threads) > sum(summary.ranks) else ""
    return [
        ("program", summary.program),
        ("ranks", f"{sum(summary.ranks)}{threads} on {counted(len(summary.hosts), 'host')}"),
        ("time", format_value(summary.duration, "s")),
        ("calls", f"{summary.calls:,}, {counted(summary.messages, 'message')} between ranks"),
        ("in MPI", _in_mpi(summary)),
        *efficiency_pairs(efficiencies),
        *clocks_of_hosts(summary.hosts),
    ]


def _in_mpi(summary: MergeSummary) -> str:
    inside = sum(of.time_in_mpi(one) for one in summary.threads)
    whole = sum(one.end - one.begin for one in summary.threads)
    own = sum(of.tracer_cost(one).inside for one in summary.threads)
    share = f", {format_share(inside / whole)} of all time" if whole > 0 else ""
    return f"{format_value(inside, 's')}{share}; {format_value(own, 's')} of it is the tracer's"


def efficiency_pairs(found: TraceEfficiencies | None) -> list[tuple[str, str]]:
    if found is None:
        return []
    parts = (
        f"load balance {format_share(found.load_balance)} x communication {format_share(found.communication)}"
    )
    return [("parallel efficiency", f"{format_share(found.parallel)} = {parts}")]


def _calls(summary: MergeSummary) -> Table:
    whole = sum(one.end - one.begin for one in summary.threads)
    sums = of.calls_by_time(summary)
    rows = [
        (
            one.call,
            f"{one.number:,}",
            format_value(one.seconds, "s"),
            format_share(one.seconds / whole) if whole > 0 else "",
            format_value(one.seconds / one.number, "s"),
        )
        for one in sums[:_MOST_CALLS]
    ]
    rest = len(sums) - len(rows)
    return Table(
        ("call", ">count", ">time", ">share", ">mean"),
        rows,
        caption=f"{counted(rest, 'more call')} took less" if rest > 0 else "",
    )
