"""What a known interconnect makes of the distances: loads of its links, beside what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.facts.network import DistanceLoad
from groma.interconnect.switched import crossbar
from groma.record import Advice
from groma.record.units import format_quantity
from groma.survey.infer.network.candidates import candidates, full_trees, trees_over
from groma.survey.infer.network.declared import declared_interconnect, declared_link
from groma.survey.infer.network.names import DISTANCE
from groma.survey.infer.network.observations import MOST_NODES
from groma.survey.infer.network.shares import expected_ratio, share_at
from groma.survey.infer.network.topology import groups_of, interconnect_of
from groma.survey.infer.network.uneven_groups import uneven_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.facts.network import Distance, NetworkTopology
    from groma.interconnect.base import Interconnect
    from groma.record import Quantity
    from groma.survey.infer.network.bounds import Speeds
    from groma.survey.infer.registry import Evidence

UNLIKE = 1.25
"""A ratio that differs from that of the declared topology by this factor is a finding."""
MOST_LOADED = 32768
"""Messages over all distances whose loads are computed: the time for them grows with their number."""
MOST_SEARCHED = 32
"""Nodes; of more the cables of all interconnects together take too long."""


def add_loads(facts: Distance, evidence: Evidence) -> Interconnect | None:
    """Fill what the interconnect makes of the distances, and return it; None where none is known."""
    facts.link_bandwidth = declared_link(evidence.samples[DISTANCE])
    interconnect, facts.loads_of = _interconnect(evidence, facts.nodes)
    if interconnect is None:
        return None
    facts.structure = interconnect.title
    loaded = _loaded_distances(facts.nodes)
    facts.loads = [
        _load(interconnect, d, facts.link_bandwidth) if d in loaded else None
        for d in range(1, facts.nodes // 2 + 1)
    ]
    return interconnect


def _interconnect(evidence: Evidence, nodes: int) -> tuple[Interconnect | None, str | None]:
    """The interconnect of which link loads are known, and who says so."""
    declared = declared_interconnect(evidence.samples[DISTANCE], nodes)
    if declared is not None:
        return declared, "declared"
    inferred = evidence.network.topology
    found = interconnect_of(inferred, nodes) if inferred and nodes <= MOST_NODES else None
    return found, "inferred" if found else None


def _loaded_distances(nodes: int) -> set[int]:
    """All distances, or of many nodes some from the first to the last."""
    last = nodes // 2
    count = min(last, max(2, MOST_LOADED // nodes))
    return {round(one) for one in np.linspace(1, last, count)}


def _load(interconnect: Interconnect, distance: int, link: float | None) -> DistanceLoad:
    share = share_at(interconnect, distance)
    return DistanceLoad(
        hops=share.hops,
        busiest=share.busiest,
        ratio=expected_ratio(interconnect, distance),
        bandwidth=link * float(share.sent.mean()) if link else None,
    )


def possible_interconnects(
    facts: Distance,
    interconnect: Interconnect | None,
    inferred: NetworkTopology | None,
    speeds: Speeds | None,
) -> list[Interconnect]:
    """The interconnects under which a slow part is looked for.

    A slow part bends the ratios from which an interconnect was inferred, so all are tried; of many nodes,
    where that takes too long, the one inferred, or else only nodes are suspected.
    """
    known = [interconnect] if interconnect is not None else []
    if facts.loads_of == "declared" or facts.nodes > MOST_SEARCHED:
        return known or [crossbar(facts.nodes)]
    uneven = uneven_tree(speeds)
    return [
        *known,
        *_trees(inferred, facts.nodes),
        *([uneven.interconnect] if uneven is not None else []),
        *candidates(facts.nodes),
        *full_trees(facts.nodes),
    ]


def _trees(inferred: NetworkTopology | None, nodes: int) -> list[Interconnect]:
    """Trees over the groups that latencies showed, whatever order their nodes are in."""
    group_of = groups_of(inferred, nodes) if inferred is not None else ()
    return list(trees_over(group_of)) if group_of else []


class ComparedRatio(NamedTuple):
    """The ratio of a distance as it was measured and as an interconnect has it."""

    distance: int
    measured: Quantity
    expected: float

    @property
    def factor(self) -> float:
        """By how much they differ at least, below 1 where they may agree."""
        return max(self.measured.low / self.expected, self.expected / self.measured.high)


def unlike_declared(facts: Distance) -> Iterator[Advice]:
    """The ratio that differs most from what the user declared, where no slow part accounts for it."""
    if facts.loads_of != "declared" or facts.slow:
        return
    compared = [
        ComparedRatio(d, one, load.ratio)
        for d, (one, load) in enumerate(zip(facts.ratio, facts.loads, strict=True), start=1)
        if one is not None and load is not None and not facts.exchange[d - 1]
    ]
    worst = max(compared, key=lambda one: one.factor, default=None)
    if worst is not None and worst.factor > UNLIKE:
        yield Advice(
            code="network.unlike_declared",
            what=f"at distance {worst.distance} bandwidth is {format_quantity(worst.measured)} lower "
            f"than at distance 1; the declared {facts.structure} predicts {worst.expected:.2f} x",
            next="check that the nodes are in the order of the topology (network.distance.hosts)",
        )
