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
        "groma describe load_latency --json  # the same as JSON",
    ],
)
@click.argument("probe", shell_complete=_completed)
@pass_output
def command(output: Output, probe: str) -> None:
    """Describe PROBE, or a test of groma hpcc: quantities, units, method, validation and parameters."""
    known = {one.name: one for one in _catalogue(output)}
    if probe in known:
        info = known[probe]
        output.show(_model(info), lambda: _document(info))
        return
    tests = {one.name: one for one in _benchmarks(output)}
    if probe not in tests:
        raise unknown("probe", probe, [*known, *tests], "groma list")
    test = tests[probe]
    output.show(_test_model(test), lambda: _test_document(test))


def method_page(probe: str) -> str:
    """Where the method of a probe is explained, from the root of the source tree."""
    from groma.survey.infer.network.names import OF_LAYERS  # noqa: PLC0415
    from groma.survey.network.request import PREFIX  # noqa: PLC0415

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
