"""From where a traced program calls MPI."""

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

    from groma.facts.trace import TraceCallSite
    from groma.record import Record
    from groma.report.blocks import Cell
    from groma.report.views.registry import Blocks

MOST_SITES = 12
"""The longest, which are drawn; the table has all."""


@view("results", order=2, of=TraceFacts)
def call_sites(record: Record[TraceFacts]) -> Blocks:
    found = record.facts.call_sites
    if not found:
        return []
    shown = found[:MOST_SITES]
    more = f" The table has {len(found) - len(shown):,} more." if len(found) > len(shown) else ""
    return [
        Figure(
            id="trace-call-sites",
            title="Time at call sites",
            what="Lines of the program that call MPI. A message counts as sent where the program starts to "
            f"send it, and as received where it arrives.{more}",
            method=METHOD,
            drawing=_chart(shown),
            table=_table(found),
            data=found,
        )
    ]


def _chart(shown: Sequence[TraceCallSite]) -> SystemChart:
    titles = ("count", "time", "share", "mean", "sent", "received")
    return SystemChart(
        of="call site",
        columns=[SystemColumn(title=one) for one in titles],
        rows=[_row(one, shown[0].seconds) for one in shown],
    )


_COLUMNS = {
    "call": "",
    "function": "",
    "line": "",
    "count": COUNT,
    "time": "s",
    "share": "",
    "mean": "s",
    "longest": "s",
    "sent": "B",
    "received": "B",
}
"""With their units."""


def _table(found: Sequence[TraceCallSite]) -> DataTable:
    rows: list[list[Cell]] = [
        [
            *map(short_name, (one.call, one.function, one.line)),
            one.count,
            one.seconds,
            format_share(one.share),
            *(one.mean, one.longest, one.sent, one.received),
        ]
        for one in found
    ]
    return DataTable(columns=list(_COLUMNS), units=list(_COLUMNS.values()), rows=rows)


def _row(one: TraceCallSite, longest: float) -> SystemRow:
    sizes = [SystemCell(text=format_value(float(size), "B"), value=size) for size in (one.sent, one.received)]
    return SystemRow(
        name=f"{short_name(one.call)} in {short_name(one.function)}, {short_name(one.line)}",
        cells=[*time_cells(one, longest), *sizes],
    )
