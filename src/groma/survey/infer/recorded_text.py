"""The text of files that a person recorded with any tool, and how to quote from them."""

from __future__ import annotations

import codecs
from pathlib import Path

from groma.errors import GromaError
from groma.record.reading import read_bytes

_MOST_BYTES = 64 << 20
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def text_of(path: Path | str, absent: str, *, encodings: tuple[str, ...] = ("utf-8-sig",)) -> str:
    """The text of a file in the first of `encodings` that it is in; `absent` is what to do if there is none.

    GromaError (exit code 2) for a missing file, and for one that is no text.
    """
    path = Path(path)
    raw = read_bytes(path, lambda start: _worth_reading(start, path, encodings), absent)
    if b"\0" in raw and not _is_wide(raw, encodings):
        raise _no_text(path)
    for encoding in ("utf-16",) if _is_wide(raw, encodings) else encodings:
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise GromaError(f"{path} is not a text file in UTF-8", "save it as UTF-8")


def _worth_reading(start: bytes, path: Path, encodings: tuple[str, ...]) -> int:
    if b"\0" in start and not _is_wide(start, encodings):
        raise _no_text(path)
    return _MOST_BYTES


def _is_wide(raw: bytes, encodings: tuple[str, ...]) -> bool:
    """What some shells on Windows write when output is redirected."""
    return "utf-16" in encodings and raw.startswith(_WIDE)


def _no_text(path: Path) -> GromaError:
    return GromaError(f"{path} is not a text file", "name a CSV file in UTF-8")


def shown(text: str) -> str:
    """A foreign text cut to fit one line."""
    printable = "".join(character if character.isprintable() else "?" for character in text)
    return repr(printable if len(printable) <= 40 else printable[:37] + "…")
