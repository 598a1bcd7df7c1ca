"""Communication matrices: "source,target,bytes[,messages]" with a header, a square matrix of bytes, or one in
the Matrix Market format.
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
    columns = [word.lower() for word in first]
    if MARK in columns[:1]:
        entries = matrix_market(first, lines := _Lines(text, path, comment="%"))
        return _matrix(list(entries), lines, ranks)
    is_table = any(re.search("[a-df-z]", word) for word in columns if word not in {"nan", "inf", "-inf"})
    entries = _table(lines, columns) if is_table else _square(lines, ranks)
    return _matrix(list(entries), lines, ranks)


class _Lines:
    """Lines as words, without what is behind the sign of a comment. `number` is that of the current one."""

    def __init__(self, text: str, path: str, comment: str = "#") -> None:
        self.text, self.path, self.number, self.comment = text, path, 0, comment

    def __iter__(self) -> Iterator[list[str]]:
        for number, raw in enumerate(self.text.splitlines(), start=1):
            line = raw.partition(self.comment)[0].strip()
            if line:
                self.number = number
                yield [word.strip().strip('"') for word in re.split(r"[,;\t]| +", line) if word.strip()]

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

    def rank(self, word: str) -> int:
        if not re.fullmatch(r"[0-9]{1,8}", word, re.ASCII) or int(word) >= MOST_RANKS:
            self.refuse(f"{word[:40]!r} is not a rank", "ranks are whole numbers from 0")
        return int(word)


# ---- source,target,bytes[,messages] ------------------------------------------------------------------------


def _table(lines: _Lines, columns: list[str]) -> Iterator[Traffic]:
    at = _places(lines, columns)
    for words in _after_first(lines):
        if len(words) != len(columns):
            lines.refuse(f"{len(words)} values, the header has {len(columns)}")
        given = {name: words[place] for name, place in at.items()}
        yield Traffic(
            lines.rank(given["source"]),
            lines.rank(given["target"]),
            lines.amount(given["bytes"], "bytes"),
            lines.amount(given["messages"], "messages") if "messages" in given else None,
        )


def _places(lines: _Lines, columns: list[str]) -> dict[str, int]:
    names: tuple[str, ...] = ("source", "target", "bytes", "messages")
    at = {name: columns.index(name) for name in names if name in columns}
    missing = [name for name in ("source", "target", "bytes") if name not in at]
    if missing:
        lines.refuse(f"the header has no column {missing[0]}")
    return at


def _after_first(lines: _Lines) -> Iterator[list[str]]:
    each = iter(lines)
    next(each)
    return each


# ---- a square matrix ---------------------------------------------------------------------------------------


def _square(lines: _Lines, ranks: int | None) -> Iterator[Traffic]:
    """It has a row for each rank, while a table may leave out ranks that send and receive nothing."""
    rows = []
    for words in lines:
        rows.append(_row(lines, words))
        if len(rows[-1]) != len(rows[0]):
            lines.refuse(f"{len(rows[-1])} values in row {len(rows)}, {len(rows[0])} in the first one")
    if len(rows) != len(rows[0]):
        raise GromaError(
            f"{lines.path} has {len(rows)} rows and {len(rows[0])} columns, so it is not square", HEADER
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


def _row(lines: _Lines, words: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    try:
        row = np.array(words, dtype=np.float64)
    except ValueError:
        row = np.array([math.nan])
    if not np.all((row >= 0) & (row <= MOST_AMOUNT)):
        for word in words:
            lines.amount(word, "bytes")
    return row


# ---- both --------------------------------------------------------------------------------------------------


def _matrix(entries: list[Traffic], lines: _Lines, ranks: int | None) -> Matrix:
    if not entries:
        raise GromaError(f"{lines.path} has no traffic", HEADER)
    named = 1 + max(max(one.source, one.target) for one in entries)
    if ranks is not None and named > ranks:
        raise GromaError(
            f"{lines.path} has traffic of rank {named - 1}, but there are {ranks} ranks",
            _fitting(named, ranks),
        )
    remarks = []
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
