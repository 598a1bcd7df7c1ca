"""In which communicators a traced program waits for collectives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.trace import TraceFacts
from groma.report.blocks import COUNT, Figure
from groma.report.views.registry import view
from groma.report.views.trace.times import METHOD
from groma.report.views.trace.totals import totals_chart, totals_table
from groma.report.words.names import short_name

if TYPE_CHECKING:
    from groma.facts.trace import TraceCollective
    from groma.record import Record
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
            drawing=totals_chart("call and communicator", [(_name(one), one) for one in found[:MOST_ROWS]]),
            table=totals_table(
                {"communicator": "", "ranks": COUNT, "call": ""},
                (([one.communicator, one.ranks, short_name(one.call)], one) for one in found),
            ),
            data=found,
        )
    ]


def _name(one: TraceCollective) -> str:
    return f"{short_name(one.call)} of {one.communicator}"
