"""What RandomAccess does on a machine: its costs for each update, its buckets, its roles of cores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from groma.errors import GromaError
from groma.facts.torus import SimulatedWith
from groma.machine.buckets import Bucket, bucket_of, bucket_size
from groma.machine.description import Direct, Routed, Specialised
from groma.machine.sourced import ASSUMED, Cycles
from groma.sim.torus.nearest import nearest_hint
from groma.sim.torus.parameters import OWN, sourced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.interconnect.lattice import Shape
    from groma.machine.description import Algorithm, Machine, Packet
    from groma.sim.torus.parameters import Parameters

ALGORITHMS = ("multi-core", "single-core", "direct", "hypercube")

LOOK_AHEAD = 1024
UPDATE_BYTES = 8
"""Where the file of a machine has nothing else: rules of the benchmark."""


class Job(NamedTuple):
    """`roles` are those of the cores, in the order of their work; empty where one core does everything.

    `parameters` may take the place of those of the machine.
    """

    algorithm: str
    bucket: int
    roles: tuple[str, ...]
    parameters: Parameters
    workload: dict[str, Any]


def job_of(machine: Machine, packet: Packet, algorithm: str, shape: Shape, bucket: int | None) -> Job:
    """On `machine`, whose packets may have been set to those of `packet`.

    Raises GromaError (exit code 2) for an algorithm that the machine or the shape does not allow.
    """
    if algorithm not in ALGORITHMS:
        raise GromaError(
            f"unknown algorithm {algorithm!r}", nearest_hint(algorithm, ALGORITHMS, "algorithms")
        )
    if algorithm == "hypercube" and math.prod(shape).bit_count() != 1:
        raise GromaError(
            f"a hypercube needs a power of two of nodes, not {math.prod(shape)}", "choose another --shape"
        )
    known = _published(machine, algorithm)
    chosen = Bucket(bucket, "given") if bucket else _bucket(machine, packet, known, algorithm, shape)
    costs = _costs(machine, known, algorithm, shape)
    return Job(
        algorithm=algorithm,
        bucket=chosen.size,
        roles=tuple(one.name.removeprefix(OWN) for one in costs if one.name.startswith(OWN))
        if algorithm == "multi-core"
        else ("all of it",),
        parameters=[
            *_of_network(machine, known),
            *costs,
            _described(chosen),
        ],
        workload={"algorithm": algorithm, "update_bytes": _update_bytes(machine)},
    )


def default_algorithm(machine: Machine) -> str:
    """The fastest of which the file of the machine knows the costs."""
    return "multi-core" if isinstance(_published(machine, "multi-core"), Specialised) else "single-core"


def _published(machine: Machine, algorithm: str) -> Algorithm | None:
    """What the file of the machine says of an algorithm; a hypercube works as one core that routes."""
    if machine.randomaccess is None:
        return None
    kind = {"multi-core": Specialised, "direct": Direct}.get(algorithm, Routed)
    return next((one for one in machine.randomaccess.algorithms if isinstance(one, kind)), None)


def _bucket(
    machine: Machine, packet: Packet, known: Algorithm | None, algorithm: str, shape: Shape
) -> Bucket:
    most = _held(packet, machine)
    if algorithm == "hypercube":
        return Bucket(bucket_size(_look_ahead(machine), math.prod(shape).bit_length() - 1, most), "derived")
    if known is None or machine.randomaccess is None:
        buckets = 1 if algorithm == "direct" else sum(shape) - len(shape)
        size = 1 if algorithm == "direct" else bucket_size(_look_ahead(machine), buckets, most)
        return Bucket(size, "derived")
    # Not as printed in table 4: most of those are the same quotients, rounded to the nearest.
    return bucket_of(machine.randomaccess, packet, known, _in_dimensions_of(machine, shape), None)


def _in_dimensions_of(machine: Machine, shape: Shape) -> Shape:
    """Extents with as many other nodes on the axes, in the dimensions of which the file counts buckets."""
    others = sum(shape) - len(shape)
    return (1 + others, *[1] * (machine.torus.dimensions.value - 1))


def _held(packet: Packet, machine: Machine) -> int:
    """Updates that a packet holds."""
    return int((packet.largest.value - packet.header.value) // _update_bytes(machine))


def _look_ahead(machine: Machine) -> int:
    return machine.randomaccess.look_ahead.value if machine.randomaccess else LOOK_AHEAD


def _update_bytes(machine: Machine) -> int:
    return int(machine.randomaccess.update.value) if machine.randomaccess else UPDATE_BYTES


def _described(bucket: Bucket) -> SimulatedWith:
    sources = {
        "given": "given on the command line",
        "single": "updates are sent one by one",
        "derived": "the look-ahead shared by all buckets, at most a packet",
    }
    return _amount("bucket", bucket.size, "updates", sources[bucket.origin])


def updates_of_each(number: int) -> SimulatedWith:
    return _amount("updates", number, "updates", "of each node")


def _amount(name: str, value: float, unit: str, source: str) -> SimulatedWith:
    return SimulatedWith(name=f"workload.{name}", value=value, unit=unit, source=source)


def _of_network(machine: Machine, known: Algorithm | None) -> Iterator[SimulatedWith]:
    """How its packets find their way, and the buckets that wait for the network and for a core."""
    if machine.randomaccess is not None and machine.randomaccess.routing is not None:
        routing = machine.randomaccess.routing
        yield SimulatedWith(
            name="network.routing", value=routing.value, source=routing.source, assumed=routing.is_assumed
        )
    if not isinstance(known, Specialised):
        return
    for name, places in (("injection", known.sending), ("reception", known.receiving)):
        if places is not None:
            yield sourced(f"network.{name}_packets", places)


def _costs(machine: Machine, known: Algorithm | None, algorithm: str, shape: Shape) -> Parameters:
    match known:
        case Specialised():
            return _of_roles(known, len(shape))
        case Routed():
            return _of_hops(machine, known)
        case Direct():
            return [*_of_packets(known), *_of_one_core(known.fixed, _NO_HOPS)]
        case None:
            return _assumed_costs(machine, algorithm)


def _of_roles(known: Specialised, dimensions: int) -> Parameters:
    """The first core generates, the last one applies updates; those between route, one for each dimension."""
    if dimensions >= len(known.roles):
        raise GromaError(
            f"{known.name} has cores for {len(known.roles) - 1} dimensions, not for {dimensions}",
            "choose another --shape or --algorithm",
        )
    roles = [*known.roles[:dimensions], known.roles[-1]]
    return [_cost(f"own.{one.name}", one.own.value, one.own.source) for one in roles]


def _of_hops(machine: Machine, known: Routed) -> Parameters:
    """The cost of a hop holds that of packets, at the largest bucket: the simulator counts these itself."""
    each = _packet_costs(machine, known)
    bucket = max(_held(machine.packet, machine), 1)
    own = max(known.per_hop.value - each / bucket, 0.0)
    source = f"derived: {known.per_hop.value:g} - {each:g}/{bucket}; {known.per_hop.source}"
    return [*_of_packets(known), *_of_one_core(known.fixed, _cost("own.hop", own, source))]


def _of_one_core(fixed: Cycles, hop: SimulatedWith) -> Parameters:
    """Generating and applying share what an update costs besides; the sum is what counts."""
    half = f"half of {fixed.value:g}; {fixed.source}"
    return [_cost("own.generate", fixed.value / 2, half), hop, _cost("own.apply", fixed.value / 2, half)]


def _of_packets(known: Routed | Direct) -> Iterator[SimulatedWith]:
    """Where the algorithm does not use the message layer, its own costs take the place of the node's."""
    named = (
        ("send", known.send),
        ("receive.single", known.receive),
        ("receive.each", known.receive),
    )
    for name, cost in named:
        if cost is not None:
            yield sourced(f"processor.{name}", cost)


def _packet_costs(machine: Machine, known: Routed) -> float:
    """Sending and receiving a packet, in cycles."""
    node = machine.processor
    send = known.send or node.send
    receive = known.receive or (node.receive.each if node.receive else None)
    return (send.value if send else 0.0) + (receive.value if receive else 0.0)


def _assumed_costs(machine: Machine, algorithm: str) -> Parameters:
    if algorithm == "multi-core":
        raise GromaError(
            f"nothing is known of cores with roles on {machine.name}",
            "choose --algorithm single-core or direct",
        )
    latency = machine.processor.memory_latency
    why = f"{ASSUMED}a load from memory" if latency else f"{ASSUMED}as Blue Gene/P, about a load from memory"
    local = Cycles(value=latency.value if latency else 100.0, unit="cycles", source=why)
    return _of_one_core(local, _NO_HOPS if algorithm == "direct" else _cost("own.hop", local.value, why))


def _cost(name: str, value: float, source: str) -> SimulatedWith:
    return SimulatedWith(
        name=f"workload.{name}", value=value, unit="cycles", source=source, assumed=ASSUMED in source
    )


_NO_HOPS = _cost("own.hop", 0.0, "updates go straight to their owners")


def ordered_costs(workload: dict[str, Any]) -> dict[str, Any]:
    """The workload with the cycles of its cores as a list, in the order of their work."""
    return workload | {"own": list(workload["own"].values())} if "own" in workload else workload
