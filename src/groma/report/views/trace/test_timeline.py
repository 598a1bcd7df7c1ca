"""The timeline of a trace on the page, and what is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.facts.trace import TraceFacts, TraceState, TraceTimeline, TraceTimelineRow
from groma.record import Build, Record
from groma.report.blocks import Figure, Note
from groma.report.views.trace.timeline import MOST_PARTS, TimelineChart, timeline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LABELS = {1: "Running", 2: "Not created", 3: "Waiting a message", 12: "I/O"}
MOST_BYTES = 200_000


def record_of(
    rows: Sequence[Mapping[int, list[int]]], *, begin: float = 0.0, threads: int = 1
) -> Record[TraceFacts]:
    """Rows of times in bins of 1 s, whose sums are the table of states."""
    sums: dict[int, int] = {}
    for row in rows:
        for state, times in row.items():
            sums[state] = sums.get(state, 0) + sum(times)
    made = [
        TraceTimelineRow(
            name=str(i) if threads == 1 else f"{threads * i} to {threads * (i + 1) - 1}",
            threads=threads,
            nanoseconds={str(state): times for state, times in row.items()},
        )
        for i, row in enumerate(rows)
    ]
    bins = len(next(iter(rows[0].values())))
    states = [
        TraceState(state=state, label=LABELS.get(state, f"state {state}"), count=1, seconds=time, share=0.0)
        for state, time in sorted(sums.items(), key=lambda one: -one[1])
    ]
    facts = TraceFacts(
        duration=float(bins),
        threads=threads * len(rows),
        nodes=1,
        ranks=[],
        states=states,
        timeline=TraceTimeline(begin=begin, width=1.0, bins=bins, rows=made),
    )
    return Record(
        kind="trace",
        created="",
        command=[],
        build=Build(version=""),
        environment={},
        parameters={},
        samples={},
        facts=facts,
    )


def chart_of(record: Record[TraceFacts]) -> TimelineChart:
    (figure,) = (one for one in timeline(record) if isinstance(one, Figure))
    assert isinstance(figure.drawing, TimelineChart)
    return figure.drawing


def said_of(record: Record[TraceFacts]) -> str:
    return " ".join(one.text for one in timeline(record) if isinstance(one, Note)).replace("\u00a0", " ")


def test_a_timeline_without_rows_is_none() -> None:
    record = record_of([{1: [1]}])
    assert record.facts.timeline is not None
    record.facts.timeline = msgspec.structs.replace(record.facts.timeline, rows=[])
    assert timeline(record) == []


def test_shares_are_of_the_time_that_the_threads_of_a_row_were_there() -> None:
    chart = chart_of(record_of([{3: [900, 600, 0], 1: [100, 0, 200], 2: [0, 400, 800]}]))
    assert [one.name for one in chart.parts] == ["Running", "Waiting a message"], "running comes first"
    assert chart.rows[0].shares == [[10, 0, 100], [90, 100, 0]]


def test_a_bin_in_which_no_thread_is_there_has_no_part() -> None:
    chart = chart_of(record_of([{1: [0, 5], 2: [5, 0]}, {1: [0, 0], 3: [0, 5]}]))
    assert chart.rows[0].shares == [[0, 100], []]
    assert chart.rows[1].shares == [[], [0, 100]]


def test_states_beyond_the_colours_are_one_part() -> None:
    chart = chart_of(record_of([{state: [1000 - state] for state in range(1, 12)}]))
    assert len(chart.parts) == MOST_PARTS
    assert chart.parts[-1].name == "other states"
    assert chart.rows[0].shares[-1] == [40]


def test_the_phase_that_loses_most_is_said_with_what_ranks_do_instead_and_which() -> None:
    busy = {1: [90, 90, 90, 90], 3: [10, 10, 10, 10]}
    idle = {1: [90, 10, 20, 90], 3: [10, 80, 60, 10], 12: [0, 10, 20, 0]}
    assert said_of(record_of([busy, idle, idle], begin=100.0)) == (
        "The ranks lose most from 101 to 103 s (50 % of the trace): Running takes 40 % of their time there, "
        "and 65 % in all. The share is largest on rank 0 (90 %) and least on rank 1 (15 %). The largest part "
        "of the rest is Waiting a message (50 %)."
    )


def test_start_and_end_of_a_program_do_not_hide_what_it_loses_between() -> None:
    row = {1: [0, 0, 90, 90, 40, 90, 0], 3: [0, 0, 10, 10, 60, 10, 0], 15: [100, 100, 0, 0, 0, 0, 100]}
    assert said_of(record_of([row])) == (
        "The ranks lose most from 4 to 5 s (14.3 % of the trace): Running takes 40 % of their time there, "
        "and 77.5 % from 2 to 6 s, between start and end. The largest part of the rest is Waiting a message "
        "(60 %)."
    )


def test_rows_of_several_ranks_are_called_so() -> None:
    said = said_of(record_of([{1: [9, 9, 9], 3: [1, 1, 1]}, {1: [9, 0, 9], 3: [1, 10, 1]}], threads=4))
    assert "largest on ranks 0 to 3 (90 %) and least on ranks 4 to 7 (0 %)" in said


def test_times_of_a_short_phase_late_in_a_trace_are_told_apart() -> None:
    said = said_of(record_of([{1: [9, 0, 9], 3: [1, 10, 1]}], begin=123456.0))
    assert "from 123457 to 123458 s" in said


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            {1: [7, 7], 3: [3, 3]},
            "Running takes 70 % of the time of the ranks in all; no part has much less for long.",
        ),
        ({3: [3, 3]}, ""),
    ],
)
def test_a_trace_in_which_nothing_stands_out_says_no_more(row: Mapping[int, list[int]], said: str) -> None:
    assert said_of(record_of([row])) == said


def test_ranks_that_wait_all_the_time_are_said_where_no_phase_stands_out() -> None:
    said = said_of(record_of([{1: [9, 9], 3: [1, 1]}, {1: [3, 3], 3: [7, 7]}]))
    assert "no part has much less for long. The share is largest on rank 0 (90 %) and least on rank 1" in said


def test_a_record_of_before_there_were_timelines_has_none() -> None:
    record = record_of([{1: [1]}])
    old = msgspec.to_builtins(record.facts)
    del old["timeline"]
    facts = msgspec.convert(old, TraceFacts)
    assert timeline(msgspec.structs.replace(record, facts=facts)) == []


def test_the_largest_timeline_is_small_beside_the_page() -> None:
    row = {state: [10**9 + 7 * state] * 144 for state in range(1, 24)}
    (figure,) = (one for one in timeline(record_of([row] * 64, threads=1000)) if isinstance(one, Figure))
    assert len(msgspec.json.encode(figure)) < MOST_BYTES
