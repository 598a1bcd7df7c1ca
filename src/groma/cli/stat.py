"""groma stat: print the tables of a trace: states, calls, messages, efficiencies, counters."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.frame import Output, Verb, pass_output, redact_option
from groma.errors import GromaError

_TABLES = (
    "states",
    "calls",
    "call_sites",
    "collectives",
    "ranks",
    "rank_counters",
    "rank_bandwidths",
    "sizes",
    "pairs",
    "bandwidths",
    "regions",
    "counters",
    "types",
)


@click.command(
    "stat",
    cls=Verb,
    examples=[
        "groma stat groma-trace  # the trace that groma trace made",
        "groma stat trace.prv.gz -o trace.json  # a record, for groma report and groma show",
        "groma stat trace.prv --csv calls  # one table for a spreadsheet",
    ],
)
@click.argument("trace", metavar="TRACE", type=click.Path(path_type=Path))
@click.option("--csv", "table", type=click.Choice(_TABLES), metavar="TABLE", help="Print a table as CSV.")
@click.option("--all", "everything", is_flag=True, help="Print every row of long tables.")
@click.option(
    "-o", "--record", "target", metavar="FILE", type=click.Path(path_type=Path), help="Write a record."
)
@redact_option
@pass_output
def command(
    output: Output,
    /,
    trace: Path,
    table: str | None,
    target: Path | None,
    *,
    everything: bool,
    redact: bool,
) -> None:
    """Print the tables of TRACE: a .prv, a .prv.gz, a store (.groma), or a folder that holds one.

    Tables: time in states, in MPI calls, at call sites and in collectives by communicator, useful time of
    ranks, messages with their sizes and pairs, bandwidth by call, regions, counters, and the efficiencies of
    the POP project. --json prints the record. TABLE is states, calls, call_sites, collectives, ranks,
    rank_counters, rank_bandwidths, sizes, pairs, bandwidths, regions, counters or types.
    """
    from groma.record.io import write_record  # noqa: PLC0415
    from groma.record.writing import refuse_unwritable  # noqa: PLC0415
    from groma.report.trace_statistics import statistics_document  # noqa: PLC0415
    from groma.trace.job import record_of  # noqa: PLC0415
    from groma.trace.replacing import refuse_replacing  # noqa: PLC0415
    from groma.trace.tables import table_csv  # noqa: PLC0415

    if table is not None and output.json:
        raise GromaError(
            "--csv prints a table, and --json prints the whole record", "name one of them; -o writes a record"
        )
    if target is not None:
        refuse_replacing(trace, target)
        refuse_unwritable(target, "--record")
    record = record_of(trace, output.settings().native.path, redact=redact)
    if target is not None:
        write_record(target, record)
    if table is not None:
        click.echo(table_csv(record.facts, table), nl=False)
    else:
        output.show(record, lambda: statistics_document(record.facts, record.warnings, everything=everything))
    if target is not None:
        output.say_record(target)
