"""Matrices of quantities on a terminal: whole while they are small, summarised when they are not."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from groma.facts.matrices import whole_matrix
from groma.record.units import format_number, format_quantity, format_value, scale_of, unit_label
from groma.report.document import Block, Pairs, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.matrices import Entry
    from groma.record import Quantity
    from groma.report.document import Cell

    Matrix = Sequence[Sequence[Quantity | None]]

LARGEST_SHOWN = 12
"""More columns do not fit on a terminal."""


def _median(some: Sequence[Entry]) -> str:
    if not some:
        return "-"
    return format_value(statistics.median(one.quantity.value for one in some), some[0].quantity.unit)


def summary_row(name: str, places: Sequence[int], measured: Sequence[Entry]) -> list[Cell]:
    """Name, medians of own (diagonal) and others' (the rest), the slowest other and its pair of places."""
    own = [entry for entry in measured if entry.row == entry.column]
    others = [entry for entry in measured if entry.row != entry.column]
    slowest = max(others, key=_slowness, default=None)
    return [
        name,
        _median(own),
        _median(others),
        format_quantity(slowest.quantity, interval=False) if slowest else "-",
        f"{places[slowest.row]} <- {places[slowest.column]}" if slowest else "-",
    ]


def _slowness(entry: Entry) -> float:
    """Rates are slow when small, times when large."""
    value = entry.quantity.value
    return -value if entry.quantity.unit.endswith("/s") else value


def matrix_blocks(caption: str, names: Sequence[int | str], measured: Sequence[Entry]) -> list[Block]:
    if len(measured) < 2:
        return []
    if len(names) <= LARGEST_SHOWN:
        return [_whole(caption, names, measured)]
    return [_summary(caption, names, measured)]


def _whole(caption: str, names: Sequence[int | str], measured: Sequence[Entry]) -> Table:
    largest = max((entry.quantity for entry in measured), key=lambda quantity: quantity.value)
    divisor, unit = scale_of(largest.value, largest.unit)
    rows = [
        [str(name), *("-" if q is None else format_number(q.value / divisor) for q in row)]
        for name, row in zip(names, whole_matrix(measured, len(names)), strict=True)
    ]
    return Table([">", *(f">{name}" for name in names)], rows, f"{caption}, in {unit_label(unit)}")


def _summary(caption: str, names: Sequence[int | str], measured: Sequence[Entry]) -> Pairs:
    ordered = sorted(measured, key=lambda entry: entry.quantity.value)
    middle = ordered[(len(ordered) - 1) // 2]
    points = (("smallest", ordered[0]), ("median", middle), ("largest", ordered[-1]))
    items: list[tuple[str, Cell]] = [(caption, f"{len(measured)} pairs of {len(names)} measured")]
    for name, entry in points:
        pair = f"{names[entry.row]} to {names[entry.column]}"
        items.append((name, f"{format_quantity(entry.quantity)} ({pair})"))
    return Pairs(items)
