"""What a comparison says, in words: on the terminal and on the page alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from groma.record.amounts import change_text
from groma.report.words.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.facts.comparison import (
        Changed,
        ComparedQuantity,
        ComparedRecord,
        ComparisonFacts,
        GateResult,
        Verdict,
    )

VERDICTS: dict[Verdict, str] = {
    "worse": "worse",
    "better": "better",
    "changed": "changed",
    "inconclusive": "inconclusive",
    "missing": "missing",
    "same": "same",
}
"""In the order in which they are read."""


class Row(NamedTuple):
    """A quantity of one record against the first."""

    quantity: ComparedQuantity
    record: str
    changed: Changed

    @property
    def size(self) -> float:
        """How large the change is, whatever its direction."""
        ratio = self.changed.ratio
        return abs(math.log(ratio.value)) if ratio is not None and ratio.value > 0 else 0.0


def rows_of(facts: ComparisonFacts, *verdicts: Verdict, details: bool = True) -> list[Row]:
    """Those with such verdicts, the worst first."""
    order = list(VERDICTS)
    found = [row for row in _rows(facts) if row.changed.verdict in (verdicts or order)]
    if not details:
        found = [row for row in found if not row.quantity.detail]
    return sorted(found, key=lambda row: (order.index(row.changed.verdict), -row.size))


def _rows(facts: ComparisonFacts) -> Iterator[Row]:
    names = [one.name for one in facts.records[1:]]
    for quantity in facts.quantities:
        for name, changed in zip(names, quantity.others, strict=True):
            yield Row(quantity, name, changed)


def change_words(changed: Changed) -> str:
    """`-7.1 % [-9.0, -5.2]`, a dash where there is no ratio."""
    return change_text(changed.ratio) if changed.ratio is not None else "-"


def summary_words(facts: ComparisonFacts, record: str) -> str:
    """`2 worse, 1 better, 30 same`, without what there is none of."""
    rows = [row for row in _rows(facts) if row.record == record and not row.quantity.detail]
    counts = {name: sum(row.changed.verdict == name for row in rows) for name in VERDICTS}
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing in common"


POOLED = "runs are pooled: each counts as one value, and the spread between them gives the intervals"


def is_pooled(facts: ComparisonFacts) -> bool:
    return any(one.runs for one in facts.records)


def runs_of(facts: ComparisonFacts) -> list[tuple[ComparedRecord, str]]:
    """Every record that was read, with the name of what it is pooled in."""
    return [(run, one.name if one.runs else "") for one in facts.records for run in one.runs or [one]]


def note_lines(facts: ComparisonFacts) -> list[str]:
    """Why the values of a record may not count."""
    return [f"{one.name}: {note}" for one, _ in runs_of(facts) for note in one.notes]


MOST_NAMED = 4


def title_of(facts: ComparisonFacts) -> str:
    """`new against old`."""
    others = [one.name for one in facts.records[1:]]
    if len(others) > MOST_NAMED:
        others = [f"{len(others)} records"]
    first = facts.records[0].name
    return f"{listed(others)} against {first}" if others else f"{first} against its gates"


def gate_words(one: GateResult) -> str:
    """In one line: what failed, where, and how to measure it again."""
    reported = f"{one.outcome.upper()} {one.quantity}: {one.record} {one.what}; gate: {one.gate}"
    return f"{reported}; run again: {one.again}" if one.again else reported
