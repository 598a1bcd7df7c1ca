"""What groma says where groma-merge fails. The program is a script here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.trace.merging import PROGRAM, merge

if TYPE_CHECKING:
    from pathlib import Path

AGAIN = "groma merge DIR makes the trace of the logs in DIR"


def failure(folder: Path, script: str) -> GromaError:
    program = folder / PROGRAM
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    with pytest.raises(GromaError) as failed:
        merge(folder, folder / "trace", str(folder))
    return failed.value


@pytest.mark.parametrize(
    ("script", "next_step"),
    [
        ("printf 'groma-merge: the disk is full\\n  free space\\n' >&2; exit 4", f"free space; {AGAIN}"),
        ("echo 'groma-merge: the disk is full' >&2; exit 4", AGAIN),
    ],
)
def test_a_trace_that_cannot_be_written_can_be_made_of_its_logs_later(
    tmp_path: Path, script: str, next_step: str
) -> None:
    error = failure(tmp_path, script)
    assert (error.what, error.next_step) == ("the disk is full", next_step)
    assert error.exit_code == ExitCode.ENVIRONMENT


def test_a_merge_that_is_killed_can_be_done_again(tmp_path: Path) -> None:
    error = failure(tmp_path, "kill -KILL $$")
    assert (error.what, error.next_step) == ("groma-merge was ended by SIGKILL", AGAIN)


def test_logs_that_cannot_be_used_are_not_merged_again(tmp_path: Path) -> None:
    error = failure(tmp_path, "printf 'groma-merge: no logs\\n  trace a program first\\n' >&2; exit 2")
    assert (error.what, error.next_step) == ("no logs", "trace a program first")
    assert error.exit_code == ExitCode.USAGE
