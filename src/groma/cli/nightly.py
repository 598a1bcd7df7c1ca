"""groma nightly: print a script that runs the suite every night."""

from __future__ import annotations

import click

from groma.cli.frame import Verb


@click.command(
    "nightly",
    cls=Verb,
    examples=[
        "groma nightly slurm > nightly.sbatch  # a batch script for Slurm",
        "groma nightly reframe > groma_checks.py  # a test class for ReFrame",
    ],
)
@click.argument("which", type=click.Choice(["slurm", "reframe"]))
def command(which: str) -> None:
    """Print a template to copy and change: a batch script for Slurm, or a test class for ReFrame.

    Both run the suite, keep its record and fail if a gate failed.
    """
    from groma.nightly import TEMPLATES  # noqa: PLC0415

    click.echo(TEMPLATES[which].text, nl=False)
