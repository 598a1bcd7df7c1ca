"""Quantity by quantity: changes drawn, and the table of all of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.facts.comparison import ComparisonFacts
from groma.record.units import format_share, is_one_sample
from groma.report.blocks import DataTable, DotAxis, Figure, Strip, StripChart, table_figure
from groma.report.quantities import shown
from groma.report.views.comparing import FEW, TONES, legend_of, scale_of
from groma.report.views.marks import quantity_lane
from groma.report.views.registry import view
from groma.report.words.comparison import change_words, rows_of
from groma.report.words.text import joined, unbroken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import Record
    from groma.report.blocks import Block, Cell, Lane
    from groma.report.views.registry import Blocks
    from groma.report.words.comparison import Row

MOST_STRIPS = 40
"""The largest changes; the table has all."""

MOST_ROWS = 2000


@view("results", order=0, of=ComparisonFacts)
def changes(record: Record[ComparisonFacts]) -> Blocks:
    facts = record.facts
    rows = [row for row in rows_of(facts, "worse", "better", "changed") if not row.quantity.detail]
    return [*_drawn(facts, rows), *_all(facts)]


def _drawn(facts: ComparisonFacts, rows: Sequence[Row]) -> list[Block]:
    names = list(dict.fromkeys(row.quantity.name for row in rows))[:MOST_STRIPS]
    if not names:
        return []
    records = [one.name for one in facts.records]
    strips = [Strip(name=name.partition(".")[2], lanes=_lanes(name, rows, records)) for name in names]
    return [
        Figure(
            id="comparison-changes",
            title="Changes that count",
            what=f"Each value over that of {records[0]}, with the interval of the ratio: the bad ones first, "
            "then by size. Which way is better follows from the unit.",
            method=next((row.changed.ratio.method for row in rows if row.changed.ratio), ""),
            drawing=StripChart(
                x=DotAxis(title=f"ratio to {records[0]}", unit="ratio", scale=scale_of(strips), close=True),
                strips=strips,
                marks=[1],
                legend=legend_of(records),
            ),
            table=_table(rows),
        )
    ]


def _lanes(name: str, rows: Sequence[Row], records: Sequence[str]) -> list[Lane]:
    return [
        quantity_lane(row.changed.ratio, records.index(row.record), text=_lane_words(row, len(records)))
        for row in rows
        if row.quantity.name == name
        and row.changed.ratio is not None
        and not is_one_sample(row.changed.ratio)
    ]


def _lane_words(row: Row, records: int) -> str:
    """The change stands before the record, whose long name would leave no room for it. Where colours do not
    tell the records apart, the name has the room of the interval, which the bar shows.
    """
    change, verdict = change_words(row.changed), row.changed.verdict
    if records > TONES:
        return joined(change.partition(" [")[0], verdict, row.record)
    return joined(change, verdict, row.record if records > FEW else "")


def _all(facts: ComparisonFacts) -> list[Block]:
    rows = rows_of(facts)
    left = f" The first {MOST_ROWS} of {len(rows)} are shown." if len(rows) > MOST_ROWS else ""
    limits = facts.limits
    return table_figure(
        "comparison-quantities",
        "All quantities",
        f"A change counts if at most {format_share(limits.false_changes)} of all changes reported are "
        f"chance, and if it is at least {format_share(limits.min_change)}.{left}",
        _table(rows[:MOST_ROWS]),
        data=facts.quantities if len(rows) <= MOST_ROWS else None,
    )


def _table(rows: Sequence[Row]) -> DataTable:
    """What matters most stands first: a narrow screen shows it without scrolling."""
    several = len({row.record for row in rows}) > 1
    columns = ["quantity", "verdict", "change", "first", "then", *(["record"] if several else []), "why"]
    return DataTable(columns=columns, rows=[_cells(row, several=several) for row in rows])


def _in_two_lines(change: str) -> str:
    """Neither a value nor its interval is broken, but a narrow column has one below the other."""
    value, *rest = re.split(r" (?=\[)|(?<=,) (?=one)", change)
    return " ".join(map(unbroken, [value, *rest]))


def _cells(row: Row, *, several: bool) -> list[Cell]:
    return [
        row.quantity.name,
        row.changed.verdict,
        _in_two_lines(change_words(row.changed)),
        shown(row.quantity.first),
        shown(row.changed.value),
        *([row.record] if several else []),
        row.changed.why,
    ]
