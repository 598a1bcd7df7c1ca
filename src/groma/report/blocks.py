"""What a page is made of: plain data that the viewer draws as it is given.

A new block or drawing is a struct here and a module in `viewer/draw/`, or in the folder of the one kind of
record that it is for; each registers how it is drawn. No list of them is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from groma.record import Advice, Quantity

Cell = str | int | float | bool | Quantity | None


class Block(msgspec.Struct, kw_only=True):
    """One part of a section; `block` names how it is drawn."""

    block: str


class Drawing(msgspec.Struct, kw_only=True):
    """The picture of a figure; `kind` names how it is drawn."""

    kind: str


# ---- words -------------------------------------------------------------------------------------------------


class Banner(Block, kw_only=True):
    """The outcome in one line, with what led to it."""

    block: Literal["banner"] = "banner"
    outcome: Literal["good", "warn", "bad"]
    title: str
    lines: Sequence[str]


class Declared(msgspec.Struct, kw_only=True):
    """What the operating system says of the same thing."""

    text: str
    agrees: bool


class Tile(msgspec.Struct, kw_only=True):
    """A headline figure with what stands beside it. `interval` has unit and confidence, or is empty."""

    title: str
    value: str
    unit: str = ""
    interval: str = ""
    lines: Sequence[str] = ()
    declared: Declared | None = None


class Lead(Block, kw_only=True):
    """What was found, in a sentence or two."""

    block: Literal["lead"] = "lead"
    text: str


class Tiles(Block, kw_only=True):
    block: Literal["tiles"] = "tiles"
    tiles: Sequence[Tile]


class Callouts(Block, kw_only=True):
    block: Literal["callouts"] = "callouts"
    advice: Sequence[Advice]


class Heading(Block, kw_only=True):
    """Of the blocks that follow it in a section."""

    block: Literal["heading"] = "heading"
    text: str


class Note(Block, kw_only=True):
    """A plain sentence, e.g. that a part was not measured."""

    block: Literal["note"] = "note"
    text: str


# ---- figures -----------------------------------------------------------------------------------------------


COUNT = "count"
"""The unit of a column of counts, which are written as `12,345`; identifiers have no unit."""


class DataTable(msgspec.Struct, kw_only=True):
    """Rows of cells. Plain numbers of a column are in its unit, where `units` has one for it."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    units: Sequence[str] = ()


class Figure(Block, kw_only=True):
    """A drawing with its table, or the table alone.

    `what` says what is shown, `method` how it was measured. `table` is None where it follows from the
    drawing. `data` is what "Copy JSON" copies; None stands for the table.
    """

    block: Literal["figure"] = "figure"
    id: str
    title: str
    what: str
    method: str = ""
    drawing: Drawing | None = None
    table: DataTable | None = None
    data: Any = None


class Option(msgspec.Struct, kw_only=True):
    label: str
    figure: Figure


class Choice(Block, kw_only=True):
    """Figures of which one is shown at a time."""

    block: Literal["choice"] = "choice"
    id: str
    label: str
    options: Sequence[Option]


# ---- lines -------------------------------------------------------------------------------------------------


class Axis(msgspec.Struct, kw_only=True):
    """A linear axis that is `close` begins near the data: for differences that are small beside them."""

    title: str
    unit: str = ""
    scale: Literal["linear", "log2", "log10"] = "linear"
    close: bool = False


class Point(msgspec.Struct, kw_only=True):
    """A value with its bounds; `note` has more words for the reader who points at it.

    `label` stands beside it where there is room.
    """

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    note: str = ""
    label: str = ""


class Series(msgspec.Struct, kw_only=True):
    """A line. `spread` is how the bounds of its points are drawn.

    `upper` says what `high` is where the bounds are no interval, e.g. "median". Lines of one tone share a
    colour; `dashed` tells them apart. Points of single things are not `joined`. What is not `shown` waits in
    the legend until the reader chooses it.
    """

    name: str
    tone: int
    points: Sequence[Point]
    spread: Literal["band", "bars", "none"] = "none"
    upper: str = ""
    dashed: bool = False
    joined: bool = True
    shown: bool = True


class XRange(msgspec.Struct, kw_only=True):
    """A marked range of the x axis; a line where `low` equals `high`."""

    name: str
    low: float
    high: float
    kind: Literal["measured", "declared"] = "measured"


class LineChart(Drawing, kw_only=True):
    kind: Literal["lines"] = "lines"
    x: Axis
    y: Axis
    series: Sequence[Series]
    ranges: Sequence[XRange] = ()


# ---- dots and bars -----------------------------------------------------------------------------------------


class DotAxis(msgspec.Struct, kw_only=True):
    """`zero-log10` is logarithmic with a place of its own for zero: for rates that may be nothing at all.

    `close` is that of `Axis`.
    """

    title: str
    unit: str = ""
    scale: Literal["linear", "log10", "zero-log10"] = "linear"
    close: bool = False


class Lane(msgspec.Struct, kw_only=True):
    """One value with its interval, the samples behind it as dots, and how it is put into words."""

    tone: int = 0
    value: float
    low: float
    high: float
    dots: Sequence[float] = ()
    text: str


class Strip(msgspec.Struct, kw_only=True):
    name: str
    lanes: Sequence[Lane]


class Legend(msgspec.Struct, kw_only=True):
    name: str
    tone: int


class StripChart(Drawing, kw_only=True):
    """Rows of dots and intervals over one axis.

    `marks` are values that are marked over all rows, such as a ratio of 1. `legend` says what the tones stand
    for. `bars` are drawn from zero, for parts and sums that are compared in length.
    """

    kind: Literal["strips"] = "strips"
    x: DotAxis
    strips: Sequence[Strip]
    marks: Sequence[float] = ()
    legend: Sequence[Legend] = ()
    bars: bool = False


# ---- many systems ------------------------------------------------------------------------------------------


class SystemColumn(msgspec.Struct, kw_only=True):
    """Columns of one `group` stand under one heading. `least` marks that less is better. `unit` stands in
    the heading where all cells have the same, which then do not repeat it.
    """

    title: str
    unit: str = ""
    group: str = ""
    least: bool = False


class SystemCell(msgspec.Struct, kw_only=True):
    """A value in words, the number to sort by, and the length of its bar (0 to 1), if it has one."""

    text: str
    value: float | None = None
    share: float | None = None


class SystemRow(msgspec.Struct, kw_only=True):
    """`marked` rows stand out among the others; `details` are names with values, shown on demand."""

    name: str
    marked: bool = False
    cells: Sequence[SystemCell | None]
    details: Sequence[tuple[str, str]] = ()


class SystemChart(Drawing, kw_only=True):
    """Systems as rows in the order given, which the reader may sort by any column. `of` is what a row is."""

    kind: Literal["systems"] = "systems"
    of: str = "system"
    columns: Sequence[SystemColumn]
    rows: Sequence[SystemRow]


class RadarShape(msgspec.Struct, kw_only=True):
    """A closed line over axes from 0 to 1; None where there is no value. Others can be chosen."""

    name: str
    tone: int
    values: Sequence[float | None]
    texts: Sequence[str]
    shown: bool = True


class RadarChart(Drawing, kw_only=True):
    """A Kiviat diagram of the shapes that the reader chooses."""

    kind: Literal["radar"] = "radar"
    axes: Sequence[str]
    shapes: Sequence[RadarShape]


# ---- areas -------------------------------------------------------------------------------------------------


class HeatMap(Drawing, kw_only=True):
    """A matrix of quantities, which is its table too.

    `borders` are the indices before which a heavier line is drawn: borders of packages or of nodes. `absent`
    is what an empty cell means. `span` is the lowest and the highest value of all maps that have the same
    colours, empty for a map that has its own.
    """

    kind: Literal["heat"] = "heat"
    row_title: str
    column_title: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[Quantity | None]]
    borders: Sequence[int] = ()
    absent: str = "not measured"
    span: Sequence[float] = ()


class Box(msgspec.Struct, kw_only=True):
    """A box over `span` columns from the column `first` on; `faded` ones were not available to the run."""

    first: int
    span: int
    text: str
    detail: str
    faded: bool = False


class Band(msgspec.Struct, kw_only=True):
    """Boxes that span the columns which share a thing; `measured` is what was measured of it, or empty."""

    label: str
    measured: str = ""
    role: Literal["core", "level1", "level2", "level3", "memory"]
    boxes: Sequence[Box]


class PackagePicture(msgspec.Struct, kw_only=True):
    title: str
    detail: str
    columns: int
    bands: Sequence[Band]


class MachinePicture(Drawing, kw_only=True):
    """Columns are hardware threads; each band holds boxes that span those which share the thing."""

    kind: Literal["machine"] = "machine"
    packages: Sequence[PackagePicture]


# ---- what most views need ----------------------------------------------------------------------------------


def table_figure(name: str, title: str, what: str, table: DataTable, **more: Any) -> list[Block]:
    """A figure that its table says all of; nothing without rows. `more` are its `method` and `data`."""
    return [Figure(id=name, title=title, what=what, table=table, **more)] if table.rows else []


def lead_and_tiles(lead: str, tiles: Sequence[Tile]) -> list[Block]:
    """What was found in words, then in figures, if there are any."""
    return [Lead(text=lead), *([Tiles(tiles=tiles)] if tiles else [])]


def chosen_from(name: str, label: str, options: Sequence[Option]) -> list[Block]:
    """One figure alone, else a choice between all; nothing of none."""
    if len(options) < 2:
        return [option.figure for option in options]
    return [Choice(id=name, label=label, options=options)]


def not_measured(what: str) -> Note:
    return Note(text=f"{what}: not measured in this run.")
