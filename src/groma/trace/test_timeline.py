"""Timelines against an account of each nanosecond, and against the sums of the same trace."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from groma.facts.trace import TraceTimeline, TraceTimelineRow
from groma.trace.infer import trace_facts
from groma.trace.statistics import nanoseconds_of
from groma.trace.sums import sums_of
from groma.trace.timeline import Phase, computing, least_efficient, states_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

State = tuple[int, int, int, int]
"""Thread, begin, end and state."""


def write_trace(path: Path, threads: int, states: Sequence[State]) -> Path:
    end = max(one[2] for one in states)
    tasks = ",".join(["1:1"] * threads)
    lines = [f"#Paraver (01/01/2026 at 00:00):{end}_ns:1({threads}):1:{threads}({tasks}),0\n"]
    for thread, begin, until, state in sorted(states, key=lambda one: one[1]):
        lines.append(f"1:{thread + 1}:1:{thread + 1}:1:{begin}:{until}:{state}\n")
    path.write_text("".join(lines), encoding="ascii")
    return path


def random_states(threads: int, first: int, longest: int) -> list[State]:
    """Threads begin and end at different times, and are in no state in between at times."""
    chance = np.random.default_rng(11)
    made = []
    for thread in range(threads):
        at = first + int(chance.integers(longest))
        for _ in range(40):
            until = at + int(chance.integers(longest))
            if chance.random() < 0.9:
                made.append((thread, at, until, int(chance.choice((1, 1, 3, 12, 13, 2)))))
            at = until
    return made


@pytest.mark.parametrize(("first", "longest"), [(0, 7), (5, 60), (10**7 + 13, 400)])
def test_each_nanosecond_of_each_state_is_in_its_bin(tmp_path: Path, first: int, longest: int) -> None:
    states = random_states(5, first, longest)
    found = trace_facts(sums_of(write_trace(tmp_path / "t.prv", 5, states), None)).timeline
    assert found is not None
    begin, width = nanoseconds_of(found.begin), nanoseconds_of(found.width)
    expected: Counter[tuple[int, int, int]] = Counter()
    for thread, from_, to, state in states:
        expected.update((thread, state, (time - begin) // width) for time in range(from_, to))
    held = {
        (row, int(state), place): time
        for row, one in enumerate(found.rows)
        for state, times in one.nanoseconds.items()
        for place, time in enumerate(times)
        if time
    }
    assert held == dict(expected)


@pytest.mark.parametrize(("threads", "most"), [(1, 1), (64, 1), (65, 2), (1000, 16)])
def test_bins_of_any_number_of_ranks_add_up_to_the_table_of_states(
    tmp_path: Path, threads: int, most: int
) -> None:
    facts = trace_facts(
        sums_of(write_trace(tmp_path / "t.prv", threads, random_states(threads, 0, 10**9)), None)
    )
    found = facts.timeline
    assert found is not None
    assert len(found.rows) <= 64
    assert 72 <= found.bins <= 144
    assert max(one.threads for one in found.rows) == most
    assert sum(one.threads for one in found.rows) == threads
    sums: Counter[int] = Counter()
    for row in found.rows:
        for state, times in row.nanoseconds.items():
            assert len(times) == found.bins
            sums[int(state)] += sum(times)
    assert sums == {one.state: nanoseconds_of(one.seconds) for one in facts.states}


def test_rows_of_neighbours_are_named_by_the_first_and_the_last(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "t.prv", 129, [(128, 0, 10, 1)])
    found = trace_facts(sums_of(path, None)).timeline
    assert found is not None
    assert [found.rows[place].name for place in (0, -1)] == ["0 to 2", "126 to 128"]


def test_a_trace_without_states_has_no_timeline(tmp_path: Path) -> None:
    path = tmp_path / "t.prv"
    path.write_text("#Paraver (01/01/2026 at 00:00):9_ns:1(1):1:1(1:1),0\n2:1:1:1:1:3:50000001:1\n")
    assert trace_facts(sums_of(path, None)).timeline is None


def timeline(*rows: dict[str, list[int]]) -> TraceTimeline:
    (bins,) = {len(times) for row in rows for times in row.values()}
    made = [
        TraceTimelineRow(name=str(i), threads=1, nanoseconds=nanoseconds)
        for i, nanoseconds in enumerate(rows)
    ]
    return TraceTimeline(begin=0.0, width=100e-9, bins=bins, rows=made)


def test_the_least_efficient_phase_is_where_most_computing_time_is_lost() -> None:
    found = timeline(
        {"1": [90, 20, 90, 10, 0, 90], "3": [10, 80, 10, 90, 100, 10]},
        {"1": [90, 80, 90, 80, 90, 90], "3": [10, 20, 10, 20, 10, 10]},
    )
    assert computing(found) == Phase(0, 6)
    assert least_efficient(found, Phase(0, 6)) == Phase(3, 5)
    assert least_efficient(found, Phase(0, 3)) == Phase(1, 2)


def test_time_before_a_rank_is_created_is_not_lost() -> None:
    found = timeline({"1": [0, 0, 80, 80], "2": [100, 100, 0, 0], "13": [0, 0, 20, 20]})
    assert computing(found) == Phase(2, 4)
    assert least_efficient(found, Phase(0, 4)) is None
    assert states_in(found.rows[0], Phase(1, 3)) == {1: 80, 13: 20}


def test_start_and_end_of_a_program_are_no_phase_of_it() -> None:
    found = timeline({"1": [0, 10, 90, 10, 90, 20], "15": [100, 90, 10, 90, 10, 80]})
    assert computing(found) == Phase(2, 5)


def test_no_phase_stands_out_where_ranks_compute_alike() -> None:
    assert least_efficient(timeline({"1": [70, 75, 72], "3": [30, 25, 28]}), Phase(0, 3)) is None
    assert least_efficient(timeline({"1": [70, 70], "3": [30, 30]}), Phase(0, 2)) is None


def test_a_moment_is_no_phase() -> None:
    for length, phase in ((1, None), (2, Phase(50, 52))):
        idle = [0 if 50 <= place < 50 + length else 90 for place in range(100)]
        found = timeline({"1": idle, "3": [100 - time for time in idle]})
        assert least_efficient(found, Phase(0, 100)) == phase


def test_a_trace_without_computing_time_does_not_say_when_ranks_compute() -> None:
    assert computing(timeline({"3": [30, 25, 28]})) is None
