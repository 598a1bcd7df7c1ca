"""Text from records, machines and files, made fit to be printed: it may not steer a terminal."""

from __future__ import annotations

import re
import unicodedata

_HIDDEN = re.compile(r"[^\x20-\x7e]")


def printable(text: str) -> str:
    r"""`text` in one line, with what has no shape of its own spelled: "\x1b[2J", "\u202e", "\n".

    These are control characters (C0, C1, DEL), marks of direction and other format characters, separators of
    lines, and characters that no encoding has (lone surrogates).
    """
    return text if text.isprintable() else _HIDDEN.sub(_spelled, text)


def printable_json(document: str) -> str:
    r"""JSON text that says the same with such characters written as \uXXXX; its own line ends stay."""
    return "\n".join(map(_printable_json_line, document.split("\n")))


def _printable_json_line(line: str) -> str:
    return line if line.isprintable() else _HIDDEN.sub(_spelled_in_json, line)


def _has_shape(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs"


def _spelled(match: re.Match[str]) -> str:
    return match[0] if _has_shape(match[0]) else match[0].encode("unicode_escape").decode("ascii")


def _spelled_in_json(match: re.Match[str]) -> str:
    if _has_shape(match[0]):
        return match[0]
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
