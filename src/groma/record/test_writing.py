"""Whether a place can be written is known before anything is measured, and trying it changes nothing."""

from __future__ import annotations

import os
import resource
import signal
import socket
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from groma.errors import ExitCode, GromaError
from groma.record.writing import is_same_place, is_special, refuse_unwritable, write_atomically

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount")


def refused(path: Path) -> str:
    """What both say of a place: the trial, and writing itself."""
    said = []
    attempts = (partial(refuse_unwritable, path), partial(write_atomically, path, b"{}"))
    for attempt in attempts:
        with pytest.raises(GromaError, match="cannot write") as caught:
            attempt()
        assert caught.value.exit_code == ExitCode.ENVIRONMENT
        assert caught.value.next_step
        said.append(caught.value.what)
    assert said[0] == said[1]
    return said[0]


def left_in(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}


@pytest.mark.parametrize("name", ["new.json", "old.json", "link-to-old.json", "dangling.json"])
def test_trying_a_place_leaves_it_as_it_was(tmp_path: Path, name: str) -> None:
    (tmp_path / "old.json").write_text("kept")
    (tmp_path / "link-to-old.json").symlink_to("old.json")
    (tmp_path / "dangling.json").symlink_to("absent.json")
    before = left_in(tmp_path)
    refuse_unwritable(tmp_path / name)
    assert left_in(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("folder", "is a directory"),
        ("", "is a directory"),
        ("absent/x.json", "no such file"),
        ("file/x.json", "not a directory"),
        ("loop", "symbolic links"),
        ("n" * 300, "too long"),
        ("a\0b", "not a file name"),
        ("to-closed-descriptor", "bad file descriptor"),
        ("to-no-descriptor", "no such file"),
        ("to-absent-folder", "no such file"),
    ],
)
def test_an_impossible_place_is_refused_with_its_cause(tmp_path: Path, name: str, cause: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "to-absent-folder").symlink_to("absent/x.json")
    (tmp_path / "to-closed-descriptor").symlink_to(f"/dev/fd/{10**6}")
    (tmp_path / "to-no-descriptor").symlink_to(f"/dev/fd/{10**20}")
    assert cause in refused(tmp_path / name)


def test_a_pipe_that_nobody_reads_from_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    refuse_unwritable(tmp_path / "pipe")  # trying it would end the input of its reader
    with pytest.raises(GromaError, match="no such device") as caught:
        write_atomically(tmp_path / "pipe", b"{}")
    assert "nothing reads" in caught.value.next_step


@pytest.mark.parametrize(("place", "cause"), [("/dev/full", "no space left"), ("/proc/x.json", "")])
def test_devices_and_systems_of_the_kernel_that_take_nothing_are_refused(place: str, cause: str) -> None:
    assert cause in refused(Path(place))


def test_a_device_that_takes_everything_is_no_problem() -> None:
    refuse_unwritable(Path(os.devnull))
    write_atomically(Path(os.devnull), b"{}")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_protected_file_is_neither_replaced_nor_called_writable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "reference.json"
    path.write_text("precious")
    path.chmod(0o444)
    if os.geteuid() == 0:  # root may write everything
        monkeypatch.setattr(os, "access", lambda *_: False)
    assert "permission denied" in refused(path)
    assert path.read_text() == "precious"


def test_a_limit_of_file_sizes_is_found_beforehand(tmp_path: Path) -> None:
    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))

    code = (
        "import sys; from pathlib import Path; from groma.record.writing import refuse_unwritable;"
        "refuse_unwritable(Path(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "x.json")],
        preexec_fn=limited,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "file too large" in done.stderr
    assert list(tmp_path.iterdir()) == []


@needs_root
def test_a_disk_without_room_for_a_record_is_refused_before_it_is_full(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from groma.record.writing import refuse_unwritable;"
        "refuse_unwritable(Path(sys.argv[1]))"
    )
    script = f'mount -t tmpfs -o size=64k none {tmp_path} && "$@"; ls -A {tmp_path}'
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", sys.executable, "-c", code, str(tmp_path / "x.json")],
        capture_output=True,
        text=True,
        check=False,
    )
    if "Operation not permitted" in done.stderr or "unshare" in done.stderr:
        pytest.skip("mount namespaces are not allowed here")
    assert "no space left on device" in done.stderr
    assert done.stdout == ""


def test_two_names_of_one_place_are_seen_through(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to("absent.json")
    assert is_same_place(tmp_path / "link.json", tmp_path / "." / "absent.json")
    assert not is_same_place(tmp_path / "a.json", tmp_path / "b.json")
    assert not is_same_place(Path("a\0"), Path("a\0"))


def descriptor_paths(descriptor: int) -> list[str]:
    """How an open descriptor of this process may be called."""
    folders = ("/dev/fd", "/proc/self/fd", "/proc/thread-self/fd", f"/proc/{os.getpid()}/fd")
    return [f"{folder}/{descriptor}" for folder in folders]


@pytest.mark.parametrize("way", range(4))
@pytest.mark.parametrize("append", [os.O_APPEND, 0])
def test_through_an_open_descriptor_a_file_is_continued_and_never_replaced(
    tmp_path: Path, append: int, way: int
) -> None:
    log = tmp_path / "all.log"
    log.write_text("first\n" if append else "")
    descriptor = os.open(log, os.O_WRONLY | append)
    if not append:
        os.write(descriptor, b"first\n")
    (tmp_path / "link").symlink_to(descriptor_paths(descriptor)[way])
    refuse_unwritable(tmp_path / "link")
    write_atomically(tmp_path / "link", b"second\n")
    os.write(descriptor, b"third\n")
    os.close(descriptor)
    assert left_in(tmp_path) == {"all.log": b"first\nsecond\nthird\n"}


def test_through_a_descriptor_of_another_process_nothing_is_overwritten(tmp_path: Path) -> None:
    log = tmp_path / "all.log"
    log.write_text("first\n")
    with log.open("ab") as stream, subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=stream) as other:
        write_atomically(Path(f"/proc/{other.pid}/fd/1"), b"second\n")
    assert log.read_text() == "first\nsecond\n"


def test_an_open_descriptor_counts_as_special_whatever_it_leads_to(tmp_path: Path) -> None:
    with (tmp_path / "all.log").open("wb") as stream:
        assert all(is_special(Path(one)) for one in descriptor_paths(stream.fileno()))
    assert is_special(Path("/dev/stdout"))
    assert not is_special(tmp_path / "all.log")
    assert not is_special(tmp_path / "absent.log")


def test_a_descriptor_that_takes_no_output_is_refused(tmp_path: Path) -> None:
    (tmp_path / "input").write_text("kept")
    with (tmp_path / "input").open("rb") as stream:
        assert "bad file descriptor" in refused(Path(f"/dev/fd/{stream.fileno()}"))
    assert left_in(tmp_path) == {"input": b"kept"}


def test_a_shared_pipe_that_does_not_block_gets_everything() -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    with subprocess.Popen(["wc", "-c"], stdin=read, stdout=subprocess.PIPE, text=True) as counter:
        os.close(read)
        write_atomically(Path(f"/dev/fd/{write}"), bytes(1 << 20))
        assert not os.get_blocking(write)
        os.close(write)
        counted, _ = counter.communicate()
    assert int(counted) == 1 << 20


def test_a_socket_is_written_to() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        write_atomically(Path(f"/dev/fd/{ours.fileno()}"), b"through")
        assert theirs.recv(100) == b"through"
