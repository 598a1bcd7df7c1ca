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
from groma.record.read_once import is_read_once
from groma.record.reading import MOST_SETTINGS, cause_of, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def readable_again(request: SuiteRequest, folder: Path) -> Iterator[SuiteRequest]:
    """The request, whose input is copied if it is a pipe, a device or a descriptor of this process.

    The copy is in `folder`, which ranks on other machines see as well, as far as it takes files. Errors that
    name the copy name the input instead. Raises GromaError: exit code 2 for an input that cannot be read or
    is too long, 4 where the copy cannot be written.
    """
    file = input_file(request, folder)
    if file is None or not is_read_once(Path(file)):
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
