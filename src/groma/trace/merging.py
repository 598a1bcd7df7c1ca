"""Starts groma-merge, which makes one trace of the logs of a run."""

from __future__ import annotations

import signal
from typing import IO, TYPE_CHECKING, cast

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch import native
from groma.launch.children import running
from groma.run.foreground import handed_on
from groma.run.signals import ENDING

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "groma-merge"
_MERGE_AGAIN = "groma merge DIR makes the trace of the logs in DIR"


class CallTime(msgspec.Struct, frozen=True):
    call: str
    family: str
    count: int
    seconds: float


class CounterCost(msgspec.Struct, frozen=True):
    """What a counter counts of a call because it is recorded: within the call, and outside of it."""

    event: str
    inside: float
    outside: float


class ThreadTimes(msgspec.Struct, frozen=True):
    """A thread of a rank. Times in seconds from the begin of the trace.

    `in_call` is what it was in when it ended without MPI_Finalize. `call_cost` is what recording a call
    takes, `call_cost_inside` the part of it that counts as time of the call. `no_counters` is the reason why
    the thread counted nothing, where it was asked to.

    `unnamed_records` are begins and ends of regions, and values, whose names were too many for the log. The
    first thread of a process says as well how many threads have no log, `unrecorded_threads`, and how many
    communicators were too many to be told apart, `unknown_communicators`.
    """

    application: int
    rank: int
    thread: int
    host: str
    finished: bool
    in_call: str
    lost_records: int
    overwritten_chunks: int
    damaged_chunks: int
    begin: float
    end: float
    call_cost: float
    call_cost_inside: float
    calls: list[CallTime]
    counters: list[CounterCost] = []
    no_counters: str = ""
    unrecorded_threads: int = 0
    unnamed_records: int = 0
    unknown_communicators: int = 0


class RankOf(msgspec.Struct, frozen=True):
    application: int
    rank: int


class HostAlignment(msgspec.Struct, frozen=True):
    """How the clock of a host was brought onto that of rank 0; `error` in seconds bounds what is left."""

    name: str
    aligned_by: str
    error: float
    comparisons: int = 0


class MatrixEntry(msgspec.Struct, frozen=True):
    source: int
    target: int
    messages: int
    bytes: int


class MergeSummary(msgspec.Struct, frozen=True):
    """What groma-merge says of a run. Times in seconds, sizes in bytes.

    `early_messages` arrive before they are sent, by more than the error of the clocks.
    `undetermined_receives` have no partner in the trace: nothing tells which messages they got after a
    receive from any source whose end is not recorded. `left_out_messages` are sends and receives after old
    calls were replaced, of which nothing says who their partners are. `other_mpi`: a program of another MPI
    ran as well, without the tracer. `untraced_ranks` of those that are missing had no tracer, as the others
    found; of further ones, this is not known.
    """

    duration: float
    program: str
    library: str
    logs: int
    log_bytes: int
    calls: int
    messages: int
    unmatched_sends: int
    unmatched_receives: int
    ranks: list[int]
    missing: list[RankOf]
    refused: list[str]
    hosts: list[HostAlignment]
    threads: list[ThreadTimes]
    matrix: list[MatrixEntry]
    early_messages: int = 0
    left_out_messages: int = 0
    undetermined_receives: int = 0
    other_mpi: bool = False
    untraced_ranks: int = 0


def merge(logs: Path, name: Path, folder: str | None) -> MergeSummary:
    """Writes NAME.prv, NAME.pcf and NAME.row. `folder` is that of native programs, if one is configured.

    Signals that end a run end the program, but for those of the terminal, which sends them itself. It ends
    with groma as well.

    Raises GromaError: exit code 2 where the logs cannot be used, 4 where the program fails, 130 where such a
    signal ended it.
    """
    program = native.find_program(PROGRAM, folder)
    words = [program, logs, name]
    with handed_on() as signals, running(words) as (started, complaints):
        signals.hand_on_to(started)
        output = cast("IO[bytes]", started.stdout).read()
        said = b"".join(complaints.lines())
    if started.returncode != 0:
        raise _failure(started.returncode, said)
    return native.decoded(output, MergeSummary, program)


def _failure(code: int, said: bytes) -> GromaError:
    """The logs are kept, whatever became of the trace."""
    if code < 0:
        what = f"{PROGRAM} was ended by {signal.Signals(-code).name}"
        is_meant = -code in ENDING
        return GromaError(what, _MERGE_AGAIN, ExitCode.INTERRUPTED if is_meant else ExitCode.ENVIRONMENT)
    what, _, step = said.decode(errors="replace").strip().partition("\n")
    what = what.removeprefix(f"{PROGRAM}: ") or f"{PROGRAM} failed"
    if code == ExitCode.USAGE:
        return GromaError(what, step.strip(), ExitCode.USAGE)
    return GromaError(what, "; ".join(filter(None, (step.strip(), _MERGE_AGAIN))), ExitCode.ENVIRONMENT)
