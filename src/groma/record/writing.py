"""Write files atomically, and check beforehand that they can be written.

A path such as /dev/stdout leads to an open descriptor, which others write to as well. Its file is continued,
never replaced.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
import select
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from groma.errors import ExitCode, GromaError
from groma.record.reading import cause_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOM = 1 << 20
"""Bytes that must be free before anything is measured: those of an ordinary record, twice."""

_CURES = {
    errno.ENOSPC: "free some space or write to another path with {option}",
    errno.EDQUOT: "the quota is used up: free some space or write to another path with {option}",
    errno.EFBIG: "check ulimit -f, or write to another path with {option}",
    errno.EACCES: "write to a folder of your own with {option}",
    errno.EPERM: "write to a folder of your own with {option}",
    errno.ENOENT: "create the folder first, or write to another path with {option}",
    errno.ENOTDIR: "a part of the path is a file: write to another path with {option}",
    errno.EISDIR: "this is a folder: name a file with {option}",
    errno.ENXIO: "nothing reads from this pipe: write to a file with {option}",
    errno.EPIPE: "nothing reads from this pipe: write to a file with {option}",
}
_OTHERWISE = "write to another path with {option}"

_DESCRIPTOR = re.compile(r"(?P<process>/proc/[0-9]+)(?:/task/[0-9]+)?/fd/(?P<number>[0-9]{1,9})")

_MOST_LINKS = 40
"""Links that Linux follows in one path."""


def write_atomically(path: Path, content: bytes, option: str = "-o") -> None:
    """Replace `path` by `content` in one step. Raises GromaError (exit code 4); `option` is what names
    another place.
    """
    try:
        mode = _mode_of(path)
        if _is_replaced(path, mode):
            replace(_behind_links(path), content, mode)
        else:
            _write_special(path, content)
    except (OSError, ValueError) as error:
        raise _not_written(path, error, option) from error


def refuse_unwritable(path: Path, option: str = "-o", room: int = ROOM) -> None:
    """Check that `room` bytes can be written to `path`, and leave everything as it was. Of an open descriptor
    only that it takes output.

    Raises GromaError (exit code 4) with the system's cause; `option` is what names another place.
    """
    try:
        mode = _mode_of(path)
        if _is_replaced(path, mode):
            target = _behind_links(path)
            with temporary_beside(target) as temporary:
                _create(temporary, bytes(room), None)
        else:
            _try_special(path)
    except (OSError, ValueError) as error:
        raise _not_written(path, error, option) from error


def make_folder(path: Path, option: str = "-o") -> None:
    """A folder with those above it. Raises GromaError (exit code 4); `option` as of `write_atomically`."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise _not_written(path, error, option) from error


def is_special(path: Path) -> bool:
    """Whether `path` is a device, pipe, folder or open descriptor: a rename would replace it by a file, take
    the file from others that write to it, or fail.
    """
    try:
        return _descriptor_of(path) is not None or not stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def is_same_place(one: Path, other: Path) -> bool:
    """Whether two paths lead to the same file, even if it does not exist yet."""
    try:
        return os.path.realpath(one) == os.path.realpath(other)
    except ValueError:  # no name of a file
        return False


def _descriptor_of(path: Path) -> re.Match[str] | None:
    """The place in /proc of the open descriptor that `path` leads to. One more link, which the kernel makes,
    leads from there to the file.
    """
    for _ in range(_MOST_LINKS):
        place = Path(os.path.realpath(path.parent), path.name)
        if found := _DESCRIPTOR.fullmatch(str(place)):
            return found
        if not place.is_symlink():
            return None
        path = place.parent / place.readlink()
    return None


def opened_again(path: Path) -> int | None:
    """A copy, to be closed, of the open descriptor of this process that `path` leads to, if it does."""
    own = _own_descriptor(path)
    return None if own is None else os.dup(own)


def _own_descriptor(path: Path) -> int | None:
    """The number of the open descriptor of this process that `path` leads to."""
    found = _descriptor_of(path)
    return int(found["number"]) if found and found["process"] == os.path.realpath("/proc/self") else None


def _is_replaced(path: Path, mode: int | None) -> bool:
    return _descriptor_of(path) is None and (mode is None or stat.S_ISREG(mode))


def _mode_of(path: Path) -> int | None:
    """The mode of what `path` leads to, None if there is nothing."""
    descriptor = _own_descriptor(path)
    if descriptor is not None:
        return _mode_of_descriptor(descriptor)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(path, os.W_OK):  # a file that is protected is not replaced either
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return mode


def _mode_of_descriptor(descriptor: int) -> int:
    """Whether it takes output was settled when it was opened, whoever may open its file now."""
    if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return os.fstat(descriptor).st_mode


def _behind_links(path: Path) -> Path:
    return Path(os.path.realpath(path))


def replace(target: Path, content: bytes, mode: int | None = None) -> None:
    """As `write_atomically`, of a path that is not a link; raises OSError."""
    with temporary_beside(target) as temporary:
        _create(temporary, content, mode)
        temporary.replace(target)
    _sync_folder(target.parent)


@contextlib.contextmanager
def temporary_beside(target: Path) -> Iterator[Path]:
    """A name in the folder of the target that no other writer has; what is there at the end is removed."""
    temporary = target.with_name(f".groma-{secrets.token_hex(6)}.tmp")
    try:
        yield temporary
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _create(path: Path, content: bytes, mode: int | None) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
        if mode is not None:
            os.fchmod(stream.fileno(), mode & 0o777)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, unless the file system cannot sync a folder."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_special(path: Path, content: bytes) -> None:
    """Write to a device, a pipe or an open descriptor."""
    descriptor = _opened_special(path)
    try:
        _write_all(descriptor, content)
    finally:
        os.close(descriptor)


def _opened_special(path: Path) -> int:
    """A copy of a descriptor of this process goes on where that stands. Else the content goes to the end.

    A pipe without a reader is refused, since it would block forever.
    """
    own = opened_again(path)
    if own is not None:
        return own
    flags = os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    descriptor = os.open(path, flags)
    os.set_blocking(descriptor, True)
    return descriptor


def _write_all(descriptor: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        try:
            left = left[os.write(descriptor, left) :]
        except BlockingIOError:  # who shares the descriptor made it so
            waiting = select.poll()
            waiting.register(descriptor, select.POLLOUT)
            waiting.poll()


def _try_special(path: Path) -> None:
    """A newline, which JSON ignores, shows whether a device accepts anything.

    A pipe is not tried: its reader would take the end of the trial for the end of the file.
    """
    if stat.S_ISCHR(path.stat().st_mode):
        _write_special(path, b"\n")


def _not_written(path: Path, error: OSError | ValueError, option: str) -> GromaError:
    if isinstance(error, OSError):
        cause, cure = cause_of(error), _CURES.get(error.errno or 0, _OTHERWISE)
    else:
        cause, cure = "this is not a file name", _OTHERWISE
    return GromaError(f"cannot write {path}: {cause}", cure.format(option=option), ExitCode.ENVIRONMENT)
