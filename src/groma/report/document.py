"""What a command has to say, before it is rendered for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal

from groma.printable import printable
from groma.record.units import NO_BREAK

Tone = Literal["plain", "good", "warn", "bad", "dim", "strong"]


@dataclass(frozen=True)
class StyledText:
    """A piece of text with a meaning that a terminal may colour. The text alone must say it too."""

    text: str
    tone: Tone


Cell = str | StyledText


def text_of(cell: Cell) -> str:
    return cell if isinstance(cell, str) else cell.text


@dataclass(frozen=True)
class Table:
    """Columns named with `>` in front are aligned to the right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""


@dataclass(frozen=True)
class Pairs:
    """Names with their values, one a line."""

    items: Sequence[tuple[str, Cell]]


@dataclass(frozen=True)
class Text:
    lines: Sequence[Cell]


@dataclass(frozen=True)
class Note:
    """Something the reader must know, with the step that follows from it."""

    what: str
    next: str = ""
    code: str = ""
    tone: Tone = "warn"


Block = Table | Pairs | Text | Note


@dataclass(frozen=True)
class Section:
    name: str
    title: str
    blocks: Sequence[Block] = field(default_factory=tuple)


@dataclass(frozen=True)
class Document:
    sections: Sequence[Section]


def one_section(*blocks: Block) -> Document:
    """A document without headings, for short answers."""
    return Document([Section("", "", blocks)])


def printable_parts(part: Any) -> Any:
    """A document, or any part of one, with every text in it made fit to be printed."""
    if isinstance(part, str):
        return printable(part.replace(NO_BREAK, " "))
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{one.name: printable_parts(getattr(part, one.name)) for one in fields(part)})
    if isinstance(part, Sequence):
        return tuple(map(printable_parts, part))
    return part
