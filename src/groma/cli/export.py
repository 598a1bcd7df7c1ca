"""groma export: write a profile or a trace in the format of another program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from groma.cli.frame import Output, Verb, pass_output, read_records, redact_option
from groma.errors import GromaError

if TYPE_CHECKING:
    from groma.export.hwloc import Exported
    from groma.launch.trace_store import TraceWarning
    from groma.report.document import Document


@click.command(
    "export",
    cls=Verb,
    examples=[
        "groma export --hwloc machine.xml groma-profile.json  # for lstopo -i machine.xml",
        "groma export --hwloc - groma-profile.json | lstopo -i - --if xml  # into a pipe",
        "groma export --perfetto trace.json.gz groma-trace  # open it in Perfetto or Chrome",
        "groma export --parquet tables groma-trace  # tables for pandas, polars and DuckDB",
        "groma export --otf2 traces groma-trace  # for Vampir, Scalasca and otf2-print",
        "groma export --time-independent replay.txt groma-trace  # for groma sim torus and SMPI",
    ],
)
@click.argument("source", metavar="PROFILE|TRACE", type=click.Path(path_type=Path))
@click.option(
    "--hwloc",
    "target",
    metavar="FILE",
    type=click.Path(path_type=Path, allow_dash=True),
    help="Write hwloc XML (version 2) to this file; - is standard output.",
)
@click.option(
    "--perfetto",
    metavar="FILE",
    type=click.Path(path_type=Path, allow_dash=True),
    help="Write a trace as JSON for Perfetto and Chrome; FILE.gz is compressed, - is standard output.",
)
@click.option(
    "--parquet",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write a trace as tables of Parquet into this folder. Needs pyarrow.",
)
@click.option(
    "--otf2",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write a trace as an archive of OTF2 into this folder. Needs the package otf2.",
)
@click.option(
    "--time-independent",
    "replay",
    metavar="FILE",
    type=click.Path(path_type=Path, allow_dash=True),
    help="Write what the ranks of a trace do, for a replay on another network; - is standard output.",
)
@redact_option
@pass_output
def command(
    output: Output,
    /,
    source: Path,
    target: Path | None,
    perfetto: Path | None,
    parquet: Path | None,
    otf2: Path | None,
    replay: Path | None,
    *,
    redact: bool,
) -> None:
    """Write a PROFILE or a TRACE for another program.

    Of a profile, the machine with measured latencies and bandwidths (--hwloc). Of a trace, calls and regions
    as slices, messages as flows, counters as tracks (--perfetto), its records as tables (--parquet), calls,
    regions and messages as events (--otf2), or what each rank computes, sends and receives
    (--time-independent).
    """
    named = sum(one is not None for one in (target, perfetto, parquet, otf2, replay))
    if named != 1:
        what = "several formats are named" if named else "no format is named"
        step = (
            "use --hwloc FILE for a profile, or --perfetto FILE, --parquet DIR, --otf2 DIR "
            "or --time-independent FILE for a trace"
        )
        raise GromaError(what, step)
    if target is not None:
        _export_profile(output, source, target, redact=redact)
    elif perfetto is not None:
        line = f"Trace Event Format: {perfetto}   (open it in Perfetto or in chrome://tracing)"
        _print_trace(output, "perfetto", (source, perfetto), line, redact=redact)
    elif replay is not None:
        line = f"time-independent trace: {replay}   ({_replay_command(replay)})"
        _print_trace(output, "replay", (source, replay), line, redact=redact)
    elif parquet is not None:
        _export_tables(output, source, parquet, redact=redact)
    elif otf2 is not None:
        _export_otf2(output, source, otf2, redact=redact)


def _replay_command(trace: Path) -> str:
    from groma.record.unfinished import command_line  # noqa: PLC0415

    return command_line("groma", "sim", "torus", "run", "--workload", "replay", "--trace", str(trace))


def _export_tables(output: Output, source: Path, folder: Path, *, redact: bool) -> None:
    from groma.trace.parquet import write_parquet  # noqa: PLC0415

    written = write_parquet(source, folder, output.settings().native.path, redact=redact)
    lines = [f"Parquet: {file}   ({rows:,} rows)" for file, rows in written.files.items()]
    _show(output, written, lines, written.warnings)


def _export_otf2(output: Output, source: Path, folder: Path, *, redact: bool) -> None:
    from groma.record.counting import counted  # noqa: PLC0415
    from groma.trace.otf2 import write_otf2  # noqa: PLC0415

    written = write_otf2(source, folder, output.settings().native.path, redact=redact)
    kinds = {"states": "state", "events": "other event"}
    left_out = [counted(count, kinds[kind]) for kind, count in written.left_out.items() if count]
    lines = [f"OTF2: {written.archive}   ({written.events:,} events)"]
    if left_out:
        lines.append(f"left out: {', '.join(left_out)}")
    _show(output, written, lines, written.warnings)


def _show(output: Output, written: object, lines: list[str], warnings: list[TraceWarning]) -> None:
    from groma.report.document import Document, Note, Section, Text  # noqa: PLC0415

    notes = [Note(str(one)) for one in warnings]
    output.show(written, lambda: Document([Section("export", "Export", [Text(lines), *notes])]))


def _print_trace(
    output: Output, word: Literal["perfetto", "replay"], paths: tuple[Path, Path], line: str, *, redact: bool
) -> None:
    """`paths` are those of the trace and of what is written, perhaps standard output. `line` says where."""
    from groma.record.writing import is_special  # noqa: PLC0415
    from groma.trace.printed import STANDARD_OUTPUT, write_printed  # noqa: PLC0415

    source, target = paths
    warnings = write_printed(word, source, target, output.settings().native.path, redact=redact)
    if target == STANDARD_OUTPUT or is_special(target):
        for one in warnings:
            output.say(f"groma: {one}")
        return
    written = {"file": str(target), "bytes": target.stat().st_size, "warnings": warnings}
    _show(output, written, [line], warnings)


def _export_profile(output: Output, profile: Path, target: Path, *, redact: bool) -> None:
    from groma.export.hwloc import hwloc_of  # noqa: PLC0415
    from groma.record.clash import refuse_clash  # noqa: PLC0415
    from groma.record.writing import refuse_unwritable, write_atomically  # noqa: PLC0415

    to_pipe = str(target) == "-"
    refuse_clash([("--hwloc", None if to_pipe else target)], [profile])
    (runs,) = read_records([profile], redact=redact)
    exported = hwloc_of(runs[-1], str(profile))
    if to_pipe:
        sys.stdout.write(exported.content.decode())
        return
    refuse_unwritable(target, "--hwloc", len(exported.content))
    write_atomically(target, exported.content)
    output.show(_model(exported, target), lambda: _document(exported, target))


def _model(exported: Exported, target: Path) -> dict[str, Any]:
    measured = exported.measured
    return {
        "file": str(target),
        "bytes": len(exported.content),
        "distances": {one.name: len(one.of) for one in measured.distances},
        "memory_attributes": {one.name: len(one.cells) for one in measured.attributes},
        "left_out": measured.left_out,
    }


def _document(exported: Exported, target: Path) -> Document:
    from groma.record.counting import counted  # noqa: PLC0415
    from groma.report.document import Document, Note, Section, Text  # noqa: PLC0415

    measured = exported.measured
    parts = [
        *(f"{one.name} of {counted(len(one.of), one.type)}" for one in measured.distances),
        *(f"memory attribute {one.name}, {counted(len(one.cells), 'value')}" for one in measured.attributes),
    ]
    lines = [f"hwloc XML: {target}   (lstopo -i {target} draws it)", *parts]
    notes = [Note(one) for one in measured.left_out]
    return Document([Section("export", "Export", [Text(lines), *notes])])
