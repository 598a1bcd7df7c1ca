"""Read files that a user may name: only as much as needed, and never without end.

A file may be a device that never ends, a pipe without a writer, or of any size and content.
"""

from __future__ import annotations

import io
import os
import stat
import tomllib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from groma.errors import GromaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

START = 1 << 16
"""Bytes that tell what kind of file it is."""

MOST_SETTINGS = 1 << 20
"""Bytes of a file that a person wrote."""


def known(test: Callable[[], bool]) -> bool:
    """What a test such as path.is_dir says; False where a folder on the way may not be searched."""
    try:
        return test()
    except OSError:
        return False


def is_missing(path: Path) -> bool:
    """Whether nothing is there. Nobody knows in a folder that may not be searched: reading says why."""
    try:
        return not path.exists()
    except OSError:
        return False


def read_bytes(path: Path, most: int | Callable[[bytes], int], absent: str = "check the path") -> bytes:
    """The content of `path`, which may be a pipe; `absent` is the next step if there is no such file.

    At most `most` bytes are read. `most` may be a function that derives the limit from the first bytes, or
    refuses the file by raising. Raises GromaError (exit code 2).
    """
    with _opened(path, absent) as descriptor:
        content = io.BytesIO()
        _read_until(descriptor, START, content)
        limit = most if isinstance(most, int) else most(content.getvalue())
        if max(_size(descriptor), content.tell()) <= limit:
            _read_until(descriptor, limit + 1, content)
        if max(_size(descriptor), content.tell()) > limit:
            raise GromaError(f"{path} is larger than {_in_words(limit)}", "name a file that groma can read")
        return content.getvalue()


def blocks_of(path: Path, absent: str = "check the path") -> Iterator[bytes]:
    """All of `path`, which may be a pipe and of any size. Raises GromaError (exit code 2)."""
    with _opened(path, absent) as descriptor:
        while block := os.read(descriptor, 1 << 20):
            yield block


@contextmanager
def _opened(path: Path, absent: str) -> Iterator[int]:
    try:
        # A named pipe without a writer is then empty, where it would block for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        try:
            os.set_blocking(descriptor, True)
            yield descriptor
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        step = "for standard input, name /dev/stdin" if str(path) == "-" else absent
        raise GromaError(f"{path}: no such file", step) from None
    except IsADirectoryError:
        raise GromaError(f"{path} is a folder", "name the file in the folder") from None
    except OSError as error:
        raise GromaError(f"{path}: {cause_of(error)}", "make the file readable") from error
    except ValueError:
        raise GromaError(f"{str(path)!r} is not a file name", absent) from None


def _read_until(descriptor: int, most: int, content: io.BytesIO) -> None:
    """Continue until `content` holds `most` bytes or the file ends."""
    while content.tell() < most:
        block = os.read(descriptor, min(most - content.tell(), 1 << 20))
        if not block:
            return
        content.write(block)


def _size(descriptor: int) -> int:
    """The size of a regular file as far as it is known; files of /proc report none."""
    status = os.fstat(descriptor)
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _in_words(limit: int) -> str:
    return f"{limit >> 20} MiB"


def cause_of(error: OSError) -> str:
    """The system's words for an error, in lower case."""
    return os.strerror(error.errno).lower() if error.errno else str(error)


def read_toml(path: Path, absent: str = "check the path") -> dict[str, Any]:
    """The document in a TOML file of 1 MiB at most. Raises GromaError (exit code 2) with the place in it."""
    content = read_bytes(path, MOST_SETTINGS, absent)
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise GromaError(f"{path} is not UTF-8 text (byte {error.start})", "save it as UTF-8") from None
    except RecursionError:
        raise GromaError(f"{path} is nested too deep", "correct the file (TOML)") from None
    except ValueError as error:  # also a whole number of more digits than Python reads
        what = str(error)[:1].lower() + str(error)[1:]
        raise GromaError(f"{path} is not TOML: {what}", "correct the file there") from None
