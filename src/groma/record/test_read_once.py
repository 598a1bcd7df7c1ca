"""What can be read only once is read from a copy, and spoken of by its own name."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.record.read_once import copy_of, is_read_once

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = b"a line\n" * 30_000  # more than a pipe holds at once


@pytest.fixture
def pipe() -> Iterator[Path]:
    descriptor, writer = os.pipe()
    thread = threading.Thread(target=_fill, args=(writer,))
    thread.start()
    yield Path(f"/dev/fd/{descriptor}")
    os.close(descriptor)
    thread.join()


def _fill(writer: int) -> None:
    with suppress(BrokenPipeError), os.fdopen(writer, "wb") as file:
        file.write(TEXT)


def test_pipes_devices_and_descriptors_are_read_once_and_files_are_not(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(TEXT)
    os.mkfifo(tmp_path / "fifo")
    with (tmp_path / "file").open("rb") as file:
        assert is_read_once(Path(f"/dev/fd/{file.fileno()}"))
    assert is_read_once(tmp_path / "fifo")
    assert is_read_once(Path("/dev/null"))
    for other in ("file", "missing", "."):
        assert not is_read_once(tmp_path / other)


def test_a_copy_has_all_of_a_pipe_and_does_not_stay(pipe: Path) -> None:
    with copy_of(pipe) as copy:
        assert [copy.read_bytes() for _ in range(2)] == [TEXT, TEXT]
    assert not copy.parent.exists()


def test_what_is_wrong_in_a_copy_is_said_of_what_was_copied(pipe: Path) -> None:
    with pytest.raises(GromaError) as refused, copy_of(pipe) as copy:
        raise GromaError(f"{copy}: line 6", "correct it", ExitCode.VALIDATION_FAILED)
    assert (refused.value.what, refused.value.exit_code) == (f"{pipe}: line 6", ExitCode.VALIDATION_FAILED)


def test_a_disk_without_room_for_a_copy_is_named_as_the_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(TEXT)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(GromaError, match="file cannot be copied") as refused, copy_of(tmp_path / "file"):
        pass
    assert refused.value.exit_code == ExitCode.ENVIRONMENT


def test_an_input_that_cannot_be_read_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(GromaError, match="no such file") as refused, copy_of(tmp_path / "missing"):
        pass
    assert refused.value.exit_code == ExitCode.USAGE
