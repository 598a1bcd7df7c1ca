"""A folder of groma trace can be used again, and nothing of anybody else is lost in it."""

from __future__ import annotations

import itertools
import shutil
from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.host.host import Host
from groma.record.trace_folder import LOGS, MATRIX, SUMMARY
from groma.trace import job
from groma.trace.clearing import replaced
from groma.trace.job import TraceRequest, empty_logs, trace_run
from groma.trace.test_summary import SUMMARY as SUMMARY_OF_A_RUN

if TYPE_CHECKING:
    from pathlib import Path

OF_TRACER = (
    "1e17db2f8e856db0.0.0.log",
    "30cf4e847310141a.12.present",
    "30cf4e847310141a.-1.present",
    "other-mpi",
)
OF_MERGE = ("trace.prv", "trace.pcf", "trace.row", "trace.groma", "trace.json", MATRIX)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """That of a run whose logs were merged twice, once beside them."""
    folder = tmp_path / "t"
    (folder / LOGS).mkdir(parents=True)
    for name in OF_TRACER:
        (folder / LOGS / name).touch()
    for place in (folder, folder / LOGS):
        for name in OF_MERGE:
            (place / name).touch()
        (place / SUMMARY).write_bytes(msgspec.json.encode(SUMMARY_OF_A_RUN))
    return folder


NEW = "logs/2f17db2f8e856db0.0.0.log"


def replace(folder: Path) -> None:
    """By a run that leaves a log."""
    with replaced(folder):
        (folder / LOGS).mkdir(parents=True, exist_ok=True)
        (folder / NEW).touch()


def files_in(folder: Path) -> set[str]:
    return {str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()}


def test_a_trace_is_replaced_as_a_whole(folder: Path) -> None:
    with replaced(folder):
        assert empty_logs(folder) == (folder / LOGS).resolve()
        (folder / NEW).touch()
    assert files_in(folder) == {NEW}
    assert {one.name for one in folder.iterdir()} == {LOGS}


def test_files_of_others_stay(folder: Path) -> None:
    for name in ("trace-cut.groma", "notes.txt"):
        (folder / name).touch()
    replace(folder)
    assert files_in(folder) == {"trace-cut.groma", "notes.txt", NEW}


def test_files_of_others_among_the_logs_stop_it_before_anything_is_removed(folder: Path) -> None:
    (folder / LOGS / "server.log").touch()
    before = files_in(folder)
    with pytest.raises(GromaError, match=r"has server\.log, which groma trace did not write") as refused:
        replace(folder)
    assert refused.value.exit_code == ExitCode.USAGE
    assert files_in(folder) == before


@pytest.mark.parametrize("summary", [None, b"{}", b"all is well\n"])
def test_a_matrix_that_no_merge_wrote_stays(tmp_path: Path, summary: bytes | None) -> None:
    (tmp_path / MATRIX).touch()
    if summary is not None:
        (tmp_path / SUMMARY).write_bytes(summary)
    before = files_in(tmp_path)
    replace(tmp_path)
    assert files_in(tmp_path) == before | {NEW}


def test_a_folder_that_is_not_there_yet_is_clear(tmp_path: Path) -> None:
    replace(tmp_path / "none")
    assert files_in(tmp_path / "none") == {NEW}


def test_logs_of_another_run_are_refused_with_both_ways_out(folder: Path) -> None:
    with pytest.raises(GromaError, match="has logs of another run") as refused:
        empty_logs(folder)
    assert "-o" in refused.value.next_step
    assert "--replace" in refused.value.next_step


def content(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in files_in(folder)}


@pytest.mark.parametrize("words", [("no-such-launcher", "app"), ("true",)])
def test_a_run_without_logs_leaves_the_earlier_trace(
    words: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "tracer_for", lambda *_: folder / "tracer.so")
    before = content(folder)
    request = TraceRequest(words=words, folder=folder, replace=True)
    if words[0] == "true":
        nothing = trace_run(Host(), request, None).nothing
        assert nothing is not None
        assert "no process called MPI_Init" in nothing.what
    else:
        with pytest.raises(GromaError, match="cannot be started"):
            trace_run(Host(), request, None)
    assert content(folder) == before
    assert {one.name for one in folder.iterdir() if one.is_dir()} == {LOGS}


def test_what_a_run_without_logs_left_does_not_come_among_the_earlier_ones(folder: Path) -> None:
    (folder / LOGS / "other-mpi").unlink()
    before = content(folder)
    with replaced(folder):
        (folder / LOGS / "other-mpi").touch()
        (folder / LOGS / "30cf4e847310141a.7.present").touch()
    assert content(folder) == before


@pytest.mark.parametrize("at", range(5))
def test_an_interruption_at_any_time_leaves_one_of_the_two_traces(
    at: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, move, moved = content(folder), shutil.move, itertools.count()

    def interrupted(source: Path, target: Path) -> None:
        if next(moved) == at:
            raise KeyboardInterrupt
        move(source, target)

    monkeypatch.setattr(shutil, "move", interrupted)
    with pytest.raises(KeyboardInterrupt), replaced(folder):
        pytest.fail("the earlier trace is not aside")
    assert content(folder) == before


def interrupted_run(folder: Path, *, with_log: bool) -> None:
    with replaced(folder):
        if with_log:
            (folder / NEW).touch()
        raise KeyboardInterrupt


@pytest.mark.parametrize("came", [False, True])
def test_an_interruption_of_the_run_keeps_its_logs_if_there_are_some(came: bool, folder: Path) -> None:
    before = content(folder)
    with pytest.raises(KeyboardInterrupt):
        interrupted_run(folder, with_log=came)
    assert content(folder) == ({NEW: b""} if came else before)


def test_a_file_that_an_interrupted_copy_left_never_replaces_the_whole_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two file systems a move copies."""
    (folder / LOGS / OF_TRACER[0]).write_text("whole")

    def copies_half(source: Path, target: Path) -> None:
        target.write_text("half")
        raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "move", copies_half)
    before = content(folder)
    with pytest.raises(KeyboardInterrupt), replaced(folder):
        pytest.fail("the earlier trace is not aside")
    assert content(folder) == before


def test_a_program_that_removes_the_folder_meets_no_error_of_groma(folder: Path) -> None:
    with replaced(folder):
        shutil.rmtree(folder)
    assert not folder.exists()
