"""Plots made of characters, for terminals and pipes alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from groma.record.units import format_value

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_BARS = "▁▂▃▄▅▆▇█"
ROWS = 9
WIDEST = 60


def sparkline(values: Sequence[float], width: int = 20) -> str:
    """All values from the first to the last, each a bar between the least and the largest of them."""
    shown, _ = _columns(values, (), width)
    low, high = min(shown), max(shown)
    if high <= low:
        return _BARS[3] * len(shown)
    return "".join(_BARS[round((one - low) / (high - low) * (len(_BARS) - 1))] for one in shown)


def chart(values: Sequence[float], unit: str, marked: Collection[int] = ()) -> list[str]:
    """Lines of a plot, a column for each value; a marked value begins with a bar over all rows.

    Of more values than there is room for, columns show the median of several.
    """
    columns, marks = _columns(values, marked, WIDEST)
    low, high = min(columns), max(columns)
    room = (high - low) or abs(high) * 0.1 or 1.0
    rows = [round((one - low) / room * (ROWS - 1)) for one in columns]
    labels = {0: format_value(low, unit), ROWS - 1: format_value(low + room, unit)}
    width = max(map(len, labels.values()))
    return [
        f"{labels.get(row, '').rjust(width)} ┤{_line(rows, row, marks)}".rstrip()
        for row in reversed(range(ROWS))
    ]


def _line(rows: Sequence[int], row: int, marks: Collection[int]) -> str:
    return "".join(_cell(rows, row, at, marks) for at in range(len(rows)))


def _cell(rows: Sequence[int], row: int, at: int, marks: Collection[int]) -> str:
    if rows[at] == row:
        return "●"
    return "│" if at in marks else " "


def _columns(values: Sequence[float], marked: Collection[int], widest: int) -> tuple[list[float], set[int]]:
    """Medians of as many neighbours as there must be in a column."""
    each = math.ceil(len(values) / widest)
    parts = [sorted(values[at : at + each]) for at in range(0, len(values), each)]
    return [part[(len(part) - 1) // 2] for part in parts], {at // each for at in marked}
