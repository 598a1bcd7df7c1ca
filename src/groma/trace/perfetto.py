"""Writes a trace for Perfetto and Chrome, as groma-trace-store prints it."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from typing import IO, TYPE_CHECKING, cast

from groma.errors import GromaError
from groma.launch import native
from groma.trace.sums import PROGRAM, failure, trace_in

if TYPE_CHECKING:
    from pathlib import Path


def write_perfetto(trace: Path, target: Path, folder: str | None) -> Path:
    """Writes TARGET, compressed if it ends with .gz, and returns the trace that was read.

    Raises GromaError: exit code 2 or 3 where the trace cannot be read or the target not be written.
    """
    source = trace_in(trace)
    program = native.find_program(PROGRAM, folder)
    part = target.with_name(target.name + ".part")
    try:
        with gzip.open(part, "wb", compresslevel=1) if target.suffix == ".gz" else part.open("wb") as file:
            _copy([program, "perfetto", source], file)
        part.replace(target)
    except OSError as error:
        raise GromaError(f"{target} cannot be written: {error.strerror}", "name another file") from None
    finally:
        part.unlink(missing_ok=True)
    return source


def _copy(words: list[str | Path], file: IO[bytes] | gzip.GzipFile) -> None:
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        shutil.copyfileobj(cast("IO[bytes]", running.stdout), file, 1 << 20)
        said = cast("IO[bytes]", running.stderr).read()
    if running.returncode != 0:
        raise failure(running.returncode, said)
