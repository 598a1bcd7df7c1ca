"""Where the ranks of a probe ran, as its launch reports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from groma.record import Advice

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.record import ProbeSamples
    from groma.record.launch import RankPlace
    from groma.survey.infer.registry import Evidence

RANK_NODES = "rank_nodes"
"""Parameter of a probe with the host of each rank, as a JSON list or with commas."""


def hosts_of(evidence: Evidence, probe: str, **labels: Any) -> dict[int, str]:
    """The host of each rank of the launch in which `probe` sampled the cases with these labels.

    Without a launch from its parameter `rank_nodes`; empty where there is neither.
    """
    placed = placement_of(evidence, probe, **labels)
    if placed:
        return {one.rank: one.host for one in placed}
    samples = evidence.samples.get(probe)
    return dict(enumerate(_listed(samples.parameters.get(RANK_NODES, "")))) if samples else {}


def placement_of(evidence: Evidence, probe: str, **labels: Any) -> Sequence[RankPlace]:
    """The places of the ranks of that launch, none where it is not known."""
    for one in evidence.network.launches:
        if probe in one.probes and one.labels.items() <= labels.items():
            return one.launch.placement
    return ()


def named(hosts: Mapping[int, str], rank: int) -> str:
    """How a reader knows a rank: by its host where that is known."""
    return hosts.get(rank) or f"rank {rank}"


def one_machine_advice(evidence: Evidence, probe: str, **labels: Any) -> Iterator[Advice]:
    """A finding where several hosts run under one kernel: what lies between them is no real network."""
    placed = placement_of(evidence, probe, **labels)
    hosts, machines = {one.host for one in placed}, {one.machine for one in placed}
    if len(machines) < len(hosts):
        yield Advice(
            code="network.one_kernel",
            what=f"{probe}: {len(hosts)} hosts, but {len(machines)} running kernel"
            f"{'s' * (len(machines) > 1)} by boot id; a library may pass messages through memory",
            next="compare with the bandwidth of the links; set UCX_TLS=tcp,self for MPICH to use the network",
        )


def _listed(text: str) -> Sequence[str]:
    if text.startswith("["):
        return [str(one) for one in json.loads(text)]
    return [one.strip() for one in text.split(",")] if text else []


def message_bytes(samples: ProbeSamples) -> int:
    """The size of message of a probe that has one; 0 without cases."""
    return int(samples.cases[0]["bytes"]) if samples.cases else 0


def pieces_by(samples: ProbeSamples, label: str) -> dict[int, int]:
    """The size of the pieces in which messages were sent, by the value of `label`; only where it is known."""
    return {
        int(case[label]): int(case["piece"]) for case in samples.cases if label in case and "piece" in case
    }
