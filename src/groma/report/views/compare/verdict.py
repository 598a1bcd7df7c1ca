"""What differs around the numbers, and then the verdict: in the order in which a reader needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from groma.facts.comparison import ComparisonFacts
from groma.record.units import format_time
from groma.report.blocks import Banner, DataTable, Note, table_figure
from groma.report.views.registry import view
from groma.report.words.comparison import (
    POOLED,
    change_words,
    gate_words,
    is_pooled,
    note_lines,
    rows_of,
    runs_of,
    summaries_of,
    title_of,
    values_of,
)
from groma.report.words.text import joined, sentence

if TYPE_CHECKING:
    from groma.record import Record
    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Blocks


@view("verdict", order=0, of=ComparisonFacts)
def differences_and_outcome(record: Record[ComparisonFacts]) -> Blocks:
    facts = record.facts
    notes = [Note(text=f"{line}.") for line in note_lines(facts)]
    return [*notes, *_differences(facts), _banner(facts), *_records(facts)]


def _differences(facts: ComparisonFacts) -> list[Block]:
    rows: list[list[Cell]] = [[one.of, one.what, *values_of(one, facts)] for one in facts.differences]
    is_other_test = any(one.of == "test" for one in facts.differences)
    return table_figure(
        "comparison-differences",
        "Differences around the numbers",
        "Not the same test: a run with another size or number of ranks measures something else."
        if is_other_test
        else "A change of a value may come from any of these.",
        DataTable(columns=["", "what", *(one.name for one in facts.records)], rows=rows),
    )


MOST_CHANGES = 4
"""In the banner; the figure of the changes has all."""


def _banner(facts: ComparisonFacts) -> Banner:
    summaries = summaries_of(facts)
    is_pair = len(summaries) == 1
    title = f"{title_of(facts)}: {summaries[0][1]}" if is_pair else title_of(facts)
    lines = [] if is_pair else [f"{name}: {words}" for name, words in summaries]
    gates = [gate_words(one) for one in facts.gates if one.outcome != "passed"]
    return Banner(outcome=_outcome(facts), title=f"{title}.", lines=[*lines, *gates, *_changes(facts)])


def _changes(facts: ComparisonFacts) -> list[str]:
    """The largest of those that count, the bad ones first."""
    rows = rows_of(facts, "worse", "better", "changed", details=False)
    several = len(facts.records) > 2
    lines = [
        joined(
            f"{row.quantity.name} {row.changed.verdict}: {change_words(row.changed)}", row.record * several
        )
        for row in rows[:MOST_CHANGES]
    ]
    left = len(rows) - MOST_CHANGES
    return [*lines, f"and {left} more, in the changes below"] if left > 0 else lines


def _outcome(facts: ComparisonFacts) -> Literal["good", "warn", "bad"]:
    """Gates decide where there are any: they say what is allowed."""
    if facts.gates:
        outcomes = {one.outcome for one in facts.gates}
        return "bad" if "failed" in outcomes else "warn" if "undecided" in outcomes else "good"
    found = {row.changed.verdict for row in rows_of(facts, details=False)}
    if "worse" in found:
        return "bad"
    return "good" if found & {"better", "changed", "same"} else "warn"


def _records(facts: ComparisonFacts) -> list[Block]:
    rows: list[list[Cell]] = [
        [one.name, format_time(one.created), one.host, one.file, one.again, side]
        for one, side in runs_of(facts)
    ]
    columns = ["record", "measured", "host", "file", "measured by"]
    what = "The first record is what the others are compared with."
    if is_pooled(facts):
        columns, what = [*columns, "pooled in"], f"{sentence(POOLED)} The first side is the old one."
    shown = [row[: len(columns)] for row in rows]
    return table_figure("comparison-records", "Records", what, DataTable(columns=columns, rows=shown))
