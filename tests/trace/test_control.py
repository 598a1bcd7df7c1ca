"""What is traced of a program is what it, or its user, asks for."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from traced import GROMA, HERE, start, traced

if TYPE_CHECKING:
    from pathlib import Path

    from traced import Programs, Traced

TRACING_DISABLED, RUNNING = 14, 1
IPROBE, TEST = 50000300, 50000304  # numbers of misses; their times are one more


def calls(run: Traced, rank: int) -> list[str]:
    trace, names = run.trace, run.names
    (row,) = (one for one in trace.rows if one[1] == rank + 1)
    return [names[one.value] for one in trace.calls[row]]


def test_pcontrol_switches_tracing_off_in_its_process_and_on_again(
    programs: Programs, tmp_path: Path
) -> None:
    run = traced(programs, 2, programs.c("control"), "off", cwd=tmp_path)
    assert run.code == 0, run.said
    assert calls(run, 0) == ["Init", "Comm_rank", "Barrier", "Recv", "Recv", "Barrier", "Finalize"]
    assert calls(run, 1) == [
        "Init",
        "Comm_rank",
        "Pcontrol",
        "Pcontrol",
        "Send",
        "Barrier",
        "Finalize",
    ]
    trace = run.trace
    first, second = (one for one in trace.calls[1, 2, 1] if run.names[one.value] == "Pcontrol")
    between = [one for one in trace.states[1, 2, 1] if first.end <= one.begin < second.begin]
    assert [(one.begin, one.end, one.state) for one in between] == [
        (first.end, second.begin, TRACING_DISABLED)
    ]


def test_pcontrol_does_nothing_in_a_process_that_has_no_log(programs: Programs, tmp_path: Path) -> None:
    without_log = ("env", "GROMA_TRACE_DIR=/no/folder")
    run = traced(programs, 2, *without_log, programs.c("control"), "off", cwd=tmp_path)
    assert run.code == 0, run.said
    assert "nothing was traced" in run.said


def test_a_message_sent_while_off_is_not_taken_for_the_next_one(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 2, programs.c("control"), "off", cwd=tmp_path)
    (message,) = run.trace.messages
    assert (message.size, message.tag) == (16, 7)
    receives = [one for one in run.trace.calls[1, 1, 1] if run.names[one.value] == "Recv"]
    assert receives[1].begin <= message.physical_receive <= receives[1].end
    assert run.summary["unmatched_sends"] == run.summary["unmatched_receives"] == 0
    assert run.summary["matrix"] == [{"source": 1, "target": 0, "messages": 1, "bytes": 16}]


def test_misses_are_calls_or_numbers_beside_the_next_call(programs: Programs, tmp_path: Path) -> None:
    program = programs.c("control")
    (tmp_path / "all").mkdir()
    every = traced(programs, 1, program, "misses", cwd=tmp_path / "all")
    assert calls(every, 0).count("Iprobe") == 1000
    assert calls(every, 0).count("Testsome") == 200
    run = traced(programs, 1, program, "misses", cwd=tmp_path, options=("--count-misses",))
    assert run.code == 0, run.said
    assert calls(run, 0) == ["Init", "Comm_rank", "Irecv", "Send", "Test", "Finalize"]
    receive, send, *_ = run.trace.calls[1, 1, 1][2:]
    assert receive.parameters[IPROBE] == 1000
    assert 0 < receive.parameters[IPROBE + 1] <= receive.begin
    assert send.parameters[TEST] == 500
    assert len(run.trace.messages) == 1, "the test that got it is matched"
    table = start(GROMA, "stat", "t", "--csv", "counters", cwd=tmp_path)
    rows = {one["counter"]: one["total"] for one in csv.DictReader(io.StringIO(table.stdout))}
    assert rows["MPI_Iprobe misses"] == "1000"


def test_misses_of_a_thread_after_its_last_call_are_counted(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 2, programs.c("control"), "thread", cwd=tmp_path, options=("--count-misses",))
    assert run.code == 0, run.said
    last = {
        row: sum(values.get(IPROBE, 0) for _, values in run.trace.events[row])
        for row in run.trace.rows
        if row[2] > 1
    }
    assert last == {(1, 1, 2): 70, (1, 1, 3): 70}, "of threads with a call and without"
    stat = start(GROMA, "stat", "t", "--csv", "counters", cwd=tmp_path)
    rows = {one["counter"]: one["total"] for one in csv.DictReader(io.StringIO(stat.stdout))}
    assert rows["MPI_Iprobe misses"] == "140"


def test_large_count_calls_of_mpi_f08_are_traced(programs: Programs, tmp_path: Path) -> None:
    if not shutil.which(programs.mpi.fortran):
        pytest.skip(f"no Fortran for {programs.name} here")
    target = tmp_path / "large"
    built = subprocess.run(
        [programs.mpi.fortran, HERE / "large.f90", "-o", target], capture_output=True, check=False
    )
    if built.returncode != 0:
        pytest.skip(f"mpi_f08 of {programs.name} has no large counts")
    run = traced(programs, 1, target, cwd=tmp_path)
    assert run.code == 0, run.said
    assert calls(run, 0) == ["Init", "Comm_rank", "Irecv_c", "Send_c", "Wait", "Bcast_c", "Finalize"]
    assert [one.size for one in run.trace.messages] == [20]
