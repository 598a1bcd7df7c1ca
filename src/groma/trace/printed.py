"""Writes a trace in formats of other programs that groma-trace-store prints."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Literal

from groma.errors import GromaError
from groma.launch.trace_store import print_trace, trace_in

if TYPE_CHECKING:
    from pathlib import Path


def write_printed(word: Literal["perfetto", "replay"], trace: Path, target: Path, folder: str | None) -> Path:
    """Writes TARGET, compressed if it ends with .gz, and returns the trace that was read.

    Raises GromaError: exit code 2 where the trace cannot be read or the target not be written.
    """
    source = trace_in(trace)
    part = target.with_name(target.name + ".part")
    try:
        with gzip.open(part, "wb", compresslevel=1) if target.suffix == ".gz" else part.open("wb") as file:
            print_trace(word, source, file, folder)
        part.replace(target)
    except OSError as error:
        raise GromaError(f"{target} cannot be written: {error.strerror}", "name another file") from None
    finally:
        part.unlink(missing_ok=True)
    return source
