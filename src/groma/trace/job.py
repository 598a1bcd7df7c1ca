"""From a command to a trace: run it with the tracer in it, merge what that wrote, say what it did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.errors import ExitCode, GromaError
from groma.record.writing import write_atomically
from groma.trace.merging import MergeSummary, merge
from groma.trace.preload import Buffer, tracer_for, variables, with_variables
from groma.trace.programs import executables
from groma.trace.run import run
from groma.trace.summary import matrix_csv

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.host.host import Host

LOGS = "logs"
NAME = "trace"  # of the files for Paraver and of the store, without ending
MATRIX = "matrix.csv"
SUMMARY = "summary.json"
_OTHER_MPI = "other-mpi"  # the tracer leaves it where it gave way


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be traced, into which folder. `mpi` is openmpi or mpich where the user said so."""

    words: tuple[str, ...]
    folder: Path
    mpi: str | None = None
    buffer: Buffer = Buffer()
    counters: tuple[str, ...] = ()


def empty_logs(folder: Path) -> Path:
    """The folder of logs, made. Raises GromaError (exit code 2) where there are some already."""
    logs = folder / LOGS
    try:
        logs.mkdir(parents=True, exist_ok=True)
        if any(logs.iterdir()):
            raise GromaError(f"{logs} has logs of another run", "remove them, or name another folder with -o")
    except OSError as error:
        raise GromaError(f"{logs} cannot be used: {error.strerror}", "name another folder with -o") from None
    return logs.resolve()


def trace_run(host: Host, order: Order, native_folder: str | None) -> int:
    """Runs the command. Its exit code."""
    tracer = tracer_for(host, order.words, native_folder, order.mpi)
    logs = empty_logs(order.folder)
    words, extra = with_variables(host, order.words, variables(tracer, logs, order.buffer, order.counters))
    return run(words, extra)


def merge_run(folder: Path, name: str, native_folder: str | None) -> MergeSummary:
    """Makes the trace of the logs in a folder, with its matrix and summary beside it."""
    logs = folder / LOGS if (folder / LOGS).is_dir() else folder
    summary = merge(logs, folder / name, native_folder)
    write_atomically(folder / MATRIX, matrix_csv(summary).encode())
    write_atomically(folder / SUMMARY, msgspec.json.format(msgspec.json.encode(summary), indent=1) + b"\n")
    return summary


def files_of(folder: Path, name: str) -> str:
    """What `merge_run` leaves in a folder, as one line for the user."""
    return f"{folder / name}.prv, .pcf, .row, .groma, {MATRIX}, {SUMMARY}"


def why_nothing(words: Sequence[str], logs: Path) -> GromaError:
    """The reason why a command left no logs, as far as its programs and the tracer say it."""
    if (logs / _OTHER_MPI).exists():
        return _nothing("the program uses another MPI than the tracer", "name that MPI with --mpi")
    for program in executables(words):
        if program.changes_user:
            return _nothing(
                f"{program.path} runs as another user: no library can be preloaded", "trace a copy"
            )
        if program.is_static:
            return _nothing(
                f"{program.path} is linked statically: no library can be preloaded", "link it again"
            )
    return _nothing(
        "no process called MPI_Init", "check that the command runs an MPI program of this MPI (--mpi)"
    )


def _nothing(what: str, step: str) -> GromaError:
    return GromaError(f"nothing was traced: {what}", step, ExitCode.NOTHING_RAN)
