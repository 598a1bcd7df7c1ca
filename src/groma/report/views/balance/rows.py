"""Systems as rows: how their values become cells with bars, and what their details are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.record.units import format_quantity, format_time, scale_of, unit_label
from groma.report.blocks import DataTable, SystemChart, SystemColumn, SystemRow
from groma.report.views.marks import ValueColumn, largest_of, number_of, value_column
from groma.report.words.balance import with_ratios
from groma.report.words.text import ABSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groma.facts.balance import BalanceFacts, System, SystemRatios
    from groma.record import Quantity
    from groma.report.blocks import SystemCell

Values = "Callable[[Entry], Quantity | None]"


class Entry(NamedTuple):
    """A system with its ratios, and its place among all."""

    system: System
    ratios: SystemRatios
    place: int


class Column(NamedTuple):
    """A column of values; `scaled_with` names the columns whose bars share one scale with it.

    `full` is what a bar of full length stands for, where that is not the largest of them.
    """

    title: str
    of: Callable[[Entry], Quantity | None]
    group: str = ""
    least: bool = False
    scaled_with: str = ""
    bars: bool = True
    full: float = 0.0


def entries_of(facts: BalanceFacts) -> list[Entry]:
    return [Entry(*one, place) for place, one in enumerate(with_ratios(facts))]


def chart_of(entries: Sequence[Entry], columns: Sequence[Column]) -> SystemChart:
    """With a bar for each value beside the largest of its column, or of those it is scaled with."""
    shown = [column for column in columns if any(column.of(one) for one in entries)]
    most = _largest(entries, shown)
    found = [_values(entries, column, most) for column in shown]
    rows = [_row(one, [of.cells[place] for of in found]) for place, one in enumerate(entries)]
    if all(row.marked for row in rows):
        for row in rows:
            row.marked = False
    titles = [
        SystemColumn(title=one.title, unit=values.unit, group=one.group, least=one.least)
        for one, values in zip(shown, found, strict=True)
    ]
    return SystemChart(columns=titles, rows=rows)


def _largest(entries: Sequence[Entry], columns: Sequence[Column]) -> dict[str, float]:
    most: dict[str, float] = {}
    for column in columns:
        scale = column.scaled_with or column.title
        most[scale] = column.full or max(most.get(scale, 0.0), largest_of(map(column.of, entries)))
    return most


def _values(entries: Sequence[Entry], column: Column, most: dict[str, float]) -> ValueColumn:
    largest = most[column.scaled_with or column.title] if column.bars else None
    return value_column([column.of(one) for one in entries], largest)


def _row(entry: Entry, cells: Sequence[SystemCell | None]) -> SystemRow:
    return SystemRow(
        name=entry.system.name,
        marked=not entry.system.reference,
        cells=cells,
        details=details_of(entry.system),
    )


def table_of(entries: Sequence[Entry], columns: Sequence[Column]) -> DataTable:
    """What stands behind the bars: plain numbers in the unit of each column."""
    shown = [column for column in columns if any(column.of(one) for one in entries)]
    values = [[value for one in entries if (value := column.of(one))] for column in shown]
    titles = [_titled(column.title, of) for column, of in zip(shown, values, strict=True)]
    units = ["" if _needs_no_prefix(of) else of[0].unit for of in values]
    rows = [
        [one.system.name, *((value := column.of(one)) and number_of(value) for column in shown)]
        for one in entries
    ]
    return DataTable(columns=["system", *titles], rows=rows, units=["", *units])


def _needs_no_prefix(values: Sequence[Quantity]) -> bool:
    """Whether all read well in their unit itself, which then stands in the heading."""
    return all(scale_of(one.value, one.unit)[1] == one.unit for one in values)


def _titled(title: str, values: Sequence[Quantity]) -> str:
    unit = unit_label(values[0].unit) if _needs_no_prefix(values) else ""
    return f"{title}, {unit}" if unit else title


def details_of(system: System) -> list[tuple[str, str]]:
    """Who, where, how, and every quantity with its interval."""
    success = {True: "passed", False: "failed", None: ""}[system.success]
    reported = (
        ("source", system.source),
        ("program", system.program),
        ("measured", format_time(system.created) if system.created else ""),
        ("platform", system.platform),
        ("processor", system.cpu),
        ("switch", system.switch),
        ("clock", format_quantity(system.clock) if system.clock else ""),
        ("processes x threads", processes(system)),
        ("nodes", str(system.nodes or "")),
        ("checks", success),
        ("no ratios to HPL", system.no_ratios),
        ("note", system.note),
        *((name.replace("_", " "), format_quantity(one)) for name, one in system.quantities.items()),
    )
    return [(name, value) for name, value in reported if value]


def processes(system: System) -> str:
    """`64 x 4`."""
    if system.ranks is None:
        return ""
    return f"{system.ranks} x {system.threads or ABSENT}"


def platforms_together(entries: Sequence[Entry]) -> list[Entry]:
    """By random ring bandwidth, most first; those of one platform stay together at its best (figure 1)."""
    best: dict[str, float] = {}
    for one in entries:
        best[one.system.platform] = max(best.get(one.system.platform, 0.0), _ring(one))
    return sorted(entries, key=lambda one: (-best[one.system.platform], one.system.platform, -_ring(one)))


def _ring(entry: Entry) -> float:
    ring = entry.system.quantities.get("random_ring_bandwidth")
    return ring.value if ring else 0.0
