"""Where cores and NUMA nodes lie, for drawings of matrices over them."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from groma.facts.matrices import Entry
from groma.record import Quantity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.facts.survey import Core
    from groma.record import Topology

MOST_DRAWN = 384
"""Rows of the largest matrix that is drawn cell by cell: a cell of a wide screen has two pixels then."""


def package_borders(cores: Sequence[int], known: Sequence[Core]) -> list[int]:
    """Indices at which the package changes from one core of the list to the next."""
    packages = {core.logical: core.package for core in known}
    return _changes([packages.get(core) for core in cores])


def node_borders(nodes: Sequence[int], known: Sequence[Core], declared: Topology | None) -> list[int]:
    """Indices at which the package changes from one NUMA node to the next. Where each node is a package of
    its own: at which the blade does, that is the run of nodes nearer to each other than to the others.
    """
    packages = {core.numa: core.package for core in known}
    homes = [packages.get(node) for node in nodes]
    if len(set(homes)) < len(homes):
        return _changes(homes)
    return _blade_borders(nodes, declared)


def _blade_borders(nodes: Sequence[int], declared: Topology | None) -> list[int]:
    distances = declared.distances if declared else None
    if not distances or max(nodes) >= len(distances):
        return []
    remote = {distances[a][b] for a in nodes for b in nodes if a != b}
    if len(remote) < 2:
        return []
    nearest = min(remote)
    return [i for i in range(1, len(nodes)) if distances[nodes[i - 1]][nodes[i]] > nearest]


def _changes(homes: Sequence[int | None]) -> list[int]:
    return [number for number in range(1, len(homes)) if homes[number] != homes[number - 1]]


def nodes_of(cores: Sequence[int], known: Sequence[Core]) -> dict[int, int]:
    """The NUMA node of each of these cores that is known."""
    numa = {core.logical: core.numa for core in known}
    return {core: numa[core] for core in cores if core in numa}


def by_node(entries: Sequence[Entry], cores: Sequence[int], node_of: Mapping[int, int]) -> list[Entry]:
    """The medians over the pairs of cores of two NUMA nodes, by the numbers of the nodes; a core's own entry
    left out.
    """
    groups: dict[tuple[int, int], list[Quantity]] = {}
    for row, column, quantity in entries:
        ends = node_of.get(cores[row]), node_of.get(cores[column])
        if row != column and ends[0] is not None and ends[1] is not None:
            groups.setdefault((ends[0], ends[1]), []).append(quantity)
    return [Entry(row, column, _typical(some)) for (row, column), some in groups.items()]


def _typical(some: Sequence[Quantity]) -> Quantity:
    """Their median, which is known for certain, between the smallest and the largest."""
    if len(some) == 1:
        return some[0]
    values = [one.value for one in some]
    return Quantity(
        value=median(values),
        unit=some[0].unit,
        low=min(values),
        high=max(values),
        confidence=1.0,
        method="median over the measured pairs of cores of two NUMA nodes",
    )
