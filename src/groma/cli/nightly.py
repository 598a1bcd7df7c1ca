"""groma nightly: print a script that runs the suite every night."""

from __future__ import annotations

import click

from groma.cli.frame import Output, Verb, pass_output


@click.command(
    "nightly",
    cls=Verb,
    examples=[
        "groma nightly slurm > nightly.sbatch  # a batch script for Slurm",
        "groma nightly reframe > groma_checks.py  # a test class for ReFrame",
    ],
)
@click.argument("which", type=click.Choice(["slurm", "reframe"]))
@pass_output
def command(output: Output, which: str) -> None:
    """Print a template to copy and change: a batch script for Slurm, or a test class for ReFrame.

    Both run the suite, keep its record and fail if a gate failed.
    """
    from groma.nightly import TEMPLATES  # noqa: PLC0415
    from groma.report.document import Text, one_section  # noqa: PLC0415

    template = TEMPLATES[which]
    if output.json:
        output.show(
            {"file": template.file, "text": template.text}, lambda: one_section(Text([template.text]))
        )
        return
    click.echo(template.text, nl=False)
