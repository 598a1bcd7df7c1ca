"""groma cut: take a part of a trace in time."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.frame import Output, Verb, pass_output


@click.command(
    "cut",
    cls=Verb,
    examples=[
        "groma cut groma-trace --from 1.5s --to 2s  # half a second",
        "groma cut trace.prv --from 10% --to 90% -o middle.prv  # without begin and end",
    ],
)
@click.argument("trace", metavar="TRACE", type=click.Path(path_type=Path))
@click.option("--from", "begin", metavar="TIME", help="First time (default: the begin).")
@click.option("--to", "end", metavar="TIME", help="Last time (default: the end).")
@click.option(
    "--keep-times", is_flag=True, help="Keep the times of the trace; else they count from the first."
)
@click.option(
    "-o", "--output", "target", metavar="FILE", type=click.Path(path_type=Path), help="What is written."
)
@pass_output
def command(
    output: Output,
    /,
    trace: Path,
    begin: str | None,
    end: str | None,
    target: Path | None,
    *,
    keep_times: bool,
) -> None:
    """Write what happens in TRACE between two times: 1.5s, 200ms, 10% of its length.

    States are clipped, calls and regions that go beyond are open at the first time and closed at the last, as
    Paraver's cutter does it. Messages that are not wholly within are left out.
    """
    from groma.report.trace_editing import edited_document  # noqa: PLC0415
    from groma.trace.editing import CutTimes, cut_trace  # noqa: PLC0415

    made = cut_trace(trace, target, CutTimes(begin, end, keep_times), output.settings().native.path)
    output.show(made, lambda: edited_document(made))
