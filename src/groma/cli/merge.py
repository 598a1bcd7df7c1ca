"""groma merge: merge the logs of a traced run into a trace."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.frame import Output, Verb, pass_output


@click.command(
    "merge",
    cls=Verb,
    examples=[
        "groma merge groma-trace  # again, or after a run that was killed",
        "groma merge groma-trace --name again --json  # the summary as JSON",
    ],
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--name", metavar="NAME", default="trace", show_default=True, help="Name of the trace, without extension."
)
@pass_output
def command(output: Output, /, folder: Path, name: str) -> None:
    """Make DIR/NAME.prv, .pcf, .row, .groma and .json from the logs in DIR, as groma trace does at its end.

    The logs of killed processes are read up to their last record. The summary says what is missing.
    """
    from groma.report.trace_summary import trace_document  # noqa: PLC0415
    from groma.trace.job import files_of, merge_run  # noqa: PLC0415

    summary, facts = merge_run(folder, name, output.settings().native.path, None)
    output.show(summary, lambda: trace_document(summary, facts.efficiencies))
    output.say(f"wrote {files_of(folder, name)}")
