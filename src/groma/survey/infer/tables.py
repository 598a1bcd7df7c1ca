"""Rows of cells from the text of a table, whatever separates them.

Commas, semicolons, tabs, bars (Markdown) or spaces separate cells. A comma may stand for the decimal point
where something else separates. What follows a value as its spread (`± 6`, `(0.4)`) or as its unit is dropped.
"""

from __future__ import annotations

import csv
import math
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COMMENTS = ("#", "//", "%")
MISSING = {
    "",
    "-",
    "--",
    "\u2014",
    "\u2013",
    "nan",
    "na",
    "n/a",
    "null",
    "none",
    "x",
    "*",
    ".",
    "?",
    "self",
    "inf",
    "-inf",
}

_AROUND = ' \t"\u00a0'
_SPREAD = re.compile(r"(?<=[\d.])\s*(?:±|\+/-|\+-)\s*[\d.]+|(?<=\d)\s*\(\s*[\d.]+\s*\)")
_UNIT = re.compile(r"(?<=\d)\s*(?:ns|nsec|nanoseconds)\b", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
_RULE = re.compile(r"[\s|:+=-]*[-=]{3}[\s|:+=-]*")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_REMARK = re.compile(r"(?<=\d)[ \t]+(?:#|//).*")
"""A comment behind the numbers of a line."""

_SPACED_COMMA = re.compile(r",\t+")
"""A tab after a comma is mere space; no decimal comma stands there."""

_STARTS = frozenset("0123456789+-.")


class Row(NamedTuple):
    """Cells of a line; `number` counts lines from 1, `values` are what `number_in` says of the cells."""

    number: int
    cells: list[str]
    values: list[float | None]

    @classmethod
    def of(cls, number: int, cells: Sequence[str]) -> Row:
        return cls(number, list(cells), list(map(number_in, cells)))


def rows_of(text: str) -> list[Row]:
    """Lines that are neither empty, comments nor drawn rules."""
    lines = [
        (number, _SPACED_COMMA.sub(",", _without_remark(line)))
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith(COMMENTS) and not _RULE.fullmatch(line)
    ]
    separator = _separator([line for _, line in lines])
    return [Row.of(number, list(_cells(line, separator))) for number, line in lines]


def _without_remark(line: str) -> str:
    """Names of columns may hold such a sign (`core #`), so only lines that begin with a number lose it."""
    return _REMARK.sub("", line) if line.lstrip()[0] in _STARTS else line


def _separator(lines: Sequence[str]) -> str | None:
    """The first that most lines have; None for spaces."""
    for separator in (";", "\t", "|", ","):
        if 2 * sum(separator in line for line in lines) >= max(len(lines), 1):
            return None if separator == "," and _has_decimal_commas(lines) else separator
    return None


def _has_decimal_commas(lines: Sequence[str]) -> bool:
    """Whether spaces separate numbers that are written with a comma."""
    words = [word for line in lines for word in line.split()]
    several = sum(len(line.split()) > 1 for line in lines)
    return 2 * several >= len(lines) and 2 * sum(map(bool, map(_DECIMAL_COMMA.fullmatch, words))) > len(words)


def _cells(line: str, separator: str | None) -> Iterator[str]:
    for cell in _split(_plain(line), separator):
        stripped = cell.strip(_AROUND)
        decimal = "," in stripped and separator != "," and _DECIMAL_COMMA.fullmatch(stripped)
        yield stripped.replace(",", ".") if decimal else stripped


def _plain(line: str) -> str:
    """Without spreads and units; long lines of mere numbers are not searched for them."""
    if any(sign in line for sign in "±(") or "+/-" in line or "+-" in line:
        line = _SPREAD.sub("", line)
    return _UNIT.sub("", line) if "n" in line.casefold() else line


def _split(line: str, separator: str | None) -> list[str]:
    if separator is None:
        return line.split()
    if separator == "|":
        return line.strip().strip("|").split("|")
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        return line.split(separator)


def number_in(cell: str) -> float | None:
    """The number that a cell holds, NaN where it says that there is none, None for any other word."""
    if not cell:
        return math.nan
    if cell[0] in _STARTS and _NUMBER.fullmatch(cell):
        return float(cell)
    return math.nan if cell.casefold() in MISSING else None
