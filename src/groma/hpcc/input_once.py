"""An input that can be read only once: the plan and the ranks read it, each on their own."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.errors import ExitCode, GromaError
from groma.hpcc.request import SuiteRequest, input_file
from groma.record.reading import MOST_SETTINGS, cause_of, known, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

_OF_THIS_PROCESS = ("/dev", "/proc")
"""Where a regular file, such as /dev/stdin, may be another one for another process."""


@contextmanager
def readable_again(request: SuiteRequest, folder: Path) -> Iterator[SuiteRequest]:
    """The request, whose input is copied if it is a pipe, a device or a descriptor of this process.

    The copy is in `folder`, which ranks on other machines see as well, as far as it takes files. Errors that
    name the copy name the input instead. Raises GromaError: exit code 2 for an input that cannot be read or
    is too long, 4 where the copy cannot be written.
    """
    file = input_file(request, folder)
    if file is None or not _is_read_once(Path(file).absolute()):
        yield request
        return
    content = read_bytes(Path(file), MOST_SETTINGS)
    with _own_folder(folder) as own:
        copy = str(own / "hpccinf.txt")
        _write(Path(copy), content)
        try:
            yield msgspec.structs.replace(request, input_copy=copy)
        except GromaError as error:
            raise error.saying(error.what.replace(copy, file), error.next_step) from error


def _is_read_once(path: Path) -> bool:
    """What is not there, or is a folder, is refused by the program that reads it."""
    if known(path.is_file):
        return any(path.is_relative_to(place) for place in _OF_THIS_PROCESS)
    return known(path.exists) and not known(path.is_dir)


@contextmanager
def _own_folder(folder: Path) -> Iterator[Path]:
    place = folder if os.access(folder, os.W_OK | os.X_OK) else None
    try:
        own = tempfile.TemporaryDirectory(prefix=".groma-hpcc-", dir=place, ignore_cleanup_errors=True)
    except OSError as error:
        raise _no_copy(error) from error
    with own as name:
        yield Path(name)


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise _no_copy(error) from error


def _no_copy(error: OSError) -> GromaError:
    return GromaError(
        f"the input cannot be copied for the ranks: {cause_of(error)}",
        "write it into a file, and name that with --input",
        ExitCode.ENVIRONMENT,
    )
