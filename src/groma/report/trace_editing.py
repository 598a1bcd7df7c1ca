"""What was read to write a trace, on one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.report.document import Document, Note, Pairs, one_section

if TYPE_CHECKING:
    from groma.trace.editing import EditResult


def edited_document(made: EditResult) -> Document:
    read = made.records
    pairs = [
        ("read", f"{read.states:,} states, {read.events:,} events, {read.communications:,} messages"),
        *(
            [("kept", f"{made.kept:,} records, {made.dropped:,} left out")]
            if made.kept + made.dropped
            else []
        ),
        *([("left out", f"{made.cut_messages:,} messages that cross a bound")] if made.cut_messages else []),
        ("wrote", made.target),
    ]
    return one_section(Pairs(pairs), *(Note(str(one)) for one in made.warnings))
