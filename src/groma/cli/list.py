"""groma list: list all probes of node and network, tests of the suite and workloads of the simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from groma.cli.frame import Output, Verb, pass_output

if TYPE_CHECKING:
    from groma.launch.benchmarks import BenchmarkInfo
    from groma.launch.native import ProbeInfo
    from groma.report.document import Document, Table
    from groma.sim.torus.workloads import DescribedWorkload


@click.command(
    "list",
    cls=Verb,
    examples=[
        "groma list  # all probes and tests with their titles",
        "groma list --json  # with parameters and methods, as JSON",
    ],
)
@pass_output
def command(output: Output) -> None:
    """List the probes of groma survey and the tests of groma hpcc in the order in which they run.

    The workloads of groma sim torus come last.
    """
    from groma.launch import native  # noqa: PLC0415
    from groma.launch.benchmarks import benchmarks_here, network_probes_here  # noqa: PLC0415
    from groma.sim.torus.workloads import described_workloads  # noqa: PLC0415

    folder = output.settings().native.path
    probes = native.catalogue(native.native_program(folder=folder))
    network = network_probes_here(folder)
    tests = benchmarks_here(folder)
    workloads = described_workloads()
    output.show([*probes, *network, *tests, *workloads], lambda: _document(probes, network, tests, workloads))


def _document(
    probes: list[ProbeInfo],
    network: list[ProbeInfo],
    tests: list[BenchmarkInfo],
    workloads: list[DescribedWorkload],
) -> Document:
    from groma.report.document import Document, Section, Table  # noqa: PLC0415

    under_mpi = [Table(["test of groma hpcc", "title"], [[test.name, test.title] for test in tests])]
    simulated = Table(["workload of groma sim torus", "title"], [[one.name, one.title] for one in workloads])
    sections = [
        Section("probes", "", [_probe_table("probe", probes)]),
        Section("network", "", [_probe_table("network probe", network)] if network else []),
        Section("tests", "", under_mpi if tests else []),
        Section("workloads", "", [simulated]),
    ]
    return Document([one for one in sections if one.blocks])


def _probe_table(what: str, probes: list[ProbeInfo]) -> Table:
    from groma.report.document import Table  # noqa: PLC0415

    rows = [[probe.name, probe.title, _budgets(probe)] for probe in probes]
    return Table([what, "title", "seconds: quick, standard, thorough"], rows)


def _budgets(probe: ProbeInfo) -> str:
    for parameter in probe.parameters:
        if parameter.name == "budget":
            return f"{parameter.quick}, {parameter.standard}, {parameter.thorough}"
    return "-"
