"""groma model: predict performance from published numbers of a machine or from its profile."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import click.shell_completion

from groma.cli.frame import Output, VerbGroup, pass_output, read_records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import Record


@click.group(
    cls=VerbGroup,
    examples=["groma model randomaccess --machine bluegene-p  # bounds, printed and measured values"],
)
def command() -> None:
    """Predict the result of a benchmark and name its limit."""


def _machines(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[click.shell_completion.CompletionItem]:
    from groma.machine.files import known_machines  # noqa: PLC0415

    return [
        click.shell_completion.CompletionItem(name)
        for name in known_machines()
        if name.startswith(incomplete)
    ]


@command.command(
    "randomaccess",
    examples=[
        "groma model randomaccess --machine bluegene-p --nodes 64:32768  # table 4 of the paper",
        "groma model randomaccess --machine mine.toml --nodes 96,100  # your own machine",
        "groma model randomaccess --profile groma-profile.json  # the limit on this machine",
        "groma model randomaccess --profile groma-profile.json --record randomaccess.json  # compare a run",
        "groma model randomaccess --machine bluegene-l --json  # as JSON",
    ],
)
@click.option("--machine", metavar="NAME|FILE.toml", shell_complete=_machines, help="A known machine.")
@click.option("--profile", type=click.Path(path_type=Path), metavar="FILE", help="Profile of the machine.")
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Read this record of a run on that machine, and compare.",
)
@click.option("--nodes", metavar="N,A:B", help="Numbers of nodes; A:B doubles from A to B.")
@click.option(
    "--cores", type=click.IntRange(min=1), metavar="COUNT", help="Cores of each node; needs --profile."
)
@pass_output
def randomaccess(
    output: Output,
    machine: str | None,
    profile: Path | None,
    record: Path | None,
    nodes: str | None,
    cores: int | None,
) -> None:
    """Predict the rate of RandomAccess and what limits it.

    Each of cores, memory and network has a bound; the lowest is the prediction.
    """
    from groma.model.counts import parse_nodes  # noqa: PLC0415

    _refuse_mixtures(machine, profile, record, cores)
    counts = None if nodes is None else parse_nodes(nodes)
    if profile is not None:
        _show_local_model(output, profile, record, cores, counts or ())
    elif machine is not None:
        _show_machine_model(output, machine, counts)


def _refuse_mixtures(
    machine: str | None, profile: Path | None, record: Path | None, cores: int | None
) -> None:
    if (machine is None) == (profile is None):
        raise click.UsageError("give either --machine or --profile", click.get_current_context())
    if machine is not None and not (record is None and cores is None):
        raise click.UsageError("--record and --cores need --profile", click.get_current_context())
    if record is not None and cores is not None:
        raise click.UsageError("leave out --cores: the record contains them", click.get_current_context())


def _show_machine_model(output: Output, name: str, nodes: Sequence[int] | None) -> None:
    from groma.cli.model_tables import machine_document  # noqa: PLC0415
    from groma.machine.files import find_machine  # noqa: PLC0415
    from groma.model.randomaccess import randomaccess_model  # noqa: PLC0415

    model = randomaccess_model(find_machine(name), nodes)
    output.show(model, lambda: machine_document(model))


def _read(output: Output, path: Path) -> Record[Any]:
    """The record in a file; the user is warned of one of a run that was cut short."""
    ((*_, record),) = read_records([path])
    if record.unfinished is not None:
        output.say(f"note: {path} is {record.unfinished.what}; {record.unfinished.next}")
    return record


def _show_local_model(
    output: Output, profile: Path, record: Path | None, cores: int | None, nodes: Sequence[int]
) -> None:
    from groma.cli.model_tables import local_document  # noqa: PLC0415
    from groma.model.local import local_model, model_input_of  # noqa: PLC0415
    from groma.model.node import node_of  # noqa: PLC0415

    node = node_of(_read(output, profile), str(profile))
    if record is not None:
        _read(output, record)
    model = local_model(node, model_input_of(node, record, cores), nodes)
    output.show(model, lambda: local_document(model))
