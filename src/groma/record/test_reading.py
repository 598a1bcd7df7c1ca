"""Files are read as far as needed: none is waited for without end, none fills the memory."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from groma.errors import ExitCode, GromaError
from groma.record import io, reading
from groma.record.reading import read_bytes, read_toml

BLOCK = reading.START


def refused(path: Path, most: int = 1 << 20) -> GromaError:
    with pytest.raises(GromaError) as caught:
        read_bytes(path, most)
    assert caught.value.exit_code == ExitCode.USAGE
    assert caught.value.next_step
    return caught.value


@pytest.mark.parametrize("size", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, (1 << 20) - 1, 1 << 20])
def test_a_file_is_read_whole_up_to_the_limit(tmp_path: Path, size: int) -> None:
    content = os.urandom(size)
    (tmp_path / "f").write_bytes(content)
    assert read_bytes(tmp_path / "f", 1 << 20) == content


@pytest.mark.parametrize("size", [(1 << 20) + 1, 1 << 40])
def test_what_is_larger_is_refused_and_not_read(tmp_path: Path, size: int) -> None:
    with (tmp_path / "f").open("wb") as stream:
        stream.truncate(size)
    assert "larger than 1 MiB" in refused(tmp_path / "f").what


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_a_device_without_end_is_refused(device: str) -> None:
    assert "larger than 1 MiB" in refused(Path(device)).what


def test_the_first_bytes_may_be_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    real = os.read

    def counted(descriptor: int, count: int) -> bytes:
        read.append(count)
        return real(descriptor, count)

    monkeypatch.setattr(os, "read", counted)
    for device in ("/dev/zero", "/dev/urandom"):
        with pytest.raises(GromaError, match="text"):
            io.read_bytes(Path(device))
    assert sum(read) <= 2 * BLOCK


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (bytes(100), "zero byte"),
        (b"\x1f\x8b\x08", "gunzip"),
        (b"\xff{}", "UTF-8"),
        (b"\xff\xfe{\0", "zero byte"),
        (b"x", "64 MiB"),
    ],
)
def test_a_large_file_that_is_no_record_is_refused_by_its_start(
    tmp_path: Path, start: bytes, said: str
) -> None:
    with (tmp_path / "big").open("wb") as stream:
        stream.write(start.ljust(BLOCK, b" ") if start == b"x" else start)
        stream.truncate(1 << 40)
    with pytest.raises(GromaError) as caught:
        io.read_bytes(tmp_path / "big")
    assert said in str(caught.value)


def test_the_command_that_unpacks_a_file_can_be_pasted(tmp_path: Path) -> None:
    (tmp_path / "my run.gz").write_bytes(b"\x1f\x8b\x08")
    with pytest.raises(GromaError, match="is compressed") as caught:
        io.read_bytes(tmp_path / "my run.gz")
    assert caught.value.next_step == f"unpack it first: gunzip '{tmp_path / 'my run.gz'}'"


def test_a_pipe_that_nobody_writes_to_is_empty_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert read_bytes(tmp_path / "pipe", 100) == b""


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    read, write = os.pipe()

    def fill() -> None:
        with os.fdopen(write, "wb") as stream:
            stream.write(b"x" * 300_000)

    writer = threading.Thread(target=fill)
    writer.start()
    assert len(read_bytes(Path(f"/dev/fd/{read}"), 1 << 20)) == 300_000
    writer.join()
    os.close(read)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a = " + b"[" * 100_000, "nested too deep"),
        (b"a = " + b"[" * 100_000 + b"]" * 100_000, "nested too deep"),
        (b"a = " + b"{b = " * 50_000 + b"1" + b"}" * 50_000, "nested too deep"),
        pytest.param(
            b"a = " + b"9" * 5000,
            "not TOML",
            marks=pytest.mark.skipif(
                not hasattr(sys, "get_int_max_str_digits"), reason="this Python reads numbers of any length"
            ),
        ),
        (b"a = 1979-13-41", "not TOML"),
        (b"a = \xff", "not UTF-8"),
        (b"\xff\xfea\0", "not UTF-8"),
        (b"\0" * 100, "not TOML"),
        (b"a = 1\na = 2", "not TOML"),
    ],
)
def test_what_is_no_toml_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "groma.toml"
    path.write_bytes(content)
    with pytest.raises(GromaError) as caught:
        read_toml(path)
    assert said in caught.value.what
    assert str(path) in caught.value.what
    assert caught.value.exit_code == ExitCode.USAGE


def test_a_mark_of_byte_order_and_foreign_line_ends_are_no_error(tmp_path: Path) -> None:
    path = tmp_path / "groma.toml"
    path.write_bytes(b"\xef\xbb\xbfa = 1\r\nb = 2\r\n")
    assert read_toml(path) == {"a": 1, "b": 2}
