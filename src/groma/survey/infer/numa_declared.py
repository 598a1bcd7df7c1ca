"""Distances that the system declares between places: on thousands of cores, of millions of pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.record import Topology
    from groma.survey.infer.numa_cells import Cell


class DeclaredDistances(Mapping["Cell", float]):
    """By owner and reader; without those places whose node has none."""

    def __init__(self, of_nodes: Sequence[Sequence[float]], node_of: Mapping[int, int]) -> None:
        self._of_nodes = of_nodes
        self._node_of = {place: node for place, node in node_of.items() if node < len(of_nodes)}

    def __getitem__(self, cell: Cell) -> float:
        owner, reader = cell
        return self._of_nodes[self._node_of[owner]][self._node_of[reader]]

    def __iter__(self) -> Iterator[Cell]:
        return ((owner, reader) for owner in self._node_of for reader in self._node_of)

    def __len__(self) -> int:
        return len(self._node_of) ** 2

    def counts(self) -> Counter[float]:
        """How many pairs of places have each distance."""
        places = Counter(self._node_of.values())
        found: Counter[float] = Counter()
        for at, owners in places.items():
            for to, readers in places.items():
                found[self._of_nodes[at][to]] += owners * readers
        return found


def declared_distances(topology: Topology | None, node_of: Mapping[int, int]) -> DeclaredDistances:
    """Between the nodes of two places; empty where there is one node."""
    distances = topology.distances if topology is not None else None
    return DeclaredDistances(distances if distances is not None and len(distances) > 1 else (), node_of)
