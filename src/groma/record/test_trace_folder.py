"""The folder of groma trace stands for the file in it that a command reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode
from groma.record.trace_folder import LOGS, MATRIX, RECORD, UnmergedError, file_in, refuse_unmerged

if TYPE_CHECKING:
    from pathlib import Path

LOG = b"gromalog".ljust(64, b"\0")


@pytest.mark.parametrize("name", [RECORD, MATRIX])
def test_a_folder_stands_for_the_file_in_it(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert file_in(tmp_path, name) == tmp_path / name
    assert file_in(tmp_path / name, name) == tmp_path / name


def test_other_paths_stand_for_themselves(tmp_path: Path) -> None:
    (tmp_path / "build.log").write_text("cc -c app.c\n")
    for path in (tmp_path, tmp_path / "none"):
        assert file_in(path, RECORD) == path


@pytest.mark.parametrize("place", [LOGS, "."])
def test_logs_without_a_trace_are_to_be_merged(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "my runs"
    (folder / place).mkdir(parents=True)
    (folder / place / "0.log").write_bytes(LOG)
    with pytest.raises(UnmergedError) as refused:
        file_in(folder, RECORD)
    assert refused.value.what == f"{folder} has logs that were not merged"
    assert refused.value.next_step.endswith(f"groma merge '{folder}'")
    assert refused.value.exit_code == ExitCode.USAGE


def test_logs_of_other_programs_are_not_merged(tmp_path: Path) -> None:
    (tmp_path / LOGS).mkdir()
    (tmp_path / LOGS / "server.log").write_text("GET / 200\n")
    (tmp_path / "folder.log").mkdir()
    refuse_unmerged(tmp_path)
