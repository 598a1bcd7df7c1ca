"""Latency between all nodes, measured in disjoint pairs at the same time (docs/network/node_pairs.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groma.facts.matrices import Entry, sparse_entries, sparse_matrix
from groma.facts.network import NetworkFacts, NodePairs
from groma.record import Advice
from groma.record.units import format_number
from groma.stats.quantities import median_quantity
from groma.survey.infer.network.names import NODE_PAIRS
from groma.survey.infer.network.pairs import measured_pairs, pair_design
from groma.survey.infer.network.places import hosts_of, message_bytes
from groma.survey.infer.registry import Evidence, Inferred, infers
from groma.survey.infer.selection import Cases, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from groma.facts.network import PairDesign
    from groma.record import ProbeSamples, Quantity
    from groma.survey.infer.network.pairs import MeasuredPair

METHOD = "median over pairs of the 5th percentile of many at once over that of the pair alone"
NONE = Cases([], [])


@infers("node_pairs", needs=(NODE_PAIRS,), of=NetworkFacts)
def node_pairs(evidence: Evidence) -> Inferred:
    """All pairs of nodes, and what those that were measured alone as well say of it."""
    samples = evidence.samples[NODE_PAIRS]
    by_number = {number: cases for (number,), cases in split(samples, "at_once").items()}
    at_once = max(by_number, default=1)
    measured = measured_pairs(by_number.get(at_once, NONE))
    if not measured:
        return Inferred(None)
    ranks = sorted({rank for one in measured for rank in one.pair})
    place = {rank: number for number, rank in enumerate(ranks)}
    hosts = hosts_of(evidence, NODE_PAIRS)
    facts = NodePairs(
        ranks=ranks,
        hosts=[hosts.get(rank, "") for rank in ranks],
        bytes=message_bytes(samples),
        design=_design(samples, len(measured), len(ranks)),
        at_once=at_once,
        slowdown=slowdown_of(measured, measured_pairs(by_number.get(1, NONE))) if at_once > 1 else None,
        latency=sparse_matrix([Entry(place[a], place[b], latency) for (a, b), latency in measured]),
    )
    return Inferred(facts, tuple(_advice(facts)))


def _design(samples: ProbeSamples, measured: int, nodes: int) -> PairDesign:
    """Of more nodes than take part, some were drawn: those of one turn are independent pairs."""
    all_nodes = int(samples.parameters.get("nodes_total", nodes))
    total = all_nodes * (all_nodes - 1) // 2
    return pair_design(measured, total, nodes // 2 if measured < total else None)


def slowdown_of(at_once: Sequence[MeasuredPair], alone: Sequence[MeasuredPair]) -> Quantity | None:
    """None where no pair was measured both ways."""
    many = {one.pair: one.latency.value for one in at_once}
    ratios = [many[pair] / latency.value for pair, latency in alone if pair in many and latency.value > 0.0]
    return median_quantity(ratios, "1", METHOD) if ratios else None


def node_latencies(facts: NodePairs, hosts: Sequence[str]) -> NDArray[np.float64]:
    """The matrix over `hosts` in s; NaN for what is not known, all of it where pairs disturb each other."""
    found = np.full((len(hosts), len(hosts)), np.nan)
    if facts.disturbed or facts.latency is None:
        return found
    index = {host: number for number, host in enumerate(hosts)}
    places = [index.get(host) for host in facts.hosts]
    for entry in sparse_entries(facts.latency):
        row, column = places[entry.row], places[entry.column]
        if row is not None and column is not None and row != column:
            found[row, column] = found[column, row] = entry.quantity.value
    return found


def _advice(facts: NodePairs) -> Iterator[Advice]:
    if facts.slowdown is not None and facts.disturbed:
        yield Advice(
            code="network.pairs_disturb",
            what=f"{NODE_PAIRS}: {facts.at_once} pairs of nodes at the same time took "
            f"{format_number(facts.slowdown.value)} times as long as alone; they tell no structure",
            next="measure more pairs one at a time: --set pairs.budget=2m",
        )
