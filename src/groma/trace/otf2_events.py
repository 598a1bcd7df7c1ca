"""Events of OTF2 by the functions of its library, which take a tenth of the time of its classes in Python.

What the classes keep for the definitions is kept here as well. They have no public names for it.
"""

# ruff: noqa: SLF001

from __future__ import annotations

import ctypes
import importlib
from typing import TYPE_CHECKING, Any, NamedTuple

from groma.trace.steps import ENTER, LEAVE, SEND

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.trace.steps import Integers, Steps

    Function = Callable[..., int]

_HANDLE, _NO_ATTRIBUTES = (ctypes.c_void_p, ctypes.c_void_p), None
_BOUNDARY = (*_HANDLE, ctypes.c_uint64, ctypes.c_uint32)  # time, region
_MESSAGE = (*_BOUNDARY, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64)  # partner, world, tag, bytes


class Messages(NamedTuple):
    """Those that a thread sends, or receives: columns."""

    partners: Integers
    worlds: Integers  # references of their communicators
    tags: Integers
    sizes: Integers


def reference_of(definition: Any) -> int:
    """By which events name it."""
    return int(definition._ref)


class EventWriter:
    """Writes events into an archive that is open. `regions` are references: those of the keys of steps."""

    def __init__(self, archive: Any) -> None:
        self.regions: list[int] = []
        self._archive = archive
        self._enter, self._leave = function("Enter"), function("Leave")
        self._send, self._receive = function("MpiSend"), function("MpiRecv")

    def write(self, location: Any, steps: Steps, sent: Messages, received: Messages) -> None:
        """Steps of the thread of a location. Raises the error of OTF2."""
        writer = self._archive.event_writer_from_location(location)
        handle = ctypes.cast(writer.handle, ctypes.c_void_p).value
        sends, receives = (
            list(zip(*(column.tolist() for column in one), strict=True)) for one in (sent, received)
        )
        for time, what, number in zip(*(column.tolist() for column in steps), strict=True):
            if what == ENTER:
                code = self._enter(handle, _NO_ATTRIBUTES, time, self.regions[number])
            elif what == LEAVE:
                code = self._leave(handle, _NO_ATTRIBUTES, time, self.regions[number])
            elif what == SEND:
                code = self._send(handle, _NO_ATTRIBUTES, time, *sends[number])
            else:
                code = self._receive(handle, _NO_ATTRIBUTES, time, *receives[number])
            if code:
                errors = importlib.import_module("_otf2.ErrorCodes")
                raise errors.Error(errors.ErrorCode(code))
        location._number_of_events_written = len(steps.times)
        for time in (*steps.times[:1].tolist(), *steps.times[-1:].tolist()):
            self._archive._update_timestamps(time)


def function(event: str) -> Function:
    """That writes an event; it returns a code of an error, 0 for none."""
    library = importlib.import_module("_otf2.Config").conf.lib
    kinds = _MESSAGE if event.startswith("Mpi") else _BOUNDARY
    made: Function = ctypes.CFUNCTYPE(ctypes.c_int, *kinds)((f"OTF2_EvtWriter_{event}", library))
    return made
