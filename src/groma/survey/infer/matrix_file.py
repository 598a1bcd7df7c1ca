"""The reader of matrices of latencies between cores, as any tool may have written them.

A matrix may be full or a triangle, padded or ragged, with or without names of cores above and beside it,
with columns of standard deviations, and with prose around it. What is read is one symmetric matrix in
nanoseconds. What was repaired is in its warnings; everything else is refused in one line.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.errors import GromaError
from groma.record.counting import counted
from groma.record.record import Advice
from groma.survey.infer.matrix_tools import NUMA_NODE, table_of_tool
from groma.survey.infer.memory_outputs import no_latencies_between_cores
from groma.survey.infer.network.benchmark_outputs import refuse_benchmark_output, refuse_values_over_sizes
from groma.survey.infer.pair_columns import are_pairs
from groma.survey.infer.recorded_text import shown, text_of
from groma.survey.infer.tables import Row, number_in, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

Core = int | str

MOST_CORES = 4096
ENCODINGS = ("utf-8-sig", "cp1252")
ABSENT = "name a file with a matrix of latencies between cores"
_LATENCY_NS = (1e-3, 1e9)
_ALIKE = 1.25
"""Two directions that differ by less are averaged; else the slower one was disturbed."""
_OFTEN = 0.05

_OF_NUMA_NODES = Advice(
    code="matrix.numa",
    what="rows and columns are NUMA nodes: the latencies are those of their memory, not between cores",
    next="measure between cores: groma survey --only core_to_core",
)

_NAME = re.compile(r"(?P<kind>[A-Za-z_#.\-/ ]{0,16}?)(?P<number>\d{1,6})")
_SPREAD_NAME = re.compile(r"std|stdev|sd\b|dev|sigma|\u03c3|±|\berr|var", re.IGNORECASE)
_QUANTITY = re.compile(r"(?<![a-z])(?:size|bytes|latency|time|bandwidth|stride|level)", re.IGNORECASE)
_FEWEST_NAMES = 2


@dataclass(frozen=True, eq=False)
class LatencyMatrix:
    """Latencies (ns) between `cores`: symmetric, NaN where none is known."""

    cores: list[Core]
    latency: Matrix
    warnings: tuple[Advice, ...] = ()


class _Table(NamedTuple):
    """A block of the file: names of columns and rows (None where there are none), and its cells."""

    columns: list[str] | None
    rows: list[str] | None
    cells: list[list[float]]
    first_line: int


def read_matrix(path: Path | str) -> LatencyMatrix:
    """The matrix in a file. GromaError (exit code 2) where there is none, or not one alone."""
    return matrix_of(read_rows(path), Path(path))


def read_rows(path: Path | str, absent: str = ABSENT) -> list[Row]:
    """Rows of the table in a file, in whatever encoding it is; `absent` is what to do if there is no file."""
    text = text_of(path, absent, encodings=ENCODINGS)
    table = table_of_tool(text)
    rows = rows_of(table)
    if table is text and not are_pairs(rows):
        refuse_benchmark_output(text, Path(path))
        refused = no_latencies_between_cores(text)
        if refused is not None:
            raise refusal(Path(path), *refused)
    return rows


def matrix_of(rows: Sequence[Row], path: Path) -> LatencyMatrix:
    """The first matrix in these rows of a file that holds latencies and not their spread."""
    _refuse_columns(rows, path)
    blocks = _blocks(rows, path)
    if not blocks:
        raise refusal(path, "has no rows of numbers", "write one row of latencies in ns for each core")
    tables = [_table(block) for block in blocks]
    for table in tables:
        square = _square(table)
        if square is not None:
            refuse_values_over_sizes(rows, path)
            matrix = symmetric_matrix(_cores(table, len(square)), square, path)
            remarks = [_OF_NUMA_NODES] if rows[0].cells[0] == NUMA_NODE else []
            return replace(matrix, warnings=(*matrix.warnings, *remarks))
    raise refusal(path, *_why_not(max(tables, key=lambda table: len(table.cells))))


def refusal(path: Path, what: str, next_step: str) -> GromaError:
    return GromaError(f"{path}: {what}", next_step)


# ---- blocks of rows ----------------------------------------------------------------------------------------


def _blocks(rows: Sequence[Row], path: Path) -> list[list[Row]]:
    """Runs of rows of numbers, each with the row of names above it; prose parts them.

    A block under a title that speaks of deviations is left out.
    """
    found: list[list[Row]] = []
    wanted, open_block = True, False
    for at, row in enumerate(rows):
        if not _is_data(row):
            _refuse_word_inside(rows, at, path)
            wanted, open_block = not _SPREAD_NAME.search(" ".join(row.cells)), False
        elif wanted:
            if not open_block or _is_named_header(row):
                found.append([])
            found[-1].append(row)
            open_block = True
    return [block for block in found if _values_in(block)]


def _is_data(row: Row) -> bool:
    """Numbers, gaps and names of cores; the first cell may be any word if others are not."""
    words = [cell for cell, value in zip(row.cells, row.values, strict=True) if value is None]
    if not words:
        return True
    odd = [word for word in words if not (_NAME.fullmatch(word) or _of_spread(word))]
    if not odd:
        return True
    return odd == [row.cells[0]] and any(map(_is_value, row.cells[1:]))


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
        wrong = next(cell for cell in row.cells[1:] if not _NAME.fullmatch(cell) and number_in(cell) is None)
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
    numbers = [[math.nan if value is None else value for value in row.values] for row in body]
    if names is None:
        return _Table(columns, None, numbers, block[0].number)
    kept = [i for i, name in enumerate(names) if _NAME.fullmatch(name)]  # not mean, max …
    return _Table(columns, [names[i] for i in kept], [numbers[i][1:] for i in kept], block[0].number)


def _column_names(grid: Sequence[Sequence[str]]) -> list[str] | None:
    """The first row less its corner, if it names cores."""
    first = list(grid[0])
    while first and not first[-1]:
        first.pop()
    has_corner = bool(first) and number_in(first[0]) is None and not _NAME.fullmatch(first[0])
    has_corner = has_corner or (len(first) > 1 and not first[0])
    names = first[1:] if has_corner else first
    is_square = not has_corner and len(grid) == len(grid[0]) and all(_is_number(cell) for cell in first)
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
        ordered = first in (list(columns), list(columns)[::-1])
        return first if ordered or (own and widest > len(columns)) else None
    if len(body) < 2 or not _are_names(first):
        return None
    grows = all(len(upper) == len(lower) + 1 for lower, upper in pairwise(body))
    return first if grows or widest > len(body) or _first_cells_count(first) else None


def _first_cells_count(first: Sequence[str]) -> bool:
    if len(first) < 3 or any(number_in(cell) is None for cell in first):
        return False
    return all(int(upper) == int(lower) + 1 for lower, upper in pairwise(first))


# ---- shapes ------------------------------------------------------------------------------------------------


def _square(table: _Table) -> Matrix | None:
    """The cells as a square over the cores, or None where they are none."""
    cells = _without_spread(table)
    columns = _core_columns(table)
    if columns is not None:
        return _over_names(cells, columns, table.rows)
    return _over_numbers(cells)


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
    cells: Sequence[Sequence[float]], columns: Sequence[str], rows: Sequence[str] | None
) -> Matrix | None:
    """By the names of rows where there are any, else row by row."""
    n = len(columns)
    index = {name: i for i, name in enumerate(columns)}
    padded = _padded(cells, n)
    if padded is None or len(index) < n:
        return None
    if rows is not None and set(rows) <= set(index) and len(set(rows)) == len(rows):
        found = np.full((n, n), np.nan)
        found[[index[name] for name in rows]] = padded
        return found
    return padded if len(padded) == n else None


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


def _is_blank(values: Sequence[float]) -> bool:
    return all(math.isnan(value) for value in values)


def _over_numbers(cells: Sequence[Sequence[float]]) -> Matrix | None:
    """A square, two of them one below the other, or a triangle without names."""
    widths = [len(row) for row in cells]
    widest, count = max(widths), len(cells)
    if len(set(widths)) == 1 and count == 2 * widest and widest > 1:
        return _over_numbers(cells[:widest])
    steps = {upper - lower for lower, upper in pairwise(widths)}
    if steps == {1} and widths[0] <= 2:
        return _ragged_lower(cells)
    if steps == {-1} and widths[-1] <= 2:
        return _ragged_upper(cells)
    if count < 2 or not _is_blank([value for row in cells for value in row[count:]]):
        return None
    found = _padded([list(row[:count]) for row in cells], count)
    reaches = widest >= count or (widest == count - 1 and found is not None and _is_triangle(found))
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


def symmetric_matrix(
    cores: list[Core], found: Matrix, path: Path, limits: tuple[float, float] = _LATENCY_NS
) -> LatencyMatrix:
    """One value for each pair of cores, from both directions where both are known."""
    if not 2 <= len(cores) <= MOST_CORES:
        raise refusal(path, f"has {len(cores)} cores", f"name a matrix of 2 to {MOST_CORES} cores")
    np.fill_diagonal(found, np.nan)
    unusable = int((found < 0).sum() + (found > limits[1]).sum())
    usable = np.where((found >= limits[0]) & (found <= limits[1]), found, np.nan)
    latency = _of_both_directions(usable)
    known = int(np.isfinite(latency).sum()) // 2
    if not known:
        raise refusal(path, "has no positive latency between two cores", "write latencies in ns")
    return LatencyMatrix(cores, latency, tuple(_warnings(usable, unusable, known)))


def _of_both_directions(found: Matrix) -> Matrix:
    """The mean of two that are alike, the lower of two that are not: noise mostly adds."""
    lower, upper = np.fmin(found, found.T), np.fmax(found, found.T)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(upper <= _ALIKE * lower, (lower + upper) / 2.0, lower))


def _warnings(found: Matrix, unusable: int, known: int) -> Iterator[Advice]:
    pairs = len(found) * (len(found) - 1) // 2
    if unusable:
        yield Advice(
            code="matrix.unusable",
            what=f"{_not_latencies(unusable)} between 0.001 ns and 1 s and {_was(unusable)} left out",
            next="check how the matrix was recorded",
        )
    if known < pairs:
        yield Advice(
            code="matrix.missing",
            what=f"{pairs - known} of {pairs} pairs {'has' if pairs - known == 1 else 'have'} no latency",
            next="measure them as well; layers of few pairs may be missed",
        )
    with np.errstate(invalid="ignore"):
        differ = int((np.triu(found, 1) > _ALIKE * np.tril(found, -1).T).sum())
        differ += int((np.triu(found, 1) * _ALIKE < np.tril(found, -1).T).sum())
    if differ > _OFTEN * pairs:
        yield Advice(
            code="matrix.asymmetric",
            what=f"{differ} of {pairs} pairs {'differs' if differ == 1 else 'differ'} by more than a quarter "
            "between the directions; the lower latency counts",
            next="record the matrix again on a quiet machine",
        )


def _not_latencies(cells: int) -> str:
    return f"{counted(cells, 'cell')} {'is not a latency' if cells == 1 else 'are not latencies'}"


def _was(count: int) -> str:
    return "was" if count == 1 else "were"
