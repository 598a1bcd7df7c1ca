"""The machine in two sentences and a row of tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.facts.survey import SurveyFacts
from groma.record.counting import counted
from groma.record.units import format_number, format_share, format_value
from groma.report.blocks import Tile, lead_and_tiles
from groma.report.views.marks import quantity_tile
from groma.report.views.registry import view
from groma.report.words.environment import environment_of, machine_name
from groma.report.words.node import cache_name
from groma.report.words.text import joined, quantity_text, value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.survey import Cache, Core, NodeFacts, ScalingPoint
    from groma.record import Record, TopologyCore
    from groma.record.environment import Environment
    from groma.report.views.registry import Blocks


@view("verdict", order=1, of=SurveyFacts)
def verdict(record: Record[SurveyFacts]) -> Blocks:
    environment, node = environment_of(record), record.facts.node
    shape = _shape_of(record)
    lead = joined(_shape_words(environment, shape), _virtualisation(environment), _latency_span(node), by=" ")
    tiles = [
        *_cores_tile(node, shape),
        *map(_cache_tile, node.caches),
        *_memory_tile(node),
        *_bandwidth_tile(node),
        *_core_to_core_tile(node),
        *(_place_tile(environment) if "virtualisation" in record.environment else []),
    ]
    return lead_and_tiles(lead, tiles)


# ---- the lead ----------------------------------------------------------------------------------------------


class _Shape(NamedTuple):
    """`cores` have `threads`; the run could use the `allowed` ones. `memory` is in bytes, 0 where unknown."""

    packages: int
    cores: int
    threads: int
    places: int
    allowed: int
    memory: int


def _shape_of(record: Record[SurveyFacts]) -> _Shape | None:
    declared = record.facts.declared
    cores: Sequence[TopologyCore | Core] = declared.cores if declared else record.facts.node.cores
    if not cores:
        return None
    # Guests that memory is plugged into declare less of it for their nodes than there is.
    plugged = sum(place.memory_bytes or 0 for place in declared.numa) if declared else 0
    return _Shape(
        packages=len({core.package for core in cores}),
        cores=len({core.logical if core.core is None else core.core for core in cores}),
        threads=len(cores),
        places=len({core.numa for core in cores}),
        allowed=len(declared.allowed) if declared else len(cores),
        memory=environment_of(record).memory.total_bytes or plugged,
    )


def _shape_words(environment: Environment, shape: _Shape | None) -> str:
    name = machine_name(environment, "This machine")
    if shape is None:
        return f"{name}: the system reported nothing about its cores."
    parts = joined(
        counted(shape.packages, "package"),
        counted(shape.cores, "core"),
        counted(shape.threads, "hardware thread") if shape.threads > shape.cores else "",
        counted(shape.places, "NUMA node"),
        f"{format_value(shape.memory, 'B')} of memory" if shape.memory else "",
    )
    if shape.allowed == shape.threads:
        return f"{name}: {parts}."
    return f"{name}: {parts}, of which this run could use {counted(shape.allowed, 'thread')}."


def _virtualisation(environment: Environment) -> str:
    host, container = environment.virtualisation.hypervisor, environment.virtualisation.container
    if host:
        return (
            f"It is a virtual machine ({host}): beyond the private caches, the figures show its "
            "current share."
        )
    return f"The survey ran in a container ({container})." if container else ""


def _latency_span(node: NodeFacts) -> str:
    memory = node.memory.latency if node.memory else None
    first = node.caches[0].latency if node.caches else None
    if first is None or memory is None or first.value <= 0:
        return ""
    times = format_number(round(memory.value / first.value))
    return (
        f"A load takes {value_text(first)} from the first cache and {value_text(memory)} from memory, "
        f"{times} times as long."
    )


# ---- tiles -------------------------------------------------------------------------------------------------


def _cores_tile(node: NodeFacts, shape: _Shape | None) -> list[Tile]:
    if shape is None:
        return []
    frequency = [quantity_text(node.clock.core_frequency)] if node.clock else []
    smt = f"{shape.threads} hardware threads" if shape.threads > shape.cores else "one thread each"
    packages = f"in {shape.packages} packages" if shape.packages > 1 else ""
    return [Tile(title="Cores", value=str(shape.cores), unit=packages, lines=[*frequency, smt])]


def _cache_tile(cache: Cache) -> Tile:
    cycles = [quantity_text(cache.latency_cycles)] if cache.latency_cycles else []
    return quantity_tile(f"{cache_name(cache)} cache", cache.size, [quantity_text(cache.latency), *cycles])


def _memory_tile(node: NodeFacts) -> list[Tile]:
    latency = node.memory.latency if node.memory else None
    return [quantity_tile("Memory latency", latency, ["dependent random loads"])] if latency else []


def _bandwidth_tile(node: NodeFacts) -> list[Tile]:
    """Of the kernel and the number of cores that move most."""
    scaling = node.memory.bandwidth if node.memory else {}
    points = [(kernel, one) for kernel, some in scaling.items() for one in some]
    if not points:
        return []
    kernel, best = max(points, key=lambda one: one[1].value.value)
    alone = _alone(scaling[kernel]) if best.cores > 1 else []
    lines = [f"{kernel} on {counted(best.cores, 'core')}", *alone]
    return [quantity_tile("Memory bandwidth", best.value, lines)]


def _alone(points: Sequence[ScalingPoint]) -> list[str]:
    return [f"one core: {quantity_text(one.value)}" for one in points if one.cores == 1][:1]


def _core_to_core_tile(node: NodeFacts) -> list[Tile]:
    layers = node.core_to_core.layers if node.core_to_core else []
    if not layers:
        return []
    far = ["nearest pairs", f"farthest: {quantity_text(layers[-1].latency)}"]
    lines = far if len(layers) > 1 else ["all pairs equal"]
    return [quantity_tile("Core to core", layers[0].latency, lines)]


def _place_tile(environment: Environment) -> list[Tile]:
    names, steal = environment.virtualisation, environment.noise.steal
    lines = [
        *([f"hypervisor: {names.hypervisor}"] if names.hypervisor else []),
        *([f"container: {names.container}"] if names.container else []),
        *([f"stolen CPU time: {format_share(steal)}"] if steal is not None else []),
    ]
    kind = "virtual machine" if names.hypervisor else "bare metal"
    return [Tile(title="Runs on", value=kind, lines=lines)]
