"""A profile and its named getters."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from groma.errors import ExitCode, GromaError
from groma.facts.matrices import measured_in
from groma.facts.network import NetworkFacts
from groma.facts.reading import read_record
from groma.facts.survey import Core, CoreToCore, Memory, Numa, SurveyFacts
from groma.profile.curves import Point, bandwidth_of, interpolated, time_of_message
from groma.profile.mapping import CodeClass, MappingFacts, Reason, placed, reasons_of
from groma.profile.paths import default_path
from groma.profile.rank_layers import Place, RankLayers
from groma.record.reading import is_missing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from groma.facts.matrices import WithMatrices
    from groma.facts.network import CommunicationLayer
    from groma.facts.survey import Cache, GroupScaling, LoadedLatency, Tlb
    from groma.record import Quantity

_PING_BACK = "ping_back."
_EXPERIMENTS = ("sequential_first", "sequential_again", "lockstep", "random", "reallocated")

T = TypeVar("T")


def open_profile(path: Path) -> Profile:
    """The profile in a file. Raises GromaError (exit code 2)."""
    facts = read_record(path).facts
    if not isinstance(facts, SurveyFacts):
        raise GromaError(f"{path} is not a profile", "make a profile: groma survey")
    return Profile(facts)


def open_default() -> Profile:
    """The profile of this machine: the file that `default_path` names. Raises GromaError."""
    path = default_path()
    if is_missing(path):
        raise GromaError(
            f"{path}: no such profile",
            "write it with: groma survey --default, or name another one in GROMA_PROFILE",
            ExitCode.USAGE,
        )
    return open_profile(path)


class Profile:
    """The facts of a survey, by name. A core is a hardware thread with its logical number."""

    def __init__(self, facts: SurveyFacts) -> None:
        self.facts = facts
        self._node = facts.node
        self._network = facts.network or NetworkFacts()
        self._memory = facts.node.memory or Memory()

    # ---- cores

    def core_count(self) -> int | None:
        return len(self._cores) or None

    def core(self, index: int) -> Core | None:
        """In the order of the logical numbers; ValueError beyond the last."""
        return _entry(self._cores, index, "core") if self._cores else None

    def core_frequency(self) -> Quantity | None:
        return self._node.clock.core_frequency if self._node.clock else None

    # ---- caches

    def cache_count(self) -> int | None:
        return len(self._node.caches) or None

    def cache_size(self, level: int) -> Quantity | None:
        cache = self._cache(level)
        return cache.size if cache else None

    def cache_latency(self, level: int) -> Quantity | None:
        cache = self._cache(level)
        return cache.latency if cache else None

    def cache_line(self, level: int) -> Quantity | None:
        cache = self._cache(level)
        return cache.line if cache else None

    def cache_associativity(self, level: int) -> Quantity | None:
        cache = self._cache(level)
        return cache.associativity if cache else None

    def cache_group_count(self, level: int) -> int | None:
        return _length(self._sharing(level))

    def cache_group(self, level: int, group: int) -> list[int] | None:
        """The cores of one cache of this level; ValueError beyond the last."""
        return _group(self._sharing(level), group)

    def cache_sharers(self, level: int, core: int) -> list[int] | None:
        """The cores that share the cache of this level with `core`, itself included."""
        return next((group for group in self._sharing(level) or [] if core in group), None)

    def tlb_reach(self, level: int, page: int) -> Quantity | None:
        """That of pages which the system made by splitting larger ones only where there is no other."""
        tlb = self._tlb(level, page)
        return tlb.reach if tlb else None

    def tlb_miss_cost(self, level: int, page: int) -> Quantity | None:
        tlb = self._tlb(level, page)
        return tlb.miss_cost if tlb else None

    # ---- memory

    def memory_latency(self) -> Quantity | None:
        return self._memory.latency

    def memory_bandwidth(self, kernel: str, cores: int) -> Quantity | None:
        """Of all cores together, interpolated between measured numbers of them; ValueError for 0 cores."""
        if cores < 1:
            raise ValueError("0 cores have no bandwidth")
        points = self._memory.bandwidth.get(kernel, [])
        return interpolated(sorted((Point(one.cores, one.value) for one in points), key=_at), cores)

    def memory_contention_group_count(self) -> int | None:
        return _length(self._memory.contention_groups)

    def memory_contention_group(self, group: int) -> list[int] | None:
        return _group(self._memory.contention_groups, group)

    def memory_group_bandwidth(self, group: int, cores: int) -> Quantity | None:
        """Of cores of a contention group together, interpolated; ValueError for 0 cores and beyond the last
        group.
        """
        if cores < 1:
            raise ValueError("0 cores have no bandwidth")
        scaling = self._scaling(group)
        points = scaling.points if scaling else []
        return interpolated(sorted((Point(one.cores, one.bandwidth) for one in points), key=_at), cores)

    def memory_group_saturates_at(self, group: int) -> int | None:
        """How many cores of a contention group reach nine tenths of its largest bandwidth."""
        scaling = self._scaling(group)
        return scaling.saturates_at if scaling else None

    def memory_read_fraction_count(self) -> int | None:
        return len(self._mixes) or None

    def memory_read_fraction(self, mix: int) -> float | None:
        """The share of reads in a mix of loaded memory, by rising share; ValueError beyond the last."""
        return _entry(self._mixes, mix, "mix") if self._mixes else None

    def memory_loaded_latency(self, mix: int, bandwidth: float) -> Quantity | None:
        """While other cores move `bandwidth` B/s in a mix, as groma_memory_loaded_latency() defines it."""
        if not bandwidth >= 0:
            raise ValueError("a bandwidth is at least 0 B/s")
        fraction = self.memory_read_fraction(mix)
        points = (
            Point(one.bandwidth.value, one.latency) for one in self._loads if one.read_fraction == fraction
        )
        curve = sorted(points, key=lambda point: (point.at, point.quantity.value))
        return interpolated(curve, max(bandwidth, curve[0].at)) if curve else None

    # ---- NUMA

    def numa_places(self) -> tuple[str, list[int]] | None:
        """What the places are ("numa" or "cores"), and their numbers."""
        numa = self._node.numa
        return (numa.over, numa.places) if numa and numa.places else None

    def numa_time(self, experiment: str, owner: int, reader: int) -> Quantity | None:
        numa = self._node.numa
        if numa is None or owner not in numa.places or reader not in numa.places:
            return None
        key = numa.places.index(owner), numa.places.index(reader)
        return self._matrix(experiment, lambda: _experiment(numa, experiment)).get(key)

    def numa_block(self, experiment: str) -> int | None:
        """The bytes of the block that `numa_time` of this experiment is about."""
        numa = self._node.numa
        if numa is None or not self._matrix(experiment, lambda: _experiment(numa, experiment)):
            return None
        return numa.block_bytes_of.get(experiment.split(".", maxsplit=1)[0], numa.block_bytes)

    def numa_ratio(self, owner: int, reader: int) -> Quantity | None:
        """That of the distance class."""
        classes = self._node.numa.classes if self._node.numa else []
        return next((one.ratio for one in classes if (owner, reader) in one.pairs), None)

    def numa_declared_distance(self, node: int, other: int) -> float | None:
        declared = self.facts.declared
        if declared is None or declared.distances is None:
            return None
        nodes = [one.logical for one in declared.numa]
        if node not in nodes or other not in nodes:
            return None
        return declared.distances[nodes.index(node)][nodes.index(other)]

    # ---- communication

    def core_to_core_latency(self, core: int, other: int) -> Quantity | None:
        """One way; ValueError for one core twice."""
        if core == other:
            raise ValueError(f"a line does not pass from core {core} to itself")
        facts = self._node.core_to_core or CoreToCore(cores=[], latency=[])
        if core not in facts.cores or other not in facts.cores:
            return None
        one, two = facts.cores.index(core), facts.cores.index(other)
        entries = self._matrix("core_to_core", lambda: _cells(facts, "latency"))
        return entries.get((one, two), entries.get((two, one)))

    def layer_count(self) -> int | None:
        return len(self._network.layers) or None

    def layer_name(self, layer: int) -> str | None:
        facts = self._layer(layer)
        return facts.name if facts else None

    def layer_latency(self, layer: int) -> Quantity | None:
        facts = self._layer(layer)
        return facts.latency if facts else None

    def layer_bandwidth(self, layer: int) -> Quantity | None:
        facts = self._layer(layer)
        return facts.bandwidth if facts else None

    def layer_time(self, layer: int, size: int) -> Quantity | None:
        """The time of a message of `size` bytes on the measured curve, as groma_layer_time() defines it."""
        facts = self._layer(layer)
        if facts is None:
            return None
        curve = sorted((Point(one.bytes, one.time) for one in facts.curve), key=_at)
        return time_of_message(curve, facts.bandwidth, size)

    def layer_between(self, one: Place, other: Place) -> int | None:
        """The layer of messages between two places, as groma_layer_between() defines it; ValueError for one
        place twice and for negative numbers.
        """
        if min(*one, *other) < 0:
            raise ValueError("nodes and cores are numbered from 0")
        if one == other:
            raise ValueError(f"a message from core {one.core} of node {one.node} to itself")
        return self._rank_layers.between(one, other)

    def message_time(self, one: Place, other: Place, size: int) -> Quantity | None:
        layer = self.layer_between(one, other)
        return None if layer is None else self.layer_time(layer, size)

    def message_bandwidth(self, one: Place, other: Place, size: int) -> Quantity | None:
        """ValueError for 0 bytes."""
        if size < 1:
            raise ValueError("a message of 0 bytes has no bandwidth")
        time = self.message_time(one, other, size)
        return None if time is None or time.low <= 0 else bandwidth_of(size, time)

    # ---- degradation of the network

    def network_distance_ratio(self, distance: int) -> Quantity | None:
        """The paper's ratDist; ValueError for distance 0."""
        return _ratio(self._distances, distance)

    def network_distance_count(self) -> int | None:
        return len(self._distances) or None

    def network_access_ratio(self, per_node: int) -> Quantity | None:
        """The paper's ratNC; ValueError for 0 processes."""
        return _ratio(self._accesses, per_node)

    def network_access_count(self) -> int | None:
        return len(self._accesses) or None

    # ---- mapping

    def mapping(self, code: CodeClass, nodes: int, processes: int) -> list[Place] | None:
        """Where to run processes, by the greedy weights of the paper; ValueError for more processes than
        cores.
        """
        allowed = self._allowed
        if not allowed:
            return None
        if not 1 <= processes <= nodes * len(allowed):
            raise ValueError(
                f"{processes} processes on {nodes} nodes of {len(allowed)} cores: "
                "each needs a core of its own"
            )
        return placed(self._mapping_facts, CodeClass(code), nodes, processes)

    def mapping_reasons(self, code: CodeClass, nodes: int) -> Callable[[int, int], list[Reason]]:
        """Why the selection of a core changes the weight of another one of its node, both by logical id."""
        index = {core: at for at, core in enumerate(self._allowed)}
        reasons = reasons_of(self._mapping_facts, CodeClass(code), nodes)
        return lambda selected, other: reasons(index[selected], index[other])

    # ---- how it is found

    @cached_property
    def _cores(self) -> list[Core]:
        declared = self.facts.declared.cores if self.facts.declared else ()
        cores = self._node.cores or [
            Core(
                logical=one.logical, physical=one.physical, package=one.package, numa=one.numa, core=one.core
            )
            for one in declared
        ]
        return sorted(cores, key=lambda core: core.logical)

    @cached_property
    def _allowed(self) -> list[int]:
        declared = self.facts.declared.allowed if self.facts.declared else ()
        return sorted(set(declared) or {core.logical for core in self._cores})

    @property
    def _mapping_facts(self) -> MappingFacts:
        return MappingFacts(self._node, self._cores, self._allowed, self._rank_layers, self._accesses)

    @cached_property
    def _rank_layers(self) -> RankLayers:
        return RankLayers(self._network, self._cores)

    def _scaling(self, group: int) -> GroupScaling | None:
        cores = self.memory_contention_group(group)
        known = (one for one in self._memory.contention_scaling if sorted(one.cores) == sorted(cores or []))
        return None if cores is None else next(known, None)

    @cached_property
    def _loads(self) -> list[LoadedLatency]:
        return [one for one in self._memory.loaded_latency if one.bandwidth.value >= 0]

    @cached_property
    def _mixes(self) -> list[float]:
        return sorted({one.read_fraction for one in self._loads})

    @property
    def _distances(self) -> Sequence[Quantity | None]:
        return self._network.distance.ratio if self._network.distance else []

    @property
    def _accesses(self) -> Sequence[Quantity | None]:
        return self._network.access.ratio if self._network.access else []

    @cached_property
    def _matrices(self) -> dict[str, dict[tuple[int, int], Quantity]]:
        return {}

    def _matrix(self, name: str, entries: Callable[[], _Cells]) -> _Cells:
        if name not in self._matrices:
            self._matrices[name] = entries()
        return self._matrices[name]

    def _cache(self, level: int) -> Cache | None:
        return next((one for one in self._node.caches if one.level == level), None)

    def _sharing(self, level: int) -> list[list[int]] | None:
        cache = self._cache(level)
        return cache.shared_by if cache else None

    def _tlb(self, level: int, page: int) -> Tlb | None:
        """Of pages that nobody split where there is such an entry."""
        known = (one for one in self._node.tlb if (one.level, one.page) == (level, page))
        return min(known, key=lambda one: one.advised_page is not None, default=None)

    def _layer(self, layer: int) -> CommunicationLayer | None:
        return _entry(self._network.layers, layer, "layer") if self._network.layers else None


_Cells = dict[tuple[int, int], "Quantity"]


def _experiment(numa: Numa, name: str) -> _Cells:
    if name in numa.sparse or name in _EXPERIMENTS:
        return _cells(numa, name)
    rows = numa.ping_back.get(name.removeprefix(_PING_BACK), []) if name.startswith(_PING_BACK) else []
    return {(i, j): cell for i, row in enumerate(rows) for j, cell in enumerate(row) if cell is not None}


def _cells(facts: WithMatrices, name: str) -> _Cells:
    return {(entry.row, entry.column): entry.quantity for entry in measured_in(facts, name)}


def _at(point: Point) -> float:
    return point.at


def _entry(entries: Sequence[T], index: int, what: str) -> T:
    if not 0 <= index < len(entries):
        raise ValueError(f"{what} {index} of {len(entries)} {what}s")
    return entries[index]


def _length(groups: list[list[int]] | None) -> int | None:
    return None if groups is None else len(groups)


def _group(groups: list[list[int]] | None, index: int) -> list[int] | None:
    return None if groups is None else _entry(groups, index, "group")


def _ratio(ratios: Sequence[Quantity | None], number: int) -> Quantity | None:
    if number < 1:
        raise ValueError("distances and processes start at 1")
    return ratios[number - 1] if number <= len(ratios) else None
