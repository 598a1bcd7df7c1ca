import msgspec
import pytest

from groma.facts.trace import TraceFacts
from groma.record import Advice
from groma.report.renderers import plain
from groma.report.trace_statistics import statistics_document
from groma.report.trace_summary import trace_document
from groma.trace.test_summary import SUMMARY


@pytest.mark.parametrize(
    ("messages", "said"), [(0, "0 messages"), (1, "1 message"), (2000, "2,000 messages")]
)
def test_messages_are_counted_in_words(messages: int, said: str) -> None:
    summary = msgspec.structs.replace(SUMMARY, calls=5, messages=messages)
    lines = [" ".join(line.split()) for line in plain(trace_document(summary, None)).splitlines()]
    assert f"calls 5, {said} between ranks" in lines
    assert "ranks 2 on 1 host" in lines


def test_warnings_beyond_the_first_ones_of_a_run_are_counted() -> None:
    refused = [f"{number}.log is not a log" for number in range(9)]
    text = plain(trace_document(msgspec.structs.replace(SUMMARY, refused=refused[:6]), None))
    assert text.splitlines()[-1] == "! 5.log is not a log"
    text = plain(trace_document(msgspec.structs.replace(SUMMARY, refused=refused), None))
    assert text.splitlines()[-2:] == ["! 5.log is not a log", "! 3 more warnings: groma stat --all"]


def test_all_warnings_of_a_trace_are_printed_where_everything_is_asked_for() -> None:
    facts = TraceFacts(duration=1.0, threads=0, nodes=0, ranks=[])
    advice = [Advice(code="trace.refused", what=f"{number}.log is not a log", next="") for number in range(9)]
    assert "! 1 more warning: --all" in plain(statistics_document(facts, advice))
    text = plain(statistics_document(facts, advice, everything=True))
    assert "! 8.log is not a log" in text
    assert "more warning" not in text
