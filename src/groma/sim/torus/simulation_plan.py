"""From the options of a user to a request to the simulator."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from groma.errors import GromaError
from groma.machine.allowed import value_at
from groma.machine.description import Packet
from groma.sim.torus.at_frequency import at_frequency
from groma.sim.torus.message_costs import message_costs, shared_by_packets
from groma.sim.torus.parameters import (
    FREQUENCY,
    frequency_in,
    machine_parameters,
    nested,
    polling,
    replaced,
    with_settings,
    workload_parameters,
)
from groma.sim.torus.protocol import Request, Run
from groma.sim.torus.randomaccess import default_algorithm, job_of, ordered_costs, updates_of_each
from groma.sim.torus.replayed import REPLAY, with_trace
from groma.sim.torus.shapes import extents_of
from groma.sim.torus.traced import trace_options
from groma.sim.torus.workload_values import lists_of, refuse_contradictions
from groma.sim.torus.workloads import RANDOMACCESS, workload_named

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from groma.machine.description import Machine
    from groma.sim.torus.parameters import Parameters
    from groma.sim.torus.protocol import Routing
    from groma.sim.torus.shapes import Extents
    from groma.sim.torus.workloads import Workload

MOST_NODES_WITH_LINKS = 4096
"""Up to which the load of each link is kept without being asked for."""


@dataclass(frozen=True, kw_only=True)
class SimulationOptions:
    """The options of the verb, as typed. `trace_copy` is where the trace is read if it could not be read
    again by its own name.
    """

    machine: Machine
    workload: str = RANDOMACCESS
    algorithm: str | None = None
    shape: str = "8x8x8"
    mesh: str = ""
    routing: Routing | None = None
    bucket: int | None = None
    updates: int | None = None
    settings: Sequence[str] = ()
    trace: Path | None = None
    trace_copy: Path | None = None
    paraver: Path | None = None
    run: Run = field(default_factory=Run)


class SimulationPlan(NamedTuple):
    """A request to the simulator, with the names of what it is about and the source of each number.

    `cores` are those that a node of the machine has, None where nothing is known of them. `trace_copy` is as
    in the options.
    """

    request: Request
    parameters: Parameters
    machine: str
    frequency: float
    extents: Extents
    workload: Workload
    algorithm: str = ""
    roles: tuple[str, ...] = ()
    bucket: int | None = None
    updates: int = 0
    cores: int | None = None
    trace_copy: Path | None = None

    @property
    def title(self) -> str:
        return self.extents.title

    @property
    def links_of_dimensions(self) -> list[int]:
        """Links in one direction of each dimension; a ring of two nodes has two."""
        return [
            self.extents.nodes // size * (size if closed else size - 1) if size > 1 else 0
            for size, closed in zip(self.extents.shape, self.extents.closed, strict=True)
        ]

    @property
    def links(self) -> int:
        """Links of the torus, each direction counted."""
        return 2 * sum(self.links_of_dimensions)


UPDATES = 4096
"""Updates of each node: steady for most of the time (reference/sim.md, section 7)."""


def plan_of(options: SimulationOptions) -> SimulationPlan:
    """Raises GromaError (exit code 2) for what cannot be simulated."""
    options = _at_given_frequency(options)
    extents, workload = extents_of(options.shape, options.mesh), workload_named(options.workload)
    _refuse_two_values(options)
    if options.trace is not None and workload.name != REPLAY:
        raise GromaError(f"--trace belongs to {REPLAY}, not to {workload.name}", f"add --workload {REPLAY}")
    if workload.name == RANDOMACCESS:
        return _random_access(options, extents)
    _refuse_options_of_updates(options, workload)
    parameters = [
        *machine_parameters(options.machine),
        *(message_costs(options.machine.processor) if workload.sends_messages else []),
        *workload_parameters(workload.parameters),
    ]
    chosen = _chosen(options, parameters)
    refuse_contradictions(workload, chosen)
    if workload.sends_packets_of_messages:
        chosen = shared_by_packets(chosen)
    if options.trace is not None:
        chosen = with_trace(chosen, options.trace, frequency_in(chosen), options.trace_copy)
    request = _request(options, extents, chosen, {"name": workload.name})
    request.workload.update(lists_of(workload, request.workload, extents))
    request.workload.update(
        (one.name, str(request.workload[one.name]))
        for one in workload.parameters
        if one.is_path and one.name in request.workload
    )
    return _plan(options, extents, chosen, request)


def _at_given_frequency(options: SimulationOptions) -> SimulationOptions:
    """With the machine as it is at the frequency that the user sets."""
    given = [one for one in options.settings if one.partition("=")[0] == FREQUENCY]
    if not given:
        return options
    frequency = frequency_in(with_settings(machine_parameters(options.machine), given))
    return replace(options, machine=at_frequency(options.machine, frequency))


def _plan(
    options: SimulationOptions, extents: Extents, chosen: Parameters, request: Request
) -> SimulationPlan:
    cores = options.machine.processor.cores
    return SimulationPlan(
        request=request,
        parameters=chosen,
        machine=options.machine.name,
        frequency=frequency_in(chosen),
        extents=extents,
        workload=workload_named(options.workload),
        cores=None if cores.is_assumed else cores.value,
        trace_copy=options.trace_copy,
    )


def _refuse_two_values(options: SimulationOptions) -> None:
    """Options that are short for a parameter."""
    given = {
        "workload.bucket": ("--bucket", options.bucket),
        "workload.updates": ("--updates", options.updates),
        "workload.file": ("--trace", options.trace),
        "network.routing": ("--routing", options.routing),
    }
    for setting in options.settings:
        name = setting.partition("=")[0]
        option, value = given.get(name, ("", None))
        if value is not None:
            raise GromaError(f"{option} and --set {name} exclude each other", "give one of them")


def _refuse_options_of_updates(options: SimulationOptions, workload: Workload) -> None:
    given = {"--algorithm": options.algorithm, "--bucket": options.bucket, "--updates": options.updates}
    for option, value in given.items():
        if value is not None:
            raise GromaError(
                f"{option} belongs to RandomAccess, not to {workload.name}",
                "set parameters of a workload with --set workload.NAME=VALUE",
            )


def _random_access(options: SimulationOptions, extents: Extents) -> SimulationPlan:
    algorithm = default_algorithm(options.machine) if options.algorithm is None else options.algorithm
    updates = options.updates or UPDATES
    job = job_of(options.machine, _packet_in(options), algorithm, extents.shape, options.bucket)
    own = [polling(), *job.parameters, updates_of_each(updates)]
    chosen = _chosen(options, [*machine_parameters(options.machine), *own])
    request = _request(options, extents, chosen, {"name": RANDOMACCESS, **job.workload})
    _refuse_what_no_packet_holds(request, options.bucket)
    return _plan(options, extents, chosen, request)._replace(
        algorithm=job.algorithm,
        roles=job.roles,
        bucket=request.workload["bucket"],
        updates=request.workload["updates"] * extents.nodes,
    )


_PACKET = {
    "largest": "network.packet_largest",
    "header": "network.packet_header",
    "step": "network.packet_step",
}


def _packet_in(options: SimulationOptions) -> Packet:
    """The packets of the machine, of the sizes that the user sets. What can be none is refused later."""
    packet = options.machine.packet
    given = [one for one in options.settings if one.partition("=")[0] in _PACKET.values()]
    values = {one.name: one.value for one in with_settings(machine_parameters(options.machine), given)}
    parts = msgspec.to_builtins(packet)
    for part, name in _PACKET.items():
        parts[part]["value"] = values[name]
    try:
        return msgspec.convert(parts, Packet)
    except msgspec.ValidationError:
        return packet


def _refuse_what_no_packet_holds(request: Request, bucket: int | None) -> None:
    network, update = request.network, request.workload["update_bytes"]
    held = (network.packet_largest - network.packet_header) // update
    if held < 1:
        raise GromaError(
            f"a packet of {network.packet_largest} B with a header of {network.packet_header} B "
            f"holds no update of {update} B",
            "set a larger network.packet_largest",
        )
    if bucket is not None and bucket > held:
        raise GromaError(f"a packet holds {held} updates, not {bucket}", "choose a smaller --bucket")


def _chosen(options: SimulationOptions, parameters: Parameters) -> Parameters:
    """What the algorithm knows in place of what the machine has, and what the user gave before all."""
    by_name = {one.name: one for one in parameters}
    if options.routing:
        by_name["network.routing"] = replaced(by_name["network.routing"], options.routing)
    return with_settings(by_name.values(), options.settings)


def _request(
    options: SimulationOptions, extents: Extents, chosen: Parameters, workload: dict[str, Any]
) -> Request:
    """Raises GromaError (exit code 2) for a value of another type than its parameter."""
    values = nested(chosen)
    links = options.run.links or extents.nodes <= MOST_NODES_WITH_LINKS
    whole = {
        "shape": extents.shape,
        "torus": extents.closed,
        **values,
        "workload": workload | ordered_costs(values.get("workload", {})),
        "run": msgspec.structs.replace(options.run, links=links),
        "trace": None if options.paraver is None else trace_options(options.paraver, frequency_in(chosen)),
    }
    try:
        return msgspec.convert(whole, Request, from_attributes=True)
    except msgspec.ValidationError as error:
        raise _wrong_value(chosen, error) from None


_AT = re.compile(r"- at `\$\.(?P<name>.*)`$")


def _wrong_value(chosen: Parameters, error: msgspec.ValidationError) -> GromaError:
    """Names the parameter, its value and what it may be. Only --set gives parameters of other types."""
    found = _AT.search(str(error))
    values = {one.name: one.value for one in chosen}
    name = found["name"] if found is not None else ""
    allowed = value_at(Request, f".{name}") if name in values else ""
    if not allowed:
        what = str(error).replace("`$.", "`")
        return GromaError(f"a parameter has a wrong value: {what}", "correct it with --set")
    return GromaError(f"--set {name}={values[name]}: {values[name]!r} is not {allowed}", f"give {allowed}")
