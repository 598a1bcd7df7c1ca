"""Points of latency curves from the text of a file: the table of any tool, or what a known one prints.

What a file leaves open is guessed only where one meaning makes sense, and named in a remark; else it is
refused.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groma.record.record import Advice
from groma.survey.infer.curve_benchmark import table_of_benchmarks
from groma.survey.infer.curve_columns import (
    LOG2,
    LatencyColumn,
    SizeColumn,
    columns_apart,
    is_something_else,
    latency_columns,
    pages_column,
    size_column,
)
from groma.survey.infer.curve_points import (
    UNKNOWN_PAGES,
    CurveTable,
    Pages,
    Point,
    Refuse,
    roundest,
)
from groma.survey.infer.curve_tools import of_lat_mem_rd, of_ramlat, of_tinymembench
from groma.survey.infer.memory_outputs import no_curve
from groma.survey.infer.recorded_text import recorded_rows, shown
from groma.survey.infer.tables import COMMENTS, Row, number_in, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.errors import GromaError

HEADER = "size_bytes,latency_ns"

_UNIT_BEHIND = re.compile(
    r"(?<=\d) +(?=(?:[kmg]i?b|bytes?|b|k|m|g|ps|us|µs|ms|cycles?|clks?|clocks?|cy)(?![a-z]))", re.IGNORECASE
)
_SIZE = re.compile(r"([0-9.]+(?:e[+-]?[0-9]+)?)([kmg]?)(?:i?b(?:ytes?)?)?", re.IGNORECASE)
_POWERS = {"": 0, "k": 10, "m": 20, "g": 30}
_TIME = re.compile(r"([0-9.]+(?:e[+-]?[0-9]+)?)(ps|us|µs|ms|cycles?|clks?|clocks?|cy)", re.IGNORECASE)
_NS = re.compile(r"\d *ns(?![a-z])", re.IGNORECASE)
_IN_NS = {"ps": 1e-3, "us": 1e3, "µs": 1e3, "ms": 1e6}
_PAGE_SIZE = re.compile(r"(\d+)\s*([kmg]?)(?:i?b)?")
_LARGEST_SMALL = 2.0**16
"""Bytes of a page that the system gives by itself; larger ones are huge."""

_NO_SIZES = {"", "nan", "NaN", "inf", "-inf"}
_START = (2.0**6, 2.0**17)
_END = (2.0**18, 2.0**42)
"""Bytes between which the smallest and the largest size of a curve lie that shows caches."""

_GUESSES = {"B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20}
_FEWEST_PER_OCTAVE = 0.9
_LARGEST_LOG2 = 42.0
_SECONDS_BELOW = 1e-4
"""No load takes that few ns: such latencies are in seconds."""


def table_of(text: str, refuse: Refuse) -> CurveTable:
    """The points in a text; what `refuse` makes of the reason where it holds no curve."""
    printed = (read(text, refuse) for read in (of_tinymembench, of_ramlat, of_lat_mem_rd))
    found = next((table for table in printed if table is not None), None)
    if found is not None:
        return found
    refused = no_curve(text)
    if refused is not None:
        raise refuse(*refused)
    return _of_table(table_of_benchmarks(text, refuse) or text, refuse)


@dataclass(frozen=True)
class _Layout:
    size: SizeColumn
    latency: LatencyColumn
    pages: int | None = None
    apart: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    def name(self, column: int) -> str:
        return self.names[column] if column < len(self.names) else f"column {column + 1}"


def _of_table(text: str, refuse: Refuse) -> CurveTable:
    rows = recorded_rows(_UNIT_BEHIND.sub("", text))
    layout, body = _layout(rows, text, refuse)
    body, of_kinds = _of_one_kind(layout, body)
    _refuse_several_curves(layout, body, refuse)
    factor, of_sizes = _size_factor(layout, body, refuse)
    unit, scale, of_latencies = _latency_unit(layout, body, has_ns=_NS.search(text) is not None)
    points = [
        Point(
            _pages(row, layout, refuse),
            _size(row, layout, factor, refuse),
            scale * _latency(row, layout, refuse),
        )
        for row in body
    ]
    remarks = [*_guessed_columns(layout), *of_kinds, *of_sizes, *of_latencies, *_few_sizes(points)]
    return CurveTable(points, unit, remarks=remarks)


def _layout(rows: Sequence[Row], text: str, refuse: Refuse) -> tuple[_Layout, list[Row]]:
    """Where size and latency stand, and the rows that hold them."""
    if not rows:
        raise refuse("is empty", f"start it with the header {HEADER}")
    for i, row in enumerate(rows):
        layout = _named(row.cells, refuse)
        if layout is not None:
            return layout, _body(rows[i + 1 :], row, refuse)
    first = next((i for i, row in enumerate(rows) if len(_numeric(row)) > 1), None)
    if first is None:
        raise _no_header(rows[0], refuse)
    return _unnamed(rows, first, text, refuse), _body(rows[first:], None, refuse)


def _named(cells: Sequence[str], refuse: Refuse) -> _Layout | None:
    """The layout that a row of names tells; None where it is none."""
    names = _joined(cells)
    size, latencies = size_column(names), latency_columns(names)
    if size is None or not latencies:
        return None
    if len(latencies) > 1:
        raise _several([names[one.column] for one in latencies], refuse)
    return _Layout(size, latencies[0], pages_column(names), tuple(columns_apart(names)), tuple(names))


def _joined(cells: Sequence[str]) -> list[str]:
    """Names that were taken apart at their spaces: `Array size (KB) Latency (ns)` are two."""
    if not any(cell.startswith(("(", "[")) for cell in cells):
        return list(cells)
    names: list[str] = []
    is_open = False
    for cell in cells:
        if is_open:
            names[-1] += f" {cell}"
        else:
            names.append(cell)
        is_open = not cell.endswith((")", "]"))
    return names


def _body(rows: Sequence[Row], header: Row | None, refuse: Refuse) -> list[Row]:
    """Rows with numbers up to where another table begins; prose is left out."""
    body: list[Row] = []
    for row in rows:
        if _numeric(row) or any(value is not None for value in row.values):
            body.append(row)
        elif body and header is not None and row.cells == header.cells:
            raise refuse(
                f"holds several curves: line {row.number} repeats the header of line {header.number}",
                "keep one of them, or one header if the rows are samples of one curve",
            )
        elif body and len(row.cells) > 1 and size_column(row.cells):
            break
    return body


def _numeric(row: Row) -> list[int]:
    """Columns that hold a number, with or without the unit of a size."""
    return [
        i
        for i, (cell, value) in enumerate(zip(row.cells, row.values, strict=True))
        if (value is not None and not math.isnan(value)) or _SIZE.fullmatch(cell) or _TIME.fullmatch(cell)
    ]


def _unnamed(rows: Sequence[Row], first: int, text: str, refuse: Refuse) -> _Layout:
    """By what names there are: in a comment, of one of the columns, or by their order."""
    for names in reversed(list(_names_in_comments(text))):
        layout = _named(names, refuse)
        if layout is not None:
            return layout
    width = len(rows[first].cells)
    headers = [row.cells for row in rows[:first] if len(row.cells) == width and _has_a_word(row)]
    names = headers[-1] if headers else [""] * width
    columns = _numeric(rows[first])
    if any(is_something_else(names[i]) and not _is_known(names[i]) for i in columns):
        raise _no_header(rows[max(first - 1, 0)], refuse)
    size = size_column(names) or SizeColumn(columns[0], None)
    latencies = latency_columns(names) or [LatencyColumn(i, None, 1.0) for i in columns if i != size.column]
    if len(latencies) > 1:
        raise _several([names[one.column] or f"column {one.column + 1}" for one in latencies], refuse)
    return _Layout(size, latencies[0], pages_column(names), tuple(columns_apart(names)))


def _has_a_word(row: Row) -> bool:
    return any(value is None for i, value in enumerate(row.values) if i not in _numeric(row))


def _is_known(name: str) -> bool:
    return size_column([name]) is not None or bool(latency_columns([name]))


def _names_in_comments(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        if line.lstrip().startswith(COMMENTS):
            plain = line.lstrip().lstrip("".join(COMMENTS)).strip()
            yield from (row.cells for row in rows_of(plain))


def _no_header(row: Row, refuse: Refuse) -> GromaError:
    return refuse(
        f"line {row.number} should be the header {HEADER} but is {shown(','.join(row.cells))}",
        "write that header above the first row (sizes in bytes, latencies in ns)",
    )


def _several(names: Sequence[str], refuse: Refuse) -> GromaError:
    listed = shown(", ".join(names))
    return refuse(
        f"has several columns of latencies: {listed}", f"keep one of them, under the header {HEADER}"
    )


def _of_one_kind(layout: _Layout, body: list[Row]) -> tuple[list[Row], list[Advice]]:
    """The rows of the only kind with latencies: a long table may hold bandwidths under other names."""
    for column in layout.apart:
        kinds = {row.cells[column] for row in body if _has_latency(row, layout) and column < len(row.cells)}
        others = {row.cells[column] for row in body if column < len(row.cells)} - kinds
        if len(kinds) == 1 and others:
            kept = [row for row in body if column >= len(row.cells) or row.cells[column] in kinds]
            return kept, [_other_kinds(layout.name(column), kinds.pop(), sorted(others))]
    return body, []


def _has_latency(row: Row, layout: _Layout) -> bool:
    column = layout.latency.column
    value = row.values[column] if column < len(row.values) else 0.0
    return value is None or value > 0


def _other_kinds(column: str, kind: str, others: Sequence[str]) -> Advice:
    return Advice(
        code="curve.rows",
        what=f"only rows whose {shown(column)} is {shown(kind)} hold latencies; others were left out: "
        f"{shown(', '.join(others))}",
        next="write the rows of the curve into a file of their own if that is not what was meant",
    )


def _refuse_several_curves(layout: _Layout, body: Sequence[Row], refuse: Refuse) -> None:
    """Rows of one size but of several cores are no samples of one curve."""
    for column in layout.apart:
        values: dict[str, set[str]] = defaultdict(set)
        for row in body:
            if column < len(row.cells) and layout.size.column < len(row.cells):
                values[row.cells[layout.size.column]].add(row.cells[column])
        several = max((sorted(some) for some in values.values()), key=len, default=[])
        if len(several) > 1:
            raise refuse(
                f"holds several curves: column {shown(layout.name(column))} is {shown(', '.join(several))}",
                "keep the rows of one of them",
            )


# ---- cells -------------------------------------------------------------------------------------------------


def _size_factor(layout: _Layout, body: Sequence[Row], refuse: Refuse) -> tuple[float, list[Advice]]:
    """What makes the sizes bytes; guessed where neither the header nor the cells name a unit."""
    if layout.size.factor is not None:
        return layout.size.factor, []
    cells = [row.cells[layout.size.column] for row in body if layout.size.column < len(row.cells)]
    if not cells or any(number_in(cell) is None and _SIZE.fullmatch(cell) for cell in cells):
        return 1.0, []
    sizes = [size for size in map(number_in, cells) if size is not None and 0 < size < math.inf]
    fitting = [name for name in (*_GUESSES, "powers of two") if sizes and _is_curve(name, sizes)]
    if len(fitting) != 1:
        could = f"they may be {' or '.join(fitting)}" if fitting else "no unit makes working sets of them"
        raise refuse(
            f"names no unit of its sizes, and {could}",
            f"name it in the header: {HEADER}, size_kib or size_mib",
        )
    return _GUESSES.get(fitting[0], LOG2), [_assumed_unit("sizes", fitting[0])]


def _is_curve(unit: str, sizes: Sequence[float]) -> bool:
    """Whether a curve over sizes in this unit begins within a first cache and ends beyond one."""
    if unit not in _GUESSES and max(sizes) > _LARGEST_LOG2:
        return False
    start, end = (
        size * _GUESSES[unit] if unit in _GUESSES else 2.0**size for size in (min(sizes), max(sizes))
    )
    return _START[0] <= start <= _START[1] and _END[0] <= end <= _END[1]


def _latency_unit(layout: _Layout, body: Sequence[Row], *, has_ns: bool) -> tuple[str, float, list[Advice]]:
    """The unit of the table, what makes the latencies that unit, and what was guessed.

    `has_ns` where ns stand behind numbers, which cells no longer show.
    """
    column = layout.latency
    if column.unit is not None:
        return column.unit, column.factor, []
    cells = [row.cells[column.column] for row in body if column.column < len(row.cells)]
    units = {match[2].casefold() for cell in cells if (match := _TIME.fullmatch(cell))}
    if units or has_ns:
        return ("ns" if units <= set(_IN_NS) else "cycles"), 1.0, []
    values = [value for value in map(number_in, cells) if value is not None and math.isfinite(value)]
    if values and 0 < max(values) < _SECONDS_BELOW:
        return "ns", 1e9, [_assumed_unit("latencies", "seconds")]
    return "ns", 1.0, [_assumed_unit("latencies", "ns")]


def _guessed_columns(layout: _Layout) -> Iterator[Advice]:
    if not layout.names:
        yield Advice(
            code="curve.columns",
            what=f"the file does not name its columns: column {layout.size.column + 1} is taken as the size, "
            f"column {layout.latency.column + 1} as the latency",
            next=f"write the header {HEADER} above the first row",
        )


def _few_sizes(points: Sequence[Point]) -> Iterator[Advice]:
    """Where a step is as wide as the distance of two sizes, levels look like an even rise."""
    sizes = {one.size for one in points if 0 < one.size < math.inf and 0 < one.latency < math.inf}
    octaves = math.log2(max(sizes) / min(sizes)) if sizes else 0.0
    if len(sizes) - 1 < _FEWEST_PER_OCTAVE * octaves:
        yield Advice(
            code="curve.sparse",
            what=f"{len(sizes)} sizes over {octaves:.0f} octaves are less than one in each: "
            "the ends of caches may look like an even rise",
            next="record more sizes: four and more between one size and its double",
        )


def _assumed_unit(what: str, unit: str) -> Advice:
    return Advice(
        code="curve.unit",
        what=f"the file names no unit of its {what}: they are taken as {unit}",
        next=f"name the unit in the header: {HEADER}, size_kib, latency_cycles",
    )


def _size(row: Row, layout: _Layout, factor: float, refuse: Refuse) -> float:
    """In bytes; NaN where the cell is empty."""
    cell = row.cells[layout.size.column] if layout.size.column < len(row.cells) else None
    value = None if cell is None else number_in(cell)
    is_word = value is not None and math.isnan(value) and cell not in _NO_SIZES
    if cell is None or is_word or _has_too_many(row, layout):
        raise _no_point(row, refuse)
    if value is None:
        match = _SIZE.fullmatch(cell)
        number = number_in(match[1]) if match else None
        if match is None or number is None:
            raise _no_point(row, refuse)
        return number * 2.0 ** _POWERS[match[2].casefold()]
    if factor == LOG2:
        return 2.0**value if value <= _LARGEST_LOG2 else math.inf
    return value if factor == 1.0 or not math.isfinite(value) else roundest(cell, factor)


def _has_too_many(row: Row, layout: _Layout) -> bool:
    """More cells than names: a decimal comma where commas separate, for example."""
    return bool(layout.names) and any(row.cells[len(layout.names) :])


def _latency(row: Row, layout: _Layout, refuse: Refuse) -> float:
    cell = row.cells[layout.latency.column] if layout.latency.column < len(row.cells) else None
    value = None if cell is None else number_in(cell)
    if cell is not None and value is None and (match := _TIME.fullmatch(cell)):
        value = number_in(match[1])
        return math.nan if value is None else value * _IN_NS.get(match[2].casefold(), 1.0)
    if value is None:
        raise _no_point(row, refuse)
    return value


def _no_point(row: Row, refuse: Refuse) -> GromaError:
    return refuse(
        f"line {row.number} is not a size and a latency: {shown(','.join(row.cells))}",
        "every row needs two numbers separated by a comma",
    )


def _pages(row: Row, layout: _Layout, refuse: Refuse) -> Pages:
    if layout.pages is None:
        return UNKNOWN_PAGES
    reported = row.cells[layout.pages].lower() if layout.pages < len(row.cells) else ""
    if reported in {"huge", "small"}:
        return Pages(reported)
    size = _PAGE_SIZE.fullmatch(reported)
    if size is None:
        raise refuse(
            f"line {row.number} has pages {shown(reported)}",
            "write huge, small or the size of a page: 4K, 2M, 2097152",
        )
    bytes_ = float(size[1]) * 2.0 ** _POWERS[size[2]]
    return Pages("small" if bytes_ <= _LARGEST_SMALL else "huge", bytes_)
