"""groma cut: cut an interval of time out of a trace."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.frame import Output, Verb, part_option, pass_output


@click.command(
    "cut",
    cls=Verb,
    examples=[
        "groma cut groma-trace --from 1.5s --to 2s  # half a second",
        "groma cut trace.prv --from 10% --to 90% -o middle.prv  # without start-up and end",
    ],
)
@click.argument("trace", metavar="TRACE", type=click.Path(path_type=Path))
@click.option("--from", "begin", metavar="TIME", help="First time (default: that of the trace).")
@click.option("--to", "end", metavar="TIME", help="Last time (default: that of the trace).")
@click.option(
    "--keep-times", is_flag=True, help="Keep the times of the trace. By default they count from --from."
)
@part_option("-cut")
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
    """Write the part of TRACE between two times: 1.5s, 200ms, 10% of its length.

    States, calls and regions that cross a limit are clipped, as Paraver's cutter does it. Messages that are
    not wholly within the limits are left out. Other records at a limit are kept.
    """
    from groma.report.trace_editing import edited_document  # noqa: PLC0415
    from groma.trace.editing import CutTimes, cut_trace  # noqa: PLC0415

    made = cut_trace(trace, target, CutTimes(begin, end, keep_times), output.settings().native.path)
    output.show(made, lambda: edited_document(made))
