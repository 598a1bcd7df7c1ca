"""The regions of a program: the tables that the terminal has, with words on what they count."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.facts.regions import RegionsFacts
from groma.report.blocks import DataTable, Lead, Note, table_figure
from groma.report.document import Table, text_of
from groma.report.kinds import regions
from groma.report.views.registry import view
from groma.report.words.text import joined, unbroken

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.record import Record
    from groma.report import terminal
    from groma.report.views.registry import Blocks

    Regions = Record[RegionsFacts]


@view("verdict", order=0, of=RegionsFacts)
def verdict(record: Regions) -> Blocks:
    facts = record.facts
    rank = f"rank {facts.rank}" if facts.rank else ""
    where = joined(rank, facts.host and f"on {facts.host}", by=" ")
    lead = f"{joined(' '.join(record.command) or 'A program', where, by=', ')}."
    return [Lead(text=lead), *(Note(text=remark) for remark in facts.remarks)]


class _RegionTable(NamedTuple):
    name: str
    title: str
    what: str
    of: Callable[[Regions], terminal.Blocks]


_TABLES = (
    _RegionTable(
        "times",
        "Time in regions",
        "Sums over all calls and threads; a region stands below the one around it. Inclusive times have the "
        "regions inside, exclusive ones have not. Share: exclusive time over that of the outermost regions. "
        "Balance: mean over maximum of the threads.",
        regions.times,
    ),
    _RegionTable(
        "counts", "Counts in regions", "Sums over all threads, with the regions inside.", regions.counts
    ),
    _RegionTable("metrics", "Metrics of regions", "Derived from the counts of all threads.", regions.metrics),
    _RegionTable("values", "Values", "What the program noted under a name, by thread.", regions.values),
)


@view("results", order=0, of=RegionsFacts)
def tables(record: Regions) -> Blocks:
    return [
        block
        for one in _TABLES
        for shown in one.of(record)
        if isinstance(shown, Table)
        for block in table_figure(f"regions-{one.name}", one.title, one.what, _as_data(shown))
    ]


def _as_data(shown: Table) -> DataTable:
    columns = [column.removeprefix(">") for column in shown.columns]
    return DataTable(columns=columns, rows=[[_unbroken(text_of(cell)) for cell in row] for row in shown.rows])


def _unbroken(text: str) -> str:
    """A value stays on one line with its unit."""
    return unbroken(text) if text[:1].isdecimal() else text
