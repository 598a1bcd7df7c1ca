"""A folder of groma trace can be used again, and nothing of anybody else is lost in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.record.trace_folder import LOGS, MATRIX, SUMMARY
from groma.trace.clearing import clear
from groma.trace.job import empty_logs
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


def files_in(folder: Path) -> set[str]:
    return {str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()}


def test_a_trace_is_replaced_as_a_whole(folder: Path) -> None:
    clear(folder)
    assert files_in(folder) == set()
    assert empty_logs(folder) == (folder / LOGS).resolve()


def test_files_of_others_stay(folder: Path) -> None:
    for name in ("trace-cut.groma", "notes.txt"):
        (folder / name).touch()
    clear(folder)
    assert files_in(folder) == {"trace-cut.groma", "notes.txt"}


def test_files_of_others_among_the_logs_stop_it_before_anything_is_removed(folder: Path) -> None:
    (folder / LOGS / "server.log").touch()
    before = files_in(folder)
    with pytest.raises(GromaError, match=r"has server\.log, which groma trace did not write") as refused:
        clear(folder)
    assert refused.value.exit_code == ExitCode.USAGE
    assert files_in(folder) == before


@pytest.mark.parametrize("summary", [None, b"{}", b"all is well\n"])
def test_a_matrix_that_no_merge_wrote_stays(tmp_path: Path, summary: bytes | None) -> None:
    (tmp_path / MATRIX).touch()
    if summary is not None:
        (tmp_path / SUMMARY).write_bytes(summary)
    before = files_in(tmp_path)
    clear(tmp_path)
    assert files_in(tmp_path) == before


def test_a_folder_that_is_not_there_yet_is_clear(tmp_path: Path) -> None:
    clear(tmp_path / "none")


def test_logs_of_another_run_are_refused_with_both_ways_out(folder: Path) -> None:
    with pytest.raises(GromaError, match="has logs of another run") as refused:
        empty_logs(folder)
    assert "-o" in refused.value.next_step
    assert "--replace" in refused.value.next_step
