"""Packs the bulky parts of a page: matrices of quantities, long lists of pairs, of objects and of rows.

A machine of 384 hardware threads has 147 456 core-to-core cells; written as JSON objects they would need
40 MB. Columns with a common scale, the upper triangle alone where the matrix is symmetric, the measured
cells alone where most are empty, and runs in place of single pairs bring that to a few hundred kB.
Keys that begin with `$` tell what was packed; those of a record get one more. `viewer/base/packing.ts` is the
inverse.
"""

from __future__ import annotations

import functools
import math
import operator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from groma.record.units import digits_to_resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Json = Any
Cell = dict[str, Any] | None

MARK = "$"
MATRIX_KEY = "$matrix"
PAIRS_KEY = "$pairs"
COLUMNS_KEY = "$columns"
ROWS_KEY = "$rows"
SAME_KEY = "$same"
MIN_PACKED = 16
"""Matrices and lists of fewer entries stay as they are: they are small, and readable in the page."""

PAGE_DIGITS = 7
"""Significant digits of numbers in the page: as many as are shown of whole numbers, and so many more than are
shown of others that rounding them twice does not show."""

FULL_DETAIL_CELLS = 4096
"""Above this a cell keeps the digits that are shown of it, and no sample summary, unless some are single
samples; the record file keeps everything."""

LEAST_SCALE = 1e-300
"""A smaller scale would be nothing: one damaged cell must not take the page away."""

SAMPLE_FIELDS = ("n", "min", "p5", "p50", "p95")
PLAIN_FIELDS = ("unit", "confidence", "method", "os_value", "agrees")
QUANTITY_FIELDS = {"value", "low", "high", "samples", *PLAIN_FIELDS}


def pack(value: Json) -> Json:
    """The same JSON value with every packable part replaced; order and meaning are kept."""
    if isinstance(value, dict):
        return {_own_key(key): pack(item) for key, item in value.items()}
    return _pack_list(value) if isinstance(value, list) else value


def _own_key(key: str) -> str:
    """A key that is never taken for one of those above."""
    return f"{MARK}{key}" if key.startswith(MARK) else key


def _pack_list(values: list[Json]) -> Json:
    if _is_matrix(values):
        return {MATRIX_KEY: _pack_matrix(values)}
    if _is_pair_list(values):
        return {PAIRS_KEY: _pack_pairs(values)}
    if _are_alike(values):
        return {"length": len(values), COLUMNS_KEY: _pack_columns(values)}
    if _are_rows(values):
        return {
            "length": len(values),
            ROWS_KEY: [_pack_column(column) for column in zip(*values, strict=True)],
        }
    return [pack(item) for item in values]


def rounded(value: float, digits: int) -> float | int:
    """`value` with that many significant digits; whole numbers come back as int, written without a point."""
    if not math.isfinite(value):
        return value
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def _is_quantity(cell: Json) -> bool:
    """Numbers beyond those of JSON are written as null: a quantity with one stays as it is."""
    return (
        isinstance(cell, dict)
        and cell.keys() >= QUANTITY_FIELDS
        and None not in (cell["value"], cell["low"], cell["high"])
    )


def _is_matrix(rows: list[Json]) -> bool:
    if not all(isinstance(row, list) for row in rows):
        return False
    cells = [cell for row in rows for cell in row]
    width = len(rows[0]) if rows else 0
    return (
        len(cells) >= MIN_PACKED
        and all(len(row) == width for row in rows)
        and any(cell is not None for cell in cells)
        and all(cell is None or _is_quantity(cell) for cell in cells)
    )


def _is_pair_list(items: list[Json]) -> bool:
    return len(items) >= MIN_PACKED and all(
        isinstance(item, list) and len(item) == 2 and all(type(number) is int for number in item)
        for item in items
    )


def _pack_matrix(rows: list[list[Cell]]) -> dict[str, Json]:
    symmetric = _is_symmetric(rows)
    cells = [cell for i, row in enumerate(rows) for j, cell in enumerate(row) if not (symmetric and j < i)]
    steps = _steps_between(cells)
    if steps is not None:
        cells = [cell for cell in cells if cell is not None]
    detailed = len(rows) * len(rows[0]) <= FULL_DETAIL_CELLS
    scale = _common_scale(cells)
    short = [cell and _short_interval(cell, scale, detailed=detailed) for cell in cells]
    packed: dict[str, Json] = {
        "rows": len(rows),
        "columns": len(rows[0]),
        "symmetric": symmetric,
        "steps": steps,
        "scale": scale,
        "value": [one and one.value for one in short],
        "below": [one and one.below for one in short],
        "above": [one and one.above for one in short],
    }
    for field in PLAIN_FIELDS:
        packed[field] = _shared(cells, operator.itemgetter(field))
    kept = detailed or any(map(_is_single, cells))
    packed["samples"] = _sample_columns(cells, scale) if kept else None
    return packed


class _ShortInterval(NamedTuple):
    """A value, and how far its bounds are from it."""

    value: float
    below: float
    above: float


def _short_interval(cell: dict[str, Any], scale: float, *, detailed: bool) -> _ShortInterval:
    """All three end at the same decimal, as they are shown."""
    digits = PAGE_DIGITS if detailed else digits_to_resolve(cell["value"], cell["high"] - cell["low"])
    value = rounded(cell["value"] / scale, digits)
    exponent = f"{value:.{digits - 1}e}".partition("e")[2] or 0  # none where the division overflows
    decimals = digits - 1 - int(exponent)
    low, high = (round(cell[bound] / scale, decimals) for bound in ("low", "high"))
    return _ShortInterval(value, rounded(value - low, PAGE_DIGITS), rounded(high - value, PAGE_DIGITS))


def _is_single(cell: Cell) -> bool:
    """Whether it is one sample: without confidence it then has a value, and otherwise none."""
    return bool(cell and cell["confidence"] <= 0 and (cell["samples"] or {}).get("n") == 1)


def _steps_between(cells: list[Cell]) -> list[int] | None:
    """From the place before the first cell, and from each cell to the next one, where most are empty."""
    present = [place for place, cell in enumerate(cells) if cell is not None]
    if 2 * len(present) > len(cells):
        return None
    return [place - before for before, place in pairwise([-1, *present])]


def _sample_columns(cells: list[Cell], scale: float) -> dict[str, Json] | None:
    if not any(cell and cell.get("samples") for cell in cells):
        return None

    def entry(field: str, cell: dict[str, Any]) -> float | None:
        summary = cell["samples"]
        if not summary:
            return None
        return summary["n"] if field == "n" else rounded(summary[field] / scale, PAGE_DIGITS)

    return {field: _shared(cells, functools.partial(entry, field)) for field in SAMPLE_FIELDS}


def _column(cells: list[Cell], take: Callable[[dict[str, Any]], Json]) -> list[Json]:
    return [None if cell is None else take(cell) for cell in cells]


def _shared(cells: list[Cell], take: Callable[[dict[str, Any]], Json]) -> Json:
    """The column, or its one entry alone where all cells that exist agree on it."""
    present = [take(cell) for cell in cells if cell is not None]
    return present[0] if all(entry == present[0] for entry in present) else _column(cells, take)


def _common_scale(cells: list[Cell]) -> float:
    """A power of 1000 near the smallest value, so that entries are short numbers such as 82.3."""
    magnitudes = [abs(cell["value"]) for cell in cells if cell and cell["value"]]
    finite = [magnitude for magnitude in magnitudes if math.isfinite(magnitude)]
    return float(10.0 ** (3 * math.floor(math.log10(max(min(finite), LEAST_SCALE)) / 3))) if finite else 1.0


def _is_symmetric(rows: list[list[Cell]]) -> bool:
    n = len(rows)
    return n == len(rows[0]) and all(rows[i][j] == rows[j][i] for i in range(n) for j in range(i))


def _pack_pairs(pairs: list[list[int]]) -> list[list[int]]:
    """Runs [a, first, last] standing for the pairs (a, first), (a, first + 1), … (a, last)."""
    runs: list[list[int]] = []
    for first, second in pairs:
        if runs and runs[-1][0] == first and runs[-1][2] + 1 == second:
            runs[-1][2] = second
        else:
            runs.append([first, second, second])
    return runs


def _are_alike(items: list[Json]) -> bool:
    """Objects of the same fields in the same order."""
    first = items[0] if items else None
    return (
        len(items) >= MIN_PACKED
        and isinstance(first, dict)
        and all(isinstance(item, dict) and list(item) == list(first) for item in items)
    )


def _are_rows(items: list[Json]) -> bool:
    return (
        len(items) >= MIN_PACKED
        and all(isinstance(item, list) for item in items)
        and len(items[0]) > 1
        and all(len(item) == len(items[0]) for item in items)
    )


def _pack_columns(items: list[Json]) -> dict[str, Json]:
    return {_own_key(field): _pack_column([item[field] for item in items]) for field in items[0]}


def _pack_column(values: Sequence[Json]) -> Json:
    """What all entries are alike in is written once."""
    if all(type(value) is type(values[0]) and value == values[0] for value in values):
        return {SAME_KEY: pack(values[0])}
    return pack(list(values))
