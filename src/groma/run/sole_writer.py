"""Only one run at a time keeps its partial record in a place: two would write over each other."""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import socket
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from groma.errors import ExitCode, GromaError
from groma.record.partial_file import partial_path, state_folder
from groma.record.reading import known
from groma.record.writing import is_special

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LONGEST_NOTE = 200


@contextmanager
def sole_writer(output: Path) -> Iterator[Path]:
    """Within, no other run keeps the partial record of the path that this yields, not even on another host of
    a shared folder.

    The path is `output`, or one of this run alone where another run writes to the same device or pipe. Raises
    GromaError (exit code 4) that names the other run of a file. Runs on file systems that cannot lock are not
    kept apart.
    """
    kept, lock = _own_place(output)
    try:
        yield kept
    finally:
        if lock is not None:
            with suppress(OSError):
                _lock_path(kept).unlink()
            os.close(lock)


def _own_place(output: Path) -> tuple[Path, int | None]:
    """The path beside which the partial record lies, and the lock of it."""
    if not is_special(output):
        return output, _locked(output)
    with suppress(OSError):  # without the folder the partial record gets a name of its own elsewhere
        state_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return output, _locked(output)
    except GromaError:
        own = state_folder() / f"{output.stem}-{secrets.token_hex(4)}.json"
        return own, _locked(own)


def _lock_path(output: Path) -> Path:
    partial = partial_path(output)
    return partial.with_name(f".{partial.name}.lock")


def _locked(output: Path) -> int | None:
    """The open file that holds the lock; None where there cannot be one."""
    path = _lock_path(output)
    while True:
        lock = _opened(path, output)
        if lock is None:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _taken(lock, partial_path(output)) from None
        except OSError as error:
            os.close(lock)
            if error.errno == errno.EBADF:  # NFS locks only what can be written
                raise _of_another_user(path, output) from None
            return None
        if _is_at(path, lock):
            _sign(lock)
            return lock
        os.close(lock)  # its owner has removed it meanwhile


_ALWAYS = os.O_CLOEXEC | os.O_NOFOLLOW


def _opened(path: Path, output: Path) -> int | None:
    """The file to lock, which may be that of another user; None where it cannot be made."""
    with suppress(OSError):
        lock = os.open(path, os.O_RDWR | os.O_CREAT | _ALWAYS, 0o666)
        _let_others_lock(lock)
        return lock
    try:
        return os.open(path, os.O_RDONLY | _ALWAYS)
    except PermissionError:
        if known(path.exists):
            raise _of_another_user(path, output) from None
        return None
    except OSError:
        return None


def _let_others_lock(lock: int) -> None:
    """A file has to be readable for that, whatever the umask says."""
    with suppress(OSError):  # of another user
        os.fchmod(lock, stat.S_IMODE(os.fstat(lock).st_mode) | 0o444)


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


def _of_another_user(path: Path, output: Path) -> GromaError:
    return GromaError(
        f"a run of another user may write to {partial_path(output)}: {path} cannot be locked",
        "write to another file with -o, or have its owner remove the lock if no run goes on",
        ExitCode.ENVIRONMENT,
    )
