"""Writes a trace in formats of other programs that groma-trace-store prints."""

from __future__ import annotations

import gzip
import os
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from groma.errors import ExitCode, GromaError
from groma.launch.trace_store import print_trace, trace_in
from groma.record.writing import is_special, opened_again, temporary_beside
from groma.trace.losses import KeptEnd
from groma.trace.redaction import CleanedEvents, changed_labels
from groma.trace.replacing import refuse_replacing
from groma.trace.rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    from groma.launch.trace_store import TraceWarning

    Writable = IO[bytes] | gzip.GzipFile

STANDARD_OUTPUT = Path("-")


def write_printed(
    word: Literal["perfetto", "replay"],
    trace: Path,
    target: Path,
    folder: str | None,
    *,
    redact: bool = False,
) -> list[TraceWarning]:
    """Writes TARGET, compressed if it ends with .gz, and returns what is wrong with it or left out. TARGET -
    is standard output.

    `redact` leaves names of hosts and users out of labels; a replay has no labels.

    Raises GromaError: exit code 2 where the trace cannot be read or the target is a file of it, 4 where the
    target cannot be written.
    """
    source = trace_in(trace)
    refuse_replacing(source, target)
    labels = _changed_labels(source, folder) if redact and word == "perfetto" else {}
    try:
        with _writable(target) as file:
            if labels:
                cleaned = CleanedEvents(file, labels)
                warnings = print_trace(word, source, cast("IO[bytes]", cleaned), folder)
                cleaned.finish()
            elif word == "replay":
                text = KeptEnd(file)
                warnings = print_trace(word, source, cast("IO[bytes]", text), folder)
                warnings.extend(text.losses())
            else:
                warnings = print_trace(word, source, file, folder)
    except BrokenPipeError:
        raise
    except OSError as error:
        what = f"{target} cannot be written: {error.strerror}"
        raise GromaError(what, "name another file", ExitCode.ENVIRONMENT) from None
    return warnings


def _changed_labels(source: Path, folder: str | None) -> dict[str, str]:
    """A pipe has no names beside it, and can be read once."""
    if is_special(source):
        return {}
    with closing(rows_of(source, folder)) as rows:
        return changed_labels(rows.head)


@contextmanager
def _writable(target: Path) -> Iterator[Writable]:
    if target == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with _place_for(target) as place, _opened(place, target.suffix) as file:
        yield file


@contextmanager
def _place_for(target: Path) -> Iterator[Path]:
    """A file beside the target that replaces it when it is complete; devices and pipes get it as it comes."""
    if is_special(target):
        yield target
        return
    whole = Path(os.path.realpath(target))
    with temporary_beside(whole) as part:
        yield part
        part.replace(whole)


@contextmanager
def _opened(place: Path, ending: str) -> Iterator[Writable]:
    own = opened_again(place)  # its file is continued
    with place.open("wb") if own is None else os.fdopen(own, "wb") as file:
        if ending != ".gz":
            yield file
            return
        with gzip.GzipFile("", "wb", 1, file, mtime=0) as compressed:  # no temporary name in it
            yield compressed
