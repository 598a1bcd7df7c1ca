"""The sections of a comparison on the terminal: what differs around the numbers stands before them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.kinds import kind_named
from groma.record.counting import counted
from groma.record.units import format_quantity, format_time
from groma.report.document import Note, Pairs, StyledText, Text
from groma.report.terminal import Sections, add_common_sections, table
from groma.report.words.comparison import (
    POOLED,
    change_words,
    first_of,
    gate_words,
    is_pooled,
    note_lines,
    passed_words,
    rows_of,
    runs_of,
    summaries_of,
    values_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.comparison import ComparisonFacts, Difference, Verdict
    from groma.record import Record
    from groma.report.document import Block, Cell, Tone
    from groma.report.terminal import Blocks
    from groma.report.words.comparison import Row

    Comparison = Record[ComparisonFacts]

SECTIONS = Sections()

MOST_OPEN = 12
"""More rows that are open say less than their number."""

_TONES: dict[Verdict, Tone] = {"worse": "bad", "better": "good", "changed": "warn", "inconclusive": "warn"}


@SECTIONS.section("records", "Records", "facts", "records")
def records(record: Comparison) -> Blocks:
    facts = record.facts
    rows: list[list[Cell]] = [
        [one.name, format_time(one.created) or "-", one.host or "-", one.file, side]
        for one, side in runs_of(facts)
    ]
    columns = ["record", "measured", "host", "file", *(["pooled in"] if is_pooled(facts) else [])]
    return [*table(columns, [row[: len(columns)] for row in rows]), *_notes(facts)]


def _notes(facts: ComparisonFacts) -> list[Note]:
    found = [Note(line, "") for line in note_lines(facts)]
    return [*found, Note(POOLED, "", tone="dim")] if is_pooled(facts) else found


@SECTIONS.section("differences", "Differences around the numbers", "facts", "differences")
def differences(record: Comparison) -> Blocks:
    facts = record.facts
    if not facts.differences:
        return []
    columns = ["", "what", *(one.name for one in facts.records)]
    reported = [_warning(facts.differences)]
    return [*reported, *table(columns, [_difference(one, facts) for one in facts.differences])]


def _warning(found: Sequence[Difference]) -> Note:
    if any(one.of == "test" for one in found):
        return Note("not the same test: compare the values with care", "")
    return Note(f"{counted(len(found), 'difference')}: a change below may come from them", "")


def _difference(one: Difference, facts: ComparisonFacts) -> list[Cell]:
    of = StyledText(one.of, "warn" if one.of == "test" else "dim")
    return [of, one.what, *map(_short, values_of(one, facts))]


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:59]}…"


@SECTIONS.section("verdict", "Verdict", "facts", "quantities")
def verdict(record: Comparison) -> Blocks:
    facts = record.facts
    first = first_of(facts)
    items: list[tuple[str, Cell]] = [
        (f"{name} against {first}", _toned_summary(words)) for name, words in summaries_of(facts)
    ]
    return [Pairs(items)] if items else []


def _toned_summary(words: str) -> Cell:
    return StyledText(words, "bad" if "worse" in words else "good" if "better" in words else "plain")


@SECTIONS.section("changes", "Changes", "facts", "quantities")
def changes(record: Comparison) -> Blocks:
    """Those that count; which way is better follows from the unit."""
    rows = rows_of(record.facts, "worse", "better", "changed")
    main = [row for row in rows if not row.quantity.detail]
    if not main and len(record.facts.records) > 1:
        return [Text([StyledText("no change that counts", "good")]), *_details(rows)]
    return [*_table(record.facts, main), *_details(rows)]


def _details(rows: Sequence[Row]) -> list[Block]:
    """Single ranks and entries of matrices: thousands may change where a rank moved."""
    number = sum(row.quantity.detail for row in rows)
    return (
        [Text([StyledText(f"{counted(number, 'detail')} changed (--all shows them)", "dim")])]
        if number
        else []
    )


@SECTIONS.section("open", "Open", "facts", "quantities")
def open_(record: Comparison) -> Blocks:
    facts = record.facts
    rows = rows_of(facts, "inconclusive", details=False)
    missing = rows_of(facts, "missing", details=False)
    reported = [f"{row.quantity.name}: {row.changed.why} ({row.record})" for row in missing]
    return [
        *_table(facts, rows[:MOST_OPEN], why=True),
        *_more(rows),
        *_cure(rows, facts.of),
        *_missing(reported),
    ]


def _cure(rows: Sequence[Row], of: str) -> list[Block]:
    """A number stands beside each that has one."""
    if not rows:
        return []
    more = "runs" if any(row.changed.counted == "run" for row in rows) else f"samples{_options(of)}"
    return [Note(f"open: take more {more}, or on an idle machine", "")]


def _options(of: str) -> str:
    """Those with which a record of this kind gets more samples, in parentheses."""
    kind = kind_named(of)
    return f" ({', '.join(kind.more_samples)})" if kind is not None and kind.more_samples else ""


def _more(rows: Sequence[Row]) -> list[Block]:
    left = len(rows) - MOST_OPEN
    return [Text([StyledText(f"and {left} more (--all shows them)", "dim")])] if left > 0 else []


def _missing(reported: Sequence[str]) -> list[Block]:
    left = len(reported) - MOST_OPEN
    more = [StyledText(f"and {left} more", "dim")] if left > 0 else []
    return [Text([*reported[:MOST_OPEN], *more])] if reported else []


@SECTIONS.section("all", "All quantities", "facts", "quantities", at_a_glance=False)
def all_(record: Comparison) -> Blocks:
    return _table(record.facts, rows_of(record.facts), why=True)


def _table(facts: ComparisonFacts, rows: Sequence[Row], *, why: bool = False) -> list[Block]:
    several = len(facts.records) != 2
    first = first_of(facts)
    columns = ["quantity", *(["record"] if several else []), f">{first}", *_then(facts), ">change", "verdict"]
    return table([*columns, *([""] if why else [])], [_row(row, several=several, why=why) for row in rows])


def _then(facts: ComparisonFacts) -> list[str]:
    return [f">{facts.records[1].name}"] if len(facts.records) == 2 else [">then"]


def _row(row: Row, *, several: bool, why: bool) -> list[Cell]:
    changed = row.changed
    return [
        row.quantity.name,
        *([row.record] if several else []),
        format_quantity(row.quantity.first, interval=False),
        format_quantity(changed.value, interval=False),
        change_words(changed),
        StyledText(changed.verdict, _TONES.get(changed.verdict, "plain")),
        *([StyledText(changed.why, "dim")] if why else []),
    ]


@SECTIONS.section("gates", "Gates", "facts", "gates")
def gates(record: Comparison) -> Blocks:
    """One line for each that did not pass, and one with the records on which the others passed."""
    bad = [one for one in record.facts.gates if one.outcome != "passed"]
    lines: list[Cell] = [
        StyledText(gate_words(one), "bad" if one.outcome == "failed" else "warn") for one in bad
    ]
    if passed := passed_words(record.facts):
        lines.append(StyledText(passed, "good"))
    return [Text(lines)] if lines else []


add_common_sections(SECTIONS)
