"""What was read to write a trace, on one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.counting import counted
from groma.report.document import Document, Note, Pairs, one_section

if TYPE_CHECKING:
    from groma.facts.trace import TraceRecords
    from groma.trace.editing import EditResult
    from groma.trace.sums import Records


def counted_records(records: TraceRecords | Records) -> str:
    kinds = (("state", records.states), ("event", records.events), ("message", records.communications))
    return ", ".join(counted(number, noun) for noun, number in kinds)


def edited_document(made: EditResult) -> Document:
    read = made.records
    pairs = [
        ("read", counted_records(read)),
        *(
            [("kept", f"{counted(made.kept, 'record')}, {made.dropped:,} left out")]
            if made.kept + made.dropped
            else []
        ),
        *([("left out", f"{made.cut_messages:,} messages that cross a bound")] if made.cut_messages else []),
        ("wrote", made.target),
    ]
    return one_section(Pairs(pairs), *(Note(str(one)) for one in made.warnings))
