"""A machine whose processors have another frequency than its file or its survey says.

The network does not follow: a link keeps its bytes per second and a hop its time. Processors keep the cycles
that a paper gives of them, and the times that a survey measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from groma.machine.description import Machine, Processor
    from groma.machine.sourced import Cycles


def at_frequency(machine: Machine, frequency: float) -> Machine:
    """The machine with `frequency` (Hz); what lasts as long as before has other cycles, at least one."""
    before = machine.processor.frequency.value
    hop = _as_long(machine.network.hop_latency, before, frequency)
    return msgspec.structs.replace(
        machine,
        processor=_at_frequency(machine.processor, frequency),
        network=msgspec.structs.replace(machine.network, hop_latency=hop),
    )


def _at_frequency(node: Processor, frequency: float) -> Processor:
    before = node.frequency.value

    def kept(cost: Cycles | None) -> Cycles | None:
        return _as_long(cost, before, frequency) if cost is not None and cost.surveyed else cost

    receive = node.receive
    if receive is not None:
        receive = msgspec.structs.replace(receive, single=kept(receive.single), each=kept(receive.each))
    return msgspec.structs.replace(
        node,
        frequency=msgspec.structs.replace(node.frequency, value=frequency),
        memory_latency=kept(node.memory_latency),
        send=kept(node.send),
        receive=receive,
    )


def _as_long(cost: Cycles, before: float, frequency: float) -> Cycles:
    given = f"{cost.value:g} cycles at {before / 1e6:g} MHz"
    cycles = max(round(cost.value * frequency / before), 1)
    return msgspec.structs.replace(cost, value=cycles, source=f"{cost.source}; {given}")
