"""A machine whose links and processors cost what a survey of the user's machine measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.machine.description import Machine, Network, Packet, Processor, Receiving, Torus
from groma.machine.sourced import ASSUMED, Bytes, BytesPerSecond, Counted, Cycles, Hertz, Places
from groma.profile import open_profile
from groma.profile.between_nodes import between_nodes, determined

if TYPE_CHECKING:
    from pathlib import Path

    from groma.facts.survey import NodeFacts
    from groma.profile.between_nodes import Layer

_PROFILE = "the profile"

_NO_NUMBER = f"{ASSUMED}a survey does not measure it"


def machine_of_profile(path: Path) -> Machine:
    """Raises GromaError (exit code 2) for a file that is no profile or has no network between nodes."""
    facts = open_profile(path).facts
    layer = between_nodes(facts.network)
    if layer is None or layer.bandwidth is None:
        raise GromaError(
            f"{path} says nothing about messages between nodes",
            "survey the network: groma survey --network, or name a --machine",
        )
    frequency = _frequency(facts.node)
    return Machine(
        name=path.stem,
        title=f"the machine of {path.name}",
        papers={},
        processor=_processor(facts.node, layer, frequency),
        torus=Torus(
            dimensions=Counted(value=3, unit="dimensions", source=_NO_NUMBER),
            link=BytesPerSecond(
                value=layer.bandwidth.value,
                unit="B/s",
                source=f"{_PROFILE}, layer {layer.name}: bandwidth of a node, taken as that of a link",
            ),
        ),
        packet=_packet(),
        network=Network(
            hop_latency=_cycles(
                max(layer.latency.value - 2 * _overhead(layer), 0.0) * frequency.value,
                f"{_PROFILE}, layer {layer.name}: latency without the overheads, taken as that of a hop",
            ),
            reception=Places(value=0, unit="packets", source=f"{ASSUMED}received into memory"),
        ),
    )


def _frequency(node: NodeFacts) -> Hertz:
    """A survey of the network alone has no clock of cores: its costs are times, cycles only their unit."""
    found = determined(node.clock.core_frequency) if node.clock else None
    if found is None:
        return Hertz(value=1e9, unit="Hz", source=f"{ASSUMED}the profile has no clock; a cycle is 1 ns")
    return Hertz(value=found.value, unit="Hz", source=f"{_PROFILE}, clock")


def _processor(node: NodeFacts, layer: Layer, frequency: Hertz) -> Processor:
    overhead = _cycles(
        _overhead(layer) * frequency.value,
        f"{_PROFILE}, layer {layer.name}: o of LogGP, else half the latency",
    )
    memory = determined(node.memory.latency) if node.memory else None
    return Processor(
        frequency=frequency,
        cores=Counted(value=max(len(node.cores), 1), unit="cores", source=f"{_PROFILE}, cores"),
        memory_latency=None
        if memory is None
        else _cycles(memory.value * frequency.value, f"{_PROFILE}, latency of memory"),
        send=overhead,
        receive=Receiving(
            single=overhead, batch=Counted(value=1, unit="packets", source=_NO_NUMBER), each=overhead
        ),
    )


def _overhead(layer: Layer) -> float:
    """Seconds of the processor for a message, sent or received."""
    return layer.overhead.value if layer.overhead else layer.latency.value / 2


def _cycles(value: float, source: str) -> Cycles:
    return Cycles(value=max(round(value), 1), unit="cycles", source=source)


def _packet() -> Packet:
    sizes = {"step": 32, "largest": 256, "header": 16, "on_wire": 14}
    return Packet(**{name: Bytes(value=size, unit="B", source=_NO_NUMBER) for name, size in sizes.items()})
