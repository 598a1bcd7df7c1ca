"""groma stat: print the tables of a trace: states, calls, messages, efficiencies, counters."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.frame import Output, Verb, pass_output

_TABLES = ("states", "calls", "ranks", "sizes", "pairs", "bandwidths", "regions", "counters", "types")


@click.command(
    "stat",
    cls=Verb,
    examples=[
        "groma stat groma-trace  # the trace that groma trace made",
        "groma stat trace.prv.gz --json  # any trace of Paraver, every table as JSON",
        "groma stat trace.prv --csv calls  # one table for a spreadsheet",
    ],
)
@click.argument("trace", metavar="TRACE", type=click.Path(path_type=Path))
@click.option("--csv", "table", type=click.Choice(_TABLES), metavar="TABLE", help="Print a table as CSV.")
@click.option("--all", "everything", is_flag=True, help="Print every row of long tables.")
@pass_output
def command(output: Output, /, trace: Path, table: str | None, everything: bool) -> None:
    """Print the tables of TRACE: a .prv, a .prv.gz, a store (.groma), or a folder that holds one.

    Tables: time in states and in MPI calls, useful time of ranks, messages with their sizes and pairs,
    bandwidth by call, regions, counters, and the efficiencies of the POP project.
    TABLE is states, calls, ranks, sizes, pairs, bandwidths, regions, counters or types.
    """
    from groma.report.trace_statistics import statistics_document  # noqa: PLC0415
    from groma.trace.statistics_model import statistics_csv, statistics_model  # noqa: PLC0415
    from groma.trace.sums import sums_of  # noqa: PLC0415

    sums = sums_of(trace, output.settings().native.path)
    if table is not None:
        click.echo(statistics_csv(sums, table), nl=False)
        return
    output.show(statistics_model(sums), lambda: statistics_document(sums, everything=everything))
