"""Communication matrices: "source,target,bytes[,messages]", a square matrix of bytes, or one in the Matrix
Market format.

Columns have the names that tools usually give them, or the usual order where a table has no header. A square
matrix may have the numbers of its ranks above and beside it, and empty cells, also between tabs.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np

from groma.errors import GromaError
from groma.map.matrix_market import MARK, matrix_market
from groma.map.traffic import Traffic
from groma.record.counting import counted
from groma.record.reading import read_bytes
from groma.record.trace_folder import MATRIX, file_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MOST_BYTES = 512 << 20
MOST_AMOUNT = 1e30
"""Of bytes or messages between two ranks: sums over all ranks and links stay finite."""

MOST_RANKS = 1 << 20

NAMES = ("source", "target", "bytes", "messages")
SPELLINGS = {
    "source": {"src", "from", "sender", "source_rank", "src_rank", "sending_rank"},
    "target": {"dst", "dest", "destination", "to", "receiver", "target_rank", "dst_rank", "receiving_rank"},
    "bytes": {"volume", "total_bytes", "bytes_sent", "sent_bytes"},
    "messages": {"count", "msgs", "messages_sent", "sent_messages"},
}

HEADER = "write a header source,target,bytes[,messages], or a square matrix of bytes"
PLAIN = "write plain numbers without units: 65536 or 6.5e4"
FROM_0 = "number the ranks from 0, if the file counts from 1"
COUNTS_FROM_1 = "the file counts ranks from 1: its rank 1 is rank 0 here"


class Matrix(NamedTuple):
    """What ranks send each other, an entry for a pair in one direction. `remarks`: anomalies of the file.
    `without_first`: a table that may leave out ranks names all but rank 0, as where it counts from 1.
    """

    ranks: int
    traffic: tuple[Traffic, ...]
    remarks: tuple[str, ...] = ()
    without_first: bool = False


def read_matrix(path: Path, ranks: int | None = None) -> Matrix:
    """The matrix of a file, or of a folder of groma trace, for `ranks` where they are known.

    Raises GromaError (exit code 2) that names the file and, where it has one, the line.
    """
    path = file_in(path, MATRIX)
    try:
        text = read_bytes(path, MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise GromaError(f"{path} is not text", HEADER) from None
    return parse_matrix(text, str(path), ranks)


def parse_matrix(text: str, path: str, ranks: int | None = None) -> Matrix:
    """As `read_matrix`, of a text; `path` is what messages call it."""
    lines, cells = _Lines(text, path), _Lines(text, path, tabs=True)
    if next(iter(lines), None) is None:
        raise GromaError(f"{path} is empty", HEADER)
    if "\t" in text and _is_square_with_tabs(cells, lines):
        return _of_square(cells, ranks)
    first = next(iter(lines))
    columns = [word.lower() for word in _without_blank_end(first)]
    if MARK in columns[:1]:
        body = _Lines(text, path, comment="%")
        body.number = lines.number
        return _matrix(list(matrix_market(first, body)), body, ranks)
    if columns and columns[0] and any(map(_is_name, columns)):
        return _of_table(list(_table(lines, _after_first(lines), columns)), lines, ranks)
    if _are_triples(lines, len(columns)):
        names = NAMES[: len(columns)]
        remark = f"the file has no header: its columns are taken as {', '.join(names)}"
        return _of_table(list(_table(lines, iter(lines), names)), lines, ranks, (remark,))
    return _of_square(lines, ranks)


def _is_name(word: str) -> bool:
    lower = word.lower()
    return lower not in {"nan", "inf", "-inf"} and re.search("[a-df-z]", lower) is not None


def _are_triples(lines: _Lines, columns: int) -> bool:
    """Whether rows without a header are pairs of ranks with their bytes: a square would have as many rows."""
    if columns not in {3, 4}:
        return False
    rows = list(map(_without_blank_end, lines))
    pairs = all(len(words) == columns and all(map(_WHOLE.fullmatch, words[:2])) for words in rows)
    return pairs and not _is_square(lines)


def _is_square_with_tabs(cells: _Lines, lines: _Lines) -> bool:
    """Whether tabs part the cells of a square matrix, some of which may be empty.

    Else they part words, as spaces do: tabs may also indent or align rows, whose values then have the same
    places in all of them.
    """
    first = next(iter(cells))
    if any(map(_is_name, first)) and _first_label(cells) is None:
        return False
    if not _is_square(cells) or any(_are_words(cell) for row in cells for cell in row):
        return False
    filled = _filled(first)
    is_aligned = filled != list(range(len(filled))) and all(_filled(row) in (filled, []) for row in cells)
    return not (is_aligned and (_are_triples(lines, len(filled)) or _is_square(lines)))


def _are_words(cell: str) -> bool:
    """Whether spaces part several values; the number of a rank may have a word before it."""
    return " " in cell and _number_in(cell) is None


def _filled(cells: Sequence[str]) -> list[int]:
    """The places of cells that are not empty."""
    return [at for at, cell in enumerate(cells) if cell]


class _Lines:
    """Lines as words, without what is behind the sign of a comment. `number` is that of the current one.

    Commas and semicolons part cells, which may be empty. Elsewhere any number of spaces and tabs parts words;
    with `tabs`, each tab parts cells.
    """

    def __init__(self, text: str, path: str, comment: str = "#", *, tabs: bool = False) -> None:
        self.text, self.path, self.number, self.comment, self.tabs = text, path, 0, comment, tabs

    def __iter__(self) -> Iterator[list[str]]:
        return map(self._words, self._said())

    def count_of_lines(self) -> int:
        return sum(1 for _ in self._said())

    def _said(self) -> Iterator[str]:
        """What lines say. Of nothing but tabs, one says that cells are empty, unless a comment follows."""
        for number, raw in enumerate(self.text.splitlines(), start=1):
            before, comment, _ = raw.partition(self.comment)
            line = before.strip(" " if self.tabs and not (comment and before.isspace()) else None)
            if line:
                self.number = number
                yield line

    def _words(self, line: str) -> list[str]:
        if re.search("[,;]", line):
            return [word for cell in re.split("[,;]", line) for word in _words_in(cell.strip())]
        return [word.strip().strip('"') for word in line.split("\t" if self.tabs else None)]

    def refuse(self, what: str, step: str = HEADER) -> NoReturn:
        raise GromaError(f"{self.path}, line {self.number}: {what}", step)

    def amount(self, word: str, what: str) -> float:
        """A number from 0 to MOST_AMOUNT."""
        try:
            value = float(word) if _is_plain(word) else None
        except ValueError:
            value = None
        if value is None:
            self.refuse(f"{what} {word[:40]!r} is not a number", PLAIN)
        if not 0 <= value <= MOST_AMOUNT:
            self.refuse(f"{what} is {word[:40]}", f"{what} must be from 0 to {MOST_AMOUNT:g}")
        return value

    def count(self, word: str, what: str) -> int:
        if not re.fullmatch(r"[0-9]{1,18}", word, re.ASCII):
            self.refuse(f"{what} is {word[:40]!r}", "write a whole number")
        return int(word)

    def rank(self, word: str) -> int:
        if not _RANK.fullmatch(word) or int(word) >= MOST_RANKS:
            self.refuse(f"{word[:40]!r} is not a rank", f"ranks are whole numbers from 0 to {MOST_RANKS - 1}")
        return int(word)


def _is_plain(words: str) -> bool:
    """Whether they have neither digits of other scripts nor groups of digits, which Python takes as well."""
    return words.isascii() and "_" not in words


_RANK = re.compile(r"[0-9]{1,8}", re.ASCII)
_WHOLE = re.compile(r"[0-9]+", re.ASCII)


def _words_in(cell: str) -> list[str]:
    return [cell.strip('"')] if cell.startswith('"') else cell.split() or [""]


# ---- source,target,bytes[,messages] ------------------------------------------------------------------------


def _table(lines: _Lines, rows: Iterator[list[str]], columns: Sequence[str]) -> Iterator[Traffic]:
    at = _places(lines, columns)
    for row in rows:
        words = _without_blank_end(row)
        if len(words) != len(columns):
            lines.refuse(f"{len(words)} values, the header has {len(columns)}")
        given = {name: words[place] for name, place in at.items()}
        yield Traffic(
            lines.rank(given["source"]),
            lines.rank(given["target"]),
            lines.amount(given["bytes"], "bytes"),
            lines.amount(given["messages"], "messages") if "messages" in given else None,
        )


def _without_blank_end(words: Sequence[str]) -> Sequence[str]:
    """Without the empty cell behind a separator at the end of a line."""
    return words[:-1] if words[-1] == "" else words


def _places(lines: _Lines, columns: Sequence[str]) -> dict[str, int]:
    at = {name: place for name in NAMES for place in _columns_named(name, columns)[:1]}
    missing = [name for name in NAMES[:3] if name not in at]
    if missing:
        lines.refuse(f"the header has no column {missing[0]}")
    return at


def _columns_named(name: str, columns: Sequence[str]) -> list[int]:
    """The name itself before its other spellings."""
    usual = [place for place, column in enumerate(columns) if column == name]
    return usual + [place for place, column in enumerate(columns) if column in SPELLINGS[name]]


def _after_first(lines: _Lines) -> Iterator[list[str]]:
    each = iter(lines)
    next(each)
    return each


# ---- a square matrix ---------------------------------------------------------------------------------------


def _of_square(lines: _Lines, ranks: int | None) -> Matrix:
    remarks = [COUNTS_FROM_1] if _first_label(lines) == 1 else []
    return _matrix(list(_square(lines, ranks)), lines, ranks, remarks)


def _square(lines: _Lines, ranks: int | None) -> Iterator[Traffic]:
    """It has a row for each rank, while a table may leave out ranks that send and receive nothing."""
    rows: list[np.ndarray[tuple[int], np.dtype[np.float64]]] = []
    for words in _cells_of_square(lines):
        rows.append(_row(lines, words))
        if len(rows[-1]) != len(rows[0]):
            lines.refuse(f"{len(rows[-1])} values in row {len(rows)}, {len(rows[0])} in the first one")
    columns = len(rows[0]) if rows else 0
    if not rows or len(rows) != columns:
        shape = f"{counted(len(rows), 'row')} and {counted(columns, 'column')}"
        raise GromaError(f"{lines.path} has {shape}, so it is not square", HEADER)
    if ranks is not None and len(rows) != ranks:
        raise GromaError(
            f"{lines.path} has {counted(len(rows), 'row')}, but there {_are_ranks(ranks)}",
            _fitting(len(rows), ranks),
        )
    matrix = np.array(rows)
    # The last rank counts, though it may send and receive nothing.
    yield Traffic(len(rows) - 1, len(rows) - 1, 0.0)
    for source, target in np.argwhere(matrix > 0).tolist():
        yield Traffic(source, target, float(matrix[source, target]))


def _rows_of_square(lines: _Lines) -> Iterator[Sequence[str]]:
    """With as many cells as there are rows. A row may have one more, the empty one behind its last separator;
    an empty cell that is one of them is of the matrix.
    """
    count = lines.count_of_lines()
    return (_without_blank_end(words) if len(words) == count + 1 else words for words in lines)


def _is_square(lines: _Lines) -> bool:
    count = lines.count_of_lines()
    return all(len(words) == count for words in _rows_of_square(lines))


def _cells_of_square(lines: _Lines) -> Iterator[Sequence[str]]:
    """Without the numbers of ranks above and beside."""
    label = _first_label(lines)
    each = _rows_of_square(lines)
    if label is None:
        yield from each
        return
    next(each)
    for row, words in enumerate(each):
        if not words or _number_in(words[0]) != label + row:
            what = f"row {row + 1} is not of rank {label + row}"
            lines.refuse(what, "write the rows in the order of ranks")
        yield words[1:]


def _first_label(lines: _Lines) -> int | None:
    """The number of the first rank, 0 or 1, where numbers of ranks are above and beside an empty corner.

    1, 2, 3 … may be bytes of the first rank as well, unless they are also beside the matrix.
    """
    each = _rows_of_square(lines)
    corner, *above = next(each) or ("",)
    if corner or not above:
        return None
    if _count_from(0, above):
        return 0
    is_from_1 = len(above) > 1 and _count_from(1, above)
    return 1 if is_from_1 and _count_from(1, [row[0] if row else "" for row in each]) else None


def _count_from(first: int, names: Sequence[str]) -> bool:
    """Whether these are 0, 1, 2 … or 1, 2, 3 …, also behind a word."""
    return [_number_in(name) for name in names] == list(range(first, first + len(names)))


def _number_in(name: str) -> int | None:
    found = re.fullmatch(r"[A-Za-z_ #]*([0-9]{1,8})", name, re.ASCII)
    return int(found[1]) if found else None


def _row(lines: _Lines, words: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """An empty cell is no traffic."""
    try:
        plain = [word or "0" for word in words] if _is_plain("".join(words)) else ["nan"]
        row = np.array(plain, dtype=np.float64)
    except ValueError:
        row = np.array([math.nan])
    if not np.all((row >= 0) & (row <= MOST_AMOUNT)):
        for word in words:
            lines.amount(word or "0", "bytes")
    return row


# ---- both --------------------------------------------------------------------------------------------------


def _of_table(
    entries: list[Traffic], lines: _Lines, ranks: int | None, remarks: Sequence[str] = ()
) -> Matrix:
    """A table that does not name rank 0 may count from 1."""
    if not entries or any(0 in {one.source, one.target} for one in entries):
        return _matrix(entries, lines, ranks, remarks)
    remark = "rank 0 neither sends nor receives: the file may count ranks from 1"
    return _matrix(entries, lines, ranks, [*remarks, remark], without_first=True)


def _matrix(
    entries: list[Traffic],
    lines: _Lines,
    ranks: int | None,
    remarks: Sequence[str] = (),
    *,
    without_first: bool = False,
) -> Matrix:
    if not entries:
        raise GromaError(f"{lines.path} has no traffic", HEADER)
    named = 1 + max(max(one.source, one.target) for one in entries)
    if ranks is not None and named > ranks:
        raise GromaError(
            f"{lines.path} has traffic of rank {named - 1}, but there {_are_ranks(ranks)}",
            f"{FROM_0}; else {_fitting(named, ranks)}" if without_first else _fitting(named, ranks),
        )
    remarks = list(remarks)
    if ranks is not None and named < ranks:
        absent = f"ranks {named} to {ranks - 1}" if named < ranks - 1 else f"rank {named}"
        remarks.append(f"the file has nothing of {absent}")
    own = len({one.source for one in entries if one.source == one.target and one.bytes > 0})
    if own:
        themselves = "itself" if own == 1 else "themselves"
        remarks.append(f"traffic of {counted(own, 'rank')} with {themselves} is left out")
    between = [one for one in entries if one.source != one.target]
    summed = _summed(between)
    again = len(between) - len(summed)
    if again:
        noun, are = ("entry", "is") if again == 1 else ("entries", "are")
        remarks.append(f"{again} {noun} of a pair that was there already {are} added to it")
    return Matrix(ranks or named, tuple(summed), tuple(remarks), without_first)


def _are_ranks(ranks: int) -> str:
    return f"{'is' if ranks == 1 else 'are'} {counted(ranks, 'rank')}"


def _fitting(named: int, ranks: int) -> str:
    return f"use --ranks {named}, or the matrix of a run on {counted(ranks, 'rank')}"


def _summed(entries: list[Traffic]) -> list[Traffic]:
    by_pair: dict[tuple[int, int], Traffic] = {}
    for one in entries:
        pair = one.source, one.target
        before = by_pair.get(pair)
        by_pair[pair] = one if before is None else _both(before, one)
    return list(by_pair.values())


def _both(one: Traffic, other: Traffic) -> Traffic:
    counts = [each.messages for each in (one, other) if each.messages is not None]
    return one._replace(bytes=one.bytes + other.bytes, messages=sum(counts) if len(counts) == 2 else None)
