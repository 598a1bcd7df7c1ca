"""Communication matrices in the Matrix Market format: entry (i, j) is what rank i - 1 sends to rank j - 1.

Boisvert, Pozo, Remington: The Matrix Market Exchange Formats (NISTIR 5935, 1996). A symmetric matrix names
each pair once, for both directions. A pattern has no values: every message counts as one byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.map.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import NoReturn, Protocol

    class Lines(Protocol):
        """Lines of a file as words, without comments, with what refuses the current one."""

        def __iter__(self) -> Iterator[list[str]]: ...
        def refuse(self, what: str, step: str = ...) -> NoReturn: ...
        def amount(self, word: str, what: str) -> float: ...
        def count(self, word: str, what: str) -> int: ...
        def rank(self, word: str) -> int: ...


MARK = "%%matrixmarket"
FORMATS, FIELDS, SYMMETRIES = (
    ("coordinate", "array"),
    ("real", "integer", "pattern"),
    ("general", "symmetric"),
)
WHOLE = "copy the whole file again"
READ = "groma reads matrix, coordinate or array, real, integer or pattern, general or symmetric"


class Size(NamedTuple):
    """Ranks, and the entries that a file of coordinates promises."""

    ranks: int
    entries: int


class Header(NamedTuple):
    """The first line: how entries are listed, what they hold, and whether each stands for two."""

    is_sparse: bool
    has_values: bool
    is_symmetric: bool


def matrix_market(first: Sequence[str], lines: Lines) -> Iterator[Traffic]:
    """Each entry in one direction, after one of nothing for the last rank, which may send nothing.

    `first` are the words of the first line, which is a comment to `lines`.
    """
    each = iter(lines)
    header = _header(lines, first)
    size = _size(lines, header, next(each, []))
    yield Traffic(size.ranks - 1, size.ranks - 1, 0.0)
    listed = _sparse if header.is_sparse else _dense
    for one in listed(lines, each, header, size):
        if one.bytes > 0:
            yield one
            if header.is_symmetric and one.source != one.target:
                yield one._replace(source=one.target, target=one.source)


def _header(lines: Lines, words: Sequence[str]) -> Header:
    given = [word.lower() for word in words[1:]]
    known = (("matrix",), FORMATS, FIELDS, SYMMETRIES)
    if len(given) != len(known) or any(word not in some for word, some in zip(given, known, strict=True)):
        lines.refuse(f"a Matrix Market file of {' '.join(given)[:60] or 'nothing'}", READ)
    _, listing, field, symmetry = given
    return Header(listing == "coordinate", field != "pattern", symmetry == "symmetric")


def _size(lines: Lines, header: Header, words: Sequence[str]) -> Size:
    if len(words) != (3 if header.is_sparse else 2):
        lines.refuse(
            "no line with the size of the matrix", "write rows, columns and, of coordinates, entries"
        )
    rows, columns = (lines.rank(word) for word in words[:2])
    if rows != columns or rows == 0:
        lines.refuse(f"{rows} rows and {columns} columns", "a matrix of messages has a row for each rank")
    return Size(rows, lines.count(words[2], "the number of entries") if header.is_sparse else rows * columns)


def _sparse(lines: Lines, each: Iterator[list[str]], header: Header, size: Size) -> Iterator[Traffic]:
    """Raises GromaError for fewer or more entries than promised: a part of a file is another matrix."""
    values, found = 2 + header.has_values, 0
    for found, words in enumerate(each, start=1):
        if found > size.entries:
            lines.refuse(f"more entries than the {size.entries} of the line with the size", WHOLE)
        if len(words) != values:
            lines.refuse(f"{len(words)} values, not {values}", "write row, column and value of an entry")
        source, target = (lines.rank(word) - 1 for word in words[:2])
        if not (0 <= source < size.ranks and 0 <= target < size.ranks):
            lines.refuse(f"entry {words[0]} {words[1]}", f"rows and columns are from 1 to {size.ranks}")
        yield Traffic(source, target, lines.amount(words[2], "bytes") if header.has_values else 1.0)
    if found < size.entries:
        lines.refuse(f"the file ends after {found} of {size.entries} entries", WHOLE)


def _dense(lines: Lines, each: Iterator[list[str]], header: Header, size: Size) -> Iterator[Traffic]:
    """Column after column, of a symmetric matrix from the diagonal downwards."""
    values = (lines.amount(word, "bytes") for words in each for word in words)
    for target in range(size.ranks):
        for source in range(target if header.is_symmetric else 0, size.ranks):
            value = next(values, None)
            if value is None:
                lines.refuse("values are missing", f"write all values of {size.ranks} columns")
            yield Traffic(source, target, value)
    if next(values, None) is not None:
        lines.refuse("more values than the line with the size has", WHOLE)
