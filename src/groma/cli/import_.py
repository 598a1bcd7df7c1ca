"""groma import: convert a Paraver trace into a store."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.frame import Output, Verb, pass_output


@click.command(
    "import",
    cls=Verb,
    examples=[
        "groma import trace.prv.gz  # trace.groma beside it",
        "groma import dirty.prv -o clean.prv  # a repaired trace for Paraver",
    ],
)
@click.argument("trace", metavar="TRACE", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", "target", metavar="FILE", type=click.Path(path_type=Path), help="Write to this file."
)
@pass_output
def command(output: Output, /, trace: Path, target: Path | None) -> None:
    """Convert a Paraver trace into a store of groma, which takes about a seventh of the space.

    Faults are repaired and reported: lines out of order are sorted, a wrong length is corrected, and lines
    without a meaning are skipped. The name of FILE ends with .groma, or with .prv to write for Paraver.
    """
    from groma.report.trace_editing import edited_document  # noqa: PLC0415
    from groma.trace.editing import import_trace  # noqa: PLC0415

    made = import_trace(trace, target, output.settings().native.path)
    output.show(made, lambda: edited_document(made))
