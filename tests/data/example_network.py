"""A synthetic survey record with a network, for tests of what shows and reads it.

    python example_network.py > network.json
    python example_network.py --nodes 1024 --pairs 600 > large.json
    python example_network.py --probes net_pairs > pairs.json

Nodes of two cores on a ring, one cable of it at half rate. Samples come from fair shares of the links
and from message times of usual size, facts from the same inference as in a survey. No machine was measured.
"""

from __future__ import annotations

import argparse
import math
import random
import runpy
import sys
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from groma.facts.network import NetworkLaunch
from groma.facts.survey import SurveyFacts
from groma.interconnect.lattice import torus
from groma.interconnect.sharing import max_min_shares, shifted
from groma.record import Record
from groma.record.launch import Launch, RankPlace
from groma.survey.infer.registry import infer_network

sys.path.insert(0, str(Path(__file__).parents[1]))  # what tests share

from simulated.network import (
    Scatter,
    access_samples,
    distance_samples,
    node_pair_samples,
    pair_samples,
    probe_samples,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groma.record import ProbeSamples

CORES = 2
SLOW = {(3, 4), (4, 3)}
LINK = 47.8e6
"""Bytes a second of 400 Mbit/s, without the headers of TCP."""
SIZES = [0, *(2**e for e in range(23))]
WITHIN, BETWEEN = "same node", "between nodes"
SCATTER = Scatter(repetitions=9, noise=0.03, seed=1)
ON_ALL_CORES = ("net_pairs", "net_curve", "net_loggp", "net_concurrency")
"""The other probes take one rank on each node."""
MOST_RANKS_SAMPLED = 64
"""Of more ranks a survey keeps statistics over them instead of the times of each."""

MOST_NODES_SAMPLED = 64
"""Of more nodes some take part where all are paired with all: fewer here than in a survey."""


@dataclass(frozen=True)
class Ring:
    """Of its ranks at most `pairs` pairs are measured."""

    nodes: int = 9
    pairs: int = 4096

    @property
    def layers(self) -> dict[str, tuple[int, int]]:
        """Two ranks of each layer."""
        within = {WITHIN: (0, 1)}
        return within | {BETWEEN: (0, CORES)} if self.nodes > 1 else within


def host(node: int) -> str:
    return f"node{node:02}"


def launch(ring: Ring, probes: list[str], per_node: int) -> NetworkLaunch:
    places = [
        RankPlace(
            rank=rank, host=host(rank // per_node), boot_id=f"boot-{rank // per_node}", cpus=[rank % per_node]
        )
        for rank in range(ring.nodes * per_node)
    ]
    return NetworkLaunch(
        probes=probes,
        launch=Launch(
            launcher="mpirun-openmpi",
            command=f"mpirun --map-by ppr:{per_node}:node groma-network",
            ranks=len(places),
            nodes=ring.nodes,
            threads=1,
            binding="core",
            inter_node=ring.nodes > 1,
            mpi="Open MPI 4.1.4",
            blas="",
            placement=places,
        ),
    )


def between_nodes(ring: Ring, one: int, other: int) -> float:
    """The latency (s) of a message."""
    return 28e-6 + 3e-6 * min((one - other) % ring.nodes, (other - one) % ring.nodes)


def node_pairs(ring: Ring) -> ProbeSamples:
    nodes = range(0, ring.nodes, -(-ring.nodes // MOST_NODES_SAMPLED))
    samples = node_pair_samples(nodes, partial(between_nodes, ring), SCATTER, slowdown=1.02)
    samples.parameters["nodes_total"] = str(ring.nodes)
    return samples


def pairs(ring: Ring) -> ProbeSamples:
    def latency(one: int, other: int) -> float:
        a, b = one // CORES, other // CORES
        return 0.45e-6 if a == b else between_nodes(ring, a, b)

    ranks = ring.nodes * CORES
    total = math.comb(ranks, 2)
    if total <= ring.pairs:
        return pair_samples(list(combinations(range(ranks), 2)), latency, SCATTER)
    samples = pair_samples(drawn(ranks, ring.pairs), latency, SCATTER)
    samples.parameters |= {"design": "sampled", "pairs_total": str(total)}
    return samples


def drawn(ranks: int, most: int) -> list[tuple[int, int]]:
    """Pairs within nodes as often as others, as a survey draws them by what is known about them."""
    rng = random.Random(1)  # noqa: S311 - reproducible choice, no secret
    near = [(rank, rank + 1) for rank in range(0, ranks, CORES)]
    chosen = set(rng.sample(near, min(len(near), most // 2)))
    while len(chosen) < most:
        one, other = sorted(rng.sample(range(ranks), 2))
        chosen.add((one, other))
    return sorted(chosen)


def message_time(layer: str, size: int) -> float:
    if layer == WITHIN:
        return 0.45e-6 + size / 6e9 if size < 16384 else 1.9e-6 + size / 7.5e9
    return 31e-6 + size / LINK if size <= 65536 else 310e-6 + size / LINK


def layer_cases(ring: Ring, **more: Any) -> list[dict[str, Any]]:
    return [{"layer": layer, "from": one, "to": other, **more} for layer, (one, other) in ring.layers.items()]


def curve(ring: Ring) -> ProbeSamples:
    cases = [case for size in SIZES for case in layer_cases(ring, bytes=size)]
    return probe_samples(
        "net_curve", cases, SCATTER.around([message_time(case["layer"], case["bytes"]) for case in cases])
    )


def loggp(ring: Ring) -> ProbeSamples:
    short = {"round_trip": 2.0, "send_overhead": 0.2, "receive_overhead": 0.3}
    cases = [case for what in short for case in layer_cases(ring, what=what, bytes=8)]
    times = [short[case["what"]] * message_time(case["layer"], 8) for case in cases]
    for size in (8, 4096, 65536, 1 << 20, 1 << 22):
        for case in layer_cases(ring, what="gap", bytes=size):
            cases.append(case)
            times.append(message_time(case["layer"], size) - 0.7 * message_time(case["layer"], 0))
    return probe_samples("net_loggp", cases, SCATTER.around(times))


def concurrency(ring: Ring) -> ProbeSamples:
    size = 1 << 20
    sent = [(k, i) for k in (1, 2, 4) for i in range(k)]
    cases = [case for k, i in sent for case in _pair_cases(ring, k, i, size)]
    times = [size / (LINK if case["layer"] == BETWEEN else 7.5e9 / case["messages"] ** 0.4) for case in cases]
    return probe_samples("net_concurrency", cases, SCATTER.around(times))


def _pair_cases(ring: Ring, messages: int, pair: int, size: int) -> list[dict[str, Any]]:
    return [{"layer": layer, "messages": messages, "pair": pair, "bytes": size} for layer in ring.layers]


def distance(ring: Ring) -> ProbeSamples:
    if ring.nodes > MOST_RANKS_SAMPLED:
        return distance_statistics(ring.nodes)

    def shares(by: int) -> list[float]:
        flows = [torus(ring.nodes).route(*pair) for pair in shifted(ring.nodes, by)]
        capacities = {link: LINK * (0.5 if link in SLOW else 1.0) for flow in flows for link in flow}
        sent = max_min_shares(flows, capacities)
        return [min(sent[rank], sent[rank - by]) for rank in range(ring.nodes)]

    known = {by: shares(by) for by in range(1, ring.nodes // 2 + 1)}
    return distance_samples(ring.nodes, lambda by, rank: known[by][rank], SCATTER)


def distance_statistics(nodes: int, message: int = 100_000) -> ProbeSamples:
    """At distance d each message has the d-th part of a link, that of the slowest rank a tenth less."""
    shares = {"slowest": 0.9, "mean": 1.0, "harmonic": 0.98}
    reported = [(by, statistic) for by in range(1, nodes // 2 + 1) for statistic in shares]
    cases: list[dict[str, Any]] = [
        {"distance": by, "statistic": name, "bytes": message} for by, name in reported
    ]
    cases += [{"rank": rank, "statistic": "relative", "bytes": message} for rank in range(nodes)]
    times = [message * by / (shares[name] * LINK) for by, name in reported]
    samples = probe_samples("net_distance", cases, SCATTER.around([*times, *[1.0] * nodes]))
    samples.parameters["nodes"] = str(nodes)
    return samples


def receiver(ring: Ring) -> ProbeSamples:
    most = min(5, ring.nodes - 3)
    phases = [(k, m) for m in range(3) for k in range(1, most + 1)]
    sent = [(k, m, rank, "sender") for k, m in phases for rank in range(k)]
    sent += [(k, m, most + 1 + i, "target") for k, m in phases for i in range(m)]
    sent += [(k, m, most, "receiver") for k, m in phases]
    names = ("senders", "receivers", "rank", "role")
    cases = [{**dict(zip(names, one, strict=True)), "bytes": 1 << 20, "messages": 30} for one in sent]
    times = [30 * (1 << 20) / (LINK * min(1.0, 2.0 / (k + 0.3 * m))) for k, m, _, _ in sent]
    return probe_samples("net_receiver", cases, SCATTER.around(times))


def access(ring: Ring) -> ProbeSamples:
    return access_samples({1: LINK, 2: LINK / 2}, min(2 * CORES, ring.nodes), SCATTER)


PROBES: dict[str, Callable[[Ring], ProbeSamples]] = {
    "net_pairs": pairs,
    "net_curve": curve,
    "net_loggp": loggp,
    "net_concurrency": concurrency,
    "net_node_pairs": node_pairs,
    "net_distance": distance,
    "net_receiver": receiver,
    "net_access": access,
}


def example_record(ring: Ring | None = None, probes: Sequence[str] = tuple(PROBES)) -> Record[SurveyFacts]:
    """The example profile with a network beside its node."""
    ring = ring or Ring()
    made = runpy.run_path(str(Path(__file__).with_name("example_profile.py")))
    record: Record[SurveyFacts] = made["example_record"]()
    record.samples = {name: ended(PROBES[name](ring)) for name in probes}
    record.facts.network, record.warnings = infer_network(record.samples, launches(ring, probes))
    record.command = ["groma", "survey", "--network"]
    record.parameters = {}
    return msgspec.convert(shortened(msgspec.to_builtins(record)), Record[SurveyFacts])


def launches(ring: Ring, probes: Sequence[str]) -> list[NetworkLaunch]:
    by_ranks = {per_node: [one for one in probes if per_node == ranks_of(one)] for per_node in (CORES, 1)}
    return [launch(ring, own, per_node) for per_node, own in by_ranks.items() if own]


def ranks_of(probe: str) -> int:
    return CORES if probe in ON_ALL_CORES else 1


def ended(samples: ProbeSamples) -> ProbeSamples:
    samples.elapsed = 4.0
    samples.ended = "stable"
    return samples


def shortened(value: Any) -> Any:
    """Five digits are more than the noise leaves, and the same wherever the example is made."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: shortened(inner) for key, inner in value.items()}
    return [shortened(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def main() -> None:
    parser = argparse.ArgumentParser(description="Prints a synthetic survey record with a network.")
    for option, default in (("nodes", Ring.nodes), ("pairs", Ring.pairs)):
        parser.add_argument(f"--{option}", type=int, default=default)
    parser.add_argument("--probes", nargs="+", choices=PROBES, default=list(PROBES))
    args = parser.parse_args()
    record = example_record(Ring(args.nodes, args.pairs), args.probes)
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")


if __name__ == "__main__":
    main()
