"""Totals of calls that belong together, such as those of a line of the program or of a communicator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_share, format_value
from groma.report.blocks import COUNT, DataTable, SystemCell, SystemChart, SystemColumn, SystemRow
from groma.report.views.trace.times import time_cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groma.facts.trace import TraceCallSite, TraceCollective
    from groma.report.blocks import Cell

    Totals = TraceCallSite | TraceCollective

_DRAWN = ("count", "time", "share", "mean", "sent", "received")
_COLUMNS = {
    "count": COUNT,
    "time": "s",
    "share": "",
    "mean": "s",
    "longest": "s",
    "sent": "B",
    "received": "B",
}
"""With their units."""


def totals_chart(of: str, rows: Sequence[tuple[str, Totals]]) -> SystemChart:
    """Rows with their names, the longest first; `of` is what a row is."""
    longest = rows[0][1].seconds
    return SystemChart(
        of=of,
        columns=[SystemColumn(title=one) for one in _DRAWN],
        rows=[SystemRow(name=name, cells=_cells(one, longest)) for name, one in rows],
    )


def _cells(one: Totals, longest: float) -> list[SystemCell]:
    sizes = [SystemCell(text=format_value(float(size), "B"), value=size) for size in (one.sent, one.received)]
    return [*time_cells(one, longest), *sizes]


def totals_table(columns: Mapping[str, str], rows: Iterable[tuple[Sequence[Cell], Totals]]) -> DataTable:
    """`columns` with their units, and the cells of each row in them, stand before the totals."""
    every = {**columns, **_COLUMNS}
    return DataTable(
        columns=list(every), units=list(every.values()), rows=[[*cells, *_values(one)] for cells, one in rows]
    )


def _values(one: Totals) -> list[Cell]:
    return [
        one.count,
        one.seconds,
        format_share(one.share),
        *(one.mean, one.longest, one.sent, one.received),
    ]
