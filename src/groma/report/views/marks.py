"""Parts of drawings and tiles, made of quantities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from groma.record.counting import counted
from groma.record.units import NO_BREAK, format_share, format_value, is_determined, is_one_sample, parts_of
from groma.report.blocks import Declared, HeatMap, Lane, Point, Series, SystemCell, Tile
from groma.report.words.text import quantity_text, value_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groma.record import Quantity

MOST_BARS = 64
"""Bars of more points would hide each other."""


def point_at(x: float, quantity: Quantity | None) -> list[Point]:
    """A point with its interval; nothing where nothing was measured."""
    if quantity is None:
        return []
    return [Point(x=x, y=quantity.value, low=quantity.low, high=quantity.high)]


def measured_line(name: str, tone: int, points: Sequence[Point]) -> Series:
    """A line with its intervals."""
    return Series(name=name, tone=tone, spread="band" if len(points) > MOST_BARS else "bars", points=points)


def line_from_one(name: str, tone: int, entries: Sequence[Quantity | None]) -> Series:
    """Entry i of a list that begins with 1."""
    points = [point for x, one in enumerate(entries, start=1) for point in point_at(x, one)]
    return measured_line(name, tone, points)


def labelled_line(
    name: str, tone: int, entries: Sequence[Quantity | None], ratios: Sequence[Quantity | None]
) -> Series:
    """Entry i of a list that begins with 1; the ratio of each stands in parentheses beside its point."""
    points = [
        Point(x=x, y=one.value, low=one.low, high=one.high, label=f"({ratio.value:.2f})" if ratio else "")
        for x, (one, ratio) in enumerate(zip(entries, ratios, strict=False), start=1)
        if one is not None
    ]
    return measured_line(name, tone, points)


def expected_line(name: str, tone: int, points: Iterable[tuple[float, float]]) -> Series:
    """A line that was not measured but is expected."""
    return Series(name=name, tone=tone, dashed=True, points=[Point(x=x, y=y) for x, y in points])


def quantity_lane(quantity: Quantity, tone: int = 0, **more: Any) -> Lane:
    """The value with its interval; `more` adds dots or other words."""
    bounds = {"value": quantity.value, "low": quantity.low, "high": quantity.high}
    return Lane(**{"tone": tone, **bounds, "text": quantity_text(quantity), **more})


def first_method(quantities: Iterable[Quantity | None]) -> str:
    """How the first that was measured was obtained."""
    return next((one.method for one in quantities if one is not None), "")


def shared_method(quantities: Iterable[Quantity | None]) -> str:
    """What the methods of all of them say alike, clause by clause."""
    methods = [one.method.split(", ") for one in quantities if one is not None]
    return ", ".join(part for part in methods[0] if all(part in one for one in methods)) if methods else ""


def method_of(cells: Sequence[Sequence[Quantity | None]]) -> str:
    return first_method(cell for row in cells for cell in row)


def square_map(
    title: str, other: str, labels: Sequence[str], cells: Any, borders: Sequence[int] = ()
) -> HeatMap:
    """A matrix whose rows and columns are the same things."""
    return HeatMap(
        row_title=title, column_title=other, rows=labels, columns=labels, cells=cells, borders=borders
    )


def quantity_tile(title: str, quantity: Quantity, lines: Sequence[str]) -> Tile:
    """With what the system declares of the same thing."""
    value, unit, _ = parts_of(quantity)
    return Tile(
        title=title,
        value=value,
        unit=unit,
        interval=interval_of(quantity),
        lines=lines,
        declared=_declared(quantity),
    )


def sampled_tile(title: str, quantity: Quantity, lines: Sequence[str]) -> Tile:
    """With the number of samples; a single one has its value and no interval."""
    value, unit, _ = parts_of(quantity)
    samples = counted(quantity.samples.n if quantity.samples else 0, "sample")
    spread = ", ".join(filter(None, (interval_of(quantity), samples)))
    interval = ONE_SAMPLE if samples == "1 sample" else spread
    return Tile(title=title, value=value, unit=unit, interval=interval, lines=lines)


ONE_SAMPLE = "one sample, no interval"


def interval_of(quantity: Quantity) -> str:
    """With its unit and confidence; empty where the value is exact or not determined."""
    if is_one_sample(quantity):
        return ONE_SAMPLE
    _, unit, interval = parts_of(quantity)
    if not interval:
        return ""
    return f"{interval.replace(' ', NO_BREAK)} {unit}, {format_share(quantity.confidence)}"


def _declared(quantity: Quantity) -> Declared | None:
    if quantity.os_value is None or quantity.agrees is None:
        return None
    return Declared(text=f"OS: {format_value(quantity.os_value, quantity.unit)}", agrees=quantity.agrees)


class ValueColumn(NamedTuple):
    """Cells, and the unit of all of them; empty where they differ, and each has its own."""

    unit: str
    cells: list[SystemCell | None]


def value_column(values: Sequence[Quantity | None], largest: float | None) -> ValueColumn:
    """The unit of a column in its heading, where all have the same: each cell then needs less room.

    A bar is as long as `largest` allows; None stands for no bars.
    """
    units = {unit for one in values if one and (unit := parts_of(one).unit)}
    unit = units.pop() if len(units) == 1 else ""
    return ValueColumn(
        unit, [_value_cell(one, largest, with_unit=not unit) if one else None for one in values]
    )


def _value_cell(quantity: Quantity, largest: float | None, *, with_unit: bool) -> SystemCell:
    number = number_of(quantity)
    share = round(number / largest, 4) if number is not None and largest is not None and largest > 0 else None
    text = value_text(quantity) if with_unit else parts_of(quantity).value
    return SystemCell(text=text, value=number, share=share)


def number_of(quantity: Quantity) -> float | None:
    """What it is sorted by; None where it was not determined."""
    return quantity.value if is_determined(quantity) and math.isfinite(quantity.value) else None


def largest_of(values: Iterable[Quantity | None]) -> float:
    """At least zero."""
    return max([0.0, *(number for one in values if one and (number := number_of(one)) is not None)])
