"""Which cores slow which when they stream from memory at once."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from groma.facts.survey import ContentionPair
from groma.stats.quantities import median_quantity
from groma.survey.infer.selection import matching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from groma.record import ProbeSamples, Topology, TopologyCore

    Groups = list[list[int]]

RATIO = (
    "bandwidth alone over bandwidth while the other core streams, both of one visit; median over the visits"
)

CLEAR = 1.1
"""A core counts as slowed when it loses more than a tenth and the interval of the ratio excludes 1."""

_FEWEST_VISITS = 6  # for fewer no interval of a median reaches 95 %


def contention_pairs(samples: ProbeSamples) -> list[ContentionPair]:
    """The ratio of every (core, other) that was measured, in the order of the cases."""
    together = {key: values for key, _, values in _directions(samples, "together")}
    pairs = []
    for (core, other), _, alone in _directions(samples, "alone"):
        # An interrupted probe may have sampled one state of its last visit only.
        ratios = [a / b for a, b in zip(alone, together.get((core, other), ()), strict=False) if b > 0]
        if ratios:
            pairs.append(ContentionPair(core=core, other=other, ratio=median_quantity(ratios, "1", RATIO)))
    return pairs


def _directions(samples: ProbeSamples, state: str) -> list[tuple[tuple[int, int], str, list[float]]]:
    return [
        ((case["core"], case["other"]), case.get("relation", ""), values)
        for case, values in matching(samples, state=state)
    ]


def slows(pair: ContentionPair) -> bool:
    """Whether the other core clearly slows the core."""
    ratio = pair.ratio
    visits = ratio.samples.n if ratio.samples else 0
    return visits >= _FEWEST_VISITS and ratio.value >= CLEAR and ratio.low > 1.0


def contention_groups(
    samples: ProbeSamples, pairs: Sequence[ContentionPair], topology: Topology | None
) -> Groups | None:
    """Groups of two and more cores that slow each other, directly or through others; None where unknown.

    Where every pair was measured the groups follow from the pairs alone. On a large machine, where a sample
    of each relation (such as "same NUMA node") was measured, a relation most of whose pairs slow each other
    is taken to hold for all cores that stand in it.
    """
    if not pairs:
        return None
    cores = sorted({pair.core for pair in pairs} | {pair.other for pair in pairs})
    links = [(pair.core, pair.other) for pair in pairs if slows(pair)]
    if topology is not None and not _all_pairs(pairs, topology):
        cores = sorted(topology.allowed)
        links = [
            link for relation in _slowing_relations(samples, pairs) for link in _links(relation, topology)
        ]
    return [group for group in connected(cores, links) if len(group) > 1]


def _all_pairs(pairs: Sequence[ContentionPair], topology: Topology) -> bool:
    measured = {frozenset((pair.core, pair.other)) for pair in pairs}
    n = len(topology.allowed)
    return len(measured) >= n * (n - 1) // 2


def _slowing_relations(samples: ProbeSamples, pairs: Sequence[ContentionPair]) -> list[str]:
    relation_of = {key: relation for key, relation, _ in _directions(samples, "alone")}
    verdicts: dict[str, list[bool]] = defaultdict(list)
    for pair in pairs:
        verdicts[relation_of[pair.core, pair.other]].append(slows(pair))
    return [relation for relation, slow in verdicts.items() if 2 * sum(slow) > len(slow)]


def _links(relation: str, topology: Topology) -> Iterable[tuple[int, int]]:
    """Each allowed core with the first one of its group; pairs of the relation lie within these groups."""
    return (
        (group[0], core) for group in _groups_of(relation, topology) for core in group if core != group[0]
    )


def _groups_of(relation: str, topology: Topology) -> Groups:
    """The allowed cores by what the relation says they share, as the topology declares it."""
    shared_cache = re.match(r"share L(\d+)", relation)
    if shared_cache:
        level = int(shared_cache[1])
        caches = [c for c in topology.caches if c.level == level and c.kind != "instruction"]
        allowed = set(topology.allowed)
        return [group for cache in caches if (group := sorted(allowed & set(cache.cores)))]
    place = _PLACES.get(relation.partition(",")[0], _machine)
    cores = {core.logical: core for core in topology.cores}
    groups: dict[int, list[int]] = defaultdict(list)
    for number in sorted(topology.allowed):
        groups[place(cores[number])].append(number)
    return list(groups.values())


def _machine(_core: TopologyCore) -> int:
    return 0


_PLACES: dict[str, Callable[[TopologyCore], int]] = {
    "SMT siblings": lambda core: core.core,
    "same NUMA node": lambda core: core.numa,
    "same package": lambda core: core.package,
}


def connected(members: Sequence[int], links: Iterable[tuple[int, int]]) -> Groups:
    """Connected components, each ascending, in the order of their first member."""
    root = {member: member for member in members}

    def find(member: int) -> int:
        while root[member] != member:
            root[member] = root[root[member]]
            member = root[member]
        return member

    for a, b in links:
        low, high = sorted((find(a), find(b)))
        root[high] = low
    groups: dict[int, list[int]] = defaultdict(list)
    for member in members:
        groups[find(member)].append(member)
    return [sorted(group) for group in groups.values()]
