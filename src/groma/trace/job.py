"""From a command to a trace: run it with the tracer in it, merge what that wrote, say what it did."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from groma.errors import ExitCode, GromaError
from groma.facts.trace import KIND
from groma.launch.native import UNREADABLE
from groma.launch.trace_store import trace_in
from groma.record.io import write_record
from groma.record.reading import known
from groma.record.redact import redacted_here
from groma.record.trace_folder import LOGS, MATRIX, SUMMARY
from groma.record.unfinished import command_line
from groma.record.writing import write_atomically
from groma.run.provenance import analysis_record, new_record
from groma.trace.clearing import OTHER_MPI, has_logs, replaced
from groma.trace.infer import trace_facts
from groma.trace.merging import MergeSummary, merge
from groma.trace.preload import Recording, tracer_for, variables, with_variables
from groma.trace.programs import executables
from groma.trace.run import run
from groma.trace.statistics import nanoseconds_of
from groma.trace.statistics import warnings as warnings_of_trace
from groma.trace.summary import matrix_csv
from groma.trace.summary import warnings as warnings_of_run
from groma.trace.sums import sums_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.trace import TraceFacts
    from groma.host.host import Host
    from groma.record import Record
    from groma.run.provenance import Provenance
    from groma.trace.sums import TraceSums


class TraceRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The command to trace, and the folder for its logs. `mpi` is openmpi or mpich where the user said so.

    `replace`: an earlier trace in the folder is removed once there are new logs.
    """

    words: tuple[str, ...]
    folder: Path
    mpi: str | None = None
    recording: Recording = Recording()
    replace: bool = False


def empty_logs(folder: Path) -> Path:
    """The folder of logs, made. Raises GromaError (exit code 2) where there are some already."""
    logs = folder / LOGS
    try:
        logs.mkdir(parents=True, exist_ok=True)
        if any(logs.iterdir()):
            raise GromaError(
                f"{logs} has logs of another run",
                "name another folder with -o, or remove that trace with --replace",
            )
    except OSError as error:
        raise GromaError(f"{logs} cannot be used: {error.strerror}", "name another folder with -o") from None
    return logs.resolve()


class TracedRun(NamedTuple):
    """The exit code of a command, and why no logs came of it."""

    code: int
    nothing: GromaError | None


def trace_run(host: Host, request: TraceRequest, native_folder: str | None) -> TracedRun:
    """Runs the command."""
    tracer = tracer_for(host, request.words, native_folder, request.mpi)
    with replaced(request.folder) if request.replace else nullcontext():
        logs = empty_logs(request.folder)
        given = variables(tracer, logs, request.recording)
        code = run(*with_variables(host, request.words, given))
        if has_logs(request.folder):
            return TracedRun(code, None)
        return TracedRun(code, why_nothing(request.words, request.folder / LOGS, code))


class MergedTrace(NamedTuple):
    summary: MergeSummary
    facts: TraceFacts


def merged_summary(logs: Path, name: Path, native_folder: str | None) -> MergeSummary:
    """What the merge says, and what the tracer left in the folder of the logs. Raises what `merge` raises."""
    summary = merge(logs, name, native_folder)
    return msgspec.structs.replace(summary, other_mpi=(logs / OTHER_MPI).exists())


def merge_run(
    folder: Path, name: str, native_folder: str | None, provenance: Provenance | None
) -> MergedTrace:
    """Makes the trace of the logs in a folder, with its matrix, summary and record beside it.

    `provenance` is what is known of the place where it ran. Raises GromaError (exit code 2) for a name with
    folders, and for that of the summary.
    """
    _refuse_name(name)
    logs = folder / LOGS if known((folder / LOGS).is_dir) else folder
    _refuse_without_logs(folder, logs)
    summary = merged_summary(logs, folder / name, native_folder)
    write_atomically(folder / MATRIX, matrix_csv(summary).encode())
    write_atomically(folder / SUMMARY, msgspec.json.format(msgspec.json.encode(summary), indent=1) + b"\n")
    trace = folder / f"{name}.groma"
    record = _record(trace, sums_of(trace, native_folder), summary, provenance)
    write_record(folder / f"{name}.json", record)
    return MergedTrace(summary, record.facts)


def _refuse_without_logs(folder: Path, logs: Path) -> None:
    """The program names the folder of the logs, and here one knows that of the trace."""
    if known(logs.is_dir) and not any(logs.glob("*.log")):
        trace = command_line("groma", "trace", "-o", str(folder), "--", "mpirun")
        raise GromaError(f"{logs} has no logs of groma's tracer", f"trace a program first: {trace} …")


def _refuse_name(name: str) -> None:
    if name in {"", "..", Path(SUMMARY).stem} or name != Path(name).name:
        raise GromaError(
            f"{name!r} is not the name of a trace", f"use a name without folders, not that of {SUMMARY}"
        )


def record_of(trace: Path, native_folder: str | None, *, redact: bool = False) -> Record[TraceFacts]:
    """The record of a trace, or of the one in a folder. `redact` leaves names of hosts and users out.

    Raises what `sums_of` raises.
    """
    file = trace_in(trace)
    sums = sums_of(file, native_folder)
    summary = summary_beside(file, sums)
    record = _record(file, sums, summary, None)
    return redacted_here(record, sums.node_names) if redact else record


def _record(
    trace: Path, sums: TraceSums, summary: MergeSummary | None, provenance: Provenance | None
) -> Record[TraceFacts]:
    facts = trace_facts(sums, trace.name, summary)
    record = analysis_record(KIND, facts) if provenance is None else new_record(KIND, provenance, {}, facts)
    record.warnings = [*(warnings_of_run(summary) if summary else ()), *warnings_of_trace(sums)]
    return record


def summary_beside(trace: Path, sums: TraceSums) -> MergeSummary | None:
    """What the merge said of a trace that it made; None of any other trace, such as a part of it that is
    shorter, or has fewer calls or messages.
    """
    try:
        summary = msgspec.json.decode((trace.parent / SUMMARY).read_bytes(), type=MergeSummary)
    except (OSError, *UNREADABLE):
        return None
    said = nanoseconds_of(summary.duration), _calls_of(summary), summary.messages
    calls = sum(one.count for one in sums.calls)
    return summary if said == (sums.duration, calls, sums.records.communications) else None


def _calls_of(summary: MergeSummary) -> int:
    """In the trace, which has those as well in which threads ended."""
    return summary.calls + sum(1 for one in summary.threads if one.in_call)


def files_of(folder: Path, name: str) -> str:
    """What `merge_run` leaves in a folder, as one line for the user."""
    return f"{folder / name}.prv, .pcf, .row, .groma, .json, {MATRIX}, {SUMMARY}"


def why_nothing(words: Sequence[str], logs: Path, code: int = 0) -> GromaError:
    """The reason why a command left no logs, as far as its programs, the tracer and its exit code say it."""
    if not logs.is_dir():
        return _nothing(f"{logs} was removed during the run", "name a folder with -o that stays")
    if (logs / OTHER_MPI).exists():
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
    if code != 0:
        return _nothing(f"the command ended with exit code {code} before MPI_Init", "see its messages above")
    return _nothing(
        "no process called MPI_Init", "check that the command runs an MPI program of this MPI (--mpi)"
    )


def _nothing(what: str, step: str) -> GromaError:
    return GromaError(f"nothing was traced: {what}", step, ExitCode.NOTHING_RAN)
