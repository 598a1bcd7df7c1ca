"""Both renderers print the same words."""

from __future__ import annotations

import io

import pytest

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
    one_section,
)
from groma.report.renderers import plain, print_rich

DOCUMENT = Document(
    [
        Section(
            "first",
            "First",
            [
                Pairs([("a", "1 s"), ("longer", StyledText("2 s", "warn"))]),
                Table(["name", ">value"], [["x", "10 ns"], ["yy", StyledText("9 ns", "bad")]], "a caption"),
            ],
        ),
        Section("second", "Second", [Note("what", "next", "some.code"), Note("other"), Text(["line"])]),
    ]
)

WORDS = ("First", "longer", "2 s", "a caption", "value", "10 ns", "9 ns", "! what", "-> next", "line")


def rich_text(document: Document, *, color: bool, width: int = 80) -> str:
    stream = io.StringIO()
    print_rich(document, stream, color=color, width=width)
    return stream.getvalue()


def test_plain_text_is_aligned_and_indented_under_its_heading() -> None:
    assert plain(DOCUMENT) == (
        "First\n"
        "  a       1 s\n"
        "  longer  2 s\n"
        "\n"
        "  a caption\n"
        "  name  value\n"
        "  x     10 ns\n"
        "  yy     9 ns\n"
        "\n"
        "Second\n"
        "  ! what [some.code]\n"
        "    -> next\n"
        "  ! other\n"
        "\n"
        "  line\n"
    )


def test_without_heading_nothing_is_indented() -> None:
    assert plain(one_section(Text(["a"]), Text(["b"]))) == "a\nb\n"


@pytest.mark.parametrize("color", [True, False])
def test_terminal_says_the_same_words(color: bool) -> None:
    shown = rich_text(DOCUMENT, color=color)
    for word in WORDS:
        for part in word.split():
            assert part in shown


def test_colours_only_when_wanted() -> None:
    assert "\x1b[" in rich_text(DOCUMENT, color=True)
    assert "\x1b[" not in rich_text(DOCUMENT, color=False)


def test_brackets_are_no_markup() -> None:
    assert "1.30 ns [1.29, 1.31] [red]" in rich_text(
        one_section(Text(["1.30 ns [1.29, 1.31] [red]"])), color=False
    )


@pytest.mark.parametrize("width", [20, 40, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    assert max(map(len, rich_text(DOCUMENT, color=False, width=width).splitlines())) <= width


def test_an_empty_document_is_empty() -> None:
    assert plain(Document([])) == ""
    assert rich_text(Document([]), color=False) == ""


HOSTILE = "\x1b[31mred\x1b[0m \x9b2J \u202egnp.exe [bold]b[/bold] [/nothing] [link=x]y[/link] :smile:"


@pytest.mark.parametrize("renderer", ["plain", "rich"])
def test_no_text_steers_the_terminal(renderer: str) -> None:
    cells: list[Cell] = [HOSTILE, StyledText(HOSTILE, "bad")]
    blocks: list[Block] = [
        Table([HOSTILE, f">{HOSTILE}"], [cells], HOSTILE),
        Pairs([(HOSTILE, HOSTILE)]),
        Text(cells),
        Note(HOSTILE, HOSTILE, HOSTILE),
    ]
    document = Document([Section(HOSTILE, HOSTILE, blocks)])
    if renderer == "plain":
        shown = plain(document)
    else:
        stream = io.StringIO()
        print_rich(document, stream, color=False, width=2000)
        shown = stream.getvalue()
    for character in "\x1b\x9b\u202e":
        assert character not in shown
    for text in ("[bold]b[/bold]", "[/nothing]", "[link=x]y[/link]", ":smile:", r"\x1b[31mred"):
        assert text in shown
