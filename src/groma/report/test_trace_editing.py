from __future__ import annotations

from groma.facts.trace import TraceRecords
from groma.report.trace_editing import counted_records


def test_records_are_counted_in_words() -> None:
    assert counted_records(TraceRecords(states=1, events=2000)) == "1 state, 2,000 events, 0 messages"
