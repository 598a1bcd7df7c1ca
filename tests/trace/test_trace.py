"""`groma trace` on real programs: the trace says what they did, and they do not notice."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from installed import must
from mpis import AS_ANYBODY, mpis
from traced import (
    GROMA,
    HERE,
    Traced,
    assert_equals_what_it_did,
    noted,
    start,
    started_on_hosts,
    stated_clock_error,
    traced,
)

if TYPE_CHECKING:
    from traced import Programs


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_the_trace_equals_what_a_program_in_c_did(programs: Programs, ranks: int, tmp_path: Path) -> None:
    run = traced(programs, ranks, programs.c("calls"), tmp_path, cwd=tmp_path)
    assert run.code == 3, run.said
    assert sorted(run.output.splitlines()) == [f"rank {rank} of {ranks}" for rank in range(ranks)]
    assert_equals_what_it_did(run, tmp_path, ranks)


@pytest.mark.parametrize("interface", [1, 2, 3], ids=["mpif.h", "mpi", "mpi_f08"])
def test_the_trace_equals_what_a_program_in_fortran_did(
    programs: Programs, interface: int, tmp_path: Path
) -> None:
    if not shutil.which(programs.mpi.fortran):
        pytest.skip(f"no Fortran for {programs.name} here")
    run = traced(programs, 3, programs.fortran(interface), tmp_path, cwd=tmp_path)
    assert run.code == 0, run.said
    assert_equals_what_it_did(run, tmp_path, 3)


def test_collectives_have_sizes_roots_and_communicators(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 2, programs.c("calls"), tmp_path, cwd=tmp_path)
    trace, names = run.trace, run.names
    sent, received, root, communicator = 50100001, 50100002, 50100003, 50100004
    for row in trace.rows:
        first = {names[one.value]: one.parameters for one in reversed(trace.calls[row])}
        assert trace.communicators[first["Bcast"][communicator]] == [1, 2]
        is_root = row[1] == 1
        assert (first["Bcast"][sent], first["Bcast"][received]) == ((16, 0) if is_root else (0, 16))
        assert (root in first["Bcast"]) == is_root
        assert first["Reduce"][received] == (16 if is_root else 0)
        assert first["Alltoall"][sent] == first["Alltoall"][received] == 8
        assert first["Gather"][received] == (8 if is_root else 0)
        assert first["Allgather"][sent] == 4, "MPI_IN_PLACE: what it has in the buffer that it receives in"
        assert first["Neighbor_alltoall"][sent] == 8
    own = [tasks for tasks in trace.communicators.values() if len(tasks) == 1]
    assert [1] in own
    assert [2] in own
    assert [2, 1] in trace.communicators.values(), "the split in the reverse order"


def test_collectives_are_summed_by_communicator(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 3, programs.c("calls"), tmp_path, cwd=tmp_path)
    trace, communicator = run.trace, 50100004
    called, times = Counter[tuple[int, str]](), Counter[int]()
    for one in (call for row in trace.rows for call in trace.calls[row]):
        if ranks := trace.communicators.get(one.parameters.get(communicator, 0)):
            called[len(ranks), run.names[one.value]] += 1
            times[len(ranks)] += one.end - one.begin
    found = json.loads((run.folder / "trace.json").read_text())["facts"]["collectives"]
    summed: Counter[tuple[int, str]] = Counter()
    for one in found:
        if one["ranks"] is not None:
            summed[one["ranks"], one["call"].removeprefix("MPI_")] += one["count"]
    assert summed == called
    for size, time in times.items():
        seconds = sum(one["seconds"] for one in found if one["ranks"] == size)
        assert seconds == pytest.approx(1e-9 * time)
    names = {one["communicator"].partition(" (")[0] for one in found}
    assert {"all 3 ranks", "ranks 0, 2", "rank 1"} <= names
    said = start(GROMA, "stat", run.folder, cwd=tmp_path).stdout
    assert "Collectives by communicator" in said


def test_the_matrix_is_what_ranks_sent(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 3, programs.c("calls"), tmp_path, cwd=tmp_path)
    lines = (run.folder / "matrix.csv").read_text().splitlines()[1:]
    rows = [tuple(map(int, line.split(","))) for line in lines]
    for rank in range(3):
        _, sent = noted(tmp_path, rank)
        for other in range(3):
            to = {key: number for key, number in sent.items() if key[0] == other}
            bytes_sent = sum(key[2] * number for key, number in to.items())
            expected = [(rank, other, bytes_sent, sum(to.values()))] if to else []
            assert [row for row in rows if row[:2] == (rank, other)] == expected


def noting_launcher(launcher: object, folder: Path) -> Path:
    """A launcher that leaves its exit code in the file `code`.

    On a busy machine, that of MPICH is now and then 1 where the program exits with 5.
    """
    script = folder / Path(str(launcher)).name
    script.write_text(f'#!/bin/sh\n"{launcher}" "$@"\ncode=$?\necho $code > code\nexit $code\n')
    script.chmod(0o755)
    return script


@pytest.mark.parametrize("how", ["exit", "abort", "killed"])
def test_what_a_program_that_dies_wrote_is_there(programs: Programs, how: str, tmp_path: Path) -> None:
    ranks = 1 if how == "exit" else 2
    launcher = noting_launcher(programs.mpi.launcher, tmp_path)
    run = traced(programs, ranks, programs.c("ends"), how, cwd=tmp_path, launcher=launcher)
    assert run.code == int((tmp_path / "code").read_text()) != 0
    went_on = "rank 1 called MPI_Abort" in run.said  # some MPICH return from it
    assert went_on or "without MPI_Finalize" in run.said
    for row in run.trace.rows:
        names = [run.names[one.value] for one in run.trace.calls[row]]
        assert names.count("Sendrecv") == 10
        assert "Barrier" in names
    if how == "abort":
        assert went_on or "rank 1 ended in MPI_Abort" in run.said


def test_an_abort_that_returns_is_a_call_of_the_rank(programs: Programs, tmp_path: Path) -> None:
    """As in some MPICH, where the program goes on. Here a library that the tracer calls returns."""
    source, library, program = (tmp_path / name for name in ("returns.c", "libreturns.so", "ends"))
    source.write_text("int MPI_Abort(void* comm, int code) { return 0; }\n")
    must("cc", "-shared", "-fPIC", source, "-o", library)
    behind = ("-Wl,--no-as-needed", library, f"-Wl,-rpath,{tmp_path}", "-lpthread", "-ldl")
    must(programs.mpi.compiler, "-w", HERE / "ends.c", *behind, "-o", program)
    run = traced(programs, 2, program, "abort", cwd=tmp_path)
    assert run.code == 0
    assert "rank 1 called MPI_Abort" in run.said
    assert "could not be read" not in run.said
    called = [[run.names[one.value] for one in run.trace.calls[row]] for row in run.trace.rows]
    assert [names.count("Abort") for names in called] == [0, 1]
    assert all(names[-1] == "Finalize" for names in called)


def test_each_thread_has_a_row(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 2, programs.c("ends"), "threads", cwd=tmp_path)
    trace = run.trace
    if len(trace.rows) == 2:
        pytest.skip("this MPI has no threads")
    assert trace.rows == [(1, task, thread) for task in (1, 2) for thread in (1, 2, 3, 4)]
    for row in trace.rows:
        own = [one for one in trace.messages if one.sender == row]
        assert len(own) == (100 if row[2] > 1 else 10)
        assert all(one.receiver == row for one in own)


def test_regions_and_values_of_the_program_are_events(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 1, programs.c("ends"), "regions", cwd=tmp_path)
    pcf = run.pcf
    number = {name: int(value) for value, name in re.findall(r"^(\d+) +(solver|panel)$", pcf, re.MULTILINE)}
    kind = {
        name: int(value)
        for value, name in re.findall(r"^\d+ +(9\d+) +(Region|Value residual)$", pcf, re.MULTILINE)
    }
    events = [pairs for _, pairs in run.trace.events[1, 1, 1]]
    regions = [pairs[kind["Region"]] for pairs in events if kind["Region"] in pairs]
    assert regions == [number["solver"], number["panel"], number["solver"], 0]
    assert [pairs[kind["Value residual"]] for pairs in events if kind["Value residual"] in pairs] == [42]


_PAGE_FAULTS = 44731460  # as PAPI's perf::PAGE-FAULTS has it
_REGION = 90000000


def test_each_call_has_what_was_counted_before_it_and_in_it(programs: Programs, tmp_path: Path) -> None:
    options = ("--counters", "page-faults,tsc")
    run = traced(programs, 2, programs.c("ends"), "pages", cwd=tmp_path, options=options)
    assert run.code == 0, run.said
    assert re.search(rf"^7 +{_PAGE_FAULTS} +page-faults$", run.pcf, re.MULTILINE)
    for row in run.trace.rows:
        calls = [one for one in run.trace.calls[row] if run.names[one.value] == "Sendrecv"][-4:]
        before = [one.parameters[_PAGE_FAULTS] // 100 for one in calls[:3]]
        assert before == [10, 20, 30]
        at_end = {time: pairs for time, pairs in run.trace.events[row] if _PAGE_FAULTS in pairs}
        assert all(at_end[one.end][_PAGE_FAULTS] < 100 for one in calls)
        in_regions = [pairs[_PAGE_FAULTS] // 100 for pairs in at_end.values() if _REGION in pairs]
        assert in_regions == [40, 50], "the counts up to the begin of the region, and those within"


def test_clocks_of_hosts_are_compared_during_the_run(programs: Programs, tmp_path: Path) -> None:
    """A process that stands for a host has the clock of the other one."""
    command = (started_on_hosts(tmp_path), programs.c("ends"), "clocks")
    run = traced(programs, 2, *command, cwd=tmp_path, options=("--mpi", programs.name))
    assert run.code == 0, run.said
    error = stated_clock_error(run)
    assert all(one.physical_receive > one.logical_send - 2 * error for one in run.trace.messages)
    assert run.summary["messages"] == 2 * 310


def test_counters_that_cannot_count_are_refused_before_the_run(tmp_path: Path) -> None:
    done = start(GROMA, "trace", "-o", "t", "--counters", "nonsense", "--", "touch", "ran", cwd=tmp_path)
    assert done.returncode == 2
    assert "nonsense" in done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_limit_on_files_ends_recording_and_not_the_program(programs: Programs, tmp_path: Path) -> None:
    """Whoever writes beyond it gets a signal."""
    run = traced(programs, 1, programs.c("ends"), "loop", 200_000, 800 << 10, cwd=tmp_path)
    assert run.code == 0, run.said
    assert "its log was full, or the disk was" in run.said


def test_a_full_disk_ends_recording_and_not_the_program(programs: Programs, tmp_path: Path) -> None:
    if os.geteuid() != 0 or start("unshare", "-m", "true", cwd=tmp_path).returncode != 0:
        pytest.skip("nothing can be mounted here")
    mounted = 'mkdir t && mount -t tmpfs -o size=1m none t && "$@"; code=$?; ls t/logs | wc -l; exit $code'
    command = [programs.mpi.launcher, "-n", 1, programs.c("ends"), "loop", 200_000]
    words = ["unshare", "-m", "bash", "-c", mounted, "-", GROMA, "trace", "-o", "t", "--", *command]
    done = start(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == "1", "a log was begun"


def test_who_ends_groma_ends_the_program_and_has_its_trace(programs: Programs, tmp_path: Path) -> None:
    words = [GROMA, "trace", "-o", "t", "--", programs.c("ends"), "wait"]
    with subprocess.Popen(
        [str(word) for word in words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        env=os.environ | AS_ANYBODY,
        text=True,
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "waiting\n"
        running.terminate()
        assert running.stdout.read() == "cleaned up\n"
    assert running.returncode == 9
    run = Traced(running.returncode, "", "", tmp_path / "t")
    assert run.names[run.trace.calls[1, 1, 1][-1].value] == "Finalize"


@pytest.mark.parametrize(("how", "said"), [("static", "linked statically"), ("setuid", "another user")])
def test_a_program_that_takes_no_library_runs_and_groma_says_why(how: str, said: str, tmp_path: Path) -> None:
    program = tmp_path / "program"
    (tmp_path / "program.c").write_text("int main(void) { return 5; }")
    must("gcc", *(["-static"] if how == "static" else []), tmp_path / "program.c", "-o", program)
    if how == "setuid":
        program.chmod(0o4755)
    done = start(GROMA, "trace", "-o", "t", "--", program, cwd=tmp_path)
    assert done.returncode == 5
    assert said in done.stderr


def test_a_full_log_stops_and_says_what_it_lost(programs: Programs, tmp_path: Path) -> None:
    run = traced(
        programs, 1, programs.c("ends"), "loop", 100_000, cwd=tmp_path, options=("--buffer", "512KiB")
    )
    assert run.code == 0
    [thread] = run.summary["threads"]
    kept = sum(one["count"] for one in thread["calls"])
    assert 20_000 < kept < 90_000
    # Init, rank, size, 10 and 100,000 times Sendrecv, Barrier, Finalize.
    assert kept + thread["lost_records"] == 100_015
    assert f"without its last {thread['lost_records']:,} calls" in run.said


def test_a_full_log_can_keep_the_newest(programs: Programs, tmp_path: Path) -> None:
    options = ("--buffer", "768KiB", "--when-full", "newest")
    run = traced(programs, 1, programs.c("ends"), "loop", 200_000, cwd=tmp_path, options=options)
    names = run.names
    calls = [names[one.value] for one in run.trace.calls[1, 1, 1]]
    assert calls[0] == "Init_thread"
    assert calls[-1] == "Finalize"
    assert len(calls) < 150_000
    assert "replaced by newer ones" in run.said


def test_a_program_of_the_other_mpi_runs_untraced(programs: Programs, tmp_path: Path) -> None:
    other = {"openmpi": "mpich", "mpich": "openmpi"}[programs.name]
    if other not in mpis():
        pytest.skip("only one MPI here")
    run = traced(programs, 1, programs.c("ends"), cwd=tmp_path, options=("--mpi", other))
    assert run.code == 0
    assert "nothing was traced" in run.said
    assert "--mpi" in run.said


def test_a_program_without_mpi_runs_as_ever(tmp_path: Path) -> None:
    done = start(GROMA, "trace", "-o", "t", "--", "sh", "-c", "echo out; exit 4", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (4, "out\n")
    assert "nothing was traced" in done.stderr


def test_another_run_does_not_mix_with_the_first(programs: Programs, tmp_path: Path) -> None:
    assert traced(programs, 1, programs.c("ends"), cwd=tmp_path).code == 0
    again = traced(programs, 1, programs.c("ends"), cwd=tmp_path)
    assert again.code == 2
    assert "has logs of another run" in again.said


def test_another_run_replaces_the_first_where_that_is_asked(programs: Programs, tmp_path: Path) -> None:
    assert traced(programs, 2, programs.c("ends"), cwd=tmp_path).code == 0
    again = traced(programs, 1, programs.c("ends"), cwd=tmp_path, options=("--replace",))
    assert again.code == 0
    assert len(list((again.folder / "logs").glob("*.log"))) == 1


def test_the_last_line_names_all_files(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 1, programs.c("ends"), cwd=tmp_path)
    merged = start(GROMA, "merge", "t", cwd=tmp_path)
    made = {one.name.removeprefix("trace") for one in run.folder.iterdir() if one.is_file()}
    for said in (run.said, merged.stderr):
        named = said.splitlines()[-1].removeprefix(f"wrote {run.folder.relative_to(tmp_path)}/trace")
        assert set(named.split(", ")) == made


def test_a_rank_whose_log_is_lost_keeps_its_place(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 3, programs.c("calls"), tmp_path, cwd=tmp_path)
    whole = run.trace
    for log in run.folder.glob("logs/*.0.0.log"):
        log.unlink()
    done = start(GROMA, "merge", "t", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no log of rank 0" in done.stdout + done.stderr
    rest = run.trace
    assert rest.rows == whole.rows
    assert not rest.calls[1, 1, 1]
    for row in rest.rows[1:]:
        assert [one.value for one in rest.calls[row]] == [one.value for one in whole.calls[row]]


def test_an_intercommunicator_is_identified_by_its_two_sides(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 3, programs.c("calls"), tmp_path, cwd=tmp_path)
    trace = run.trace
    sides = [
        {tuple(trace.communicators[side]) for side in both} for both in trace.intercommunicators.values()
    ]
    assert {(1, 3), (2,)} in sides


def test_screen_tables_and_record_have_the_same_figures(programs: Programs, tmp_path: Path) -> None:
    run = traced(programs, 2, programs.c("ends"), "threads", cwd=tmp_path)
    efficiencies = [
        line.split("  ")[-1].strip()
        for text in (run.said, start(GROMA, "stat", "t", cwd=tmp_path).stdout)
        for line in text.splitlines()
        if line.lstrip().startswith("parallel efficiency")
    ]
    assert len(efficiencies) == 2
    assert efficiencies[0] == efficiencies[1]
    record = json.loads((run.folder / "trace.json").read_text())
    assert record["kind"] == "trace"
    assert record["environment"]["host"]
    assert record["facts"]["tracing"]["program"].endswith(programs.c("ends").name)
    assert f"{100 * record['facts']['efficiencies']['parallel']:.1f}".rstrip("0").rstrip(".") in run.said
