"""What a surveyed node gives RandomAccess: traffic, latency, caches and the network between nodes.

Taken from a profile and nothing else; a part that the profile lacks is refused by name or left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import GromaError
from groma.facts.reading import read_record
from groma.facts.survey import Memory, SurveyFacts
from groma.profile.between_nodes import Layer, between_nodes, determined
from groma.record import Quantity
from groma.record.known_environment import known_environment
from groma.stats.spans import product

if TYPE_CHECKING:
    from pathlib import Path

    from groma.facts.network import NetworkFacts
    from groma.facts.survey import ScalingPoint, StreamKernel
    from groma.record import Record

USUAL_LINE = 64
"""Bytes of a cache line where neither the survey nor the system tells."""

_ALLOCATES = {"write": 2.0, "copy": 1.5, "scale": 1.5, "add": 4 / 3, "triad": 4 / 3}
"""Bytes moved over bytes counted, with regular stores, for profiles that do not describe their kernels."""


class Traffic(msgspec.Struct, frozen=True, kw_only=True):
    """What the busiest kernel moved between memory and `cores` cores, both directions together."""

    cores: int
    kernel: str
    rate: Quantity


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """`traffic` grows with the cores. `line` and `cache` (of all last-level caches together) in bytes.

    `surveyed` is the number of nodes whose messages at the same time were measured, None where none were.
    """

    traffic: list[Traffic]
    latency: Quantity | None
    line: int
    cache: float
    network: Layer | None
    host: str | None = None
    processor: str | None = None
    surveyed: int | None = None

    @property
    def cores(self) -> int:
        """The largest number of cores whose traffic was measured."""
        return self.traffic[-1].cores

    def traffic_of(self, cores: int) -> Traffic:
        """That of `cores` cores: of the next larger number that was measured, or else of the largest."""
        enough = [one for one in self.traffic if one.cores >= cores]
        return enough[0] if enough else self.traffic[-1]


def read_node(path: Path) -> Node:
    """The node of a profile. Raises GromaError (exit code 2) for a file that is none or tells too little."""
    return node_of(read_record(path), str(path))


def node_of(profile: Record[Any], name: str) -> Node:
    """As `read_node`, of a record; `name` is how the messages call it."""
    facts, environment = profile.facts, known_environment(profile.environment)
    if not isinstance(facts, SurveyFacts):
        raise GromaError(
            f"{name} is a record of kind {profile.kind}, not a profile", "make a profile: groma survey"
        )
    memory = facts.node.memory or Memory()
    traffic = _traffic(memory)
    if not traffic:
        raise GromaError(
            f"{name} has no memory bandwidth",
            "measure it: groma survey --only memory_bandwidth",
        )
    return Node(
        traffic=traffic,
        latency=determined(memory.latency),
        line=_line(facts),
        cache=_last_level(facts),
        network=_between_nodes(facts.network),
        host=environment.host,
        processor=environment.cpu.model,
        surveyed=facts.network.distance.nodes if facts.network and facts.network.distance else None,
    )


def _traffic(memory: Memory) -> list[Traffic]:
    by_cores: dict[int, list[Traffic]] = {}
    for kernel, points in memory.bandwidth.items():
        for point in filter(_is_determined, points):
            moved = _moved(kernel, memory.kernels.get(kernel), point)
            by_cores.setdefault(point.cores, []).append(moved)
    return [max(by_cores[cores], key=lambda one: one.rate.value) for cores in sorted(by_cores)]


def _is_determined(point: ScalingPoint) -> bool:
    return determined(point.value) is not None


def _moved(kernel: str, described: StreamKernel | None, point: ScalingPoint) -> Traffic:
    factor = _ALLOCATES.get(kernel, 1.0)
    if described is not None and described.bytes_per_element:
        factor = 1 + described.write_allocate_per_element / described.bytes_per_element
    rate = product(point.value, factor).quantity("B/s", f"{kernel}, including what its stores fetch")
    return Traffic(cores=point.cores, kernel=kernel, rate=rate)


def _between_nodes(network: NetworkFacts | None) -> Layer | None:
    """With the bandwidth of all processes of a node together, where access was measured.

    Concurrent messages may be of several nodes: their sum says little of one.
    """
    layer = between_nodes(network)
    if layer is None or network is None or network.access is None:
        return layer
    measured = map(determined, network.access.bandwidth)
    totals = [
        product(one, count).quantity("B/s", f"{one.method}, times the processes of a node")
        for count, one in enumerate(measured, start=1)
        if one is not None
    ]
    if not totals:
        return layer
    known = [*totals, *([layer.of_pair] if layer.of_pair is not None else [])]
    return msgspec.structs.replace(layer, bandwidth=max(known, key=lambda one: one.value))


def _line(facts: SurveyFacts) -> int:
    measured = [cache.line.value for cache in facts.node.caches if cache.line and cache.line.confidence > 0]
    declared = (
        [cache.line_bytes for cache in facts.declared.caches if cache.line_bytes] if facts.declared else []
    )
    return int(max(measured or declared or [USUAL_LINE]))


def _last_level(facts: SurveyFacts) -> float:
    """Bytes of all caches of the last level; one of them where their sharing is not known."""
    if not facts.node.caches:
        return 0.0
    last = max(facts.node.caches, key=lambda cache: cache.level)
    return last.size.value * len(last.shared_by or [[]])
