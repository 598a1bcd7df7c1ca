"""Probes of the network find messages that arrive corrupted, and such as never arrive.

The library that test_faults.py uses plants the faults in all messages of a rank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from planted_faults import ALWAYS, MPIS, run_with_fault

if TYPE_CHECKING:
    from pathlib import Path

INVALID = 3


class Probe(NamedTuple):
    """A run of few short rounds; messages of fewer bytes than `least` are not those that are timed."""

    words: str
    ranks: int = 2
    least: int = 8

    def __str__(self) -> str:
        return self.words.split()[0]


# net_access needs several machines; it sends and checks as net_distance does.
PROBES = [
    Probe("net_pairs"),
    Probe("net_node_pairs", ranks=4),
    Probe("net_curve layers=near:0-1 largest=64"),
    Probe("net_loggp layers=near:0-1 largest=64"),
    Probe("net_concurrency layers=near:0-1 bytes=4096", least=4096),
    Probe("net_distance bytes=65536", ranks=3, least=1024),
    Probe("net_receiver senders=1 targets=1 bytes=4096", least=1024),
]
FAULTS = ["send garbage", "receive drop"]
"""What nobody delivers leaves the message before it, which is stale."""
SHORT = ("rounds=3", "budget=0.5")


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("probe", PROBES, ids=str)
def test_messages_that_arrive_corrupted_end_a_probe(
    probe: Probe, fault: str, mpi: str, tmp_path: Path
) -> None:
    variables = {"GROMA_FAULT": f"{fault} 1 {ALWAYS}", "GROMA_FAULT_LEAST": str(probe.least)}
    program = ["groma-network", "run", *probe.words.split(), *SHORT]
    done = run_with_fault(mpi, probe.ranks, variables, program, tmp_path)
    assert done.returncode == INVALID, done.stdout + done.stderr
    assert "messages arrived corrupted" in done.stdout + done.stderr


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("words", ["net_pairs", "net_node_pairs alone=0"])
def test_messages_of_one_pair_are_not_those_of_another(words: str, mpi: str, tmp_path: Path) -> None:
    """A sample takes 110 messages. Those of the second pair of a rank in its first round are dropped."""
    variables = {"GROMA_FAULT": "receive drop 111 110", "GROMA_FAULT_RANK": "1", "GROMA_FAULT_LEAST": "8"}
    done = run_with_fault(mpi, 3, variables, ["groma-network", "run", *words.split(), *SHORT], tmp_path)
    assert done.returncode == INVALID, done.stdout + done.stderr


@pytest.mark.parametrize("mpi", MPIS)
def test_without_a_fault_all_probes_pass_in_the_same_way(mpi: str, tmp_path: Path) -> None:
    words = [word for probe in PROBES for word in (*probe.words.split(), *SHORT)]
    done = run_with_fault(
        mpi, 4, {"GROMA_FAULT": "send none 1 1"}, ["groma-network", "run", *words], tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count('"event":"outcome"') == len(PROBES)
