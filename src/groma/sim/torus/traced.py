"""The trace of a simulated run: where it lies, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.errors import ExitCode, GromaError
from groma.record import Advice
from groma.sim.torus.protocol import TraceOptions

if TYPE_CHECKING:
    from pathlib import Path

    from groma.facts.torus import TorusFacts
    from groma.record import Record
    from groma.sim.torus.protocol import Result

NAME = "trace"
"""Of the files, without their endings."""

_UNTRACED = "torus.untraced"
_NEXT = "free space there, simulate fewer updates, or name another folder with --paraver"


def trace_options(folder: Path, frequency: float) -> TraceOptions:
    """Asks for a trace in this folder."""
    return TraceOptions(path=str(folder.absolute() / NAME), nanoseconds_per_cycle=1e9 / frequency)


def files_in(folder: Path) -> list[Path]:
    """Of a trace in this folder."""
    return [folder / f"{NAME}{ending}" for ending in (".prv", ".pcf", ".row")]


def make_empty(folder: Path) -> None:
    """Raises GromaError: exit code 4 for a folder that cannot be used, 2 for one that holds a trace."""
    another = "name another folder with --paraver"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.glob(f"{NAME}.*")):
            raise GromaError(f"{folder} holds another trace", f"remove it, or {another}")
    except OSError as error:
        raise GromaError(
            f"{folder} cannot be used: {error.strerror}", another, ExitCode.ENVIRONMENT
        ) from None


def advice_of_trace(result: Result) -> list[Advice]:
    """What a reader has to know where a trace was wanted and is not there."""
    if result.trace is None or not result.trace.failed:
        return []
    return [Advice(code=_UNTRACED, what=f"there is no trace: {result.trace.failed}", next=_NEXT)]


def refuse_untraced(record: Record[TorusFacts]) -> None:
    """Raises GromaError (exit code 4) after a run whose trace could not be written."""
    for one in record.warnings:
        if one.code == _UNTRACED:
            raise GromaError(one.what, one.next, ExitCode.ENVIRONMENT)
