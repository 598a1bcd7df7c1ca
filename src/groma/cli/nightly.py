"""groma nightly: print a script that runs the suite every night."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

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

    Both run the suite, keep its record and fail if a gate failed. They call the groma that printed them.
    """
    from groma.nightly import TEMPLATES  # noqa: PLC0415
    from groma.report.document import Text, one_section  # noqa: PLC0415

    template = TEMPLATES[which]
    text = template.calling(_own_path())
    if output.json:
        output.show({"file": template.file, "text": text}, lambda: one_section(Text([text])))
        return
    click.echo(text, nl=False)


def _own_path() -> str:
    """Of the groma that runs; only its name where it is neither the program that was started nor beside this
    Python.
    """
    places = (Path(sys.argv[0]), Path(sys.executable).with_name("groma"))
    found = (one.absolute() for one in places if one.name == "groma" and shutil.which(one.absolute()))
    return str(next(found, "groma"))
