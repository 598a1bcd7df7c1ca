"""What the tracer survives, and what it records all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from installed import must
from mpis import mpis
from traced import GROMA, HERE, Traced, start, traced

if TYPE_CHECKING:
    from pathlib import Path

    from traced import Programs


OPENER = """
#include <dlfcn.h>
int main(int count, char** words) {
  void* const library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  return library == 0 ? 1 : ((int (*)(void))dlsym(library, "run"))();
}
"""

ABORTING = """
#include <mpi.h>
int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}
"""

MARKED = """
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
int main(int count, char** words) {
  MPI_Init(&count, &words);
  printf("own: %d, ", dlsym(RTLD_DEFAULT, "marker") != 0);
  printf("tracer: %d\\n", dlsym(RTLD_DEFAULT, "groma_trace_region") != 0);
  MPI_Finalize();
  return 0;
}
"""


def unusual(
    programs: Programs, ranks: int, *words: object, cwd: Path, options: tuple[str, ...] = ()
) -> Traced:
    run = traced(programs, ranks, programs.c("unusual"), *words, cwd=cwd, options=options)
    assert run.code == 0, run.said
    return run


def library(name: str, compiler: str, folder: Path) -> Path:
    made = folder / f"{name}.so"
    must(compiler, "-shared", "-fPIC", "-w", HERE / f"{name}.c", "-o", made)
    return made


def test_all_programs_of_a_command_are_traced(programs: Programs, tmp_path: Path) -> None:
    program = (programs.c("unusual"), "long")
    command = [programs.mpi.launcher, "-n", 1, *program, ":", "-n", 1, *program]
    done = start(GROMA, "trace", "-o", "t", "--", *command, cwd=tmp_path)
    run = Traced(done.returncode, done.stdout, done.stderr, tmp_path / "t")
    assert run.code == 0, run.said
    assert run.summary["missing"] == []
    assert len(run.trace.messages) == 4


def test_the_tracer_keeps_no_file_open(programs: Programs, tmp_path: Path) -> None:
    run = unusual(programs, 1, "descriptors", cwd=tmp_path)
    assert run.output == "logs: 0\n"
    assert len(run.trace.messages) == 50_000


def test_a_child_leaves_the_log_to_its_parent(programs: Programs, tmp_path: Path) -> None:
    run = unusual(programs, 1, "fork", cwd=tmp_path)
    assert "of the parent" in run.pcf
    assert "of the child" not in run.pcf
    assert len(run.trace.messages) == 2000
    assert run.summary["threads"][0]["damaged_chunks"] == 0


def test_an_error_handler_may_leave_a_call_by_a_jump(programs: Programs, tmp_path: Path) -> None:
    run = unusual(programs, 1, "jump", cwd=tmp_path)
    names = [run.names[one.value] for one in run.trace.calls[1, 1, 1]]
    assert names.count("Sendrecv") == 10
    assert names[-1] == "Finalize"


def test_a_message_that_is_too_long_does_not_shift_those_after_it(programs: Programs, tmp_path: Path) -> None:
    run = unusual(programs, 2, "long", cwd=tmp_path)
    assert [one.size for one in run.trace.messages] == [100, 200, 300, 400]
    assert run.summary["unmatched_receives"] == 0


def test_duplicates_are_known_from_the_call_that_makes_them(programs: Programs, tmp_path: Path) -> None:
    run = unusual(programs, 2, "duplicates", cwd=tmp_path)
    arrived = sorted((one.physical_receive, one.size) for one in run.trace.messages)
    assert [size for _, size in arrived] == [7, 100], "the second duplicate is received from first"


def test_messages_of_threads_keep_their_handles_apart(programs: Programs, tmp_path: Path) -> None:
    run = unusual(programs, 2, "requests", cwd=tmp_path)
    threads = len(run.trace.rows) // 2 - 1
    assert len(run.trace.messages) == threads * 2 * 2000
    assert run.summary["unmatched_sends"] == run.summary["unmatched_receives"] == 0


def test_requests_that_start_at_once_have_no_statuses(programs: Programs, tmp_path: Path) -> None:
    run = unusual(programs, 1, "startall", 300, cwd=tmp_path)
    assert len(run.trace.messages) == 301
    assert run.summary["unmatched_sends"] == run.summary["unmatched_receives"] == 0


def test_a_call_that_waits_for_buffered_messages_is_recorded(programs: Programs, tmp_path: Path) -> None:
    run = unusual(programs, 1, "buffered", cwd=tmp_path)
    names = [run.names[one.value] for one in run.trace.calls[1, 1, 1]]
    assert names[-5:] == ["Buffer_attach", "Bsend", "Recv", "Buffer_detach", "Finalize"]


def test_files_of_a_program_in_the_places_of_counters_are_its_own(programs: Programs, tmp_path: Path) -> None:
    run = unusual(programs, 1, "closed", cwd=tmp_path, options=("--counters", "page-faults"))
    if run.output.startswith("counters: 0,"):
        pytest.skip("no perf events here")
    assert run.output == "counters: 2, kept: 2, text: 8\n"
    assert "the program closed their descriptors" in run.said
    assert len(run.trace.messages) == 8


@pytest.mark.parametrize("interface", [0, 8])
def test_a_library_may_bring_the_fortran_of_mpi_for_itself(
    programs: Programs, interface: int, tmp_path: Path
) -> None:
    opened, opener = tmp_path / "opened.so", tmp_path / "opener"
    options = ("-shared", "-fPIC", "-cpp", f"-DINTERFACE={interface}", "-w", f"-J{tmp_path}")
    must(programs.mpi.fortran, *options, HERE / "opened.f90", "-o", opened)
    must(programs.mpi.compiler, "-w", HERE / "opener.c", "-ldl", "-o", opener)
    run = traced(programs, 1, opener, opened, cwd=tmp_path)
    assert (run.code, run.output) == (0, "received\n"), run.said
    assert [run.names[one.value] for one in run.trace.calls[1, 1, 1]][-5:] == [
        "Irecv",
        "Send",
        "Wait",
        "Barrier",
        "Finalize",
    ]
    assert [(one.tag, one.size) for one in run.trace.messages] == [(5, 12)]


def test_collectives_have_the_bytes_of_each_rank(programs: Programs, tmp_path: Path) -> None:
    run = unusual(programs, 4, "sizes", cwd=tmp_path)
    sent, received = 50100001, 50100002
    shown = {
        (row[1] - 1, run.names[one.value]): (one.parameters[sent], one.parameters[received])
        for row in run.trace.rows
        for one in run.trace.calls[row]
        if sent in one.parameters
    }
    for rank in range(4):
        assert shown[rank, "Alltoall"] == (160, 160)
        assert shown[rank, "Allgatherv"] == (8 * (rank + 1), 80)
        assert shown[rank, "Reduce_scatter"] == (80, 8 * (rank + 1))
        assert shown[rank, "Reduce_scatter_block"] == (80, 20)
        assert shown[rank, "Neighbor_alltoall"] == ((24, 24) if rank in (1, 2) else (12, 12))
    rooted = ("Bcast", "Reduce", "Gather", "Scatter")
    of_rank = [[shown[rank, name] for name in rooted] for rank in range(4)]
    assert of_rank[0] == [(44, 0), (0, 52), (0, 32), (48, 0)]
    assert of_rank[1] == [(0, 0)] * 4
    assert of_rank[2] == of_rank[3] == [(0, 44), (52, 0), (16, 0), (0, 24)]


def test_counts_of_an_own_group_are_not_read_beyond_it(programs: Programs, tmp_path: Path) -> None:
    run = unusual(programs, 4, "unequal", cwd=tmp_path)
    sent, received = 50100001, 50100002
    for row in run.trace.rows:
        shown = [
            (one.parameters[sent], one.parameters[received])
            for one in run.trace.calls[row]
            if run.names[one.value].startswith("Reduce_scatter")
        ]
        assert shown == [(48, 48) if row[1] == 1 else (48, 16)] * 2


def test_a_group_of_a_grid_is_not_asked_for_neighbours(programs: Programs, tmp_path: Path) -> None:
    run = unusual(programs, 4, "grid", cwd=tmp_path)
    assert [1, 2] in run.trace.communicators.values()


def test_the_newest_messages_are_those_that_belong_together(programs: Programs, tmp_path: Path) -> None:
    options = ("--buffer", "256KiB", "--when-full", "newest")
    run = unusual(programs, 2, "synchronous", 3_000, cwd=tmp_path, options=options)
    messages = run.trace.messages
    assert 500 < len(messages) < 2_900
    for one in messages:
        assert one.logical_send <= one.physical_receive
        assert one.logical_receive <= one.physical_send
    assert run.summary["left_out_messages"] > 0


def test_a_log_of_the_newest_knows_the_names_of_its_regions(programs: Programs, tmp_path: Path) -> None:
    options = ("--buffer", "1MiB", "--when-full", "newest")
    run = unusual(programs, 1, "named", cwd=tmp_path, options=options)
    (thread,) = run.summary["threads"]
    assert thread["damaged_chunks"] == 0
    assert thread["overwritten_chunks"] > 0
    assert "a later part" in run.pcf


def test_a_log_of_the_newest_that_cannot_go_on_keeps_what_it_has(programs: Programs, tmp_path: Path) -> None:
    options = ("--buffer", "1MiB", "--when-full", "newest")
    run = unusual(programs, 1, "exhausted", cwd=tmp_path, options=options)
    (thread,) = run.summary["threads"]
    assert thread["damaged_chunks"] == 0
    assert thread["overwritten_chunks"] > 0
    assert thread["lost_records"] > 0
    (log,) = (run.folder / "logs").glob("*.log")
    assert log.stat().st_size == 4096 + (1 << 20)


def test_a_log_without_room_loses_only_what_the_program_does(programs: Programs, tmp_path: Path) -> None:
    limiter = library("limiter", programs.mpi.compiler, tmp_path)
    program = tmp_path / "program"
    must(programs.mpi.compiler, "-w", HERE / "control.c", limiter, f"-Wl,-rpath,{tmp_path}", "-o", program)
    run = traced(programs, 1, program, cwd=tmp_path)
    assert run.code == 0, run.said
    (thread,) = run.summary["threads"]
    assert (thread["calls"], thread["damaged_chunks"]) == ([], 0)
    calls, definitions = 3, 4  # Init, rank, Finalize; the world and the process itself, with their members
    assert thread["lost_records"] == calls + definitions


def test_an_abort_that_returns_does_nothing_without_a_log(programs: Programs, tmp_path: Path) -> None:
    beneath, source, program = tmp_path / "beneath.c", tmp_path / "aborting.c", tmp_path / "aborting"
    beneath.write_text("#include <mpi.h>\nint MPI_Abort(MPI_Comm comm, int code) { return 0; }\n")
    source.write_text(ABORTING)
    returning = tmp_path / "beneath.so"
    must(programs.mpi.compiler, "-shared", "-fPIC", "-w", beneath, "-o", returning)
    must(programs.mpi.compiler, "-w", source, returning, f"-Wl,-rpath,{tmp_path}", "-o", program)
    run = traced(programs, 1, "env", "GROMA_TRACE_DIR=/no/folder", program, cwd=tmp_path)
    assert run.code == 0, run.said
    assert "nothing was traced" in run.said


def test_a_library_that_wraps_mpi_as_well_counts_what_it_did(programs: Programs, tmp_path: Path) -> None:
    profiler = library("profiler", programs.mpi.compiler, tmp_path)
    program = tmp_path / "program"
    must(programs.mpi.compiler, "-w", HERE / "unusual.c", profiler, f"-Wl,-rpath,{tmp_path}", "-o", program)
    run = traced(programs, 1, program, "jump", cwd=tmp_path)
    assert run.output == "sends: 10\n"
    assert len(run.trace.messages) == 10


@pytest.mark.parametrize("of", ["openmpi", "mpich"])
def test_a_program_may_open_any_mpi(
    programs: Programs, of: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if of not in mpis():
        pytest.skip(f"no {of} here")
    monkeypatch.delenv("LD_PRELOAD", raising=False)  # polite.py's library wants an MPI that is linked
    source, program = tmp_path / "opener.c", tmp_path / "opener"
    source.write_text(OPENER)
    must("cc", "-w", source, "-ldl", "-o", program)
    plugin = library("plugin", mpis()[of].compiler, tmp_path)
    words = ["trace", "-o", "t", "--mpi", programs.name, "--", program, plugin]
    done = start(GROMA, *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (4, "0\n"), done.stderr
    assert ("uses another MPI" in done.stderr) == (of != programs.name)


def test_a_program_of_the_other_mpi_beside_the_traced_one_is_said(programs: Programs, tmp_path: Path) -> None:
    other = {"openmpi": "mpich", "mpich": "openmpi"}[programs.name]
    if other not in mpis():
        pytest.skip("only one MPI here")
    plugin = library("plugin", mpis()[other].compiler, tmp_path)
    second = tmp_path / "second.c"
    second.write_text("int run(void); int main(void) { return run() != 4; }\n")
    must("cc", second, plugin, f"-Wl,-rpath,{tmp_path}", "-o", tmp_path / "second")
    script = f"{programs.c('unusual')} jump && {tmp_path / 'second'}"
    done = start(GROMA, "trace", "-o", "t", "--mpi", programs.name, "--", "sh", "-c", script, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "another MPI than the tracer ran as well" in done.stderr
    assert (tmp_path / "t" / "trace.prv").exists()


def test_a_program_of_the_other_mpi_keeps_what_it_preloads(programs: Programs, tmp_path: Path) -> None:
    other = {"openmpi": "mpich", "mpich": "openmpi"}[programs.name]
    if other not in mpis():
        pytest.skip("only one MPI here")
    own, program, script = tmp_path / "own.so", tmp_path / "program", tmp_path / "script"
    (tmp_path / "own.c").write_text("int marker = 1;\n")
    (tmp_path / "program.c").write_text(MARKED)
    must("cc", "-shared", "-fPIC", tmp_path / "own.c", "-o", own)
    must(mpis()[other].compiler, "-w", tmp_path / "program.c", "-ldl", "-o", program)
    script.write_text(f"#!/bin/sh\nLD_PRELOAD={own}:$LD_PRELOAD exec {program}\n")
    script.chmod(0o755)
    done = start(GROMA, "trace", "-o", "t", "--mpi", programs.name, "--", script, cwd=tmp_path)
    assert done.stdout == "own: 1, tracer: 0\n", done.stderr
