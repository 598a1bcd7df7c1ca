"""What interconnects have to explain: bandwidths over distance and latencies between nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.survey.infer.network.bounds import speeds_of_ranks
from groma.survey.infer.network.likelihoods import Latencies, Ratio, of_ratios
from groma.survey.infer.network.names import DISTANCE, NODE_PAIRS, PAIRS
from groma.survey.infer.network.node_pairs import node_latencies
from groma.survey.infer.network.node_speeds import speeds_of_nodes, with_factors
from groma.survey.infer.network.places import hosts_of
from groma.survey.infer.network.sweeps import degradation, patterns, speeds_by_distance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from groma.interconnect.base import Interconnect
    from groma.survey.infer.network.bounds import Speeds
    from groma.survey.infer.network.node_speeds import NodeSpeeds
    from groma.survey.infer.network.sweeps import Pattern
    from groma.survey.infer.registry import Evidence

    Matrix = NDArray[np.float64]

MOST_NODES = 64
"""Shares of all candidates on more nodes take too long; latencies still tell."""
MOST_ENDS = 512
"""More take minutes."""
MOST_DISTANCES = 16


class Observations(NamedTuple):
    """What interconnects have to explain: nodes, ratios by distance, latencies between nodes (NaN: none).

    `speeds` are those of each rank at these distances, where they are known, `nodes` those of nodes that are
    slower or faster than most.
    """

    hosts: list[str]
    ratios: list[Ratio]
    latencies: Latencies
    speeds: Speeds | None = None
    nodes: NodeSpeeds | None = None

    def as_measured(self, interconnect: Interconnect) -> Interconnect:
        """The interconnect between nodes of these speeds."""
        return with_factors(interconnect, self.nodes.factors) if self.nodes is not None else interconnect

    def by_ratios(self, interconnect: Interconnect) -> float:
        """Nats that bandwidths give an interconnect."""
        return of_ratios(self.as_measured(interconnect), self.ratios, self.speeds)


def hosts_to_weigh(evidence: Evidence) -> list[str]:
    """All nodes; where these are too many, those that were drawn to be paired, if any were."""
    hosts, drawn = _hosts(evidence), evidence.network.node_pairs
    return list(drawn.hosts) if len(hosts) > MOST_ENDS and drawn is not None and all(drawn.hosts) else hosts


def observations_in(evidence: Evidence, hosts: list[str]) -> Observations:
    nodes = len(hosts)
    found = _patterns(evidence, nodes)
    ratios = _ratios(found, nodes)
    chosen = frozenset(one.distance for one in ratios if not one.exchange)
    speeds = speeds_of_ranks(found, nodes, chosen) if ratios else None
    of_nodes = speeds_of_nodes(speeds_by_distance(found, nodes)) if speeds is not None else None
    return Observations(hosts, ratios, Latencies(_latencies(evidence, hosts)), speeds, of_nodes)


def _hosts(evidence: Evidence) -> list[str]:
    """Nodes in the order of the ranks of the Distance Benchmark, or else of the pairs."""
    for probe in (DISTANCE, NODE_PAIRS, PAIRS):
        found = hosts_of(evidence, probe) if probe in evidence.samples else {}
        if found:
            return list(dict.fromkeys(found[rank] for rank in sorted(found)))
    samples = evidence.samples.get(DISTANCE)
    ranks = {case["rank"] for case in samples.cases if "rank" in case} if samples else set()
    return [f"rank {rank}" for rank in sorted(ranks)]


def _patterns(evidence: Evidence, nodes: int) -> dict[int, Pattern]:
    samples = evidence.samples.get(DISTANCE)
    return {} if samples is None or nodes > MOST_NODES else patterns(samples, "distance")


def _ratios(found: Mapping[int, Pattern], nodes: int) -> list[Ratio]:
    mean = degradation(found, "mean", nodes // 2)
    known = [
        Ratio(d, one, exchange=2 * d == nodes)
        for d, one in enumerate(mean.ratio if mean else [], start=1)
        if one is not None and d > 1
    ]
    chosen = np.unique(np.linspace(0, len(known) - 1, min(len(known), MOST_DISTANCES)).round().astype(int))
    return [known[i] for i in chosen] if known else []


def _latencies(evidence: Evidence, hosts: Sequence[str]) -> Matrix:
    """Those of pairs one at a time, unless more are known of pairs of nodes at the same time."""
    alone, facts = _latencies_alone(evidence, hosts), evidence.network.node_pairs
    if facts is None:
        return alone
    at_once = node_latencies(facts, hosts)
    return at_once if np.isfinite(at_once).sum() > np.isfinite(alone).sum() else alone


def _latencies_alone(evidence: Evidence, hosts: Sequence[str]) -> Matrix:
    """The fastest pair of ranks speaks for two nodes."""
    index = {host: i for i, host in enumerate(hosts)}
    found = np.full((len(hosts), len(hosts)), np.inf)
    facts = evidence.network.pairs
    places = [index.get(host) for host in facts.hosts] if facts else []
    for row, times in zip(places, facts.latency if facts else [], strict=False):
        for column, time in zip(places, times, strict=True):
            if time is not None and row is not None and column is not None and row != column:
                found[row, column] = min(found[row, column], time.value)
    return np.where(np.isfinite(found), found, np.nan)
