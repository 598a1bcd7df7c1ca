"""The Distance Benchmark: how bandwidth falls with the logical distance (docs/network/distance.md)."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from groma.facts.network import Distance, NetworkFacts, SlowPart
from groma.record import Advice, Quantity
from groma.record.units import format_quantity, format_value
from groma.survey.infer.network.bounds import speeds_of_ranks
from groma.survey.infer.network.loads import add_loads, possible_interconnects, unlike_declared
from groma.survey.infer.network.names import DISTANCE
from groma.survey.infer.network.node_speeds import speeds_of_nodes
from groma.survey.infer.network.places import hosts_of, message_bytes, one_machine_advice, pieces_by
from groma.survey.infer.network.slow import slow_nodes, slow_parts
from groma.survey.infer.network.suspects import suspect_of
from groma.survey.infer.network.sweeps import degradation, patterns, per_rank, speeds_by_distance
from groma.survey.infer.registry import Evidence, Inferred, infers
from groma.survey.infer.selection import by_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.record import ProbeSamples
    from groma.survey.infer.network.bounds import Speeds
    from groma.survey.infer.network.sweeps import Pattern, Samples

ABOVE_LINK = 1.2
FEWEST_REPETITIONS = 6
"""Fewer of them cannot bound a median with 95 % confidence."""
MOST_NAMED = 4
"""Of many nodes the first ones."""

EXCHANGE_NOTE = "distance {distance} is an exchange: each node sends to the node from which it receives"


@infers("distance", needs=(DISTANCE,), after=("topology",), of=NetworkFacts)
def distance(evidence: Evidence) -> Inferred:
    """The arrays over all distances; nothing without distance 1, to which all others are compared."""
    samples = evidence.samples[DISTANCE]
    found = patterns(samples, "distance")
    facts = _arrays(samples, found)
    if facts is None:
        return Inferred(None, tuple(_no_reference(found)))
    hosts = hosts_of(evidence, DISTANCE)
    facts.hosts = [hosts.get(rank, "") for rank in range(facts.nodes)] if hosts else []
    known, speeds = add_loads(facts, evidence), _speeds(found, facts.nodes)
    suspects = possible_interconnects(facts, known, evidence.network.topology, speeds)
    slow = slow_parts(found, suspects, hosts, is_known=known is not None)
    facts.slow = slow or slow_nodes(_relative(samples), hosts)
    facts.notes = list(_notes(facts))
    advice = (
        *_few(found),
        *map(_slow_advice, facts.slow),
        *_two_speeds(speeds_by_distance(found, facts.nodes), facts.hosts),
        *([] if facts.slow else _suspect(speeds_by_distance(found, facts.nodes), facts.hosts)),
        *_above_link(facts),
        *unlike_declared(facts),
        *one_machine_advice(evidence, DISTANCE),
    )
    return Inferred(facts, advice)


def _speeds(found: Mapping[int, Pattern], nodes: int) -> Speeds | None:
    """Of each rank at all distances that are no exchange."""
    return speeds_of_ranks(found, nodes, frozenset(d for d in found if 2 * d != nodes))


def _arrays(samples: ProbeSamples, found: Mapping[int, Pattern]) -> Distance | None:
    """Bandwidths and ratios by distance; None without distance 1."""
    nodes = _nodes(samples, found)
    mean = degradation(found, "mean", nodes // 2)
    if mean is None or not mean.bandwidth or mean.bandwidth[0] is None:
        return None
    return Distance(
        nodes=nodes,
        message=message_bytes(samples),
        reference=mean.bandwidth[0],
        ratio=mean.ratio,
        exchange=[2 * d == nodes for d in range(1, nodes // 2 + 1)],
        bandwidth=mean.bandwidth,
        slowest=degradation(found, "slowest", nodes // 2),
        harmonic=degradation(found, "harmonic", nodes // 2),
        per_rank=per_rank(found, nodes // 2),
        monotone=_is_monotone(mean.ratio),
        piece=pieces_by(samples, "distance").get(1),
    )


def _nodes(samples: ProbeSamples, found: Mapping[int, Pattern]) -> int:
    """Reported by the ranks; where there are only statistics, by a parameter or the largest distance."""
    ranks = max((max(one.ranks, default=-1) + 1 for one in found.values()), default=0)
    return int(samples.parameters.get("nodes", 0)) or ranks or 2 * max(found, default=0)


def _relative(samples: ProbeSamples) -> dict[int, list[float]]:
    """Of many nodes: the time of each rank over the mean of all, typical of the distances of a repetition."""
    return by_label(samples, "rank", statistic="relative")


def _is_monotone(ratio: Sequence[Quantity | None]) -> bool | None:
    """Whether no later ratio is smaller than an earlier one; None where only the intervals leave it open."""
    known = [one for one in ratio if one is not None]
    bounded = [one for one in known if one.confidence > 0]
    most_before = accumulate((one.low for one in bounded), max)
    if any(later.high < most for most, later in zip(most_before, bounded[1:], strict=False)):
        return False
    rising = all(later.value >= one.value for one, later in pairwise(known))
    return True if rising else None


def _notes(facts: Distance) -> Iterator[str]:
    for d, exchange in enumerate(facts.exchange, start=1):
        if exchange and facts.ratio[d - 1] is not None:
            yield EXCHANGE_NOTE.format(distance=d)
    if facts.monotone is False:
        yield (
            "the ratio does not always grow with the logical distance: "
            "ranks far apart may run on nodes near each other"
        )


def _no_reference(found: Mapping[int, Pattern]) -> Iterator[Advice]:
    if found:
        yield Advice(
            code="network.no_reference",
            what="the Distance Benchmark lacks its reference, a repetition at distance 1",
            next="use a larger budget: groma survey --network --only distance",
        )


def _few(found: Mapping[int, Pattern]) -> Iterator[Advice]:
    fewest = min((one.repetitions for one in found.values()), default=0)
    if 0 < fewest < FEWEST_REPETITIONS:
        yield Advice(
            code="network.few_repetitions",
            what=f"the Distance Benchmark has {fewest} repetitions at some distance: too few for an interval "
            "of 95 % confidence",
            next="use a larger budget or a smaller message",
        )


def _above_link(facts: Distance) -> Iterator[Advice]:
    """A rank that gets more than the link of a node carries got it by another way."""
    link = facts.link_bandwidth
    if link and facts.reference.low > ABOVE_LINK * link:
        yield Advice(
            code="network.above_link",
            what=f"{format_value(facts.reference.value, 'B/s')} for each node is more than its link carries "
            f"({format_value(link, 'B/s')}): the messages take another way",
            next="if hosts share a kernel, set UCX_TLS=tcp,self for MPICH to use the network",
        )


def _two_speeds(speeds: Mapping[int, Samples], hosts: Sequence[str]) -> Iterator[Advice]:
    """Half of the nodes or more are no outliers: they may be of another kind."""
    nodes = speeds_of_nodes(speeds)
    if nodes is None or nodes.is_minority:
        return
    names = [hosts[node] if hosts else f"rank {node}" for node in nodes.slow]
    shown = ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
    speed = float(np.median([nodes.of_nodes[node] for node in nodes.slow]))
    yield Advice(
        code="network.two_speeds",
        what=f"{len(names)} of {len(nodes.of_nodes)} nodes ({shown}) send and receive at {speed:.2f} x the "
        "speed of the others",
        next="check whether all nodes have the same adapter and the same rate of their link",
    )


def _suspect(speeds: Mapping[int, Samples], hosts: Sequence[str]) -> Iterator[Advice]:
    """Few nodes have few distances, so that a slow node may be chance: it is said, but not called slow."""
    found = suspect_of(speeds)
    if found is None:
        return
    name = hosts[found.node] if hosts else f"rank {found.node}"
    nodes = len(next(iter(speeds.values()))[0])
    yield Advice(
        code="network.suspect_node",
        what=f"the node {name} {found.does} at {found.speed:.2f} x the usual speed at every distance; "
        f"{nodes} nodes are too few to tell whether it is slow",
        next="check its cable, adapter and switch port, or survey more nodes",
    )


def _slow_advice(part: SlowPart) -> Advice:
    slow = f"messages that use it take longer than others: {format_quantity(part.factor)}"
    or_sound = f", or the network is a {part.otherwise} with nothing slow" if part.otherwise else ""
    count = "find out how many switches there are; of more than two, " if part.otherwise else ""
    return Advice(
        code=f"network.slow_{part.kind}",
        what=f"the {part.title} is slow{or_sound}: {slow}",
        next=f"{count}check its cable, adapter and switch port",
    )
