"""The records of a trace as arrays, as groma-trace-store prints them."""

from __future__ import annotations

import struct
from typing import IO, TYPE_CHECKING, NamedTuple, cast

import msgspec
import numpy as np

from groma.launch import native
from groma.launch.children import StderrTail, start
from groma.launch.trace_store import PROGRAM, TraceWarning, failure, warnings_in

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    Rows = NDArray[np.uint64]

_HEAD = struct.Struct("=IIQ")  # kind, columns, rows
_TEXT = 0
KINDS = {1: "states", 2: "events", 3: "messages", 4: "steps"}
COLUMNS = {
    "states": ("object", "begin", "end", "state"),
    "events": ("object", "time", "type", "value"),
    "messages": (
        "sender",
        "logical_send",
        "physical_send",
        "receiver",
        "logical_receive",
        "physical_receive",
        "bytes",
        "tag",
    ),
    "steps": ("object", "time", "ends", "type", "value"),
}

RECORDS = ("states", "events", "messages")
"""Kinds that rows_of() has; steps_of() has messages and steps."""


class NamedType(msgspec.Struct, frozen=True):
    type: int
    label: str
    values: list[tuple[int, str]]


class RowsHead(msgspec.Struct, frozen=True):
    """Objects are application, task, thread and node; times are nanoseconds."""

    created: str
    duration: int
    nodes: list[str]
    objects: list[tuple[int, int, int, int]]
    states: list[tuple[int, str]]
    types: list[NamedType]


def labels_of_values(head: RowsHead) -> dict[tuple[int, int], str]:
    """Names of the values of events, by type and value; without those for which Extrae had none."""
    return {
        (one.type, value): label for one in head.types for value, label in one.values if label != "(null)"
    }


class Frame(NamedTuple):
    """Some records of a kind, one a row, with the columns of COLUMNS."""

    kind: str
    rows: Rows


class TraceRows:
    """The head, and then frames; those of one kind in the order of times, which a pipe may lack. After the
    last frame, `warnings` say what is wrong with the trace, and `left_out` counts kinds of records that
    steps are without.
    """

    def __init__(self, running: subprocess.Popen[bytes]) -> None:
        self.warnings: list[TraceWarning] = []
        self.left_out: dict[str, int] = {}
        self._running = running
        self._out = cast("IO[bytes]", running.stdout)
        self._complaints = StderrTail(running)
        self._is_read = False
        try:
            self.head = self._read_head()
        except BaseException:
            self.close()
            raise

    def _read_head(self) -> RowsHead:
        found = self._next()
        if found is None:
            said = self._said()
            raise failure(self._running.wait(), said)
        return msgspec.json.decode(found[1], type=RowsHead)

    def __iter__(self) -> Iterator[Frame]:
        while (found := self._next()) is not None:
            kind, content, columns = found
            if kind == _TEXT:
                self.left_out = msgspec.json.decode(content, type=dict[str, int])
                continue
            yield Frame(KINDS[kind], np.frombuffer(content, dtype=np.uint64).reshape(-1, columns))
        said = self._said()
        if self._running.wait() != 0:
            raise failure(self._running.returncode, said)
        self.warnings = warnings_in(said)

    def _next(self) -> tuple[int, bytes, int] | None:
        head = self._out.read(_HEAD.size)
        if len(head) < _HEAD.size:
            self._is_read = True
            return None
        kind, columns, rows = _HEAD.unpack(head)
        return kind, self._out.read(rows if kind == _TEXT else 8 * columns * rows), columns

    def _said(self) -> bytes:
        return b"".join(self._complaints.lines())

    def close(self) -> None:
        """Ends the program where rows are left: it may wait for a pipe that nobody writes to."""
        if not self._is_read:
            self._running.kill()
        self._out.close()
        self._running.wait()
        self._said()
        cast("IO[bytes]", self._running.stderr).close()


def rows_of(trace: Path, folder: str | None) -> TraceRows:
    """Of all records. To be closed. Raises GromaError: exit code 2 where the trace cannot be read, 4 where
    the program fails.
    """
    return _printed("rows", trace, folder)


def steps_of(trace: Path, folder: str | None) -> TraceRows:
    """Of messages, and of the begins and ends of calls, regions and functions as they nest; those of a thread
    are in the order of times. To be closed. Raises GromaError as rows_of() does.
    """
    return _printed("steps", trace, folder)


def _printed(verb: str, trace: Path, folder: str | None) -> TraceRows:
    program = native.find_program(PROGRAM, folder)
    return TraceRows(start([program, verb, trace]))
