"""What a known structure makes of the distances: loads of its links, beside what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.record import Advice
from groma.record.network import DistanceLoad
from groma.record.units import format_quantity
from groma.survey.infer.network.declared import declared_link, declared_structure
from groma.survey.infer.network.names import DISTANCE
from groma.survey.infer.network.structures import (
    CROSSBAR,
    Structure,
    candidates,
    expected_ratio,
    full_trees,
    share_at,
    trees_over,
)
from groma.survey.infer.network.topology import MOST_NODES, groups_of, structure_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.record import Quantity
    from groma.record.network import Distance, NetworkTopology
    from groma.survey.infer.registry import Evidence

UNLIKE = 1.25
"""A ratio that differs from that of the declared topology by this factor is a finding."""
MOST_LOADED = 32768
"""Messages over all distances of which loads are told: the time for them grows with their number."""
MOST_SEARCHED = 32
"""Nodes; of more the cables of all structures together take too long."""


def add_loads(facts: Distance, evidence: Evidence) -> Structure | None:
    """Fill what the structure makes of the distances, and return it; None where none is known."""
    facts.link_bandwidth = declared_link(evidence.samples[DISTANCE])
    structure, facts.loads_of = _structure(evidence, facts.nodes)
    if structure is None:
        return None
    facts.structure = structure.title
    told = _loaded_distances(facts.nodes)
    facts.loads = [
        _load(structure, d, facts.link_bandwidth) if d in told else None
        for d in range(1, facts.nodes // 2 + 1)
    ]
    return structure


def _structure(evidence: Evidence, nodes: int) -> tuple[Structure | None, str | None]:
    """The structure of which link loads are known, and who says so."""
    declared = declared_structure(evidence.samples[DISTANCE], nodes)
    if declared is not None:
        return declared, "declared"
    inferred = evidence.network.topology
    found = structure_of(inferred, nodes) if inferred and nodes <= MOST_NODES else None
    return found, "inferred" if found else None


def _loaded_distances(nodes: int) -> set[int]:
    """All distances, or of many nodes some from the first to the last."""
    last = nodes // 2
    count = min(last, max(2, MOST_LOADED // nodes))
    return {round(one) for one in np.linspace(1, last, count)}


def _load(structure: Structure, distance: int, link: float | None) -> DistanceLoad:
    share = share_at(structure, distance)
    return DistanceLoad(
        hops=share.hops,
        busiest=share.busiest,
        ratio=expected_ratio(structure, distance),
        bandwidth=link * float(share.of_ranks("both").mean()) if link else None,
    )


def possible_structures(
    facts: Distance, structure: Structure | None, inferred: NetworkTopology | None
) -> list[Structure]:
    """The structures under which a slow part is looked for.

    A slow part bends the ratios from which a structure was inferred, so all are tried; of many nodes, where
    that takes too long, the one inferred, or else only nodes are suspected.
    """
    known = [structure] if structure is not None else []
    if facts.loads_of == "declared" or facts.nodes > MOST_SEARCHED:
        return known or [Structure(CROSSBAR, facts.nodes, ())]
    return [*known, *_trees(inferred, facts.nodes), *candidates(facts.nodes), *full_trees(facts.nodes)]


def _trees(inferred: NetworkTopology | None, nodes: int) -> list[Structure]:
    """Trees over the groups that latencies showed, whatever order their nodes are in."""
    group_of = groups_of(inferred, nodes) if inferred is not None else ()
    return list(trees_over(group_of)) if group_of else []


class Compared(NamedTuple):
    """The ratio of a distance as it was measured and as a structure has it."""

    distance: int
    measured: Quantity
    expected: float

    @property
    def factor(self) -> float:
        """By how much they differ at least, below 1 where they may agree."""
        return max(self.measured.low / self.expected, self.expected / self.measured.high)


def unlike_declared(facts: Distance) -> Iterator[Advice]:
    """The ratio that differs most from what somebody told, where no slow part accounts for it."""
    if facts.loads_of != "declared" or facts.slow:
        return
    compared = [
        Compared(d, one, load.ratio)
        for d, (one, load) in enumerate(zip(facts.ratio, facts.loads, strict=True), start=1)
        if one is not None and load is not None and not facts.exchange[d - 1]
    ]
    worst = max(compared, key=lambda one: one.factor, default=None)
    if worst is not None and worst.factor > UNLIKE:
        yield Advice(
            code="network.unlike_declared",
            what=f"at distance {worst.distance} bandwidth is {format_quantity(worst.measured)} lower than "
            f"at distance 1, by the declared {facts.structure} {worst.expected:.2f} times",
            next="do the nodes run in the order of the topology? their hosts stand in network.distance.hosts",
        )
