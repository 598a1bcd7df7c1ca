"""groma list: name every probe that can be run here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from groma.cli.frame import Output, Verb, pass_output

if TYPE_CHECKING:
    from groma.launch.native import ProbeInfo
    from groma.report.document import Document


@click.command(
    "list",
    cls=Verb,
    examples=[
        "groma list  # every probe with its title",
        "groma list --json  # with parameters and methods, for a program",
    ],
)
@pass_output
def command(output: Output) -> None:
    """List the probes of groma survey in the order in which they run."""
    from groma.launch import native  # noqa: PLC0415

    probes = native.catalogue(native.native_program(folder=output.settings().native.path))
    output.show(probes, lambda: _document(probes))


def _document(probes: list[ProbeInfo]) -> Document:
    from groma.report.document import Table, one_section  # noqa: PLC0415

    rows = [[probe.name, probe.title, _budgets(probe)] for probe in probes]
    return one_section(Table(["probe", "title", "seconds: quick, standard, thorough"], rows))


def _budgets(probe: ProbeInfo) -> str:
    for parameter in probe.parameters:
        if parameter.name == "budget":
            return f"{parameter.quick}, {parameter.standard}, {parameter.thorough}"
    return "-"
