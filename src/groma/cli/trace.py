"""groma trace: run an MPI program and record each of its calls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from groma.cli.frame import Output, Verb, pass_output
from groma.errors import GromaError

if TYPE_CHECKING:
    from groma.trace.job import MergedTrace, TracedRun, TraceRequest

_FOLDER = Path("groma-trace")
_MOST_COUNTERS = 8


@click.command(
    "trace",
    cls=Verb,
    examples=[
        "groma trace -- mpirun -n 4 ./app  # groma-trace/trace.prv, for Paraver",
        "groma trace -o t1 -- srun -n 64 ./app input  # into the folder t1",
        "groma trace -o t1 --replace -- mpirun -n 4 ./app  # again, without the earlier trace",
        "groma trace --buffer 64MiB --when-full newest -- mpirun ./app  # the last calls of a long run",
        "groma trace --counters instructions,cycles -- mpirun ./app  # what each call counts",
        "groma trace --call-sites -- mpirun ./app  # lines of the program (compile it with -g)",
        "groma report groma-trace/trace.json  # a page of it",
        "groma map --matrix groma-trace/matrix.csv  # places for the ranks",
    ],
    context_settings={"ignore_unknown_options": False},
)
@click.argument("command_words", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    default=_FOLDER,
    show_default=True,
    help="Folder of the trace. It must hold no other trace, unless --replace removes that.",
)
@click.option(
    "--replace",
    is_flag=True,
    help="Replace an earlier trace of groma in DIR; a run without logs leaves it there.",
)
@click.option("--buffer", metavar="SIZE", help="Limit of the log of each thread (default: none).")
@click.option(
    "--when-full",
    type=click.Choice(["stop", "newest"]),
    default="stop",
    show_default=True,
    help="At the limit, stop recording, or keep the first 256 KiB and the newest calls.",
)
@click.option(
    "--counters",
    metavar="LIST",
    help="Read these events or groups at the beginning and end of each call (see groma counters).",
)
@click.option(
    "--count-misses",
    is_flag=True,
    help="Count tests and probes that get nothing, with their time, and do not record each.",
)
@click.option(
    "--call-sites",
    is_flag=True,
    help="Record from which function and line each call comes.",
)
@click.option(
    "--mpi",
    type=click.Choice(["openmpi", "mpich"]),
    help="The MPI of the program (default: detected from the program and the launcher).",
)
@pass_output
def command(
    output: Output,
    /,
    command_words: tuple[str, ...],
    folder: Path,
    buffer: str | None,
    when_full: str,
    counters: str | None,
    mpi: str | None,
    *,
    replace: bool,
    count_misses: bool,
    call_sites: bool,
) -> None:
    """Run COMMAND and record each MPI call of its processes.

    The program runs unchanged, with its own output and exit code. DIR gets a trace for Paraver (.prv, .pcf,
    .row), the same trace as a store (.groma), a record of its tables for groma report (trace.json), the
    communication matrix (matrix.csv) and a summary (summary.json). groma writes its own messages to standard
    error.
    """
    from groma.host.host import Host  # noqa: PLC0415
    from groma.record.typed_amounts import parse_size  # noqa: PLC0415
    from groma.trace.job import TraceRequest, trace_run  # noqa: PLC0415
    from groma.trace.preload import Buffer, Recording  # noqa: PLC0415

    native = output.settings().native.path
    recording = Recording(
        counters=_counters(counters, native) if counters else (),
        count_misses=count_misses,
        call_sites=call_sites,
        buffer=Buffer(most_bytes=parse_size(buffer) if buffer else 0, newest=when_full == "newest"),
    )
    request = TraceRequest(words=command_words, folder=folder, mpi=mpi, recording=recording, replace=replace)
    done = trace_run(Host(), request, native)
    try:
        merged = _merged(request, native, done)
    except GromaError as error:
        # The exit code is the program's, whatever came of its trace.
        output.say(f"groma: {error.what}")
        output.say(f"  -> {error.next_step}")
    else:
        _show(output, request, merged)
    click.get_current_context().exit(done.code)


def _counters(names: str, native: str | None) -> tuple[str, ...]:
    """The events that `names` stand for. Raises GromaError (exit code 2) where they do not fit together."""
    from groma.counters.native import checked_plan, listed_names  # noqa: PLC0415

    plan = checked_plan(listed_names(names), native)
    if plan.unavailable:
        one = plan.unavailable[0]
        raise GromaError(f"{one.event} cannot be counted: {one.reason}", "groma counters lists what can be")
    if len(plan.runs) != 1:
        runs = "; ".join(f"--counters {','.join(run)}" for run in plan.runs)
        raise GromaError("these counters do not fit together", f"trace once for each set: {runs}")
    if len(plan.runs[0]) > _MOST_COUNTERS:
        raise GromaError(f"a trace has at most {_MOST_COUNTERS} counters", "leave some out")
    return tuple(plan.runs[0])


def _merged(request: TraceRequest, native: str | None, done: TracedRun) -> MergedTrace:
    from groma.launch.native import build_of, find_program  # noqa: PLC0415
    from groma.record.trace_folder import NAME  # noqa: PLC0415
    from groma.run.provenance import provenance_of  # noqa: PLC0415
    from groma.trace.job import merge_run  # noqa: PLC0415
    from groma.trace.merging import PROGRAM  # noqa: PLC0415

    if done.nothing is not None:
        raise done.nothing
    return merge_run(request.folder, NAME, native, provenance_of(build_of(find_program(PROGRAM, native))))


def _show(output: Output, request: TraceRequest, merged: MergedTrace) -> None:
    from groma.record.trace_folder import NAME  # noqa: PLC0415
    from groma.report.renderers import plain  # noqa: PLC0415
    from groma.report.trace_summary import trace_document  # noqa: PLC0415
    from groma.trace.job import files_of  # noqa: PLC0415

    if output.quiet:
        return
    if output.json:
        import msgspec  # noqa: PLC0415

        click.echo(msgspec.json.encode(merged.summary).decode(), err=True)
        return
    document = trace_document(merged.summary, merged.facts.efficiencies)
    click.echo(plain(document), err=True, nl=False)
    output.say(f"wrote {files_of(request.folder, NAME)}")
