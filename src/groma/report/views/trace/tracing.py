"""How a trace was taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.trace import TraceFacts
from groma.report.blocks import DataTable, table_figure
from groma.report.views.registry import view

if TYPE_CHECKING:
    from groma.record import Record
    from groma.report.views.registry import Blocks


@view("run", order=0, of=TraceFacts)
def clocks(record: Record[TraceFacts]) -> Blocks:
    tracing = record.facts.tracing
    hosts = tracing.hosts if tracing else []
    return table_figure(
        "trace-clocks",
        "Clocks of hosts",
        "How the times of each host were brought onto those of the host of rank 0. The error bounds what "
        "is left.",
        DataTable(
            columns=["host", "aligned by", "error", "comparisons"],
            units=["", "", "s", ""],
            rows=[[one.name, one.aligned_by, one.error, one.comparisons] for one in hosts],
        ),
    )
