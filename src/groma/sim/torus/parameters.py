"""The parameters of a simulation by name, each with its source: from a machine file, assumed, or given."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import GromaError
from groma.facts.torus import SimulatedWith
from groma.machine.sourced import ASSUMED
from groma.sim.torus.nearest import nearest_hint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groma.machine.description import Machine, Processor
    from groma.machine.sourced import Bytes, Counted, Cycles, Hertz, Places
    from groma.sim.torus.workloads import Parameter, Value

GIVEN = "given on the command line"
DEFAULT = "default of the workload"
FREQUENCY = "processor.frequency"
OWN = "workload.own."
"""How the costs of cores begin; the name of the core follows."""

OF_BLUE_GENE_P = f"{ASSUMED}as Blue Gene/P, for want of a number of this machine"

Parameters = list[SimulatedWith]


def machine_parameters(machine: Machine) -> Parameters:
    """Of its network and its processors, by the names of the request to the simulator."""
    return [*_network(machine), *_processor(machine.processor)]


def _network(machine: Machine) -> Iterator[SimulatedWith]:
    link, packet, network = machine.torus.link, machine.packet, machine.network
    rate = link.value / machine.processor.frequency.value
    yield SimulatedWith(
        name="network.bytes_per_cycle",
        value=rate,
        unit="B/cycle",
        source=link.source,
        assumed=link.is_assumed,
        surveyed=link.surveyed,
    )
    yield sourced("network.hop_latency", network.hop_latency)
    yield sourced("network.packet_step", packet.step)
    yield sourced("network.packet_largest", packet.largest)
    yield sourced("network.packet_header", packet.header)
    yield sourced("network.packet_on_wire", packet.on_wire)
    yield sourced("network.channel_bytes", network.channel)
    yield sourced("network.adaptive_channels", network.adaptive_channels)
    yield sourced("network.injection_packets", network.injection)
    yield sourced("network.reception_packets", network.reception)
    routing = network.routing
    yield SimulatedWith(
        name="network.routing", value=routing.value, source=routing.source, assumed=routing.is_assumed
    )


def _processor(node: Processor) -> Iterator[SimulatedWith]:
    yield sourced(FREQUENCY, node.frequency)
    yield _cycles("processor.send", node.send, 150)
    receive = node.receive
    yield _cycles("processor.receive.single", receive.single if receive else None, 600)
    yield _counted("processor.receive.batch", receive.batch if receive else None, 4)
    yield _cycles("processor.receive.each", receive.each if receive else None, 330)


def polling() -> SimulatedWith:
    """Of the cores of RandomAccess."""
    return SimulatedWith(
        name="processor.poll", value=None, unit="cycles", source="derived: as long as an empty call takes"
    )


def sourced(name: str, number: Cycles | Bytes | Counted | Places | Hertz) -> SimulatedWith:
    """The parameter that a number of a machine gives."""
    return SimulatedWith(
        name=name,
        value=number.value,
        unit=number.unit,
        source=number.source,
        assumed=number.is_assumed,
        surveyed=number.surveyed,
    )


def _cycles(name: str, number: Cycles | None, otherwise: float) -> SimulatedWith:
    if number is not None:
        return sourced(name, number)
    return SimulatedWith(name=name, value=otherwise, unit="cycles", source=OF_BLUE_GENE_P, assumed=True)


def _counted(name: str, number: Counted | None, otherwise: int) -> SimulatedWith:
    if number is not None:
        return sourced(name, number)
    return SimulatedWith(name=name, value=otherwise, unit="packets", source=OF_BLUE_GENE_P, assumed=True)


def frequency_in(parameters: Iterable[SimulatedWith]) -> float:
    """Cycles of a second. Raises GromaError (exit code 2) for those of no processor."""
    value = next(one.value for one in parameters if one.name == FREQUENCY)
    if not isinstance(value, (int, float)) or not 1e3 <= value <= 1e12:
        raise GromaError(f"{FREQUENCY} is {value}", "give 1e3 to 1e12 Hz")
    return float(value)


def workload_parameters(known: Iterable[Parameter]) -> Parameters:
    return [
        SimulatedWith(name=f"workload.{one.name}", value=one.default, unit=one.unit, source=DEFAULT)
        for one in known
    ]


def with_settings(parameters: Iterable[SimulatedWith], settings: Iterable[str]) -> Parameters:
    """With `NAME=VALUE` as typed in place of the values. Raises GromaError (exit code 2)."""
    found = {one.name: one for one in parameters}
    given: set[str] = set()
    for setting in settings:
        name, equals, text = _split(setting, found)
        if not equals:
            raise GromaError(
                f"--set {setting}: there is no value",
                "write --set NAME=VALUE, such as network.hop_latency=50",
            )
        if name not in found:
            raise GromaError(f"unknown parameter {name!r}", nearest_hint(name, found, "parameters"))
        if name in given:
            raise GromaError(f"--set {name} is given twice", "give it once")
        given.add(name)
        found[name] = replaced(found[name], _parsed(found[name], text))
    return list(found.values())


def _split(setting: str, known: Iterable[str]) -> tuple[str, str, str]:
    """At the first "=" that comes after a known name, for that may hold one itself."""
    names = [name for name in known if setting.startswith(f"{name}=")]
    if not names:
        return setting.partition("=")
    name = max(names, key=len)
    return name, "=", setting.removeprefix(f"{name}=")


def replaced(one: SimulatedWith, value: Value, source: str = GIVEN) -> SimulatedWith:
    """The parameter with another value."""
    return msgspec.structs.replace(one, value=value, source=source, assumed=False, surveyed=False)


def _parsed(one: SimulatedWith, text: str) -> Value:
    """A number where the parameter is one; where it has no value yet, whatever the text is."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isfinite(number):
        return int(number) if number.is_integer() else number
    if isinstance(one.value, (int, float)):
        raise GromaError(
            f"--set {one.name}={text}: {text!r} is not a number", f"it is {one.value} {one.unit}".rstrip()
        )
    return text


def _parts(name: str) -> list[str]:
    """Of a name. What a machine file calls a core is one part, whatever it holds."""
    if name.startswith(OWN):
        return [*OWN.removesuffix(".").split("."), name.removeprefix(OWN)]
    return name.split(".")


def nested(parameters: Sequence[SimulatedWith]) -> dict[str, Any]:
    """The values by the parts of their names, as the request has them.

    Those without a value are left out: the simulator chooses.
    """
    whole: dict[str, Any] = {}
    for one in parameters:
        if one.value is None:
            continue
        *path, last = _parts(one.name)
        place = whole
        for part in path:
            place = place.setdefault(part, {})
        value = one.value
        place[last] = int(value) if isinstance(value, float) and value.is_integer() else value
    return whole
