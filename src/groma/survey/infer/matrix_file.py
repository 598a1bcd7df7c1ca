"""The reader of matrices of latencies between cores, as any tool may have written them.

A matrix may be full or a triangle, padded or ragged, with or without names of cores above and beside it,
with columns of standard deviations, and with prose around it. What is read is one symmetric matrix in
nanoseconds. What was repaired is in its warnings; everything else is refused in one line.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.record.counting import counted
from groma.record.record import Advice
from groma.survey.infer.latency_matrix import (
    Core,
    LatencyMatrix,
    refusal,
    refuse_too_many,
    symmetric_matrix,
)
from groma.survey.infer.matrix_tools import NUMA_NODE, table_of_tool
from groma.survey.infer.matrix_unit import CYCLES, named_unit
from groma.survey.infer.memory_outputs import no_latencies_between_cores
from groma.survey.infer.named_table import NamedTable, named_tables
from groma.survey.infer.network.benchmark_outputs import refuse_benchmark_output, refuse_values_over_sizes
from groma.survey.infer.pair_columns import IN_NS, are_pairs
from groma.survey.infer.recorded_text import recorded_rows, shown, text_of
from groma.survey.infer.spaced_columns import is_ragged, is_spaced, with_empty_cells
from groma.survey.infer.tables import Row, number_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]


ENCODINGS = ("utf-8-sig", "cp1252")
ABSENT = "name a file with a matrix of latencies between cores"

_OF_NUMA_NODES = Advice(
    code="matrix.numa",
    what="rows and columns are NUMA nodes: the latencies are those of their memory, not between cores",
    next="measure between cores: groma survey --only core_to_core",
)

_IN_CYCLES = Advice(
    code="matrix.unit",
    what="the title names cycles: what is given in ns are cycles",
    next="divide the latencies by the frequency of that clock in GHz",
)

_NAME = re.compile(r"(?P<kind>[A-Za-z_#.\-/ ]{0,16}?)(?P<number>\d{1,6})")
_SPREAD_NAME = re.compile(r"std|stdev|sd\b|dev(?!ice)|sigma|\u03c3|±|\berr|var", re.IGNORECASE)
_QUANTITY = re.compile(r"(?<![a-z])(?:size|bytes|latency|time|bandwidth|stride|level)", re.IGNORECASE)
_FEWEST_NAMES = 2


class RecordedTable(NamedTuple):
    """The rows of a file, and all its lines."""

    rows: list[Row]
    lines: list[str]


class _Table(NamedTuple):
    """A block of the file: names of columns and rows (None where there are none), and its cells.

    `body` are the rows of the cells, `corner` stands above the names of rows.
    """

    columns: list[str] | None
    rows: list[str] | None
    cells: list[list[float]]
    body: list[Row]
    first_line: int
    corner: str = ""


def read_matrix(path: Path | str) -> LatencyMatrix:
    """The matrix in a file. GromaError (exit code 2) where there is none, or not one alone."""
    return matrix_of(read_table(path), Path(path))


def read_table(path: Path | str, absent: str = ABSENT) -> RecordedTable:
    """The table in a file, in whatever encoding it is; `absent` is what to do if there is no file."""
    text = text_of(path, absent, encodings=ENCODINGS)
    table = table_of_tool(text)
    rows = recorded_rows(table)
    if table is text and not are_pairs(rows):
        refuse_benchmark_output(text, Path(path))
        refused = no_latencies_between_cores(text)
        if refused is not None:
            raise refusal(Path(path), *refused)
    return RecordedTable(rows, table.splitlines())


def matrix_of(recorded: RecordedTable, path: Path) -> LatencyMatrix:
    """The first matrix in a file that holds latencies and not their spread."""
    rows, lines = recorded
    _refuse_columns(rows, path)
    tables = list(_tables(recorded, path))
    if not tables:
        raise refusal(path, "has no rows of numbers", "write one row of latencies in ns for each core")
    for table in tables:
        square = _square(table, path)
        if square is not None:
            refuse_values_over_sizes(rows, path)
            _refuse_gaps(table, len(square), lines, path)
            unit = named_unit(table.corner, _titles(table, recorded))
            matrix = symmetric_matrix(_cores(table, len(square)), square * IN_NS.get(unit or "ns", 1.0), path)
            remarks = [_OF_NUMA_NODES] if rows[0].cells[0] == NUMA_NODE else []
            remarks += [_IN_CYCLES] if unit == CYCLES else []
            return replace(matrix, warnings=(*matrix.warnings, *remarks))
    raise refusal(path, *_why_not(max(tables, key=lambda table: len(table.cells))))


def _tables(recorded: RecordedTable, path: Path) -> Iterator[_Table]:
    """Under names of any kind that stand above and beside, or else blocks of numbers."""
    rows, lines = recorded
    named = (one for one in named_tables(rows, lines) if not _are_usual(one.columns))
    wanted = next((one for one in named if not any(map(_is_spread_title, rows[: one.at][-1:]))), None)
    if wanted is not None:
        yield _table_of_names(wanted, path)
        return
    for block in _blocks(rows, path):
        yield _table(with_empty_cells(block, lines))


def _titles(table: _Table, recorded: RecordedTable) -> list[str]:
    """The lines between a table and the one above it, the nearest first."""
    rows = [row for row in recorded.rows if row.number < table.first_line and not _is_setting(row)]
    ends = [lower.number for upper, lower in pairwise(rows) if _is_data(upper) and _is_data(lower)]
    return recorded.lines[max(ends, default=0) : table.first_line - 1][::-1]


# ---- blocks of rows ----------------------------------------------------------------------------------------


def _blocks(rows: Sequence[Row], path: Path) -> list[list[Row]]:
    """Runs of rows of numbers, each with the row of names above it; prose parts them.

    A block under a title that speaks of deviations is left out, and so are rows that hold a setting or a sum.
    """
    found: list[list[Row]] = []
    wanted, open_block = True, False
    for at, row in enumerate(rows):
        if not _is_data(row):
            _refuse_word_inside(rows, at, path)
            wanted, open_block = not _is_spread_title(row), False
        elif wanted:
            if not open_block or _is_named_header(row):
                found.append([])
            found[-1].append(row)
            open_block = True
    return [block for block in map(_without_prose, found) if _values_in(block)]


def _is_spread_title(row: Row) -> bool:
    return _SPREAD_NAME.search(" ".join(row.cells)) is not None


def _without_prose(block: Sequence[Row]) -> list[Row]:
    """Less `Samples: 500` and its like: a word and one number, in a block whose rows begin otherwise."""
    if all(map(_begins_oddly, block)):
        return list(block)
    return [row for row in block if not _is_setting(row)]


def _is_setting(row: Row) -> bool:
    return len(row.cells) == 2 and _begins_oddly(row)


def _begins_oddly(row: Row) -> bool:
    """With a word that is no name of a core."""
    return bool(row.cells) and row.values[0] is None and not _NAME.fullmatch(row.cells[0])


def _is_data(row: Row) -> bool:
    """Numbers, gaps and names of cores; the first cell may be any word if there is something else."""
    words = [cell for cell, value in zip(row.cells, row.values, strict=True) if value is None]
    if not words:
        return True
    odd = [word for word in words if not (_NAME.fullmatch(word) or _of_spread(word))]
    if not odd:
        return True
    return odd == [row.cells[0]] and (any(map(_is_value, row.cells[1:])) or len(words) > _FEWEST_NAMES)


def _of_spread(cell: str) -> bool:
    return bool(_SPREAD_NAME.search(cell)) and any(character.isdigit() for character in cell)


def _is_value(cell: str) -> bool:
    number = number_in(cell)
    return number is not None and math.isfinite(number)


def _is_number(cell: str) -> bool:
    return number_in(cell) is not None


def _is_named_header(row: Row) -> bool:
    """A row of names that cannot be latencies: most have letters."""
    words = [cell for cell, value in zip(row.cells, row.values, strict=True) if value is None]
    return sum(map(bool, map(_NAME.fullmatch, words))) >= _FEWEST_NAMES


def _values_in(block: Sequence[Row]) -> bool:
    return any(value is not None and math.isfinite(value) for row in block for value in row.values)


def _refuse_word_inside(rows: Sequence[Row], at: int, path: Path) -> None:
    """A word among numbers of a row as long as the ones around it is a mistake, and no prose."""
    row = rows[at]
    around = [rows[i] for i in (at - 1, at + 1) if 0 <= i < len(rows)]
    numbers = any(map(_is_value, row.cells))
    alike = len(around) == 2 and all(len(one.cells) == len(row.cells) and _is_data(one) for one in around)
    if alike and numbers and len(row.cells) > 2:
        _refuse_words(row, [cell for cell in row.cells[1:] if not _NAME.fullmatch(cell)], path)


def _refuse_words(row: Row, cells: Sequence[str], path: Path) -> None:
    wrong = next((cell for cell in cells if number_in(cell) is None), None)
    if wrong is not None:
        raise refusal(
            path,
            f"line {row.number} holds a cell that is not a latency: {shown(wrong)}",
            "write numbers in ns; leave cells empty that were not measured",
        )


def _refuse_columns(rows: Sequence[Row], path: Path) -> None:
    """A first row that names quantities heads a table of another kind, such as a curve over sizes."""
    if rows and len(rows[0].cells) > 1 and all(_QUANTITY.search(cell) for cell in rows[0].cells):
        raise refusal(
            path,
            f"line {rows[0].number} names no cores: {shown(','.join(rows[0].cells))}",
            "for latencies over sizes run groma infer caches, for rows of pairs groma infer pairs",
        )


# ---- names of columns and rows -----------------------------------------------------------------------------


def _table(block: Sequence[Row]) -> _Table:
    grid = [row.cells for row in block]
    columns = _column_names(grid)
    body = block if columns is None else block[1:]
    names = _row_names([row.cells for row in body], columns)
    line, corner = block[0].number, grid[0][0] if grid[0] and columns is not None else ""
    if names is None:
        return _Table(columns, None, list(map(_numbers, body)), list(body), line, corner)
    kept = [i for i, name in enumerate(names) if _NAME.fullmatch(name)]  # not mean, max …
    cells = [_numbers(body[i])[1:] for i in kept]
    return _Table(columns, [names[i] for i in kept], cells, [body[i] for i in kept], line, corner)


def _numbers(row: Row) -> list[float]:
    return [math.nan if value is None else value for value in row.values]


def _are_usual(names: Sequence[str]) -> bool:
    """Whether these are names of cores as most tools write them."""
    return all(_NAME.fullmatch(name) for name in names)


def _table_of_names(named: NamedTable, path: Path) -> _Table:
    for row in named.others:
        raise refusal(
            path,
            f"line {row.number} has a name that no column has: {shown(row.cells[0])}",
            "write the same names above and beside",
        )
    for row in named.rows:
        _refuse_words(row, row.cells[1:], path)
    names = [row.cells[0] for row in named.rows]
    cells = [_numbers(row)[1:] for row in named.rows]
    return _Table(named.columns, names, cells, named.rows, named.header.number, named.corner)


def _column_names(grid: Sequence[Sequence[str]]) -> list[str] | None:
    """The first row less its corner, if it names cores."""
    first = list(grid[0])
    while first and not first[-1]:
        first.pop()
    has_corner = bool(first) and number_in(first[0]) is None and not _NAME.fullmatch(first[0])
    has_corner = has_corner or (len(first) > 1 and not first[0])
    names = first[1:] if has_corner else first
    is_square = not has_corner and len(grid) == len(grid[0]) and all(_is_number(cell) for cell in first)
    if is_square and _repeats([row[0] for row in grid[1:] if row], first):
        is_square = _has_empty_diagonal(grid)
    if len(grid) < 2 or is_square or not names or not _are_names(names, sure=has_corner and bool(first[0])):
        return None
    if len(names) < _FEWEST_NAMES and not (has_corner and first[0]):
        return None
    return names


def _are_names(cells: Sequence[str], *, sure: bool = False) -> bool:
    """Whether these are names of cores and no latencies: lettered, or numbers as cores are counted."""
    kept = [cell for cell in cells if not _of_spread(cell)]
    if not kept or not all(_NAME.fullmatch(cell) for cell in kept) or len(set(kept)) < len(kept):
        return all(_NAME.fullmatch(cell) for cell in kept) and len(kept) < len(cells) and bool(kept)
    if len(kept) < len(cells) or any(number_in(cell) is None for cell in kept):
        return True
    numbers = [int(cell) for cell in kept]
    counted = sorted(numbers) in (list(range(len(kept))), list(range(1, len(kept) + 1)))
    ascending = all(lower < upper for lower, upper in pairwise(numbers))
    return counted or (ascending and (sure or 0 in numbers))


def _row_names(body: Sequence[Sequence[str]], columns: Sequence[str] | None) -> list[str] | None:
    """The first cell of each row, if these name cores."""
    first = [cells[0] if cells else "" for cells in body]
    widest = max(map(len, body), default=0)
    named = [cell for cell in first if _NAME.fullmatch(cell)]
    lettered = [cell for cell in named if number_in(cell) is None]
    if 2 * len(lettered) > len(first):
        return first
    if columns is not None:
        own = set(named) <= set(columns) and len(set(named)) == len(named) > 0
        ordered = first in (list(columns), list(columns)[::-1]) or _repeats(first, columns)
        beside = {len(row) for row in body} == {len(columns) + 1} and _are_names(first, sure=True)
        return first if ordered or beside or (own and widest > len(columns)) else None
    if len(body) < 2 or not _are_names(first):
        return None
    grows = all(len(upper) == len(lower) + 1 for lower, upper in pairwise(body))
    return first if grows or widest > len(body) or _first_cells_count(first) else None


def _has_empty_diagonal(grid: Sequence[Sequence[str]]) -> bool:
    own = [number_in(row[i]) for i, row in enumerate(grid) if i < len(row)]
    return all(value is not None and _no_latency(value) for value in own)


def _repeats(first: Sequence[str], columns: Sequence[str]) -> bool:
    """Whether first cells of rows are names of columns in their order, the first among them or all counted.

    Those of a symmetric matrix repeat its first row as well, but begin with another cell of it.
    """
    if not first or not _are_names(columns, sure=True) or len(set(columns)) < len(columns):
        return False
    places = [columns.index(name) for name in first if name in columns]
    ordered = len(places) == len(first) and all(lower < upper for lower, upper in pairwise(places))
    return ordered and (places[0] == 0 or (_first_cells_count(first) and _first_cells_count(columns)))


def _first_cells_count(first: Sequence[str]) -> bool:
    if len(first) < 3 or any(number_in(cell) is None for cell in first):
        return False
    return all(int(upper) == int(lower) + 1 for lower, upper in pairwise(first))


# ---- shapes ------------------------------------------------------------------------------------------------


def _square(table: _Table, path: Path) -> Matrix | None:
    """The cells as a square over the cores, or None where they are none."""
    cells = _without_spread(table)
    columns = _core_columns(table)
    if columns is not None:
        return _over_names(cells, columns, table.rows, path)
    return _over_numbers(cells, path)


def _core_columns(table: _Table) -> list[str] | None:
    if table.columns is None:
        return None
    return [name for name in table.columns if not _of_spread(name)]


def _without_spread(table: _Table) -> list[list[float]]:
    """The cells less columns of deviations: named so, or beside each latency, or all behind the latencies."""
    cells = table.cells
    if table.columns is not None:
        names = table.columns
        dropped = {i for i, name in enumerate(names) if _of_spread(name)}
        dropped |= {i for i, (a, b) in enumerate(pairwise(names), start=1) if a == b}
        return [[value for i, value in enumerate(row) if i not in dropped] for row in cells]
    n = len(cells)
    if n > 1 and all(len(row) == 2 * n for row in cells):
        beside = all(_no_latency(row[2 * i]) for i, row in enumerate(cells))
        return [row[::2] if beside else row[:n] for row in cells]
    return cells


def _no_latency(value: float) -> bool:
    return not (math.isfinite(value) and value > 0)


def _over_names(
    cells: Sequence[Sequence[float]], columns: Sequence[str], rows: Sequence[str] | None, path: Path
) -> Matrix | None:
    """By the names of rows where there are any, else row by row."""
    n = len(columns)
    places = _places(rows, columns) if rows is not None else None
    if places is None and len(cells) == n:
        places = list(range(n))
    if places is None or len(set(columns)) < n:
        return None
    refuse_too_many(n, path)
    padded = _padded(_with_diagonal(cells, places, n), n)
    if padded is None:
        return None
    found = np.full((n, n), np.nan)
    found[places] = padded
    return found


def _places(rows: Sequence[str], columns: Sequence[str]) -> list[int] | None:
    """Of each row the column of its name, which may be of another kind: 3 and core3."""
    for of_columns, of_rows in ((list(columns), list(rows)), (cores_named(columns), cores_named(rows))):
        index = {name: i for i, name in enumerate(of_columns)}
        if set(of_rows) <= set(index) and len(set(of_rows)) == len(of_rows):
            return [index[name] for name in of_rows]
    return None


def _with_diagonal(
    cells: Sequence[Sequence[float]], places: Sequence[int], n: int
) -> Sequence[Sequence[float]]:
    """The cells with an empty one for each row's own, if every row of a full matrix lacks one cell."""
    if any(len(row) != n - 1 or any(map(math.isnan, row)) for row in cells):
        return cells
    return [[*row[:own], math.nan, *row[own:]] for own, row in zip(places, cells, strict=True)]


def _padded(cells: Sequence[Sequence[float]], n: int) -> Matrix | None:
    """Rows of n cells: short ones are filled up behind, those of an upper triangle in front."""
    widths = [len(row) for row in cells]
    if not widths or any(
        width > n and not _is_blank(row[n:]) for width, row in zip(widths, cells, strict=True)
    ):
        return None
    falling = len(cells) > 1 and all(upper == lower - 1 for lower, upper in pairwise(widths))
    found = np.full((len(cells), n), np.nan)
    for i, row in enumerate(cells):
        kept = list(row[:n])
        found[i, n - len(kept) :] = kept if falling else math.nan
        if not falling:
            found[i, : len(kept)] = kept
    return found


def _refuse_gaps(table: _Table, n: int, lines: Sequence[str], path: Path) -> None:
    """Where spaces separate, short rows must be those of a triangle or lack the diagonal."""
    widths = [len(cells) for cells in table.cells]
    if len(set(widths)) == 1 or is_ragged(widths) or not all(is_spaced(row, lines) for row in table.body):
        return
    own = _places(table.rows, table.columns) if table.rows and table.columns else None
    own = list(range(len(widths))) if own is None else own
    pairs = list(zip(widths, own, strict=True))
    lower = all(width - place in {0, 1} for width, place in pairs)
    upper = all(n - width - place in {0, 1} for width, place in pairs)
    if not lower and not upper:
        short = table.body[widths.index(min(widths))]
        raise refusal(
            path,
            f"line {short.number} has {min(widths)} latencies for {n} cores: which are missing is not clear",
            "write - for each cell without a latency",
        )


def _is_blank(values: Sequence[float]) -> bool:
    return all(math.isnan(value) for value in values)


def _over_numbers(cells: Sequence[Sequence[float]], path: Path) -> Matrix | None:
    """A square, two of them one below the other, or a triangle without names."""
    widths = [len(row) for row in cells]
    widest, count = max(widths), len(cells)
    if len(set(widths)) == 1 and count == 2 * widest and widest > 1:
        return _over_numbers(cells[:widest], path)
    steps = {upper - lower for lower, upper in pairwise(widths)}
    if steps == {1} and widths[0] <= 2:
        return _ragged_lower(cells)
    if steps == {-1} and widths[-1] <= 2:
        return _ragged_upper(cells)
    if count < 2 or widest < count - 1 or not _is_blank([value for row in cells for value in row[count:]]):
        return None
    refuse_too_many(count, path)
    found = _padded([list(row[:count]) for row in cells], count)
    reaches = found is not None and (widest >= count or _is_triangle(found))
    return _whole(found) if found is not None and reaches else None


def _is_triangle(found: Matrix) -> bool:
    """Whether latencies are on one side of the diagonal alone."""
    known = np.isfinite(found) & (found > 0)
    return not np.triu(known).any() or not np.tril(known).any()


def _ragged_lower(cells: Sequence[Sequence[float]]) -> Matrix | None:
    if not cells[0]:
        return _padded(cells, len(cells))
    with_diagonal = len(cells[0]) == 1 and all(_no_latency(row[-1]) for row in cells)
    strict = len(cells[0]) == 1 and not with_diagonal
    if strict:
        return _padded([[], *cells], len(cells) + 1)
    return _padded(cells, max(len(row) for row in cells)) if with_diagonal else None


def _ragged_upper(cells: Sequence[Sequence[float]]) -> Matrix | None:
    turned = _ragged_lower([row[::-1] for row in cells[::-1]])
    return None if turned is None else turned[::-1, ::-1]


def _whole(found: Matrix) -> Matrix:
    """The square; one whose diagonal holds latencies and whose other half is empty lacks its first row."""
    known = np.isfinite(found) & (found > 0)
    diagonal = np.diag(known).all()
    others = found[known & ~np.eye(len(found), dtype=bool)]
    if not diagonal or (len(others) and np.median(np.diag(found)) < 0.5 * others.min()):
        return found
    if not np.triu(known, 1).any():
        return _shifted(found)
    return _shifted(found.T).T if not np.tril(known, -1).any() else found


def _shifted(found: Matrix) -> Matrix:
    """With a first row and a last column without values."""
    wider = np.full((len(found) + 1, len(found) + 1), np.nan)
    wider[1:, :-1] = found
    return wider


def _why_not(table: _Table) -> tuple[str, str]:
    widths = [len(row) for row in table.cells]
    same = min(widths) == max(widths)
    cells = counted(max(widths), "cell") if same else f"{min(widths)} to {max(widths)} cells"
    shape = f"{counted(len(widths), 'row')}, {cells} in each"
    return (
        f"what begins in line {table.first_line} makes neither a square nor a triangle: {shape}",
        "write one row and one column for each core",
    )


# ---- the matrix --------------------------------------------------------------------------------------------


def _cores(table: _Table, count: int) -> list[Core]:
    names = _core_columns(table) or table.rows or []
    return cores_named(names) if len(names) == count else list(range(count))


def cores_named(names: Sequence[str]) -> list[Core]:
    """Numbers where the names differ by them alone, else the names."""
    matches = [_NAME.fullmatch(name) for name in names]
    kinds = {match["kind"].casefold() if match else None for match in matches}
    if len(kinds) == 1 and None not in kinds:
        return [int(match["number"]) for match in matches if match]
    return list(names)
