"""Where the ranks of a network survey ran, and which layer two places belong to."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.facts.network import NetworkFacts
    from groma.facts.survey import Core
    from groma.record.launch import RankPlace


class Place(NamedTuple):
    """Where a process runs: a core, by its logical number, of a node; nodes are numbered from 0."""

    node: int
    core: int


class RankedPlace(NamedTuple):
    node: int
    cores: list[int]


class RankLayers:
    """Layers of pairs of places. Nodes are numbered in the order in which the ranks came to them."""

    def __init__(self, network: NetworkFacts, cores: Sequence[Core]) -> None:
        self.layers = network.layers
        self.ranks = _ranks(network, {core.physical: core.logical for core in reversed(cores)})

    def between(self, one: Place, other: Place) -> int | None:
        """As groma_layer_between() defines it."""
        ranks = self._rank_at(one), self._rank_at(other)
        if None not in ranks and (exact := self._of_ranks.get(frozenset(ranks))) is not None:
            return exact
        if one.node != other.node:
            return _most_frequent(self._between_nodes)
        return self.within(one.core, other.core)

    def within(self, one: int, other: int) -> int | None:
        """Of two cores of any node."""
        exact = self._of_cores.get(frozenset((one, other)))
        return self.usual_within if exact is None else exact

    @property
    def usual_within(self) -> int | None:
        return _most_frequent(self._within_nodes)

    @property
    def usual_between(self) -> int | None:
        return _most_frequent(self._between_nodes)

    @cached_property
    def of_cores(self) -> set[int]:
        """The layers that pairs of cores are known to belong to."""
        return set(self._of_cores.values())

    def _rank_at(self, place: Place) -> int | None:
        fits = (
            rank
            for rank, at in sorted(self.ranks.items())
            if at.node == place.node and place.core in at.cores
        )
        return next(fits, None)

    @cached_property
    def _of_ranks(self) -> dict[frozenset[int | None], int]:
        found: dict[frozenset[int | None], int] = {}
        for layer, facts in enumerate(self.layers):
            for pair in facts.pairs:
                found.setdefault(frozenset(pair), layer)
        return found

    @cached_property
    def _of_cores(self) -> dict[frozenset[int], int]:
        """A rank bound to several cores does not tell which of them it used."""
        found: dict[frozenset[int], int] = {}
        for layer, one, other in self._known_pairs():
            if one.node == other.node and len(one.cores) == len(other.cores) == 1:
                found.setdefault(frozenset((one.cores[0], other.cores[0])), layer)
        return found

    @cached_property
    def _within_nodes(self) -> Counter[int]:
        return Counter(layer for layer, one, other in self._known_pairs() if one.node == other.node)

    @cached_property
    def _between_nodes(self) -> Counter[int]:
        return Counter(layer for layer, one, other in self._known_pairs() if one.node != other.node)

    def _known_pairs(self) -> Iterator[tuple[int, RankedPlace, RankedPlace]]:
        for layer, facts in enumerate(self.layers):
            for one, other in facts.pairs:
                if one in self.ranks and other in self.ranks:
                    yield layer, self.ranks[one], self.ranks[other]


def _most_frequent(counts: Counter[int]) -> int | None:
    """The first of equally frequent ones."""
    return min(counts, key=lambda layer: (-counts[layer], layer), default=None)


def _ranks(network: NetworkFacts, logical: Mapping[int, int]) -> dict[int, RankedPlace]:
    placement = placement_of_pairs(network)
    nodes: dict[str, int] = {}
    return {
        place.rank: RankedPlace(
            nodes.setdefault(place.machine, len(nodes)),
            [logical[cpu] for cpu in place.cpus if cpu in logical],
        )
        for place in placement
        if 0 <= place.rank < len(placement)
    }


def placement_of_pairs(network: NetworkFacts) -> list[RankPlace]:
    """Of the launch in which pairs were measured."""
    launches = [one.launch for one in network.launches if "net_pairs" in one.probes]
    return launches[-1].placement if launches else []
