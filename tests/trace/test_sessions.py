"""Programs that use sessions of MPI-4 are traced from the first session to the end of the last."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from installed import must
from mpis import mpis
from traced import GROMA, HERE, Programs, start, traced

if TYPE_CHECKING:
    from pathlib import Path

USE = ["Comm_create_from_group", "Comm_rank", "Comm_size", "Sendrecv", "Comm_free"]
CALLS = {
    "one": ["Session_init", *USE, "Session_finalize"],
    "self": ["Session_init", *USE, "Session_finalize"],
    "nested": ["Session_init", "Session_init", *USE, "Session_finalize", *USE, "Session_finalize"],
    "within": ["Init", "Session_init", *USE, "Session_finalize", "Finalize"],
    "across": ["Session_init", "Init", *USE, "Session_finalize", "Barrier", "Finalize"],
}


@pytest.fixture(scope="module")
def mpich(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Of the MPIs that are tested, only MPICH has sessions."""
    if "mpich" not in mpis():
        pytest.skip("no mpich here")
    return Programs("mpich", mpis()["mpich"], tmp_path_factory.mktemp("programs"))


@pytest.mark.parametrize("what", CALLS)
def test_each_rank_has_the_calls_of_its_sessions(mpich: Programs, tmp_path: Path, what: str) -> None:
    run = traced(mpich, 2, mpich.c("sessions"), what, cwd=tmp_path)
    assert run.code == 0, run.said
    alone = start(mpich.mpi.launcher, "-n", 2, mpich.c("sessions"), what, cwd=tmp_path)
    assert sorted(run.output.splitlines()) == sorted(alone.stdout.splitlines())
    trace, names = run.trace, run.names
    for rank in (1, 2):
        assert [names[one.value] for one in trace.calls[1, rank, 1]] == CALLS[what]
    assert run.summary["ranks"] == [2]
    assert run.summary["missing"] == []
    assert all(one["finished"] for one in run.summary["threads"])


def test_messages_in_communicators_of_sessions_find_their_receives(mpich: Programs, tmp_path: Path) -> None:
    run = traced(mpich, 3, mpich.c("sessions"), "one", cwd=tmp_path)
    trace = run.trace
    assert sorted((one.sender[1], one.receiver[1], one.tag) for one in trace.messages) == [
        (1, 2, 1),
        (2, 3, 1),
        (3, 1, 1),
    ]
    assert list(trace.communicators.values()).count([1, 2, 3]) == 2, "the world, and that of the session"


def test_sessions_of_fortran_are_traced(mpich: Programs, tmp_path: Path) -> None:
    program = tmp_path / "sessions"
    must(mpich.mpi.fortran, HERE / "sessions.f90", "-o", program)
    run = traced(mpich, 2, program, cwd=tmp_path)
    assert (run.code, run.output.split()) == (0, ["2", "2"]), run.said
    assert [run.names[one.value] for one in run.trace.calls[1, 1, 1]] == [
        "Session_init",
        "Comm_create_from_group",
        "Allreduce",
        "Comm_free",
        "Session_finalize",
    ]


def test_jobs_of_one_command_are_told_apart_by_their_launchers(mpich: Programs, tmp_path: Path) -> None:
    job = f"{mpich.mpi.launcher} -n 2 {mpich.c('sessions')} one"
    done = start(
        GROMA, "trace", "-o", "t", "--mpi", "mpich", "--", "sh", "-c", f"{job} & {job} & wait", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "t" / "summary.json").read_text())
    assert summary["ranks"] == [2, 2]
    assert summary["missing"] == []
    assert summary["messages"] == 4


def test_programs_without_a_launcher_are_told_apart(mpich: Programs, tmp_path: Path) -> None:
    program = f"{mpich.c('sessions')} one"
    words = ("trace", "-o", "t", "--mpi", "mpich", "--", "sh", "-c", f"{program}; {program}")
    done = start(GROMA, *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "t" / "summary.json").read_text())
    assert summary["ranks"] == [1, 1]
    assert summary["messages"] == 2


def test_sessions_of_threads_end_the_logs_with_the_last_one(mpich: Programs, tmp_path: Path) -> None:
    run = traced(mpich, 1, mpich.c("sessions"), "threads", cwd=tmp_path)
    assert (run.code, run.output) == (0, "400 sessions\n"), run.said
    threads = run.summary["threads"]
    assert len(threads) == 5
    assert all(one["finished"] and one["damaged_chunks"] == 0 for one in threads)
    calls = [{call["call"]: call["count"] for call in one["calls"]} for one in threads]
    assert calls.count({"MPI_Session_init": 100, "MPI_Session_finalize": 100}) == 4


def test_a_session_after_the_last_one_goes_on_in_the_same_log(mpich: Programs, tmp_path: Path) -> None:
    program, logs = tmp_path / "fake", tmp_path / "logs"
    header = ("-w", "-rdynamic", "-Wl,--unresolved-symbols=ignore-all")
    must("gcc", *header, *_includes(mpich), HERE / "fake_mpi.c", "-o", program)
    logs.mkdir()
    library = tmp_path / "tracer.so"  # a loader ends names at a space
    library.symlink_to(GROMA.parents[1] / "lib/groma/mpich/lib/libgroma-trace.so")
    given = {"LD_PRELOAD": library, "GROMA_TRACE_DIR": logs, "GROMA_TRACE_RUN": 1}
    words = [f"{name}={value}" for name, value in given.items()]
    assert start("env", *words, program, 3, cwd=tmp_path).returncode == 0
    assert len(list(logs.glob("*.log"))) == 1
    must(GROMA, "merge", logs)
    (thread,) = json.loads((logs / "summary.json").read_text())["threads"]
    counts = {one["call"]: one["count"] for one in thread["calls"]}
    assert counts == {"MPI_Session_init": 3, "MPI_Comm_size": 15, "MPI_Session_finalize": 3}
    assert thread["finished"]
    assert thread["damaged_chunks"] == 0


def _includes(programs: Programs) -> list[str]:
    shown = start(programs.mpi.compiler, "-show", cwd=HERE).stdout
    return [word for word in shown.split() if word.startswith("-I")]
