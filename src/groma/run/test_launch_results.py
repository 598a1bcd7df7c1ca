"""What a native MPI program reports is read whatever way it ends."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groma.launch.causes import LONGEST_LINE
from groma.run.launch_results import EventParser, LaunchResults


def results_of(lines: list[bytes]) -> LaunchResults:
    event_parser = EventParser()
    for line in lines:
        event_parser.take(line)
    return event_parser.results


def test_a_whole_run_is_complete(recorded: list[bytes]) -> None:
    known = results_of(recorded)
    assert known.complete
    assert known.run is not None
    assert (known.run.ranks, known.run.plan.tests) == (2, ["dgemm", "stream"])
    assert [one.cpus for one in known.run.placement] == [[0], [1]]
    assert known.samples["dgemm"].ended == "budget"
    assert len(known.samples["dgemm"].values[0]) == 3
    assert known.outcomes["dgemm"].checks[0].passed
    assert float(known.outcomes["dgemm"].summary["StarDGEMM_Gflops"]) > 1
    assert known.unread == 0


def test_the_current_test_is_known_at_every_line(recorded: list[bytes]) -> None:
    event_parser = EventParser()
    seen: list[str | None] = []
    for line in recorded:
        event_parser.take(line)
        if event_parser.results.current not in seen:
            seen.append(event_parser.results.current)
    assert seen == ["dgemm", "stream", None]


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.9, 0.99])
def test_a_run_that_was_cut_keeps_what_came_before(recorded: list[bytes], share: float) -> None:
    whole = b"".join(recorded)
    known = results_of(whole[: int(len(whole) * share)].splitlines(keepends=True))
    assert not known.complete
    assert known.unread <= 1
    for samples in known.samples.values():
        assert len(samples.values) == len(samples.cases)


def test_lines_of_libraries_and_labels_of_launchers_are_no_matter(recorded: list[bytes]) -> None:
    labelled = [b"0: " + line for line in recorded]
    foreign = [b"[1234.5] [n1:77:0] ucp_context.c:123 UCX WARN something\n", b"\n", b"\xff\xfe\n"]
    known = results_of([labelled[0], *foreign, *labelled[1:]])
    assert known.complete
    assert known.foreign[0].endswith("UCX WARN something")


def test_a_line_without_an_end_is_kept_in_part() -> None:
    event_parser = EventParser()
    event_parser.take(b"x" * 1_000_000)
    assert [len(one) for one in event_parser.results.foreign] == [LONGEST_LINE]


def test_a_broken_event_is_counted_and_the_rest_is_kept(recorded: list[bytes]) -> None:
    known = results_of([*recorded[:3], b'{"event":"sample","case":0,"rou', *recorded[3:]])
    assert known.unread == 1
    assert known.complete


def test_a_last_line_that_was_cut_short_is_not_called_damaged(recorded: list[bytes]) -> None:
    """Whoever interrupts a run cuts its last line."""
    assert results_of([*recorded[:3], recorded[3][:12]]).unread == 0


def test_a_sample_of_no_case_is_counted_as_broken(recorded: list[bytes]) -> None:
    known = results_of([*recorded[:2], b'{"event":"sample","case":99,"value":1.0}\n'])
    assert known.unread == 1


def test_programs_that_do_not_know_each_other_are_seen(recorded: list[bytes]) -> None:
    assert results_of([recorded[0], recorded[0]]).starts == 2


def test_a_failure_is_kept(recorded: list[bytes]) -> None:
    failed = b'{"event":"failed","code":"memory","what":"no memory","next":"take less"}\n'
    known = results_of([*recorded[:5], failed])
    assert known.failure is not None
    assert (known.failure.what, known.failure.next) == ("no memory", "take less")
    assert not known.complete


def test_several_loops_of_a_test_are_kept_apart(recorded: list[bytes]) -> None:
    begin = recorded[1]
    known = results_of([recorded[0], begin, recorded[2], begin, recorded[2], recorded[3]])
    assert [len(one.values[0]) for one in known.samples.values()] == [1, 1]
    assert [one.probe for one in known.samples.values()] == ["dgemm", "dgemm"]


def test_a_check_that_is_no_number_has_failed() -> None:
    wrong = b'{"name":"r","value":null,"limit":16,"passed":false}'
    line = b'{"event":"outcome","benchmark":"hpl","checks":[' + wrong + b"]}"
    (check,) = results_of([line]).outcomes["hpl"].checks
    assert check.value is None
    assert not check.passed


LINES = st.one_of(
    st.binary(max_size=60),
    st.builds(
        lambda event, extra: json.dumps({"event": event, **extra}).replace(" ", "").encode(),
        st.sampled_from(["run", "begin", "sample", "round", "end", "outcome", "failed", "later"]),
        st.dictionaries(
            st.sampled_from(["probe", "benchmark", "case", "value", "cases", "plan", "ranks", "checks"]),
            st.none() | st.integers(-3, 3) | st.text(max_size=4) | st.lists(st.integers(), max_size=2),
            max_size=5,
        ),
    ),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # busy machines
@given(st.lists(LINES, max_size=15))
def test_no_output_breaks_the_collection(lines: list[bytes]) -> None:
    known = results_of(lines)
    assert known.unread <= len(lines)
