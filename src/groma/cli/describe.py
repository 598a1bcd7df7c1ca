"""groma describe: say what a probe measures, how, and with which parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import click.shell_completion

from groma.cli.frame import Output, Verb, pass_output, unknown
from groma.errors import GromaError

if TYPE_CHECKING:
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
    return [
        click.shell_completion.CompletionItem(probe.name, help=probe.title)
        for probe in probes
        if probe.name.startswith(incomplete)
    ]


def _catalogue(output: Output) -> list[ProbeInfo]:
    from groma.launch import native  # noqa: PLC0415

    return native.catalogue(native.native_program(folder=output.settings().native.path))


@click.command(
    "describe",
    cls=Verb,
    examples=[
        "groma describe load_latency  # what it measures and how",
        "groma describe load_latency --json  # the same for a program",
    ],
)
@click.argument("probe", shell_complete=_completed)
@pass_output
def command(output: Output, probe: str) -> None:
    """Describe PROBE: quantities and units, method, cost, reference and parameters."""
    known = {one.name: one for one in _catalogue(output)}
    if probe not in known:
        raise unknown("probe", probe, known, "groma list")
    info = known[probe]
    output.show(_model(info), lambda: _document(info))


def method_page(probe: str) -> str:
    """Where the method of a probe is explained, from the root of the source tree."""
    return f"docs/probes/{probe}.md"


def _model(info: ProbeInfo) -> dict[str, Any]:
    import msgspec  # noqa: PLC0415

    return {**msgspec.to_builtins(info), "doc": method_page(info.name)}


def _document(info: ProbeInfo) -> Document:
    from groma.report.document import Document, Pairs, Section, Table  # noqa: PLC0415

    facts = Pairs(
        [
            ("measures", info.measures),
            ("method", info.method),
            ("moves", info.moves),
            ("reference", info.reference),
            ("method page", method_page(info.name)),
        ]
    )
    rows = [[one.name, one.quick, one.standard, one.thorough, one.help] for one in info.parameters]
    parameters = Table(["parameter", ">quick", ">standard", ">thorough", "meaning"], rows)
    return Document([Section(info.name, f"{info.name}: {info.title}", [facts, parameters])])
