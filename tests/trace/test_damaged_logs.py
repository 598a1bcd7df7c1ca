"""`groma merge` on damaged logs of a real run: the rest becomes a trace, and groma says what is not in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import strict_prv
from installed import must
from mpis import AS_ANYBODY, mpis

GROMA = Path(sys.executable).parent / "groma"
LOOP = 200
HEADER = 4096
NO_LOG = "rank 0: not traced, or its log is elsewhere"
NOT_READ = "rank 0: a part of its log could not be read"

Damage = Callable[[Path, Path], object]  # of the log of rank 0, and of a log of another run


def groma(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in (GROMA, *words)],
        cwd=cwd,
        env=os.environ | AS_ANYBODY,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, bytes]]:
    """The logs of two runs of three ranks, by their names: that of rank 0 first."""
    if not mpis():
        pytest.skip("no MPI here")
    mpi = next(iter(mpis().values()))
    folder = tmp_path_factory.mktemp("whole")
    must(mpi.compiler, "-w", Path(__file__).parent / "ends.c", "-o", folder / "ends", "-lpthread", "-ldl")
    for name in ("one", "other"):
        done = groma("trace", "-o", name, "--", mpi.launcher, "-n", 3, "./ends", "loop", LOOP, cwd=folder)
        assert done.returncode == 0, done.stderr
    return [
        {log.name: log.read_bytes() for log in sorted((folder / name / "logs").iterdir())}
        for name in ("one", "other")
    ]


def edited(change: Callable[[bytes], bytes]) -> Damage:
    return lambda log, _other: log.write_bytes(change(log.read_bytes()))


def beside(name: str, content: bytes | None = None) -> Damage:
    """A file more; with no content given, what the log has."""
    return lambda log, _other: (log.parent / name).write_bytes(
        log.read_bytes() if content is None else content
    )


def at(offset: int, value: int) -> Callable[[bytes], bytes]:
    return lambda log: log[:offset] + bytes([log[offset] ^ value]) + log[offset + 1 :]


CASES: dict[str, tuple[Damage, str]] = {
    "an empty log": (edited(lambda _: b""), NO_LOG),
    "a log cut in its header": (edited(lambda log: log[: HEADER - 1]), NO_LOG),
    "a log cut after its header": (edited(lambda log: log[:HEADER]), NOT_READ),
    "a log cut in its records": (edited(lambda log: log[: (HEADER + len(log)) // 2]), NOT_READ),
    "a log without its last byte": (edited(lambda log: log[:-1]), NOT_READ),
    "a log with zeros for its records": (edited(lambda log: log[:HEADER].ljust(len(log), b"\0")), NOT_READ),
    "a log with zeros at its end": (edited(lambda log: log[:-100].ljust(len(log), b"\0")), NOT_READ),
    "another file by the name of a log": (edited(lambda _: bytes(range(1, 250)) * 100), NO_LOG),
    "a log of another version": (edited(at(8, 4)), "written by another version of groma's tracer"),
    "a log of another run": (
        lambda log, other: log.write_bytes(other.read_bytes()),
        "belongs to another run",
    ),
    "the same log twice": (beside("copy.log"), "is of a thread that has a log already"),
    "a note among the logs": (beside("notes.log", b"remember\n"), "notes.log is not a log"),
    "a folder among the logs": (lambda log, _: (log.parent / "old.log").mkdir(), "old.log is not a regular"),
    "a FIFO among the logs": (lambda log, _: os.mkfifo(log.parent / "pipe.log"), "pipe.log is not a regular"),
    "a link to nothing": (lambda log, _: (log.parent / "l.log").symlink_to("gone"), "l.log cannot be read"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_left_becomes_a_trace(case: str, runs: list[dict[str, bytes]], tmp_path: Path) -> None:
    damage, said = CASES[case]
    logs = tmp_path / "t/logs"
    logs.mkdir(parents=True)
    for name, content in runs[0].items():
        (logs / name).write_bytes(content)
    other = tmp_path / "other.log"
    other.write_bytes(next(iter(runs[1].values())))
    damage(logs / next(iter(runs[0])), other)

    done = groma("merge", "t", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert said in " ".join(done.stdout.split())
    trace = strict_prv.read(tmp_path / "t/trace.prv")
    assert trace.rows == [(1, rank + 1, 1) for rank in range(3)]
    assert all(len(trace.calls[row]) > LOOP for row in trace.rows[1:])
    assert groma("stat", "t", cwd=tmp_path).returncode == 0


def test_a_log_that_is_whole_is_not_called_damaged(runs: list[dict[str, bytes]], tmp_path: Path) -> None:
    logs = tmp_path / "t/logs"
    logs.mkdir(parents=True)
    for name, content in runs[0].items():
        (logs / name).write_bytes(content)
    done = groma("merge", "t", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "!" not in done.stdout


def test_a_folder_without_a_log_of_groma_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t/logs").mkdir(parents=True)
    (tmp_path / "t/logs/notes.log").write_text("remember\n")
    done = groma("merge", "t", cwd=tmp_path)
    assert done.returncode == 2
    assert "is not a log of groma's tracer" in done.stderr
