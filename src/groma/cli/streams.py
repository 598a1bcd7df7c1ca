"""Standard output and standard error of a process that finishes its work whatever becomes of them.

Whoever reads may go away, a disk may be full, a descriptor may be closed from the start. A write that fails
is remembered and the rest is left out; the exit code shows it at the end, so that a measurement is never lost
to its own progress.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import select
import sys
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STDIN, STDOUT, STDERR = 0, 1, 2

_ASCII = defaultdict(lambda: "?", {ord("µ"): "u", ord("─"): "-"})


class Channel(io.RawIOBase):
    """A descriptor that takes everything; `lost` is why what it took did not get through."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self.descriptor = descriptor
        self.lost: OSError | None = None

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.descriptor

    def isatty(self) -> bool:
        return os.isatty(self.descriptor)

    def write(self, content: ReadableBuffer, /) -> int:
        if self.lost is not None:
            return memoryview(content).nbytes
        try:
            return os.write(self.descriptor, content)
        except BlockingIOError:  # who shares the descriptor made it so
            select.select([], [self.descriptor], [])
            return 0
        except OSError as error:
            self.lost = error
            return memoryview(content).nbytes

    @property
    def failed(self) -> OSError | None:
        """As `lost`; a reader that went away had what it wanted."""
        return None if self.lost is None or self.lost.errno == errno.EPIPE else self.lost


class Streams(NamedTuple):
    out: Channel
    err: Channel


def take_over() -> Streams:
    """Let all that is written to standard output and standard error go through channels."""
    for descriptor in (STDIN, STDOUT, STDERR):
        _keep_taken(descriptor)
    codecs.register_error("groma.spelled", _spelled)
    streams = Streams(Channel(STDOUT), Channel(STDERR))
    sys.stdin = sys.stdin or open(STDIN, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = _text_over(streams.out, sys.stdout, line_buffering=streams.out.isatty())
    sys.stderr = _text_over(streams.err, sys.stderr, line_buffering=True)
    return streams


def _keep_taken(descriptor: int) -> None:
    """Where a standard descriptor is closed the next file would get its number, and the output of all others.

    /dev/null takes its place, opened the wrong way round: writing still fails as on a closed one.
    """
    try:
        os.fstat(descriptor)
    except OSError:
        opened = os.open(os.devnull, os.O_RDONLY)
        if opened != descriptor:
            os.dup2(opened, descriptor)
            os.close(opened)
        os.set_inheritable(descriptor, True)


def _text_over(channel: Channel, before: TextIO | None, *, line_buffering: bool) -> io.TextIOWrapper:
    """Text in the encoding of the stream before; µ becomes u where it has none, as engineers spell it."""
    return io.TextIOWrapper(
        io.BufferedWriter(channel),
        encoding=(before and before.encoding) or "utf-8",
        errors="groma.spelled",
        line_buffering=line_buffering,
    )


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return error.object[error.start : error.end].translate(_ASCII), error.end
