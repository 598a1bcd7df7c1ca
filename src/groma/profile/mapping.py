"""Process mapping by the greedy weights of the Servet 3.0 paper (sections 3 and 4.2), as libgroma has it.

Each core starts with weight 0. The core of least weight is selected, and the weights of the others change:
1. for each level of cache that they share with it, they rise;
2. if they slow it down in memory, they rise;
3. if messages between both are significantly faster than the slowest ones, they fall, by how much faster;
4. if both disturb each other on the network (a ratio of more than 1.5), they rise.
"""

from __future__ import annotations

from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from groma.facts.matrices import measured_in
from groma.profile.lowest import LowestWeight, lowest
from groma.profile.rank_layers import Place, RankLayers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from groma.facts.survey import Core, NodeFacts
    from groma.record import Quantity

_DISTURBED = 1.5
"""Section 4.2."""
_SIGNIFICANTLY_LOWER = 0.9
"""Section 3 wants latencies "significantly lower" than the maximum: by a tenth at least."""
_TAKEN = float("inf")


class CodeClass(IntEnum):
    """What limits a code."""

    MEMORY_BOUND = 0
    COMMUNICATION_INTENSIVE = 1


class _Units(NamedTuple):
    """What rules 1 and 2, rule 3, and rule 4 add or take."""

    sharing: float
    latency: float
    network: float


_UNITS = {
    CodeClass.MEMORY_BOUND: _Units(10.0, 1.0, 1.0),
    CodeClass.COMMUNICATION_INTENSIVE: _Units(1.0, 10.0, 10.0),
}


class MappingFacts(NamedTuple):
    """What the weights come from. `allowed` are the cores that may be used, sorted."""

    node: NodeFacts
    cores: Sequence[Core]
    allowed: Sequence[int]
    layers: RankLayers
    access: Sequence[Quantity | None]


def placed(facts: MappingFacts, code: CodeClass, nodes: int, processes: int) -> list[Place]:
    """The places of the processes, in the order of selection. There are enough cores."""
    change = _rules(facts, code, nodes)
    taken = selected(len(facts.allowed), nodes, processes, change)
    return [Place(node, facts.allowed[index]) for node, index in taken]


def selected(
    each: int, nodes: int, processes: int, change: Callable[[int, int], float]
) -> Iterator[tuple[int, int]]:
    """Node and index of what is selected, one after the other, among `each` candidates of every node.

    `change(selected, other)` is what the selection of one adds to the weight of another one of its node.
    """
    machine = [_NodeWeights(each) for _ in range(min(nodes, processes))]
    first = LowestWeight(len(machine))
    for _ in range(processes):
        node = machine[first.index]
        yield first.index, node.best
        node.take_best(change)
        first.change(node.lowest)


class _NodeWeights:
    def __init__(self, cores: int) -> None:
        self.of_core = [0.0] * cores
        self.best = 0

    @property
    def lowest(self) -> float:
        return self.of_core[self.best]

    def take_best(self, change: Callable[[int, int], float]) -> None:
        selected = self.best
        self.of_core[selected] = _TAKEN
        for other, weight in enumerate(self.of_core):
            if weight != _TAKEN:
                self.of_core[other] = weight + change(selected, other)
        self.best = lowest(self.of_core, selected)


class Reason(NamedTuple):
    """A rule that changes the weight of a core as another one is selected, and by how much."""

    rule: str
    change: float


def reasons_of(facts: MappingFacts, code: CodeClass, nodes: int) -> Callable[[int, int], list[Reason]]:
    """Why the selection of a core changes the weight of another one of its node, both by their index."""
    units = _UNITS[code]
    shared = [(name, _numbered(groups, facts.allowed)) for name, groups in _shared_parts(facts.node)]
    network = _network_groups(facts)
    latencies = _Latencies(facts, nodes)

    def reasons(selected: int, other: int) -> list[Reason]:
        # One by one, in the order in which libgroma adds them.
        found = [Reason(name, units.sharing) for name, groups in shared if _together(groups, selected, other)]
        # What rule 4 keeps apart, rule 3 does not draw together: only so section 6.2 comes out.
        if _together(network, selected, other):
            return [*found, Reason("disturbs it on the network", units.network)]
        advantage = latencies.advantage(selected, other)
        return [*found, Reason("has fast messages to it", -units.latency * advantage)] if advantage else found

    return reasons


def _rules(facts: MappingFacts, code: CodeClass, nodes: int) -> Callable[[int, int], float]:
    reasons = reasons_of(facts, code, nodes)
    return lambda selected, other: sum(reason.change for reason in reasons(selected, other))


def _together(groups: Sequence[int | None], one: int, other: int) -> bool:
    return groups[one] is not None and groups[one] == groups[other]


def _shared_parts(node: NodeFacts) -> list[tuple[str, list[list[int]]]]:
    parts = [
        (f"shares L{cache.level} with it", cache.shared_by)
        for cache in node.caches
        if cache.shared_by is not None
    ]
    groups = node.memory.contention_groups if node.memory else None
    return parts if groups is None else [*parts, ("contends with it for memory", groups)]


def _numbered(groups: Sequence[Sequence[int]], cores: Sequence[int]) -> list[int | None]:
    number_of = {core: number for number, group in enumerate(groups) for core in group}
    return [number_of.get(core) for core in cores]


def _network_groups(facts: MappingFacts) -> list[int | None]:
    """The benchmark spreads its processes evenly. So, if `most` processes do not disturb each other and more
    do, the cores form `most` equal groups in each of which any two do.
    """
    most = _most_undisturbed(facts.access)
    if most is None:
        return [None] * len(facts.allowed)
    physical = sorted({_position(core) for core in facts.cores})
    number_of = {position: number for number, position in enumerate(physical)}
    group_of = {core.logical: number_of[_position(core)] * most // len(physical) for core in facts.cores}
    return [group_of.get(core) for core in facts.allowed]


def _position(core: Core) -> tuple[int, int, int]:
    return core.package, core.numa, core.logical if core.core is None else core.core


def _most_undisturbed(ratios: Sequence[Quantity | None]) -> int | None:
    most = 1
    for processes, ratio in enumerate(ratios, 1):
        if ratio is None:
            continue
        if ratio.value > _DISTURBED:
            return most
        most = processes
    return None


class _Latencies:
    """Latencies between cores of a node, and the largest one of the system."""

    def __init__(self, facts: MappingFacts, nodes: int) -> None:
        self.facts = facts
        layers = facts.layers
        within = layers.of_cores | {layers.usual_within} - {None}
        self.largest = max((self._of_layer(layer) for layer in within), default=0.0)
        self.by_messages = self.largest > 0
        if not self.by_messages:
            self.largest = max(self._of_lines.values(), default=0.0)
        elif nodes > 1:
            self.largest = max(self.largest, self._of_layer(layers.usual_between))

    def advantage(self, one: int, other: int) -> float:
        """0 to 1: how much lower the latency is than the largest; 0 if it is not known or not
        significantly lower.
        """
        cores = self.facts.allowed[one], self.facts.allowed[other]
        latency = self._of_layer(self.facts.layers.within(*cores)) if self.by_messages else self._line(*cores)
        if latency <= 0 or latency >= _SIGNIFICANTLY_LOWER * self.largest:
            return 0.0
        return (self.largest - latency) / self.largest

    def _of_layer(self, layer: int | None) -> float:
        latency = None if layer is None else self.facts.layers.layers[layer].latency
        return latency.value if latency else 0.0

    def _line(self, one: int, other: int) -> float:
        return self._of_lines.get((one, other), self._of_lines.get((other, one), 0.0))

    @cached_property
    def _of_lines(self) -> dict[tuple[int, int], float]:
        facts = self.facts.node.core_to_core
        if facts is None:
            return {}
        return {
            (facts.cores[row], facts.cores[column]): quantity.value
            for row, column, quantity in measured_in(facts, "latency")
        }
