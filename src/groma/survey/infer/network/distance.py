"""The Distance Benchmark: how bandwidth falls with the logical distance (docs/network/distance.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groma.record import Advice, NetworkFacts, Quantity
from groma.record.network import Distance, DistanceLoad, SlowPart
from groma.record.units import format_quantity, format_value
from groma.survey.infer.network.declared import PROBE, declared_link, declared_structure
from groma.survey.infer.network.places import hosts_of, message_bytes, one_machine_advice
from groma.survey.infer.network.slow import slow_nodes, slow_parts
from groma.survey.infer.network.structures import (
    CROSSBAR,
    Structure,
    candidates,
    expected_ratio,
    full_trees,
    share_at,
    trees_over,
)
from groma.survey.infer.network.sweeps import degradation, patterns, per_rank
from groma.survey.infer.network.topology import MOST_NODES, groups_of, structure_of
from groma.survey.infer.registry import Evidence, Inferred, infers
from groma.survey.infer.selection import by_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.record import ProbeSamples
    from groma.record.network import NetworkTopology
    from groma.survey.infer.network.sweeps import Pattern

ABOVE_LINK = 1.2
UNLIKE = 1.25
"""A ratio that differs from that of the declared topology by this factor is a finding."""
MOST_LOADED = 32768
"""Messages over all distances of which loads are told: the time for them grows with their number."""
MOST_SEARCHED = 32
"""Nodes; of more the cables of all structures together take too long."""
FEWEST_REPETITIONS = 6
"""Fewer of them cannot bound a median with 95 % confidence."""

EXCHANGE_NOTE = (
    "at distance {distance} each node sends to the one that it receives from; libraries that answer behind "
    "their own bulk data (TCP of Open MPI) reach less there than the network gives"
)


@infers("distance", needs=(PROBE,), after=("topology",), of=NetworkFacts)
def distance(evidence: Evidence) -> Inferred:
    """The arrays over all distances; nothing without distance 1, to which all others are compared."""
    samples = evidence.samples[PROBE]
    found = patterns(samples, "distance")
    nodes = _nodes(samples, found)
    mean = degradation(found, "mean", nodes // 2)
    if mean is None or not mean.bandwidth or mean.bandwidth[0] is None:
        return Inferred(None, tuple(_no_reference(found)))
    hosts = hosts_of(evidence, PROBE)
    facts = Distance(
        nodes=nodes,
        message=message_bytes(samples),
        reference=mean.bandwidth[0],
        ratio=mean.ratio,
        exchange=[2 * d == nodes for d in range(1, nodes // 2 + 1)],
        bandwidth=mean.bandwidth,
        slowest=degradation(found, "slowest", nodes // 2),
        harmonic=degradation(found, "harmonic", nodes // 2),
        per_rank=per_rank(found, nodes // 2),
        hosts=[hosts.get(rank, "") for rank in range(nodes)] if hosts else [],
        monotone=_is_monotone(mean.ratio),
    )
    structure = _add_loads(facts, evidence)
    possible = _possible(facts, structure, evidence.network.topology)
    facts.slow = slow_parts(found, possible, hosts) or slow_nodes(_relative(samples), hosts)
    facts.notes = list(_notes(facts))
    advice = (
        *_few(found),
        *map(_slow_advice, facts.slow),
        *_above_link(facts),
        *_unlike_declared(facts),
        *one_machine_advice(evidence, PROBE),
    )
    return Inferred(facts, advice)


def _nodes(samples: ProbeSamples, found: Mapping[int, Pattern]) -> int:
    """Told by the ranks, or where only statistics are told by a parameter or the largest distance."""
    ranks = max((max(one.ranks, default=-1) + 1 for one in found.values()), default=0)
    return int(samples.parameters.get("nodes", 0)) or ranks or 2 * max(found, default=0)


def _add_loads(facts: Distance, evidence: Evidence) -> Structure | None:
    """Fill what the structure makes of the distances and return it, None where none is known."""
    facts.link_bandwidth = declared_link(evidence.samples[PROBE])
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
    declared = declared_structure(evidence.samples[PROBE], nodes)
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


def _possible(
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


def _load(structure: Structure, distance: int, link: float | None) -> DistanceLoad:
    share = share_at(structure, distance)
    return DistanceLoad(
        hops=share.hops,
        busiest=share.busiest,
        ratio=expected_ratio(structure, distance),
        bandwidth=link * float(share.of_ranks("both").mean()) if link else None,
    )


def _relative(samples: ProbeSamples) -> dict[int, list[float]]:
    """Of many nodes: the time of each rank over the mean of all, typical of the distances of a repetition."""
    return by_label(samples, "rank", statistic="relative")


def _is_monotone(ratio: Sequence[Quantity | None]) -> bool | None:
    """Whether no later ratio is smaller than an earlier one; None where only the intervals leave it open."""
    known = [one for one in ratio if one is not None]
    if any(later.high < one.low for i, one in enumerate(known) for later in known[i + 1 :]):
        return False
    rising = all(later.value >= one.value for i, one in enumerate(known) for later in known[i + 1 :])
    return True if rising else None


def _notes(facts: Distance) -> Iterator[str]:
    for d, exchange in enumerate(facts.exchange, start=1):
        if exchange and facts.ratio[d - 1] is not None and facts.nodes > 2:
            yield EXCHANGE_NOTE.format(distance=d)
    if facts.monotone is False:
        yield (
            "the ratio does not grow with the logical distance all along: "
            "ranks far apart may run on nodes near each other"
        )


def _no_reference(found: Mapping[int, Pattern]) -> Iterator[Advice]:
    if found:
        yield Advice(
            code="network.no_reference",
            what="the Distance Benchmark has no repetition at distance 1, to which all others are compared",
            next="run it again with a larger budget: groma survey --network --only distance",
        )


def _few(found: Mapping[int, Pattern]) -> Iterator[Advice]:
    fewest = min((one.repetitions for one in found.values()), default=0)
    if 0 < fewest < FEWEST_REPETITIONS:
        yield Advice(
            code="network.few_repetitions",
            what=f"the Distance Benchmark has {fewest} repetitions of some distance: too few for an interval "
            "of 95 % confidence",
            next="give it a larger budget, or a smaller message",
        )


def _above_link(facts: Distance) -> Iterator[Advice]:
    """A rank that gets more than the link of a node carries got it by another way."""
    link = facts.link_bandwidth
    if link and facts.reference.low > ABOVE_LINK * link:
        yield Advice(
            code="network.above_link",
            what=f"{format_value(facts.reference.value, 'B/s')} for each node is more than its link carries "
            f"({format_value(link, 'B/s')}): the messages take another way",
            next="hosts of one kernel? MPICH: UCX_TLS=tcp,self keeps to the network",
        )


def _unlike_declared(facts: Distance) -> Iterator[Advice]:
    """The ratio that differs most from what somebody told, where no slow part accounts for it."""
    if facts.loads_of != "declared" or facts.slow:
        return
    unlike = [
        (max(one.low / load.ratio, load.ratio / one.high), d, one, load)
        for d, (one, load) in enumerate(zip(facts.ratio, facts.loads, strict=True), start=1)
        if one is not None and load is not None and not facts.exchange[d - 1]
    ]
    factor, d, one, load = max(unlike, key=lambda found: found[0])
    if factor > UNLIKE:
        yield Advice(
            code="network.unlike_declared",
            what=f"at distance {d} the bandwidth is {format_quantity(one)} lower than at distance 1, "
            f"by the declared {facts.structure} {load.ratio:.2f} times",
            next="do the nodes run in the order of the topology? their hosts stand in network.distance.hosts",
        )


def _slow_advice(part: SlowPart) -> Advice:
    return Advice(
        code=f"network.slow_{part.kind}",
        what=f"the {part.title} is slow: messages that use it take {format_quantity(part.factor)} as long as "
        "others",
        next="look at its cable, adapter and switch port",
    )
