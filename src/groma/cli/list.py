"""groma list: name every probe and every test of the suite that can be run here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from groma.cli.frame import Output, Verb, pass_output

if TYPE_CHECKING:
    from groma.launch.benchmarks import BenchmarkInfo
    from groma.launch.native import ProbeInfo
    from groma.report.document import Document


@click.command(
    "list",
    cls=Verb,
    examples=[
        "groma list  # every probe and test with its title",
        "groma list --json  # with parameters and methods, for a program",
    ],
)
@pass_output
def command(output: Output) -> None:
    """List the probes of groma survey and the tests of groma hpcc in the order in which they run."""
    from groma.launch import native  # noqa: PLC0415
    from groma.launch.benchmarks import benchmarks_here  # noqa: PLC0415

    folder = output.settings().native.path
    probes = native.catalogue(native.native_program(folder=folder))
    tests = benchmarks_here(folder)
    output.show([*probes, *tests], lambda: _document(probes, tests))


def _document(probes: list[ProbeInfo], tests: list[BenchmarkInfo]) -> Document:
    from groma.report.document import Document, Section, Table  # noqa: PLC0415

    rows = [[probe.name, probe.title, _budgets(probe)] for probe in probes]
    blocks = [Table(["probe", "title", "seconds: quick, standard, thorough"], rows)]
    under_mpi = [Table(["test of groma hpcc", "title"], [[test.name, test.title] for test in tests])]
    sections = [Section("probes", "", blocks), Section("tests", "", under_mpi if tests else [])]
    return Document([one for one in sections if one.blocks])


def _budgets(probe: ProbeInfo) -> str:
    for parameter in probe.parameters:
        if parameter.name == "budget":
            return f"{parameter.quick}, {parameter.standard}, {parameter.thorough}"
    return "-"
