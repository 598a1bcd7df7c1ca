"""What a shell completes in the values of options: names of files, and names in lists with commas."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from groma.errors import GromaError

Names = Callable[[click.Context], Mapping[str, str]]
"""Names with their titles."""

Completed = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


class FileName(StringParamType):
    """A text that names a file."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        del ctx, param
        return [CompletionItem(incomplete, type="file")]


def listed(names: Names) -> Completed:
    """Completes the last name of a list such as clock,load_latency; silence where the names are not known."""

    def complete(
        context: click.Context, _parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        before, comma, begun = incomplete.rpartition(",")
        taken = before.split(",")
        try:
            known = names(context)
        except GromaError:
            return []
        return [
            CompletionItem(f"{before}{comma}{name}", help=title)
            for name, title in known.items()
            if name.startswith(begun) and name not in taken
        ]

    return complete


ALGORITHMS = ("shared", "direct", "hypercube", "route", "specialise")
"""Of RandomAccess, as groma-randomaccess list names them."""


def one_of(*names: str) -> Completed:
    """Completes one of these names."""
    return lambda _context, _parameter, begun: [CompletionItem(n) for n in names if n.startswith(begun)]


def probes(context: click.Context) -> Mapping[str, str]:
    """Of a survey of the node, or with --network of the network."""
    from groma.launch import native  # noqa: PLC0415
    from groma.launch.benchmarks import network_probes_here  # noqa: PLC0415
    from groma.survey.probe_names import PREFIX  # noqa: PLC0415

    if context.params.get("network"):
        return {one.name.removeprefix(PREFIX): one.title for one in network_probes_here(_folder(context))}
    program = native.native_program(folder=_folder(context))
    return {one.name: one.title for one in native.catalogue(program)}


def benchmarks(context: click.Context) -> Mapping[str, str]:
    """Tests of the suite."""
    from groma.launch.benchmarks import benchmarks_here  # noqa: PLC0415

    return {one.name: one.title for one in benchmarks_here(_folder(context))}


def _folder(context: click.Context) -> str | None:
    from groma.cli.frame import Output  # noqa: PLC0415

    return context.ensure_object(Output).settings().native.path
