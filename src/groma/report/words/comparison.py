"""What a comparison says, in words: on the terminal and on the page alike."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from groma.record.amounts import change_text
from groma.record.counting import counted
from groma.record.units import format_time
from groma.report.words.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.facts.comparison import (
        Changed,
        ComparedQuantity,
        ComparedRecord,
        ComparisonFacts,
        Difference,
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
        # A file that was edited may have lost some.
        for name, changed in zip(names, quantity.others, strict=False):
            yield Row(quantity, name, changed)


def change_words(changed: Changed) -> str:
    """`-7.1 % [-9.0, -5.2]`, a dash where there is no ratio."""
    return change_text(changed.ratio) if changed.ratio is not None else "-"


def summaries_of(facts: ComparisonFacts) -> list[tuple[str, str]]:
    """Of each record but the first, `2 worse, 1 better, 30 same`, without what there is none of."""
    counts: dict[str, Counter[Verdict]] = {one.name: Counter() for one in facts.records[1:]}
    for row in _rows(facts):
        if not row.quantity.detail:
            counts[row.record][row.changed.verdict] += 1
    return [(one.name, _summary(counts[one.name])) for one in facts.records[1:]]


def _summary(counts: Counter[Verdict]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in VERDICTS if counts[name]) or "nothing in common"


POOLED = "runs are pooled: each counts as one value, and the spread between them gives the intervals"


def is_pooled(facts: ComparisonFacts) -> bool:
    return any(one.runs for one in facts.records)


MOST_RUNS = 12
"""More runs of a side hide what follows them: they are one line."""

MOST_NAMED = 4


def runs_of(facts: ComparisonFacts) -> list[tuple[ComparedRecord, str]]:
    """Every record that was read, with the name of what it is pooled in; many runs of a side as one."""
    return [
        (run, one.name if one.runs else "")
        for one in facts.records
        for run in ([_as_one(one)] if len(one.runs) > MOST_RUNS else one.runs or [one])
    ]


def _as_one(side: ComparedRecord) -> ComparedRecord:
    """`500 runs, night1 to night500`, with the first and the last time and file."""
    return msgspec.structs.replace(
        side,
        name=f"{counted(len(side.runs), 'run')}, {side.name}",
        created=_ends([format_time(run.created) for run in sorted(side.runs, key=lambda run: run.created)]),
        file=_ends([run.file for run in side.runs]),
    )


def _ends(texts: Sequence[str]) -> str:
    return " to ".join(dict.fromkeys((texts[0], texts[-1])))


def note_lines(facts: ComparisonFacts) -> list[str]:
    """Why the values of a record may not count; what many runs of a side have in common is one line."""
    return [line for one in facts.records for line in _notes_of(one)]


def _notes_of(side: ComparedRecord) -> Iterator[str]:
    runs = side.runs or [side]
    names: dict[str, list[str]] = {}
    for run in runs:
        for note in run.notes:
            names.setdefault(note, []).append(run.name)
    for note, those in names.items():
        many = [f"{len(those)} of {counted(len(runs), 'run')} in {side.name}"]
        yield from (f"{name}: {note}" for name in (those if len(those) <= MOST_NAMED else many))


def first_of(facts: ComparisonFacts) -> str:
    """The name of what the others are compared with; a file that was edited may have none."""
    return facts.records[0].name if facts.records else "no record"


def values_of(difference: Difference, facts: ComparisonFacts) -> list[str]:
    """One for each record, also in a file that was edited."""
    records = len(facts.records)
    return [*difference.values, *["-"] * records][:records]


def title_of(facts: ComparisonFacts) -> str:
    """`new against old`."""
    others = [one.name for one in facts.records[1:]]
    if len(others) > MOST_NAMED:
        others = [f"{len(others)} records"]
    first = first_of(facts)
    return f"{listed(others)} against {first}" if others else f"{first} against its gates"


def passed_words(facts: ComparisonFacts) -> str:
    """How many gates passed on which records; empty for none."""
    names = [one.record for one in facts.gates if one.outcome == "passed"]
    if not names:
        return ""
    records = list(dict.fromkeys(names))
    those = listed(records) if len(records) <= MOST_NAMED else counted(len(records), "record")
    return f"{counted(len(names), 'gate')} passed: {those}"


def gate_words(one: GateResult) -> str:
    """In one line: what failed, where, and how to measure it again."""
    reported = f"{one.outcome.upper()} {one.quantity}: {one.record} {one.what}; gate: {one.gate}"
    return f"{reported}; run again: {one.again}" if one.again else reported
