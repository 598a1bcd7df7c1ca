"""In which communicators a traced program waits for collectives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.trace import TraceFacts
from groma.record.units import format_share, format_value
from groma.report.blocks import COUNT, DataTable, Figure, SystemCell, SystemChart, SystemColumn, SystemRow
from groma.report.views.registry import view
from groma.report.views.trace.times import METHOD, time_cells
from groma.report.words.names import short_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.trace import TraceCollective
    from groma.record import Record
    from groma.report.blocks import Cell
    from groma.report.views.registry import Blocks

MOST_ROWS = 16
"""The longest, which are drawn; the table has all."""


@view("results", order=3, of=TraceFacts)
def collectives(record: Record[TraceFacts]) -> Blocks:
    """Of one communicator alone, the calls say as much."""
    found = record.facts.collectives
    if len({one.communicator for one in found}) < 2:
        return []
    more = f" The table has {len(found) - MOST_ROWS:,} more." if len(found) > MOST_ROWS else ""
    return [
        Figure(
            id="trace-collectives",
            title="Collectives by communicator",
            what="Of all ranks of a communicator. Shares are of the time that all threads were there. Of a "
            f"call that does not block, the time is that of the call alone.{more}",
            method=METHOD,
            drawing=_chart(found[:MOST_ROWS]),
            table=_table(found),
            data=found,
        )
    ]


def _chart(shown: Sequence[TraceCollective]) -> SystemChart:
    titles = ("count", "time", "share", "mean", "sent", "received")
    return SystemChart(
        of="call and communicator",
        columns=[SystemColumn(title=one) for one in titles],
        rows=[_row(one, shown[0].seconds) for one in shown],
    )


def _row(one: TraceCollective, longest: float) -> SystemRow:
    sizes = [SystemCell(text=format_value(float(size), "B"), value=size) for size in (one.sent, one.received)]
    return SystemRow(
        name=f"{short_name(one.call)} of {one.communicator}", cells=[*time_cells(one, longest), *sizes]
    )


_COLUMNS = {
    "communicator": "",
    "ranks": COUNT,
    "call": "",
    "count": COUNT,
    "time": "s",
    "share": "",
    "mean": "s",
    "longest": "s",
    "sent": "B",
    "received": "B",
}
"""With their units."""


def _table(found: Sequence[TraceCollective]) -> DataTable:
    rows: list[list[Cell]] = [
        [
            one.communicator,
            one.ranks,
            short_name(one.call),
            one.count,
            one.seconds,
            format_share(one.share),
            *(one.mean, one.longest, one.sent, one.received),
        ]
        for one in found
    ]
    return DataTable(columns=list(_COLUMNS), units=list(_COLUMNS.values()), rows=rows)
