"""What a command has to say, before it is dressed for a terminal or a pipe."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Tone = Literal["plain", "good", "warn", "bad", "dim", "strong"]


@dataclass(frozen=True)
class Toned:
    """A piece of text with a meaning that a terminal may colour. The text alone must say it too."""

    text: str
    tone: Tone


Cell = str | Toned


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
