"""A synthetic profile of a cluster like the one of the Servet 3.0 paper, for tests of what reads profiles.

    python example_cluster.py > cluster.json

Nodes of two packages with two NUMA nodes of eight cores each. Two cores share an L2, eight an L3. The ratios
of access to the network follow the text of section 5: no loss with two processes per node, a ratio of more
than 1.5 from four on. The machine was not measured: latencies and the curves of messages are of usual size.
"""

from __future__ import annotations

import sys
from itertools import combinations
from typing import Any

import msgspec

from groma.facts.network import (
    Access,
    CommunicationLayer,
    CurvePoint,
    Distance,
    NetworkFacts,
    NetworkLaunch,
    PairDesign,
    PairLatencies,
)
from groma.facts.survey import Cache, Core, Memory, NodeFacts, SurveyFacts
from groma.record import Build, Quantity, Record
from groma.record.launch import Launch, RankPlace

CORES, NODES = 32, 2
PER_L2, PER_L3, PER_PACKAGE = 2, 8, 16
ACCESS = {1: 1.0, 2: 1.03, 4: 1.66, 8: 3.1, 16: 6.2, 32: 12.4}
DISTANCE = [1.0, 1.2, 1.31, 1.52, 1.6, 1.93, 2.0, 2.4]
LATENCY = {"same node": 0.6e-6, "between nodes": 1.9e-6}
BANDWIDTH = {"same node": 4e9, "between nodes": 2.6e9}
SIZES = [0, 1, 8, 64, 512, 4096, 32768, 262144, 2097152, 16777216]


def quantity(value: float, unit: str, spread: float = 0.02) -> Quantity:
    low, high = short(value * (1 - spread)), short(value * (1 + spread))
    return Quantity(value=short(value), unit=unit, low=low, high=high, confidence=0.95, method="made up")


def short(value: float) -> float:
    return float(f"{value:.5g}")


def groups(span: int) -> list[list[int]]:
    return [list(range(first, first + span)) for first in range(0, CORES, span)]


def cache(level: int, kind: str, size: int, latency: float, span: int) -> Cache:
    return Cache(
        level=level,
        kind=kind,
        size=quantity(size, "B"),
        latency=quantity(latency, "s"),
        line=quantity(64, "B", 0),
        shared_by=groups(span),
    )


def node() -> NodeFacts:
    return NodeFacts(
        cores=[
            # The kernel numbers the cores of both packages in turn.
            Core(
                logical=core,
                physical=core % PER_PACKAGE * 2 + core // PER_PACKAGE,
                package=core // PER_PACKAGE,
                numa=core // PER_L3,
                core=core,
            )
            for core in range(CORES)
        ],
        caches=[
            cache(1, "data", 16 << 10, 1.7e-9, 1),
            cache(2, "unified", 2 << 20, 9e-9, PER_L2),
            cache(3, "unified", 6 << 20, 24e-9, PER_L3),
        ],
        memory=Memory(latency=quantity(90e-9, "s"), contention_groups=[]),
    )


def layer(name: str, pairs: list[tuple[int, int]]) -> CommunicationLayer:
    times = {size: LATENCY[name] + size / BANDWIDTH[name] for size in SIZES}
    return CommunicationLayer(
        name=name,
        latency=quantity(LATENCY[name], "s"),
        curve=[
            CurvePoint(
                bytes=size, time=quantity(time, "s"), bandwidth=quantity(size / time, "B/s") if size else None
            )
            for size, time in times.items()
        ],
        pairs=pairs,
        relations=[name],
        bandwidth=quantity(BANDWIDTH[name], "B/s"),
    )


def network() -> NetworkFacts:
    ranks = list(range(CORES * NODES))
    everyone = list(combinations(ranks, 2))
    within = [pair for pair in everyone if pair[0] // CORES == pair[1] // CORES]
    between = [pair for pair in everyone if pair[0] // CORES != pair[1] // CORES]
    hosts = [f"node{rank // CORES}" for rank in ranks]
    physical = [core.physical for core in node().cores]
    places = [
        RankPlace(rank=rank, host=hosts[rank], boot_id=f"boot-{hosts[rank]}", cpus=[physical[rank % CORES]])
        for rank in ranks
    ]
    launch = Launch(
        launcher="aprun",
        command="aprun groma-network",
        ranks=len(ranks),
        nodes=NODES,
        threads=1,
        binding="core",
        inter_node=True,
        mpi="MPI",
        blas="",
        placement=places,
    )
    return NetworkFacts(
        layers=[layer("same node", within), layer("between nodes", between)],
        pairs=PairLatencies(
            ranks=ranks,
            hosts=hosts,
            bytes=1,
            design=PairDesign(
                kind="all", measured=len(everyone), total=len(everyone), min_share=0.01, risk=0.0
            ),
        ),
        distance=Distance(
            nodes=2 * len(DISTANCE),
            message=32 << 20,
            reference=quantity(1e9, "B/s"),
            ratio=[quantity(ratio, "ratio") for ratio in DISTANCE],
            exchange=[by == len(DISTANCE) for by in range(1, len(DISTANCE) + 1)],
        ),
        access=Access(
            cores_per_node=CORES,
            message=32 << 20,
            processes=CORES * NODES,
            reference=quantity(1e9, "B/s"),
            ratio=[quantity(ACCESS[i], "ratio") if i in ACCESS else None for i in range(1, CORES + 1)],
        ),
        launches=[NetworkLaunch(probes=["net_pairs"], launch=launch)],
    )


def example_record() -> Record[Any]:
    return Record(
        kind="survey",
        created="2025-03-01T09:30:00+00:00",
        command=["groma", "survey", "--network"],
        build=Build(version="0.1.0", compiler="GNU 12.2.0", flags="", options={}),
        environment={},
        parameters={},
        samples={},
        facts=SurveyFacts(node=node(), network=network()),
        warnings=[],
    )


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(example_record()), indent=1) + b"\n")
