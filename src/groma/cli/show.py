"""groma show: read a profile or any other record on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from groma.cli.frame import Output, Verb, pass_output, read_records, redact_option

if TYPE_CHECKING:
    from collections.abc import Sequence


@click.command(
    "show",
    cls=Verb,
    examples=[
        "groma show groma-profile.json  # the whole profile",
        "groma show groma-profile.json caches memory  # two sections of it",
        "groma show groma-profile.json caches --json  # for a program",
        "groma show groma-profile.json --redact  # to show it to others",
        "groma show hpccoutf.txt  # a run of the HPC Challenge suite, also of the original",
    ],
)
@click.argument("profile", type=click.Path(path_type=Path))
@click.argument("sections", nargs=-1, metavar="[SECTION]...")
@redact_option
@pass_output
def command(output: Output, profile: Path, sections: Sequence[str], *, redact: bool) -> None:
    """Show what PROFILE says: what the machine really is, beside what its system declares.

    A SECTION is machine, clock, cores, caches, tlb, memory, loaded-latency, numa, core-to-core, network (and
    -curves, -pairs, -distance, -access, -receiver after it), probes or warnings. Records of other kinds are
    shown as they are.
    """
    from groma.report.terminal import document_of, facts_of  # noqa: PLC0415

    (runs,) = read_records([profile], redact=redact)
    if len(runs) > 1:
        output.say(f"{profile} holds {len(runs)} runs; this is the last (groma report shows all)")
    record = runs[-1]
    document = document_of(record, sections)
    output.show(facts_of(record, sections), lambda: document)
