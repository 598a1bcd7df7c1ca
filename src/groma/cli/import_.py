"""groma import: make a store of a trace of Paraver."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.frame import Output, Verb, pass_output


@click.command(
    "import",
    cls=Verb,
    examples=[
        "groma import trace.prv.gz  # trace.groma beside it",
        "groma import dirty.prv -o clean.prv  # for Paraver again: in order, with the right length",
    ],
)
@click.argument("trace", metavar="TRACE", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", "target", metavar="FILE", type=click.Path(path_type=Path), help="What is written."
)
@pass_output
def command(output: Output, /, trace: Path, target: Path | None) -> None:
    """Read any trace of Paraver and write it as a store of groma, a sixth of its size.

    What is wrong in the trace is mended or left out, and told: lines out of order are sorted, a wrong length
    is set right, lines that mean nothing are passed over. FILE ends with .groma, or with .prv for Paraver.
    """
    from groma.report.trace_editing import edited_document  # noqa: PLC0415
    from groma.trace.editing import import_trace  # noqa: PLC0415

    made = import_trace(trace, target, output.settings().native.path)
    output.show(made, lambda: edited_document(made))
