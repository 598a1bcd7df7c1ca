"""Empty cells of tables that spaces separate: the columns of the text tell where they are."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from groma.survey.infer.tables import Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_WORD = re.compile(r"\S+")
_SEPARATORS = ",;\t|"


class _Span(NamedTuple):
    start: int
    end: int


def is_spaced(row: Row, lines: Sequence[str]) -> bool:
    """Whether spaces alone separate the cells of a row of these lines."""
    line = lines[row.number - 1]
    return line.split() == row.cells and not any(sign in line for sign in _SEPARATORS)


def is_ragged(widths: Sequence[int]) -> bool:
    """Whether each row has one cell more than the one before, or one less, as those of a triangle have."""
    return {upper - lower for lower, upper in pairwise(widths)} in ({1}, {-1})


def with_empty_cells(rows: Sequence[Row], lines: Sequence[str]) -> list[Row]:
    """The rows with an empty cell in every gap; as they are if their cells do not stand in columns.

    Ragged triangles have no gaps: they stay as they are, too.
    """
    is_table = len(rows) > 1 and all(row.cells and is_spaced(row, lines) for row in rows)
    if not is_table or is_ragged([len(row.cells) for row in rows[1:]]):
        return list(rows)
    spans = [[_Span(*word.span()) for word in _WORD.finditer(lines[row.number - 1])] for row in rows]
    starts = [column.start for column in _columns(span for row in spans for span in row)]
    places = [[bisect_right(starts, span.start) - 1 for span in row] for row in spans]
    if any(len(set(row)) < len(row) for row in places):
        return list(rows)
    width = 1 + max(own[-1] for own in places[1:])
    return [Row.of(row.number, _spread(row.cells, own, width)) for row, own in zip(rows, places, strict=True)]


def _columns(spans: Iterable[_Span]) -> list[_Span]:
    """What spaces in every row part."""
    columns: list[_Span] = []
    for span in sorted(set(spans)):
        if columns and span.start <= columns[-1].end:
            columns[-1] = _Span(columns[-1].start, max(columns[-1].end, span.end))
        else:
            columns.append(span)
    return columns


def _spread(cells: Sequence[str], places: Sequence[int], width: int) -> list[str]:
    spread = [""] * max(width, places[-1] + 1)
    for cell, place in zip(cells, places, strict=True):
        spread[place] = cell
    return spread
