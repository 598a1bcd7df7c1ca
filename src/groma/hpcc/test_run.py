"""A run keeps what was measured, whatever way it ends."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.reading import read_record
from groma.hpcc.run import suite as suite_for
from groma.launch.shape import Shape
from groma.record import Advice
from groma.record.partial_file import partial_path
from groma.run.interruption import Interruption
from groma.run.job import JobResult
from groma.run.listener import Listener

if TYPE_CHECKING:
    from groma.facts.hpcc import HpccFacts
    from groma.hpcc.setup import Setup
    from groma.run.run import Run


class Noting(Listener):
    """A listener that records what it hears."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str]] = []

    def started(self, step: Any, left: float) -> None:
        self.events.append(("started", f"{step.probe} {left:g}"))

    def progressed(self, step: Any, _samples: Any) -> None:
        self.events.append(("progressed", step.probe))

    def finished(self, step: Any, _samples: Any) -> None:
        self.events.append(("finished", step.probe))

    def replanned(self, before: float, now: float) -> None:
        self.events.append(("replanned", f"{before:g} {now:g}"))


def suite(setup: Setup, path: Path, lines: list[bytes], ended: JobResult) -> Run[HpccFacts]:
    def job(command: Any, on_line: Any, interruption: Any, timeouts: Any) -> JobResult:
        for line in lines:
            on_line(line)
        return ended

    run = suite_for(setup, path, job)
    run.listener, run.beforehand = Noting(), (Advice(code="doctor.x", what="x", next=""),)
    return run


DONE = JobResult("finished", 0)

LAUNCHERS = Path(__file__).parents[3] / "tests" / "data" / "launchers"


def failure(setup: Setup, path: Path, lines: list[bytes], ended: JobResult) -> GromaError:
    with pytest.raises(GromaError) as refusal:
        suite(setup, path, lines, ended).run(Interruption())
    return refusal.value


def test_a_whole_run_is_written_and_read_again(setup: Setup, tmp_path: Path, recorded: list[bytes]) -> None:
    path = tmp_path / "hpcc.json"
    one = suite(setup, path, recorded, DONE)
    record = one.run(Interruption())
    assert read_record(path).facts == record.facts
    assert record.facts.success is True
    assert [test.name for test in record.facts.tests] == ["dgemm", "stream"]
    assert record.facts.launch is not None
    assert (record.facts.launch.ranks, record.facts.launch.nodes, record.facts.launch.inter_node) == (
        2,
        1,
        False,
    )
    assert record.facts.summary["DGEMM_N"] == "208"
    assert "StarSTREAM_Triad" in record.facts.summary
    assert record.samples["dgemm"].values[0]
    assert record.warnings[0].code == "doctor.x"
    assert not partial_path(path).exists()
    events = one.listener.events  # type: ignore[attr-defined]
    assert events[0] == ("started", "dgemm 3")
    assert ("finished", "dgemm") in events
    assert ("started", "stream 2") in events
    assert events[-1] == ("finished", "stream")


def test_what_the_ranks_expect_goes_before_what_was_announced(
    setup: Setup, tmp_path: Path, recorded: list[bytes]
) -> None:
    first = json.loads(recorded[0])
    first["plan"]["estimated_seconds"] = {"dgemm": 30.0, "stream": 4.0}
    lines = [json.dumps(first).encode(), *recorded[1:]]
    one = suite(setup, tmp_path / "hpcc.json", lines, DONE)
    one.run(Interruption())
    events = one.listener.events  # type: ignore[attr-defined]
    assert events[:3] == [("started", "dgemm 3"), ("replanned", "3 34"), ("started", "dgemm 34")]
    assert ("started", "stream 4") in events


def test_a_test_whose_time_ended_before_its_medians_settled_is_named(
    setup: Setup, tmp_path: Path, recorded: list[bytes]
) -> None:
    def unsettled(lines: list[bytes]) -> list[str]:
        record = suite(setup, tmp_path / "hpcc.json", lines, DONE).run(Interruption())
        return [one.what for one in record.warnings if one.code == "hpcc.unsettled"]

    assert unsettled(recorded) == ["time ended before the medians had settled: dgemm, stream"]
    stable = [line.replace(b'"ended":"budget"', b'"ended":"stable"') for line in recorded]
    assert unsettled(stable) == []


def up_to_first_outcome(lines: list[bytes]) -> list[bytes]:
    return lines[: next(i for i, line in enumerate(lines) if b'"outcome"' in line) + 4]


@pytest.mark.parametrize(
    ("ended", "code", "words"),
    [
        (JobResult("interrupted", -15), ExitCode.INTERRUPTED, "interrupted during stream"),
        (
            JobResult("interrupted", -15, signal_number=signal.SIGUSR1),
            ExitCode.INTERRUPTED,
            "interrupted during stream (SIGUSR1); 1 of 2 tests are saved",
        ),
        (
            JobResult("finished", 1, ["groma-hpcc: note: interrupted by signal 12 (User defined signal 2)"]),
            ExitCode.INTERRUPTED,
            "interrupted during stream (SIGUSR2); 1 of 2 tests are saved",
        ),
        (
            JobResult("stuck", -9, silence=300.0),
            ExitCode.ENVIRONMENT,
            "the launch printed nothing for 300 s during stream",
        ),
        (JobResult("finished", 137), ExitCode.ENVIRONMENT, "died during stream (signal 9)"),
        (
            JobResult("finished", 1, ["noticed that process rank 1 on node n1 exited on signal 11 (Segv)"]),
            ExitCode.ENVIRONMENT,
            "(rank 1 exited on signal 11 (Segmentation fault))",
        ),
        (JobResult("finished", 0), ExitCode.ENVIRONMENT, "died during stream"),
        (
            JobResult("finished", 4, ["groma-hpcc: rank 1 has no memory", "  take a smaller N"]),
            ExitCode.ENVIRONMENT,
            "rank 1 has no memory",
        ),
    ],
)
def test_what_was_done_before_the_end_is_kept(  # noqa: PLR0913, PLR0917 - fixtures and cases
    setup: Setup, tmp_path: Path, recorded: list[bytes], ended: JobResult, code: ExitCode, words: str
) -> None:
    path = tmp_path / "hpcc.json"
    problem = failure(setup, path, up_to_first_outcome(recorded), ended)
    assert problem.exit_code == code
    assert words in problem.what
    assert "1 of 2 tests are saved" in problem.what
    assert "\n" not in problem.what
    assert problem.next_step
    kept = read_record(partial_path(path))
    assert [test.done for test in kept.facts.tests] == [True, False]
    assert kept.facts.success is None
    assert not path.exists()


def test_notes_of_the_program_do_not_hide_what_killed_a_rank(
    setup: Setup, tmp_path: Path, recorded: list[bytes]
) -> None:
    """The line names test, rank and signal; the notes come after it."""
    said = [
        "groma-hpcc: note: each STREAM vector is 0.13 times the last-level caches",
        "groma-hpcc: note: a grid has fewer ranks than the run",
        "mpirun noticed that process rank 1 with PID 0 on node n1 exited on signal 9 (Killed).",
    ]
    problem = failure(
        setup, tmp_path / "hpcc.json", up_to_first_outcome(recorded), JobResult("finished", 137, said)
    )
    assert "during stream (rank 1 exited on signal 9 (Killed)" in problem.what
    assert "STREAM vector" not in problem.what
    assert problem.remarks == (
        "each STREAM vector is 0.13 times the last-level caches",
        "a grid has fewer ranks than the run",
    )
    assert "--only stream" in problem.next_step


def test_mpich_names_a_process_and_groma_its_rank(
    setup: Setup, tmp_path: Path, recorded: list[bytes]
) -> None:
    begun = recorded[0].replace(b'"cpus":[1]', b'"cpus":[1],"pid":24296').replace(b'"walnut"', b'"vm"')
    said = (LAUNCHERS / "mpich-signal-9.txt").read_bytes().splitlines(keepends=True)
    problem = failure(setup, tmp_path / "hpcc.json", [begun, *said], JobResult("finished", 9))
    assert "during dgemm (rank 1 exited on signal 9 (Killed)" in problem.what


def test_an_error_of_the_program_is_reported_with_its_test(
    setup: Setup, tmp_path: Path, recorded: list[bytes]
) -> None:
    said = ["groma-hpcc: note: short", "groma-hpcc: rank 1: std::bad_alloc", "  choose a smaller problem"]
    problem = failure(setup, tmp_path / "hpcc.json", recorded[:3], JobResult("finished", 4, said))
    assert problem.what.startswith("rank 1: std::bad_alloc, during dgemm")


def test_nothing_measured_leaves_nothing(setup: Setup, tmp_path: Path) -> None:
    ended = JobResult("finished", 2, ["groma-hpcc: no test is called 'x'", "  groma-hpcc list names them"])
    problem = failure(setup, tmp_path / "hpcc.json", [], ended)
    assert (problem.what, problem.next_step) == ("no test is called 'x'", "groma-hpcc list names them")
    assert problem.exit_code == ExitCode.USAGE
    assert list(tmp_path.iterdir()) == []


def test_a_launch_that_never_answers_says_so(setup: Setup, tmp_path: Path) -> None:
    problem = failure(setup, tmp_path / "hpcc.json", [], JobResult("stuck", -9, silence=120.0))
    assert "before the first rank answered" in problem.what


def test_a_failed_validation_is_a_finished_run(setup: Setup, tmp_path: Path, recorded: list[bytes]) -> None:
    lines = [line.replace(b'"passed":true', b'"passed":false', 1) for line in recorded]
    record = suite(setup, tmp_path / "hpcc.json", lines, JobResult("finished", 3)).run(Interruption())
    assert record.facts.success is False


def test_a_launcher_of_another_mpi_is_found_out_at_once(
    setup: Setup, tmp_path: Path, recorded: list[bytes]
) -> None:
    alone = recorded[0].replace(b'"ranks":2', b'"ranks":1')
    problem = failure(setup, tmp_path / "hpcc.json", [alone, alone], DONE)
    assert "independent programs" in problem.what
    assert problem.exit_code == ExitCode.ENVIRONMENT


def test_another_number_of_ranks_is_refused(setup: Setup, tmp_path: Path, recorded: list[bytes]) -> None:
    four = msgspec.structs.replace(setup, shape=Shape(ranks=4, nodes=1, per_node=4))
    assert "2 ranks, not 4 as requested" in failure(four, tmp_path / "hpcc.json", recorded, DONE).what


def test_a_place_that_cannot_be_written_is_refused_before_the_start(setup: Setup, tmp_path: Path) -> None:
    started: list[int] = []

    def job(command: Any, on_line: Any, interruption: Any, timeouts: Any) -> JobResult:
        started.append(1)
        return DONE

    one = suite_for(setup, tmp_path / "absent" / "hpcc.json", job)
    with pytest.raises(GromaError, match="cannot write"):
        one.run(Interruption())
    assert started == []


def test_broken_lines_are_warned_of(setup: Setup, tmp_path: Path, recorded: list[bytes]) -> None:
    lines = [*recorded[:3], b'{"event":"sample","ca\n', *recorded[3:]]
    record = suite(setup, tmp_path / "hpcc.json", lines, DONE).run(Interruption())
    assert "hpcc.unread" in [one.code for one in record.warnings]


def test_a_result_that_the_launcher_damaged_is_no_death(
    setup: Setup, tmp_path: Path, recorded: list[bytes]
) -> None:
    lines = [line[:20] + b"\n" if b'"outcome"' in line and b'"stream"' in line else line for line in recorded]
    problem = failure(setup, tmp_path / "hpcc.json", lines, DONE)
    assert problem.exit_code == ExitCode.ENVIRONMENT
    assert problem.what.startswith(
        "the launcher damaged 1 line of groma-hpcc: the result of stream is missing"
    )
    assert "standard output" in problem.next_step
