"""A synthetic survey record with a network, for tests of what shows and reads it.

    python example_network.py > example-network.json

Nine nodes of two cores on a ring, one cable of it at half rate. Samples come from fair shares of the links
and from message times of usual size, facts from the same inference as in a survey. No machine was measured.
"""

from __future__ import annotations

import runpy
import sys
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from groma.record import Record, SurveyFacts
from groma.record.launch import Launch, RankPlace
from groma.record.network import NetworkLaunch
from groma.stats.flows import max_min_shares, shifted
from groma.survey.infer.network.structures import RING, Structure, route
from groma.survey.infer.registry import infer_network
from groma.survey.simulated.network import (
    Scatter,
    access_samples,
    distance_samples,
    pair_samples,
    probe_samples,
)

if TYPE_CHECKING:
    from groma.record import ProbeSamples

NODES, CORES = 9, 2
NETWORK = Structure(RING, NODES, (NODES,))
SLOW = {(3, 4), (4, 3)}
LINK = 47.8e6
"""Bytes a second of 400 Mbit/s, without the headers of TCP."""
SIZES = [0, *(2**e for e in range(23))]
WITHIN, BETWEEN = "same node", "between nodes"
SCATTER = Scatter(repetitions=9, noise=0.03, seed=1)
NET_PROBES = ("net_pairs", "net_curve", "net_loggp", "net_concurrency")


def host(node: int) -> str:
    return f"node{node:02}"


def launch(probes: list[str], per_node: int) -> NetworkLaunch:
    places = [
        RankPlace(
            rank=rank, host=host(rank // per_node), boot_id=f"boot-{rank // per_node}", cpus=[rank % per_node]
        )
        for rank in range(NODES * per_node)
    ]
    return NetworkLaunch(
        probes=probes,
        launch=Launch(
            launcher="mpirun-openmpi",
            command=f"mpirun --map-by ppr:{per_node}:node groma-network",
            ranks=len(places),
            nodes=NODES,
            threads=1,
            binding="core",
            inter_node=True,
            mpi="Open MPI 4.1.4",
            blas="",
            placement=places,
        ),
    )


def pairs() -> ProbeSamples:
    def latency(one: int, other: int) -> float:
        a, b = one // CORES, other // CORES
        apart = min((a - b) % NODES, (b - a) % NODES)
        return 0.45e-6 if a == b else 28e-6 + 3e-6 * apart

    return pair_samples(list(combinations(range(NODES * CORES), 2)), latency, SCATTER)


def message_time(layer: str, size: int) -> float:
    if layer == WITHIN:
        return 0.45e-6 + size / 6e9 if size < 16384 else 1.9e-6 + size / 7.5e9
    return 31e-6 + size / LINK if size <= 65536 else 310e-6 + size / LINK


def layer_cases(**more: Any) -> list[dict[str, Any]]:
    ends = {WITHIN: (0, 1), BETWEEN: (0, CORES)}
    return [{"layer": layer, "from": one, "to": other, **more} for layer, (one, other) in ends.items()]


def curve() -> ProbeSamples:
    cases = [case for size in SIZES for case in layer_cases(bytes=size)]
    return probe_samples(
        "net_curve", cases, SCATTER.around([message_time(case["layer"], case["bytes"]) for case in cases])
    )


def loggp() -> ProbeSamples:
    short = {"round_trip": 2.0, "send_overhead": 0.2, "receive_overhead": 0.3}
    cases = [case for what in short for case in layer_cases(what=what, bytes=8)]
    times = [short[case["what"]] * message_time(case["layer"], 8) for case in cases]
    for size in (8, 4096, 65536, 1 << 20, 1 << 22):
        for case in layer_cases(what="gap", bytes=size):
            cases.append(case)
            times.append(message_time(case["layer"], size) - 0.7 * message_time(case["layer"], 0))
    return probe_samples("net_loggp", cases, SCATTER.around(times))


def concurrency() -> ProbeSamples:
    size = 1 << 20
    sent = [(k, i) for k in (1, 2, 4) for i in range(k)]
    cases = [case for k, i in sent for case in _pair_cases(k, i, size)]
    times = [size / (LINK if case["layer"] == BETWEEN else 7.5e9 / case["messages"] ** 0.4) for case in cases]
    return probe_samples("net_concurrency", cases, SCATTER.around(times))


def _pair_cases(messages: int, pair: int, size: int) -> list[dict[str, Any]]:
    return [
        {"layer": layer, "messages": messages, "pair": pair, "bytes": size} for layer in (WITHIN, BETWEEN)
    ]


def distance() -> ProbeSamples:
    def shares(by: int) -> list[float]:
        flows = [route(NETWORK, *pair) for pair in shifted(NODES, by)]
        capacities = {link: LINK * (0.5 if link in SLOW else 1.0) for flow in flows for link in flow}
        sent = max_min_shares(flows, capacities)
        return [min(sent[rank], sent[rank - by]) for rank in range(NODES)]

    known = {by: shares(by) for by in range(1, NODES // 2 + 1)}
    return distance_samples(NODES, lambda by, rank: known[by][rank], SCATTER)


def receiver() -> ProbeSamples:
    phases = [(k, m) for m in range(3) for k in range(1, 6)]
    sent = [(k, m, rank, "sender") for k, m in phases for rank in range(k)]
    sent += [(k, m, 6 + i, "target") for k, m in phases for i in range(m)]
    sent += [(k, m, 5, "receiver") for k, m in phases]
    names = ("senders", "receivers", "rank", "role")
    cases = [{**dict(zip(names, one, strict=True)), "bytes": 1 << 20, "messages": 30} for one in sent]
    times = [30 * (1 << 20) / (LINK * min(1.0, 2.0 / (k + 0.3 * m))) for k, m, _, _ in sent]
    return probe_samples("net_receiver", cases, SCATTER.around(times))


def example_record() -> Record[SurveyFacts]:
    """The example profile with a network beside its node."""
    made = runpy.run_path(str(Path(__file__).with_name("example_profile.py")))
    record: Record[SurveyFacts] = made["example_record"]()
    measured = [pairs(), curve(), loggp(), concurrency(), distance(), receiver()]
    measured.append(access_samples({1: LINK, 2: LINK / 2}, 2 * CORES, SCATTER))
    record.samples = {one.probe: ended(one) for one in measured}
    launches = [launch(list(NET_PROBES), CORES), launch(["net_distance", "net_receiver"], 1)]
    record.facts.network, record.warnings = infer_network(record.samples, launches)
    record.command = ["groma", "survey", "--network"]
    record.parameters = {}
    return msgspec.convert(shortened(msgspec.to_builtins(record)), Record[SurveyFacts])


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
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(example_record()), indent=1) + b"\n")


if __name__ == "__main__":
    main()
