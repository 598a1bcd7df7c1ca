import msgspec
import pytest

from groma.report.renderers import plain
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
