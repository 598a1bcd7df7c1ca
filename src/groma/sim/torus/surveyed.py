"""A machine whose links and processors cost what a survey of the user's machine measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.machine.description import Machine, Network, Packet, Processor, Receiving, Torus
from groma.machine.sourced import (
    ASSUMED,
    Bytes,
    BytesPerSecond,
    Cores,
    Cost,
    Delay,
    Dimensions,
    Hertz,
    Overhead,
    Packets,
    Places,
)
from groma.profile.between_nodes import between_nodes, determined
from groma.sim.torus.profile_parts import NetworkPart, parts_of_profile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from groma.profile.between_nodes import Layer
    from groma.sim.torus.profile_parts import AccessPart, NodePart

_OF_PROFILE = "the profile"

_NO_NUMBER = f"{ASSUMED}a survey does not measure it"

_NO_OVERHEAD = "for want of o of LogGP (groma survey --network)"

_NANOSECONDS = Hertz(
    value=1e9,
    unit="Hz",
    source=f"{ASSUMED}the profile has no clock; a cycle is 1 ns",
)
"""Costs of a survey are in s: the frequency is only the unit in which the simulator counts them."""


def machine_of_profile(path: Path) -> Machine:
    """Raises GromaError (exit code 2) for a file that is no profile or has no network between nodes."""
    parts = parts_of_profile(path)
    network = parts.network or NetworkPart()
    layer = between_nodes(network.as_facts())
    if layer is None:
        raise _no_latency(path, network)
    packet = _packet()
    link = _link(layer, network, packet)
    if link is None:
        raise GromaError(
            f"{path} has no bandwidth of messages between nodes",
            "measure it: groma survey --network, or name a --machine",
        )
    processor = _processor(parts.node, layer)
    return Machine(
        name=path.stem,
        title=f"the machine of {path.name}",
        papers={},
        processor=processor,
        torus=Torus(
            dimensions=Dimensions(value=3, unit="dimensions", source=_NO_NUMBER),
            link=link,
        ),
        packet=packet,
        network=Network(
            hop_latency=_hop(layer, processor.frequency.value),
            reception=Places(value=0, unit="packets", source=f"{ASSUMED}received into memory"),
        ),
    )


def _no_latency(path: Path, network: NetworkPart) -> GromaError:
    what = f"{path} has no latency of messages between nodes"
    if not network.within_nodes:
        return GromaError(what, "measure it: groma survey --network, or name a --machine")
    return GromaError(
        f"{what}, only within a node: {', '.join(network.within_nodes)}",
        "measure it on two nodes or more: groma survey --network, or name a --machine",
    )


def _link(layer: Layer, network: NetworkPart, packet: Packet) -> BytesPerSecond | None:
    """The most that a node was seen to send. A survey counts bytes of messages, a link headers as well."""
    value, source = max(_rates(layer, network), default=(0.0, ""))
    if not value:
        return None
    room = packet.largest.value - packet.header.value
    return BytesPerSecond(
        value=value * packet.wire_bytes(room) / room,
        unit="B/s",
        source=f"{source}, taken as that of a link, and headers besides",
        surveyed=True,
    )


def _rates(layer: Layer, network: NetworkPart) -> Iterator[tuple[float, str]]:
    """One process may not fill its link: several of a node show more of it.

    Pairs that send at once may be of several nodes, so they count only where access was not measured.
    """
    alone = layer.of_pair
    together = list(_of_processes(network.access, alone.value if alone else None)) if network.access else []
    yield from together
    if not together and layer.bandwidth is not None:
        yield layer.bandwidth.value, f"{_OF_PROFILE}, layer {layer.name}: bandwidth of a node"
    elif alone is not None:
        yield alone.value, f"{_OF_PROFILE}, layer {layer.name}: bandwidth of one message"
    reference = determined(network.distance.reference) if network.distance else None
    if reference is not None:
        yield reference.value, f"{_OF_PROFILE}, distance: bandwidth of a node at distance 1"


def _of_processes(access: AccessPart, alone: float | None) -> Iterator[tuple[float, str]]:
    """Of all processes of a node together; by the ratio to one where the profile has no bandwidth."""
    words = f"{_OF_PROFILE}, access: bandwidth of the processes of a node together"
    measured = [determined(one) for one in access.bandwidth]
    totals = [count * one.value for count, one in enumerate(measured, 1) if one is not None]
    if totals:
        yield max(totals), words
        return
    ratios = [determined(one) for one in access.ratio]
    factors = [count / one.value for count, one in enumerate(ratios, 1) if one is not None]
    if factors and alone is not None:
        yield max(factors) * alone, f"{words}, from the ratios and the bandwidth of one message"


def _frequency(node: NodePart) -> Hertz:
    found = determined(node.clock.core_frequency) if node.clock else None
    if found is None:
        return _NANOSECONDS
    return Hertz(value=found.value, unit="Hz", source=f"{_OF_PROFILE}, clock", surveyed=True)


def _cores(node: NodePart) -> Cores:
    if not node.cores:
        return Cores(value=1, unit="cores", source=f"{ASSUMED}the profile has no cores")
    return Cores(value=len(node.cores), unit="cores", source=f"{_OF_PROFILE}, cores", surveyed=True)


def _processor(node: NodePart, layer: Layer) -> Processor:
    clock = _frequency(node)
    frequency = clock.value
    taken = "o of LogGP" if layer.overhead else f"half the latency, {_NO_OVERHEAD}"
    overhead = _cycles(_overhead(layer) * frequency, f"{_OF_PROFILE}, layer {layer.name}: {taken}")
    memory = determined(node.memory.latency) if node.memory else None
    return Processor(
        frequency=clock,
        cores=_cores(node),
        memory_latency=None
        if memory is None
        else _cycles(memory.value * frequency, f"{_OF_PROFILE}, latency of memory"),
        send=overhead,
        receive=Receiving(
            single=overhead, batch=Packets(value=1, unit="packets", source=_NO_NUMBER), each=overhead
        ),
    )


_ROUTER = Network().hop_latency.value
"""Cycles of a hop where nothing is known of it."""

_SMALL = 0.01
"""Share of the latency that a hop may take where the overheads leave nothing of it."""


def _hop(layer: Layer, frequency: float) -> Delay:
    """A step of the simulator is as long as a hop: steps of a cycle are very slow, small ones err little."""
    left = max(layer.latency.value - 2 * _overhead(layer), 0.0) * frequency
    small = max(math.floor(min(_ROUTER, _SMALL * layer.latency.value * frequency)), 1)
    if left >= small:
        source = f"{_OF_PROFILE}, layer {layer.name}: latency without the overheads, taken as that of a hop"
        return Delay(value=round(left), unit="cycles", source=source, surveyed=True)
    rest = (
        "the overheads leave less of it"
        if layer.overhead
        else f"all of it counts as overhead, {_NO_OVERHEAD}"
    )
    why = f"{ASSUMED}1 % of the latency, at most {_ROUTER:g} cycles; {rest}"
    return Delay(value=small, unit="cycles", source=why)


def _overhead(layer: Layer) -> float:
    """Seconds of the processor for a message, sent or received."""
    return layer.overhead.value if layer.overhead else layer.latency.value / 2


def _cycles(value: float, source: str) -> Cost:
    return Cost(value=max(round(value), 1), unit="cycles", source=source, surveyed=True)


def _packet() -> Packet:
    def assumed(value: int) -> Overhead:
        return Overhead(value=value, unit="B", source=_NO_NUMBER)

    def most(value: int) -> Bytes:
        return Bytes(value=value, unit="B", source=_NO_NUMBER)

    return Packet(step=most(32), largest=most(256), header=assumed(16), on_wire=assumed(14))
