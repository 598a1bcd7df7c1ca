"""A record is written as a whole or not at all, and never with a value that could not be read again."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.record import SCHEMA, Build, Quantity, Record
from groma.record.io import write_record
from groma.record.writing import write_atomically

if TYPE_CHECKING:
    from pathlib import Path


def record(altitude: float = 0.5) -> Record[Any]:
    seen = Quantity(
        value=altitude, unit="rad", low=altitude, high=altitude, confidence=0.9, method="astrolabe"
    )
    return Record(
        kind="astrolabe",
        created="2026-01-02T03:04:05+00:00",
        command=["astrolabe"],
        build=Build(version="0.1.0"),
        environment={},
        parameters={},
        samples={},
        facts=seen,
    )


def test_a_number_that_is_not_finite_is_never_written(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    with pytest.raises(ValueError, match="value"):
        write_record(path, record(float("nan")))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("cause", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_failed_write_keeps_the_old_file_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cause: int
) -> None:
    path = tmp_path / "record.json"
    write_record(path, record())
    before = path.read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(cause, os.strerror(cause))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(GromaError) as caught:
        write_record(path, record(0.7))
    assert caught.value.exit_code == ExitCode.ENVIRONMENT
    assert os.strerror(cause).lower() in caught.value.what
    assert caught.value.next_step
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_while_writing_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "record.json"
    path.write_text("old")

    def interrupted(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["absent/record.json", "file/record.json", "folder"])
def test_an_impossible_place_is_an_environment_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(GromaError, match="cannot write") as caught:
        write_record(tmp_path / name, record())
    assert caught.value.exit_code == ExitCode.ENVIRONMENT


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_an_environment_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(GromaError, match="permission denied") as caught:
        write_record(tmp_path / "record.json", record())
    assert caught.value.exit_code == ExitCode.ENVIRONMENT


def test_mode_and_links_of_the_replaced_file_are_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomically(pipe, b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_the_schema_of_a_written_record_is_ours(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    write_record(path, record())
    assert msgspec.json.decode(path.read_bytes())["schema"] == SCHEMA


def test_a_record_that_could_not_be_read_again_for_its_size_is_never_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "record.json"
    write_record(path, record())
    monkeypatch.setattr("groma.record.io.MOST_JSON", path.stat().st_size // 2)
    with pytest.raises(GromaError, match="more than the") as caught:
        write_record(path, record(0.7))
    assert caught.value.exit_code == ExitCode.ENVIRONMENT
    assert caught.value.next_step
    assert list(tmp_path.iterdir()) == [path]
