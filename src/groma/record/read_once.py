"""Inputs that can be read only once, such as pipes: what is read several times, or elsewhere, is a copy."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from groma.errors import ExitCode, GromaError
from groma.record.reading import blocks_of, cause_of, known

if TYPE_CHECKING:
    from collections.abc import Iterator

_OF_THIS_PROCESS = ("/dev", "/proc")
"""Where a regular file, such as /dev/stdin, may be another one for another process."""


def is_read_once(path: Path) -> bool:
    """A pipe, a device, or a descriptor of this process. What is not there, or is a folder, is refused by
    what reads it.
    """
    path = path.absolute()
    if known(path.is_file):
        return any(path.is_relative_to(place) for place in _OF_THIS_PROCESS)
    return known(path.exists) and not known(path.is_dir)


@contextmanager
def copy_of(path: Path) -> Iterator[Path]:
    """All of it, in a file that other processes of this machine can read. Errors that name the copy name the
    path instead.

    Raises GromaError: exit code 2 for a path that cannot be read, 4 where the copy cannot be written.
    """
    with _folder_for(path) as folder:
        copy = Path(folder) / "copy"
        _write(path, copy)
        try:
            yield copy
        except GromaError as error:
            raise error.saying(error.what.replace(str(copy), str(path)), error.next_step) from error


def _folder_for(path: Path) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="groma-input-", ignore_cleanup_errors=True)
    except OSError as error:
        raise _no_copy(path, error) from error


def _write(path: Path, copy: Path) -> None:
    try:
        with copy.open("wb") as file:
            for block in blocks_of(path):
                file.write(block)
    except OSError as error:
        raise _no_copy(path, error) from error


def _no_copy(path: Path, error: OSError) -> GromaError:
    return GromaError(
        f"{path} cannot be copied for what reads it: {cause_of(error)}",
        "write it into a file and name that, or set TMPDIR to a folder with more space",
        ExitCode.ENVIRONMENT,
    )
