"""The plan of a survey with what starts it: the launch line of every launch, known before the first one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.launch import native
from groma.launch.benchmarks import NETWORK_PROGRAM
from groma.launch.prepare import (
    Means,
    Prepared,
    Site,
    Step,
    Tool,
    command_of,
    patience_for,
    site_of,
    starts_only_one,
)
from groma.record.host import Host
from groma.survey.network.layers import LayerPairs, parameter_of
from groma.survey.network.plan import Call, NetworkPlan, PlannedLaunch, plan_network

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.survey.network.request import NetworkWish

NETWORK = Tool(NETWORK_PROGRAM, "groma survey --network")

LAYERS_TO_BE_FOUND = "LAYERS"
"""Stands in launch lines for pairs of layers that are not known yet."""

ROUNDS_OF_SILENCE = 3.0
"""A round, after which a probe is heard, takes a third of its time at most; a disturbed one longer."""


class NetworkSetup(msgspec.Struct, frozen=True, kw_only=True):
    """A plan, and how its launches are started."""

    host: Host
    site: Site
    means: Means
    plan: NetworkPlan

    @property
    def options(self) -> tuple[str, ...]:
        """Those of `groma survey --network` that ask for the same launches."""
        silence = self.means.silence
        given = {
            "--launcher": self.means.launcher,
            "--hostfile": self.means.hostfile,
            "--patience": None if silence is None else f"{silence:.10g}s",
        }
        means = tuple(word for name, value in given.items() if value for word in (name, value))
        return (*self.plan.options, *means)

    def prepared(self, launch: PlannedLaunch, layers: Sequence[LayerPairs] | None = None) -> Prepared:
        """One launch; `layers` are the pairs for one that is of layers, None where they are not known yet."""
        calls = [_completed(call, layers) if launch.of_layers else call for call in launch.calls]
        words = [word for call in calls for word in call.words()]
        longest = launch.starting + ROUNDS_OF_SILENCE * max(call.budget for call in calls)
        return Prepared(
            chosen=self.site.chosen,
            program=self.site.program,
            shape=launch.shape,
            plan={"tests": [call.probe for call in calls]},
            steps=tuple(Step(call.probe, call.title, call.budget) for call in calls),
            command=command_of(self.host, self.site, launch.shape, words),
            patience=patience_for(longest, self.means.silence),
        )

    def lines(self) -> dict[str, str]:
        """The launch lines by the names of the launches."""
        return {one.name: self.prepared(one).command.spoken() for one in self.plan.launches}


def _completed(call: Call, layers: Sequence[LayerPairs] | None) -> Call:
    value = LAYERS_TO_BE_FOUND if layers is None else parameter_of(layers)
    return msgspec.structs.replace(call, parameters=call.parameters | {"layers": value})


def prepare(host: Host, wish: NetworkWish, means: Means) -> NetworkSetup:
    """Decide everything; nothing is started but groma-network alone, to name its probes.

    Raises GromaError with exit code 2 for what cannot be asked for and 4 where MPI or the program is missing.
    """
    site = site_of(host, NETWORK, means)
    catalogue = native.catalogue(Path(site.program.path))
    room = msgspec.structs.replace(site.room, nodes=1, cores=1) if starts_only_one(site.chosen) else site.room
    return NetworkSetup(host=host, site=site, means=means, plan=plan_network(catalogue, wish, room))
