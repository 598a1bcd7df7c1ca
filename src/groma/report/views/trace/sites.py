"""From where a traced program calls MPI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.trace import TraceFacts
from groma.report.blocks import Figure
from groma.report.views.registry import view
from groma.report.views.trace.times import METHOD
from groma.report.views.trace.totals import totals_chart, totals_table
from groma.report.words.names import short_name

if TYPE_CHECKING:
    from groma.facts.trace import TraceCallSite
    from groma.record import Record
    from groma.report.views.registry import Blocks

MOST_SITES = 12
"""The longest, which are drawn; the table has all."""


@view("results", order=2, of=TraceFacts)
def call_sites(record: Record[TraceFacts]) -> Blocks:
    found = record.facts.call_sites
    if not found:
        return []
    more = f" The table has {len(found) - MOST_SITES:,} more." if len(found) > MOST_SITES else ""
    return [
        Figure(
            id="trace-call-sites",
            title="Time at call sites",
            what="Lines of the program that call MPI. A message counts as sent where the program starts to "
            f"send it, and as received where it arrives.{more}",
            method=METHOD,
            drawing=totals_chart("call site", [(_name(one), one) for one in found[:MOST_SITES]]),
            table=totals_table(
                {"call": "", "function": "", "line": ""},
                (([*map(short_name, (one.call, one.function, one.line))], one) for one in found),
            ),
            data=found,
        )
    ]


def _name(one: TraceCallSite) -> str:
    return f"{short_name(one.call)} in {short_name(one.function)}, {short_name(one.line)}"
