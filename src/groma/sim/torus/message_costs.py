"""What messages cost a processor. Papers of machines give the cost of a packet; a survey measures messages.

The o of LogGP is the time for which a processor is engaged in sending or receiving a message, of any length
(Alexandrov, Ionescu, Schauser, Scheiman 1995: LogGP, section 2). Its further bytes cost G each, which is the
rate of the network.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from groma.facts.torus import SimulatedWith
from groma.machine.sourced import ASSUMED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.machine.description import Processor
    from groma.machine.sourced import Cycles
    from groma.sim.torus.parameters import Parameters

MESSAGE = "processor.message"

_OF_PACKETS = ("processor.send", "processor.receive.single", "processor.receive.each")

_IN_MESSAGES = "derived: in the cost of messages, which is what a survey measures"


_NOT_APART = SimulatedWith(
    name=MESSAGE, value=None, unit="cycles", source=f"{ASSUMED}in the cost of packets", assumed=True
)


def message_costs(node: Processor) -> Parameters:
    """Of workloads that send messages. What a survey measured is the cost of these, and packets are free."""
    if node.send is None or not node.send.surveyed:
        return [_NOT_APART, *_further()]
    free = (SimulatedWith(name=name, value=0, unit="cycles", source=_IN_MESSAGES) for name in _OF_PACKETS)
    return [_surveyed(node.send), *free, *_further()]


def _surveyed(cost: Cycles) -> SimulatedWith:
    return SimulatedWith(name=MESSAGE, value=cost.value, unit=cost.unit, source=cost.source, surveyed=True)


def _further() -> Iterator[SimulatedWith]:
    """The papers give no number of them."""
    yield _assumed("call", "cycles", "to start a send or receive, in the cost of packets")
    yield _assumed("reorder", "cycles", "for a packet out of order, in the cost of receiving it")
    yield _assumed("copy", "cycles/B", "between ranks of a node")


def _assumed(name: str, unit: str, why: str) -> SimulatedWith:
    return SimulatedWith(name=f"processor.{name}", value=0, unit=unit, source=f"{ASSUMED}{why}", assumed=True)


def shared_by_packets(parameters: Parameters) -> Parameters:
    """Of a workload that sends the packets of messages one by one: they share what a survey says of one."""
    values = {one.name: one.value for one in parameters}
    packets = _packets(*(values[name] for name in _SIZES))
    return [_share(one, packets) if one.name in _OF_PACKETS and one.surveyed else one for one in parameters]


_SIZES = ("workload.bytes", "network.packet_largest", "network.packet_header")


def _packets(message: object, largest: object, header: object) -> int:
    """One where a value is wrong: the simulator refuses it."""
    numbers = [one for one in (message, largest, header) if isinstance(one, (int, float))]
    if len(numbers) < len(_SIZES) or numbers[1] <= numbers[2]:
        return 1
    return max(math.ceil(numbers[0] / (numbers[1] - numbers[2])), 1)


def _share(one: SimulatedWith, packets: int) -> SimulatedWith:
    if packets == 1 or not isinstance(one.value, (int, float)):
        return one
    source = f"{one.source}, shared by the {packets} packets of a message"
    return msgspec.structs.replace(one, value=one.value / packets, source=source)
