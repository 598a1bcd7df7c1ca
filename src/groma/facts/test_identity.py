from __future__ import annotations

from groma.facts.identity import run_key
from suite_records import stream, suite_record


def test_runs_with_other_samples_or_times_are_others() -> None:
    key = run_key(suite_record(stream({"triad": [1.0, 2.0]})))
    assert run_key(suite_record(stream({"triad": [1.0, 2.0]}))) == key
    assert run_key(suite_record(stream({"triad": [1.0, 2.1]}))) != key
    assert run_key(suite_record(stream({"triad": [1.0, 2.0]}), created="2026-01-02T00:00:00+00:00")) != key
