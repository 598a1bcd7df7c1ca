"""groma show: print a profile or any other record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from groma.cli.frame import Output, Verb, pass_output, read_records, redact_option

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Show(Verb):
    """Its help lists the sections of a profile; what they are is read for that only."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from groma.report.kinds.survey import SECTIONS  # noqa: PLC0415

        super().format_help_text(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            names = ", ".join(SECTIONS)
            formatter.write_text(f"Sections of a profile: {names}. A record of another kind has its own.")


@click.command(
    "show",
    cls=_Show,
    examples=[
        "groma show  # the whole groma-profile.json of this folder",
        "groma show groma-profile.json caches memory  # two sections",
        "groma show groma-profile.json caches --json  # as JSON",
        "groma show groma-profile.json --redact  # without host and user names",
        "groma show hpccoutf.txt  # a run of groma hpcc or of hpcc 1.5.0",
    ],
)
@click.argument("profile", required=False, type=click.Path(path_type=Path))
@click.argument("sections", nargs=-1, metavar="[SECTION]...")
@redact_option
@pass_output
def command(output: Output, profile: Path | None, sections: Sequence[str], *, redact: bool) -> None:
    """Print PROFILE: the measured values, beside those that the system declares.

    Without PROFILE, groma-profile.json of this folder is printed.
    """
    from groma.cli.usual_profile import usual_profile  # noqa: PLC0415
    from groma.report.terminal import document_of, facts_of  # noqa: PLC0415

    profile = usual_profile(output) if profile is None else profile
    (runs,) = read_records([profile], redact=redact)
    if len(runs) > 1:
        output.say(f"{profile} has {len(runs)} runs; this is the last one (groma report shows all)")
    record = runs[-1]
    document = document_of(record, sections)
    output.show(facts_of(record, sections), lambda: document)
