"""Only one run at a time keeps its partial record in a place: two would write over each other."""

from __future__ import annotations

import fcntl
import os
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from groma.errors import ExitCode, GromaError
from groma.record.partial_file import partial_path
from groma.record.writing import is_special

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LONGEST_NOTE = 200


@contextmanager
def sole_writer(output: Path) -> Iterator[None]:
    """Within, no other run keeps the partial record of `output`, not even on another host of a shared folder.

    Raises GromaError (exit code 4) that names the other run. Runs whose output is a device or pipe are not
    kept apart, nor are those on file systems that cannot lock.
    """
    if is_special(output):
        yield
        return
    partial = partial_path(output)
    path = partial.with_name(f".{partial.name}.lock")
    lock = _locked(path, partial)
    try:
        yield
    finally:
        if lock is not None:
            with suppress(OSError):
                path.unlink()
            os.close(lock)


def _locked(path: Path, partial: Path) -> int | None:
    """The open file that holds the lock; None where there cannot be one."""
    while True:
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        except OSError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _taken(lock, partial) from None
        except OSError:
            os.close(lock)
            return None
        if _is_at(path, lock):
            _sign(lock)
            return lock
        os.close(lock)  # its owner has removed it meanwhile


def _is_at(path: Path, lock: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(lock))
    except OSError:
        return False


def _sign(lock: int) -> None:
    with suppress(OSError):  # the disk may be full
        os.truncate(lock, 0)
        os.pwrite(lock, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)


def _taken(lock: int, partial: Path) -> GromaError:
    by = os.pread(lock, _LONGEST_NOTE, 0).decode(errors="replace").strip()
    os.close(lock)
    return GromaError(
        f"another run of groma writes to {partial}{f' ({by})' if by else ''}",
        "wait until it ends, or write to another file with -o",
        ExitCode.ENVIRONMENT,
    )
