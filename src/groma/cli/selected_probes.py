"""The probes that `--only` and `--skip` name, or the settings of these names, for each kind of survey."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.errors import GromaError
from groma.spelling import did_you_mean
from groma.survey.probe_names import PREFIX, network_probes

if TYPE_CHECKING:
    from collections.abc import Collection

    from groma.config import Origin, Resolved


class SelectedProbes(NamedTuple):
    only: tuple[str, ...]
    skip: tuple[str, ...]


def selected_probes(resolved: Resolved, *, network: bool) -> SelectedProbes:
    """Those of a survey of the node, or of the network.

    What the command line names is taken as it is. A file or a variable may name probes of the other kind as
    well, which are left out. Raises GromaError (exit code 2) that says where a name of none was set.
    """
    survey = resolved.settings.survey
    chosen = _Chosen(resolved, network)
    return SelectedProbes(chosen.named("survey.only", survey.only), chosen.named("survey.skip", survey.skip))


class _Chosen(NamedTuple):
    resolved: Resolved
    network: bool

    def named(self, setting: str, names: tuple[str, ...]) -> tuple[str, ...]:
        origin = self.resolved.origins[setting]
        if not names or origin.layer == "command line":
            return names
        node, of_network = _known(self.resolved.settings.native.path)
        mine, others = (of_network, node) if self.network else (node, of_network)
        return of_this_kind(names, mine, others, f"{setting} ({_place(origin)})")


def _place(origin: Origin) -> str:
    return origin.place or origin.layer


def _known(folder: str | None) -> tuple[set[str], set[str]]:
    """The names of the probes of the node and, with and without their prefix, of the network."""
    from groma.launch import native  # noqa: PLC0415
    from groma.launch.benchmarks import network_probes_here  # noqa: PLC0415

    node = {one.name for one in native.catalogue(native.native_program(folder=folder))}
    full = {one.name for one in network_probes_here(folder)} | network_probes()
    return node, full | {name.removeprefix(PREFIX) for name in full}


def of_this_kind(
    names: Collection[str], mine: Collection[str], others: Collection[str], setting: str
) -> tuple[str, ...]:
    """The names of `mine`. Raises GromaError (exit code 2) for one that is not of `others` either."""
    for name in names:
        if name not in mine and name not in others and not name.startswith(PREFIX):
            hint = did_you_mean(name, [*mine, *others])
            raise GromaError(f"{setting} names the unknown probe {name!r}", f"{hint}to list all: groma list")
    return tuple(name for name in names if name in mine)
