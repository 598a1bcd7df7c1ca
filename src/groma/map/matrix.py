"""Communication matrices: "source,target,bytes[,messages]", a square matrix of bytes, or one in the Matrix
Market format.

Columns have the names that tools usually give them, or the usual order where a table has no header. A square
matrix may have the numbers of its ranks above and beside it.
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


class Matrix(NamedTuple):
    """What ranks send each other, an entry for a pair in one direction. `remarks`: anomalies of the file."""

    ranks: int
    traffic: tuple[Traffic, ...]
    remarks: tuple[str, ...] = ()


def read_matrix(path: Path, ranks: int | None = None) -> Matrix:
    """The matrix of a file, for `ranks` where they are known.

    Raises GromaError (exit code 2) that names the file and, where it has one, the line.
    """
    try:
        text = read_bytes(path, MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise GromaError(f"{path} is not text", HEADER) from None
    return parse_matrix(text, str(path), ranks)


def parse_matrix(text: str, path: str, ranks: int | None = None) -> Matrix:
    """As `read_matrix`, of a text; `path` is what messages call it."""
    lines = _Lines(text, path)
    first = next(iter(lines), None)
    if first is None:
        raise GromaError(f"{path} is empty", HEADER)
    columns = [word.lower() for word in _without_blank_end(first)]
    if MARK in columns[:1]:
        body = _Lines(text, path, comment="%")
        body.number = lines.number
        return _matrix(list(matrix_market(first, body)), body, ranks)
    if columns and columns[0] and any(map(_is_name, columns)):
        return _matrix(list(_table(lines, _after_first(lines), columns)), lines, ranks)
    if _are_triples(lines, len(columns)):
        names = NAMES[: len(columns)]
        remark = f"the file has no header: its columns are taken as {', '.join(names)}"
        return _matrix(list(_table(lines, iter(lines), names)), lines, ranks, (remark,))
    return _matrix(list(_square(lines, ranks)), lines, ranks)


def _is_name(word: str) -> bool:
    return word not in {"nan", "inf", "-inf"} and re.search("[a-df-z]", word) is not None


def _are_triples(lines: _Lines, columns: int) -> bool:
    """Whether rows without a header are pairs of ranks with their bytes: a square would have as many rows."""
    if columns not in {3, 4}:
        return False
    rows = list(map(_without_blank_end, lines))
    ranks = all(len(words) == columns and all(map(_RANK.fullmatch, words[:2])) for words in rows)
    return ranks and len(rows) != columns


class _Lines:
    """Lines as words, without what is behind the sign of a comment. `number` is that of the current one."""

    def __init__(self, text: str, path: str, comment: str = "#") -> None:
        self.text, self.path, self.number, self.comment = text, path, 0, comment

    def __iter__(self) -> Iterator[list[str]]:
        for number, raw in enumerate(self.text.splitlines(), start=1):
            line = raw.partition(self.comment)[0].strip()
            if line:
                self.number = number
                yield _words(line)

    def refuse(self, what: str, step: str = HEADER) -> NoReturn:
        raise GromaError(f"{self.path}, line {self.number}: {what}", step)

    def amount(self, word: str, what: str) -> float:
        """A number from 0 to MOST_AMOUNT."""
        try:
            value = float(word)
        except ValueError:
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
            self.refuse(f"{word[:40]!r} is not a rank", "ranks are whole numbers from 0")
        return int(word)


_RANK = re.compile(r"[0-9]{1,8}", re.ASCII)


def _words(line: str) -> list[str]:
    """Commas and semicolons part cells, which may be empty; any number of spaces and tabs parts words."""
    if not re.search("[,;]", line):
        return [word.strip('"') for word in line.split()]
    return [word for cell in re.split("[,;]", line) for word in _words_in(cell.strip())]


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


def _square(lines: _Lines, ranks: int | None) -> Iterator[Traffic]:
    """It has a row for each rank, while a table may leave out ranks that send and receive nothing."""
    rows: list[np.ndarray[tuple[int], np.dtype[np.float64]]] = []
    for words in _cells_of_square(lines):
        rows.append(_row(lines, words))
        if len(rows[-1]) != len(rows[0]):
            lines.refuse(f"{len(rows[-1])} values in row {len(rows)}, {len(rows[0])} in the first one")
    columns = len(rows[0]) if rows else 0
    if not rows or len(rows) != columns:
        raise GromaError(
            f"{lines.path} has {len(rows)} rows and {columns} columns, so it is not square", HEADER
        )
    if ranks is not None and len(rows) != ranks:
        raise GromaError(
            f"{lines.path} has {len(rows)} rows, but there are {ranks} ranks", _fitting(len(rows), ranks)
        )
    matrix = np.array(rows)
    # The last rank counts, though it may send and receive nothing.
    yield Traffic(len(rows) - 1, len(rows) - 1, 0.0)
    for source, target in np.argwhere(matrix > 0).tolist():
        yield Traffic(source, target, float(matrix[source, target]))


def _cells_of_square(lines: _Lines) -> Iterator[Sequence[str]]:
    """Without the numbers of ranks above and beside, and without empty cells behind all rows."""
    each = iter(lines)
    first = next(each)
    is_open = first[-1] == ""
    names = (_without_blank_end(first) if is_open else first)[1:]
    is_labelled = first[0] == "" and len(names) > 0 and _number_ranks(names)
    for number, row in enumerate(each if is_labelled else iter(lines)):
        words = _without_blank_end(row) if is_open else row
        if is_labelled and (not words or _number_in(words[0]) != number):
            lines.refuse(f"row {number + 1} is not of rank {number}", "write the rows in the order of ranks")
        yield words[1:] if is_labelled else words


def _number_ranks(names: Sequence[str]) -> bool:
    """Whether these are 0, 1, 2 … or such numbers behind a word."""
    return [_number_in(name) for name in names] == list(range(len(names)))


def _number_in(name: str) -> int | None:
    found = re.fullmatch(r"[A-Za-z_ #]*([0-9]{1,8})", name, re.ASCII)
    return int(found[1]) if found else None


def _row(lines: _Lines, words: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """An empty cell is no traffic."""
    try:
        row = np.array([word or "0" for word in words], dtype=np.float64)
    except ValueError:
        row = np.array([math.nan])
    if not np.all((row >= 0) & (row <= MOST_AMOUNT)):
        for word in words:
            lines.amount(word or "0", "bytes")
    return row


# ---- both --------------------------------------------------------------------------------------------------


def _matrix(entries: list[Traffic], lines: _Lines, ranks: int | None, remarks: Sequence[str] = ()) -> Matrix:
    if not entries:
        raise GromaError(f"{lines.path} has no traffic", HEADER)
    named = 1 + max(max(one.source, one.target) for one in entries)
    if ranks is not None and named > ranks:
        raise GromaError(
            f"{lines.path} has traffic of rank {named - 1}, but there are {ranks} ranks",
            _fitting(named, ranks),
        )
    remarks = list(remarks)
    if ranks is not None and named < ranks:
        remarks.append(f"the file has nothing of ranks {named} to {ranks - 1}")
    own = sum(one.bytes > 0 for one in entries if one.source == one.target)
    if own:
        themselves = "itself" if own == 1 else "themselves"
        remarks.append(f"traffic of {counted(own, 'rank')} with {themselves} is left out")
    between = [one for one in entries if one.source != one.target]
    summed = _summed(between)
    again = len(between) - len(summed)
    if again:
        noun, are = ("entry", "is") if again == 1 else ("entries", "are")
        remarks.append(f"{again} {noun} of a pair that was there already {are} added to it")
    return Matrix(ranks or named, tuple(summed), tuple(remarks))


def _fitting(named: int, ranks: int) -> str:
    return f"use --ranks {named}, or the matrix of a run on {ranks} ranks"


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
