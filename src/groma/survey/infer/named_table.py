"""Tables whose rows and columns have the same names, whatever the names are: cities, letters, hosts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from groma.survey.infer.spaced_columns import with_empty_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.survey.infer.tables import Row

_FEWEST_NAMES = 2


class NamedTable(NamedTuple):
    """`rows` have the names of `columns` in their first cells, `others` among them have names of their own.

    `at` is the place of the header among the rows of the file.
    """

    at: int
    header: Row
    corner: str
    columns: list[str]
    rows: list[Row]
    others: list[Row]


def named_tables(rows: Sequence[Row], lines: Sequence[str]) -> Iterator[NamedTable]:
    """The tables under a header of words that their rows repeat."""
    for at, end, columns in reversed(list(_places(rows))):
        header, body = rows[at], rows[at + 1 : end]
        names = set(columns)
        aligned = with_empty_cells([header, *body], lines)[1:]
        own = [row for row in aligned if row.cells[0] in names]
        others = [row for row in aligned if row.cells[0] not in names and row.number < own[-1].number]
        is_corner = all(row.cells[0] != header.cells[0] for row in body)
        yield NamedTable(at, header, header.cells[0] if is_corner else "", columns, own, others)


def _places(rows: Sequence[Row]) -> Iterator[tuple[int, int, list[str]]]:
    """Of each table the header, the end of the rows below it, and the names of columns; the last table first.

    From the end of the file each row is met once, however many rows begin with words.
    """
    labels: Counter[str] = Counter()
    end = len(rows)
    for at in range(len(rows) - 1, -1, -1):
        row = rows[at]
        columns = _names(row, labels) if row.values.count(None) >= _FEWEST_NAMES else None
        if columns is not None and _rows_repeat(labels, columns):
            yield at, end, columns
        if _is_named_row(row):
            labels[row.cells[0]] += 1
        else:
            labels.clear()
            end = at


def _is_named_row(row: Row) -> bool:
    """Whether it begins with a word, and has numbers or nothing behind it."""
    numbers = [value is not None for value in row.values[1:]]
    return bool(row.cells) and row.values[0] is None and (any(numbers) or not numbers)


def _names(header: Row, labels: Mapping[str, int]) -> list[str] | None:
    """The names of columns, if they are distinct words; the corner is no name of a row."""
    cells = list(header.cells)
    while cells and not cells[-1]:
        cells.pop()
    names = cells if cells and cells[0] in labels else cells[1:]
    words = all(value is None for value in header.values[len(cells) - len(names) : len(cells)])
    return names if words and len(set(names)) == len(names) >= _FEWEST_NAMES else None


def _rows_repeat(labels: Mapping[str, int], columns: Sequence[str]) -> bool:
    """Whether most names of columns name a row, each of them one."""
    own = [labels[name] for name in columns if name in labels]
    return 2 * len(own) > len(columns) and len(own) >= _FEWEST_NAMES and max(own) == 1
