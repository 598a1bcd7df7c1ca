"""The plan of a survey with what starts it: the launch line of every launch, known before the first one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.host.host import Host
from groma.launch import native
from groma.launch.benchmarks import NETWORK_PROGRAM
from groma.launch.prepare import (
    LaunchOptions,
    LaunchPlan,
    Site,
    Step,
    Tool,
    command_of,
    refuse_missing_cores,
    refuse_missing_machines,
    site_of,
    starts_only_one,
    timeouts_for,
)
from groma.record.launch import Plan
from groma.survey.network.layers import LayerPairs, parameter_of
from groma.survey.network.plan import Call, NetworkPlan, PlannedLaunch, plan_network

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.survey.network.request import NetworkRequest

NETWORK = Tool(NETWORK_PROGRAM, "groma survey --network")

LAYERS_TO_BE_FOUND = "LAYERS"
"""Stands in launch lines for pairs of layers that are not known yet."""

ROUNDS_OF_SILENCE = 3.0
"""A round, after which a probe is heard, takes a third of its time at most; a disturbed one longer."""


class NetworkSetup(msgspec.Struct, frozen=True, kw_only=True):
    """A plan, and how its launches are started."""

    host: Host
    site: Site
    launch_options: LaunchOptions
    plan: NetworkPlan

    @property
    def options(self) -> tuple[str, ...]:
        """Those of `groma survey --network` that ask for the same launches."""
        timeout = self.launch_options.timeout
        given = {
            "--launcher": self.launch_options.launcher,
            "--hostfile": self.launch_options.hostfile,
            "--timeout": None if timeout is None else f"{timeout:.10g}s",
        }
        means = tuple(word for name, value in given.items() if value for word in (name, value))
        return (*self.plan.options, *means)

    def launch_plan(self, launch: PlannedLaunch, layers: Sequence[LayerPairs] | None = None) -> LaunchPlan:
        """One launch; `layers` are the pairs for one that is of layers, None where they are not known yet."""
        calls = [_completed(call, layers) if launch.of_layers else call for call in launch.calls]
        words = [word for call in calls for word in call.words()]
        longest = launch.starting + ROUNDS_OF_SILENCE * max(call.budget for call in calls)
        return LaunchPlan(
            selected=self.site.selected,
            program=self.site.program,
            shape=launch.shape,
            plan=Plan(tests=[call.probe for call in calls]),
            steps=tuple(Step(call.probe, call.title, call.budget) for call in calls),
            command=command_of(self.host, self.site, launch.shape, words),
            timeouts=timeouts_for(longest, self.launch_options.timeout),
        )

    def lines(self) -> dict[str, str]:
        """The launch lines by the names of the launches."""
        return {one.name: self.launch_plan(one).command.shell_line() for one in self.plan.launches}


def _completed(call: Call, layers: Sequence[LayerPairs] | None) -> Call:
    value = LAYERS_TO_BE_FOUND if layers is None else parameter_of(layers)
    return msgspec.structs.replace(call, parameters=call.parameters | {"layers": value})


def prepare(host: Host, request: NetworkRequest, options: LaunchOptions) -> NetworkSetup:
    """Decide everything; nothing is started but groma-network alone, to name its probes.

    Raises GromaError with exit code 2 for what cannot be asked for and 4 where MPI or the program is missing.
    """
    site = site_of(host, NETWORK, options)
    refuse_missing_machines(site, request.nodes)
    refuse_missing_cores(site, request.per_node)
    catalogue = native.catalogue(Path(site.program.path))
    room = (
        msgspec.structs.replace(site.room, nodes=1, cores=1) if starts_only_one(site.selected) else site.room
    )
    return NetworkSetup(
        host=host, site=site, launch_options=options, plan=plan_network(catalogue, request, room)
    )
