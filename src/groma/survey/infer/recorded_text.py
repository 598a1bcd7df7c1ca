"""The text of files that a person recorded with any tool, and how to quote from them."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from groma.errors import GromaError
from groma.record.reading import read_bytes
from groma.survey.infer.tables import Row, rows_of

_MOST_BYTES = 64 << 20
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""What some shells on Windows write when output is redirected."""

_SHORT_RULE = re.compile(r":?-+:?")
_BOLD = re.compile(r"(\*\*|__)(\S.*?)\1")


def text_of(path: Path | str, absent: str, *, encodings: tuple[str, ...] = ("utf-8-sig",)) -> str:
    """The text of a file: UTF-16 if marked as such, else in the first of `encodings` that it is in.

    `absent` is what to do if there is no file. GromaError (exit code 2) for a missing file, and for one that
    is no text.
    """
    path = Path(path)
    raw = read_bytes(path, lambda start: _worth_reading(start, path), absent)
    if b"\0" in raw and not raw.startswith(_WIDE):
        raise _no_text(path)
    for encoding in ("utf-16",) if raw.startswith(_WIDE) else encodings:
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise GromaError(f"{path} is not a text file in UTF-8", "save it as UTF-8")


def _worth_reading(start: bytes, path: Path) -> int:
    if b"\0" in start and not start.startswith(_WIDE):
        raise _no_text(path)
    return _MOST_BYTES


def _no_text(path: Path) -> GromaError:
    return GromaError(f"{path} is not a text file", "name a CSV file in UTF-8")


def recorded_rows(text: str) -> list[Row]:
    """Rows of the table in a text, less what Markdown adds: short rules (`-:`) and bold words."""
    rows = rows_of(text)
    if ":" in text:
        rows = [row for row in rows if not _is_rule(row)]
    return list(map(_less_bold, rows)) if "**" in text or "__" in text else rows


def _is_rule(row: Row) -> bool:
    return any(":" in cell for cell in row.cells) and all(map(_SHORT_RULE.fullmatch, row.cells))


def _less_bold(row: Row) -> Row:
    if not any(map(_BOLD.fullmatch, row.cells)):
        return row
    return Row.of(row.number, [_BOLD.sub(r"\2", cell) for cell in row.cells])


def shown(text: str) -> str:
    """A foreign text cut to fit one line."""
    printable = "".join(character if character.isprintable() else "?" for character in text)
    return repr(printable if len(printable) <= 40 else printable[:37] + "…")
