"""groma describe: explain what a probe or a test measures, how, and with which parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import click.shell_completion

from groma.cli.frame import Output, Verb, pass_output, unknown
from groma.errors import GromaError

if TYPE_CHECKING:
    from groma.launch.benchmarks import BenchmarkInfo
    from groma.launch.native import ProbeInfo
    from groma.report.document import Document
    from groma.sim.torus.workloads import DescribedWorkload


def _completed(
    context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[click.shell_completion.CompletionItem]:
    """Names of probes for the shell; silence where no native program is installed."""
    try:
        probes = _catalogue(context.ensure_object(Output))
    except GromaError:
        return []
    named = {one.name: one.title for one in probes}
    named |= {one.name: one.title for one in _benchmarks(context.ensure_object(Output))}
    named |= {one.name: one.title for one in _workloads().values()}
    return [
        click.shell_completion.CompletionItem(name, help=title)
        for name, title in named.items()
        if name.startswith(incomplete)
    ]


def _catalogue(output: Output) -> list[ProbeInfo]:
    """The probes of the node and, where their program is there, those of the network."""
    from groma.launch import native  # noqa: PLC0415
    from groma.launch.benchmarks import network_probes_here  # noqa: PLC0415

    folder = output.settings().native.path
    return [*native.catalogue(native.native_program(folder=folder)), *network_probes_here(folder)]


def _benchmarks(output: Output) -> list[BenchmarkInfo]:
    from groma.launch.benchmarks import benchmarks_here  # noqa: PLC0415

    return benchmarks_here(output.settings().native.path)


@click.command(
    "describe",
    cls=Verb,
    examples=[
        "groma describe load_latency  # what it measures and how",
        "groma describe net_distance  # a network probe",
        "groma describe dgemm  # a test of groma hpcc",
        "groma describe triad_star  # the test of groma hpcc that measures a quantity",
        "groma describe broadcast  # a workload of groma sim torus",
        "groma describe load_latency --json  # the same as JSON",
    ],
)
@click.argument("probe", shell_complete=_completed)
@pass_output
def command(output: Output, probe: str) -> None:
    """Describe PROBE, a test of groma hpcc, or a workload of groma sim torus.

    States quantities, units, method, validation and parameters. A quantity of groma hpcc stands for its test.
    """
    from groma.launch.benchmarks import TESTS  # noqa: PLC0415
    from groma.survey.probe_names import PREFIX  # noqa: PLC0415

    known = {one.name: one for one in _catalogue(output)}
    workloads = _workloads()
    info = known.get(probe) or (known.get(f"{PREFIX}{probe}") if probe not in workloads else None)
    if info is not None:
        output.show(_model(info), lambda: _document(info))
        return
    tests = {one.name: one for one in _benchmarks(output)}
    if probe in workloads:
        workload = workloads[probe]
        output.show(workload, lambda: _workload_document(workload))
        return
    name = _test_of_quantity(probe) or probe
    if name not in tests:
        _refuse_unbuilt(name, output.settings().native.path)
        raise unknown("probe", probe, [*known, *TESTS, *workloads], "groma list")
    if name != probe:
        output.say(f"{probe} is a quantity of the test {name}")
    test = tests[name]
    output.show(_test_model(test), lambda: _test_document(test))


def _test_of_quantity(name: str) -> str | None:
    """The test that measures what balance calls triad_star, and compare hpcc.stream.triad.star."""
    from groma.balance.soundness import name_of as short_name  # noqa: PLC0415
    from groma.hpccoutf.headlines import DEFINITIONS, FURTHER  # noqa: PLC0415
    from groma.record.naming import name_of  # noqa: PLC0415

    return next(
        (
            one.test
            for one in (*DEFINITIONS, *FURTHER)
            if name in {short_name(one.id), name_of(("hpcc", *one.words))}
        ),
        None,
    )


def _refuse_unbuilt(name: str, folder: str | None) -> None:
    """Raises GromaError (exit code 4) for a test or a network probe whose program is missing or broken."""
    from groma.launch.benchmarks import NETWORK_PROGRAM, TESTS  # noqa: PLC0415
    from groma.launch.mpi_programs import HPCC_PROGRAM, mpi_programs  # noqa: PLC0415
    from groma.survey.probe_names import is_network_probe  # noqa: PLC0415

    if name in TESTS:
        program, what = HPCC_PROGRAM, "a test of groma hpcc"
    elif is_network_probe(name):
        program, what = NETWORK_PROGRAM, "a probe of groma survey --network"
    else:
        return
    try:
        mpi_programs(program, folder)
    except GromaError as error:
        raise error.saying(f"{name} is {what}; {error.what}", error.next_step) from error


def _workloads() -> dict[str, DescribedWorkload]:
    from groma.sim.torus.workloads import described_workloads  # noqa: PLC0415

    return {one.name: one for one in described_workloads()}


def _workload_document(info: DescribedWorkload) -> Document:
    from groma.report.document import Document, Pairs, Section, Table, Text  # noqa: PLC0415

    facts = Pairs(
        [("method page", "docs/sim/torus.md"), ("run", f"groma sim torus run --workload {info.name}")]
    )
    rows = [
        [f"workload.{one.name}", one.default or "-", one.unit, ", ".join(one.choices), one.help]
        for one in info.parameters
    ]
    parameters = Table(["parameter", ">default", "unit", "choices", "meaning"], rows)
    hint = Text(["set a parameter: --set NAME=VALUE"])
    return Document(
        [Section(info.name, f"{info.name}: {info.title}", [facts, parameters, hint] if rows else [facts])]
    )


def method_page(probe: str) -> str:
    """Where the method of a probe is explained, from the root of the source tree."""
    from groma.survey.infer.network.names import OF_LAYERS  # noqa: PLC0415
    from groma.survey.probe_names import PREFIX  # noqa: PLC0415

    if probe.startswith(PREFIX):
        return f"docs/network/{'layers' if probe in OF_LAYERS else probe.removeprefix(PREFIX)}.md"
    return f"docs/probes/{probe}.md"


def _model(info: ProbeInfo) -> dict[str, Any]:
    import msgspec  # noqa: PLC0415

    return {**msgspec.to_builtins(info), "doc": method_page(info.name)}


def _test_model(info: BenchmarkInfo) -> dict[str, Any]:
    import msgspec  # noqa: PLC0415

    return {**msgspec.to_builtins(info), "doc": f"docs/hpcc/{info.name}.md"}


def _test_document(info: BenchmarkInfo) -> Document:
    from groma.report.document import Document, Pairs, Section  # noqa: PLC0415

    facts = Pairs(
        [
            ("measures", info.measures),
            ("formula", info.formula),
            ("validation", info.validation),
            ("reference", info.reference),
            ("method page", f"docs/hpcc/{info.name}.md"),
            ("run alone", f"groma hpcc --only {info.name}"),
        ]
    )
    return Document([Section(info.name, f"{info.name}: {info.title}", [facts])])


def _document(info: ProbeInfo) -> Document:
    from groma.report.document import Document, Pairs, Section, Table, Text  # noqa: PLC0415

    facts = Pairs(
        [
            ("measures", info.measures),
            ("method", info.method),
            ("traffic", info.traffic),
            ("reference", info.reference),
            ("method page", method_page(info.name)),
        ]
    )
    rows = [
        [one.name, one.quick, one.standard, one.thorough, one.type.replace("|", ", "), one.help]
        for one in info.parameters
    ]
    parameters = Table(["parameter", ">quick", ">standard", ">thorough", "type", "meaning"], rows)
    hint = Text([f"set a parameter: groma survey {_setting(info)}"])
    return Document([Section(info.name, f"{info.name}: {info.title}", [facts, parameters, hint])])


def _setting(info: ProbeInfo) -> str:
    network = "--network " if info.ranks else ""
    first = next(one for one in info.parameters if one.type != "found")
    return f"{network}--set {info.name}.{first.name}={first.thorough}"
