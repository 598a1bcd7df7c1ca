"""Parts of drawings and tiles, made of quantities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.record.counting import counted
from groma.record.units import NO_BREAK, format_share, format_value, is_one_sample, parts_of
from groma.report.blocks import Declared, HeatMap, Lane, Point, Series, Tile
from groma.report.words.text import quantity_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groma.record import Quantity
    from groma.report.blocks import SystemChart

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


def with_units_above(chart: SystemChart) -> SystemChart:
    """The unit of a column in its heading, where all cells have the same: each then needs less room."""
    for place, column in enumerate(chart.columns):
        cells = [cell for row in chart.rows if (cell := row.cells[place])]
        split = [cell.text.rpartition(" ") for cell in cells]
        units = {unit for number, _, unit in split if number and not number.endswith(" x")}
        if len(units) == 1 and all(number for number, *_ in split):
            column.unit = units.pop()
            for cell, (number, *_) in zip(cells, split, strict=True):
                cell.text = number
    return chart
