"""Which cores slow which when they stream from memory at once."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from groma.facts.survey import ContentionPair
from groma.record import Advice
from groma.record.counting import counted
from groma.stats.quantities import median_quantity
from groma.survey.infer.slowdowns import (
    clear_links,
    is_blind,
    ratios_of,
    slowdowns_of,
    slowing_relations,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from groma.record import ProbeSamples, Topology, TopologyCore
    from groma.survey.infer.slowdowns import Slowdown

Groups = list[list[int]]

RATIO = (
    "bandwidth alone over bandwidth while the other core streams, both of one visit; median over the visits"
)


def contention_pairs(samples: ProbeSamples) -> list[ContentionPair]:
    """The ratio of every (core, other) that was measured, in the order of the cases."""
    return [
        ContentionPair(core=core, other=other, ratio=median_quantity(ratios, "1", RATIO))
        for (core, other), ratios in ratios_of(samples).items()
    ]


class Contention(NamedTuple):
    """`groups` of two and more cores that slow each other, directly or through others; None where unknown.

    `measured` are the pairs that were measured, `links` those in which a core clearly slows the other.
    """

    groups: Groups | None
    measured: set[frozenset[int]]
    links: list[tuple[int, int]]


def contention(samples: ProbeSamples, topology: Topology | None) -> Contention:
    """Where every pair was measured the groups follow from the pairs alone. On a large machine, where a
    sample of each relation (such as "same NUMA node") was measured, a relation in which half of the pairs
    slow each other is taken to hold for all cores that stand in it.

    Scatter that hides what cores may lose, and pairs of a sample that slow each other although their relation
    as a whole does not, leave unknown which cores slow each other.
    """
    found = slowdowns_of(samples)
    measured = {frozenset((one.core, one.other)) for one in found}
    links = clear_links(found)
    is_sample = topology is not None and not _all_pairs(measured, topology)
    if is_blind(found, by_relation=is_sample):
        return Contention(None, measured, [])
    groups = _groups(links, measured) if topology is None or not is_sample else _of_relations(found, topology)
    return Contention(None if links and not groups else groups, measured, links)


def _groups(links: Iterable[tuple[int, int]], measured: Iterable[frozenset[int]]) -> Groups:
    cores = sorted({core for pair in measured for core in pair})
    return [group for group in connected(cores, links) if len(group) > 1]


def _of_relations(found: Sequence[Slowdown], topology: Topology) -> Groups:
    links = [link for relation in slowing_relations(found) for link in _links(relation, topology)]
    return [group for group in connected(sorted(topology.allowed), links) if len(group) > 1]


def _all_pairs(measured: set[frozenset[int]], topology: Topology) -> bool:
    n = len(topology.allowed)
    return len(measured) >= n * (n - 1) // 2


def contention_advice(found: Contention) -> Iterable[Advice]:
    """Why it is unknown which cores slow each other, where pairs were measured."""
    if not found.measured or found.groups is not None:
        return
    if not found.links:
        yield Advice(
            code="memory.contention_scatter",
            what="whether cores slow each other is unknown: their bandwidth scatters too much from visit to "
            "visit, or too few visits were made",
            next="measure on a quiet machine (groma doctor), or use --depth thorough",
        )
        return
    slowed = {frozenset(link) for link in found.links}
    first, second = found.links[0]
    yield Advice(
        code="memory.contention_undeclared",
        what=f"{len(slowed)} of {counted(len(found.measured), 'pair')} of cores slow each other, such as "
        f"{first} and {second}, but others in the same declared relation do not: the groups are unknown",
        next="measure all pairs: --set memory_contention.all_pairs=1000 with a larger --budget",
    )


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
