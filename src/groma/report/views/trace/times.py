"""Where the time of a traced program went: rank by rank, call by call, region by region."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

import msgspec

from groma.facts.trace import TraceFacts
from groma.record.units import format_share, format_value
from groma.report.blocks import (
    COUNT,
    DataTable,
    DotAxis,
    Drawing,
    Figure,
    Legend,
    SystemCell,
    SystemChart,
    SystemColumn,
    SystemRow,
    table_figure,
)
from groma.report.views.registry import view
from groma.report.views.trace.blocks_of_ranks import rank_blocks
from groma.report.words.names import short_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groma.facts.trace import TraceCall, TraceCallSite, TraceCollective, TraceRank
    from groma.record import Record
    from groma.report.views.registry import Blocks
    from groma.report.views.trace.blocks_of_ranks import RankBlock

MOST_CALLS = 5
"""With a colour of their own; useful time and all other calls have one as well."""

METHOD = "sums over the begin and end of each call, from one trace"


class StackRow(msgspec.Struct, kw_only=True):
    """A length for each part of the legend, and what is said beside them."""

    name: str
    values: list[float]
    text: str


class StackChart(Drawing, kw_only=True):
    """Rows of parts that follow each other on one axis from zero. `parts` has the parts in this order."""

    kind: Literal["stacks"] = "stacks"
    x: DotAxis
    parts: list[Legend]
    rows: list[StackRow]


@view("results", order=0, of=TraceFacts)
def ranks(record: Record[TraceFacts]) -> Blocks:
    facts = record.facts
    blocks = rank_blocks(facts)
    if not blocks:
        return []
    own = facts.calls[:MOST_CALLS]
    others = ["other calls"] if len(facts.calls) > MOST_CALLS else []
    names = ["useful", *(short_name(one.label) for one in own), *others]
    grouped = any(len(one.ranks) > 1 for one in blocks)
    mean = " A row is the mean of neighbouring ranks." if grouped else ""
    return [
        Figure(
            id="trace-ranks",
            title="Time of ranks",
            what="Useful time is that outside of MPI. What is left to the run time is neither: before and "
            f"after the calls, or not traced.{mean}",
            method=METHOD,
            drawing=StackChart(
                x=DotAxis(title="time", unit="s"),
                parts=[Legend(name=name, tone=tone) for tone, name in enumerate(names)],
                rows=[_row(one, own, bool(others)) for one in blocks],
            ),
            table=DataTable(
                columns=["rank", "useful", "in MPI", "calls", "sent", "received"],
                units=["", "s", "s", COUNT, "B", "B"],
                rows=[
                    [one.name, one.useful, one.in_mpi, one.calls, one.sent, one.received]
                    for one in facts.ranks
                    if one.present
                ],
            ),
            data=[msgspec.structs.replace(one, bandwidths={}) for one in facts.ranks],
        )
    ]


def _row(block: RankBlock, own: Sequence[TraceCall], has_others: bool) -> StackRow:
    useful = _mean(block, lambda one: one.useful)
    calls = [_mean(block, partial(_time_in, f"{one.type}:{one.value}")) for one in own]
    others = [max(0.0, _mean(block, lambda one: one.in_mpi) - sum(calls))] if has_others else []
    values = [useful, *calls, *others]
    whole = sum(values)
    share = f" ({format_share(useful / whole)})" if whole > 0 else ""
    return StackRow(name=block.name, values=values, text=f"{format_value(useful, 's')} useful{share}")


def _time_in(call: str, rank: TraceRank) -> float:
    return rank.mpi.get(call, 0.0)


def _mean(block: RankBlock, of: Callable[[TraceRank], float]) -> float:
    return sum(map(of, block.ranks)) / len(block.ranks)


@view("results", order=1, of=TraceFacts)
def calls(record: Record[TraceFacts]) -> Blocks:
    found = record.facts.calls
    if not found:
        return []
    longest = max(one.seconds for one in found)
    columns = [
        SystemColumn(title=title) for title in ("count", "time", "share", "mean", "longest", "received")
    ]
    return [
        Figure(
            id="trace-calls",
            title="Time in calls",
            what="Of all threads. Shares are of the time that they were there. What a call received is "
            "divided by the time of those calls that received anything.",
            method=METHOD,
            drawing=SystemChart(of="call", columns=columns, rows=[_call_row(one, longest) for one in found]),
            table=DataTable(
                columns=["call", *(one.title for one in columns)],
                units=["", COUNT, "s", "", "s", "s", "B/s"],
                rows=[
                    [
                        short_name(one.label),
                        one.count,
                        one.seconds,
                        format_share(one.share),
                        one.mean,
                        one.longest,
                        one.bandwidth,
                    ]
                    for one in found
                ],
            ),
            data=found,
        )
    ]


def time_cells(one: TraceCall | TraceCallSite | TraceCollective, longest: float) -> list[SystemCell]:
    """Count, time (drawn beside the longest), share and mean of calls."""
    return [
        SystemCell(text=f"{one.count:,}", value=one.count),
        SystemCell(
            text=format_value(one.seconds, "s"),
            value=one.seconds,
            share=round(one.seconds / longest, 4) if longest > 0 else None,
        ),
        SystemCell(text=format_share(one.share), value=one.share),
        SystemCell(text=format_value(one.mean, "s"), value=one.mean),
    ]


def _call_row(one: TraceCall, longest: float) -> SystemRow:
    rate = one.bandwidth
    return SystemRow(
        name=short_name(one.label),
        cells=[
            *time_cells(one, longest),
            SystemCell(text=format_value(one.longest, "s"), value=one.longest),
            None if rate is None else SystemCell(text=format_value(rate, "B/s"), value=rate),
        ],
    )


@view("results", order=4, of=TraceFacts)
def regions(record: Record[TraceFacts]) -> Blocks:
    return table_figure(
        "trace-regions",
        "Time in regions",
        "Regions that the program names. What a region received is divided by the time of the rank that was "
        "there longest.",
        DataTable(
            columns=["region", "count", "time", "mean of ranks", "longest rank", "in MPI", "received"],
            units=["", COUNT, "s", "s", "s", "s", "B/s"],
            rows=[
                [
                    short_name(one.label),
                    one.count,
                    one.seconds,
                    one.mean_thread,
                    one.longest_thread,
                    one.in_mpi,
                    one.bandwidth,
                ]
                for one in record.facts.regions
            ],
        ),
        method=METHOD,
    )


@view("results", order=7, of=TraceFacts)
def states(record: Record[TraceFacts]) -> Blocks:
    return table_figure(
        "trace-states",
        "Time in states",
        "Of all threads; shares are of the time that they were there.",
        DataTable(
            columns=["state", "count", "time", "share"],
            units=["", COUNT, "s", ""],
            rows=[
                [short_name(one.label), one.count, one.seconds, format_share(one.share)]
                for one in record.facts.states
            ],
        ),
    )
