"""The renderers of a document: plain text for pipes, rich tables for terminals. JSON needs no document."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TextIO

from groma.report.document import (
    Block,
    Cell,
    Document,
    Note,
    Pairs,
    Section,
    StyledText,
    Table,
    Text,
    printable_parts,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, RenderableType
    from rich.table import Table as RichTable
    from rich.text import Text as RichText

_STYLES = {"good": "green", "warn": "yellow", "bad": "red", "dim": "dim", "strong": "bold"}
INDENT = 2
"""Spaces before what stands under a heading."""

_MARKS = {"bad": "x", "warn": "!", "good": "+"}


def plain(document: Document) -> str:
    """The document as text without colours, tables aligned by spaces."""
    shown: Document = printable_parts(document)
    return "\n".join("\n".join(_plain_section(section)) + "\n" for section in shown.sections)


def _plain_section(section: Section) -> Iterator[str]:
    if section.title:
        yield section.title
    for block, is_apart in _spaced(section.blocks):
        if is_apart:
            yield ""
        indent = " " * INDENT if section.title else ""
        yield from (indent + line if line else "" for line in _plain_block(block))


def _spaced(blocks: Sequence[Block]) -> Iterator[tuple[Block, bool]]:
    """Each block, and whether an empty line goes before it: lines of one kind stay together."""
    previous: Block | None = None
    for block in blocks:
        is_line = isinstance(block, (Text, Note))
        yield block, previous is not None and not (is_line and type(block) is type(previous))
        previous = block


@functools.singledispatch
def _plain_block(block: Block) -> Iterator[str]:
    raise TypeError(type(block))


@_plain_block.register(Table)
def _(table: Table) -> Iterator[str]:
    if table.caption:
        yield table.caption
    headers = [name.removeprefix(">") for name in table.columns]
    rows = [headers, *([text_of(cell) for cell in row] for row in table.rows)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(headers))]
    for row in rows:
        cells = (
            cell.rjust(width) if name.startswith(">") else cell.ljust(width)
            for cell, width, name in zip(row, widths, table.columns, strict=True)
        )
        yield "  ".join(cells).rstrip()


@_plain_block.register(Pairs)
def _(pairs: Pairs) -> Iterator[str]:
    width = max((len(name) for name, _ in pairs.items), default=0)
    for name, value in pairs.items:
        yield f"{name.ljust(width)}  {text_of(value)}"


@_plain_block.register(Text)
def _(text: Text) -> Iterator[str]:
    yield from (text_of(line) for line in text.lines)


@_plain_block.register(Note)
def _(note: Note) -> Iterator[str]:
    code = f" [{note.code}]" if note.code else ""
    yield f"{_MARKS.get(note.tone, '-')} {note.what}{code}"
    if note.next:
        yield f"  -> {note.next}"


def print_rich(document: Document, stream: TextIO, *, color: bool, width: int | None = None) -> None:
    """Print the document as rich tables; without `color` the tables stay, the colours go."""
    console = _console(stream, color=color, width=width)
    shown: Document = printable_parts(document)
    for number, section in enumerate(shown.sections):
        if number:
            console.print()
        if section.title:
            console.print(_rich_text(StyledText(section.title, "strong")), soft_wrap=True)
        for block, is_apart in _spaced(section.blocks):
            if is_apart:
                console.print()
            console.print(_indented(_rich_block(block), INDENT if section.title else 0))


def _console(stream: TextIO, *, color: bool, width: int | None) -> Console:
    from rich.console import Console  # noqa: PLC0415  (slow to import, needed on terminals only)

    return Console(
        file=stream,
        width=width,
        no_color=not color,
        force_terminal=True if color else None,
        highlight=False,
        markup=False,
        emoji=False,
    )


def _rich_text(cell: Cell) -> RichText:
    from rich.text import Text as RichText  # noqa: PLC0415

    tone = cell.tone if isinstance(cell, StyledText) else "plain"
    return RichText(text_of(cell), style=_STYLES.get(tone, ""))


@functools.singledispatch
def _rich_block(block: Block) -> RenderableType:
    raise TypeError(type(block))


@_rich_block.register(Table)
def _(table: Table) -> RenderableType:
    from rich import box  # noqa: PLC0415

    grid = _rich_grid(
        box=box.SIMPLE_HEAD,
        title=table.caption or None,
        title_justify="left",
        title_style="dim",
        pad_edge=False,
        show_edge=False,
        header_style="bold",
    )
    for name in table.columns:
        grid.add_column(
            name.removeprefix(">"), justify="right" if name.startswith(">") else "left", overflow="fold"
        )
    for row in table.rows:
        grid.add_row(*(_rich_text(cell) for cell in row))
    return grid


@_rich_block.register(Pairs)
def _(pairs: Pairs) -> RenderableType:
    grid = _rich_grid(box=None, show_header=False, pad_edge=False)
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in pairs.items:
        grid.add_row(name, _rich_text(value))
    return grid


@_rich_block.register(Text)
def _(text: Text) -> RenderableType:
    return _joined(text.lines)


@_rich_block.register(Note)
def _(note: Note) -> RenderableType:
    grid = _rich_grid(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(
        _rich_text(StyledText(_MARKS.get(note.tone, "-"), note.tone)),
        _rich_text(StyledText(note.what, note.tone)),
    )
    if note.next:
        grid.add_row("", _rich_text(f"-> {note.next}"))
    return grid


def _rich_grid(**options: Any) -> RichTable:
    from rich.table import Table  # noqa: PLC0415

    return Table(**options)


def _joined(lines: Sequence[Cell]) -> RichText:
    from rich.text import Text as RichText  # noqa: PLC0415

    return RichText("\n").join(_rich_text(line) for line in lines)


def _indented(content: RenderableType, spaces: int) -> RenderableType:
    from rich.padding import Padding  # noqa: PLC0415

    return Padding(content, (0, 0, 0, spaces))
