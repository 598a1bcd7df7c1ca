"""groma hpcc on slow networks: what it announces, what it takes, and what an interruption keeps."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from groma.errors import GromaError
from groma.launch.mpi_programs import mpi_programs

if TYPE_CHECKING:
    from collections.abc import Callable

    Groma = Callable[..., subprocess.CompletedProcess[str]]

SUITE = (sys.executable, "-m", "groma", "hpcc", "--only", "effective_bandwidth", "--bind", "none")
MPIS = ("openmpi", "mpich")

# Ranks that share two cores with whatever else runs here start late and are slow to end.
OVERHEAD = 15.0


class Network(NamedTuple):
    """A bed, how many bytes one long message takes on its slowest cable, and the budget (s)."""

    words: tuple[str, ...]
    ranks: int
    budget: int


UNIFORM = Network(("--shape", "4", "--link", "50mbit", "--nic", "50mbit"), 4, 10)
ONE_SLOW_CABLE = Network(
    ("--shape", "8", "--link", "400mbit", "--nic", "400mbit", "--at", "0s", "slow h3-h4 5mbit"), 8, 10
)


def folder_for(mpi: str) -> str:
    try:
        paths = [one.path for one in mpi_programs() if one.family == mpi]
    except GromaError:
        paths = []
    if not paths:
        pytest.skip(f"groma-hpcc is not built for {mpi}")
    return str(Path(paths[0]).parent)


def suite_on(network: Network, folder: Path) -> tuple[str, ...]:
    files = ("-o", str(folder / "hpcc.json"), "--output", str(folder / "hpccoutf.txt"))
    return (*SUITE, "-n", str(network.ranks), "--budget", f"{network.budget}s", *files)


def samples_of(record: dict[str, Any]) -> dict[str, Any]:
    return dict(record["samples"]["effective_bandwidth"])


def spent(record: dict[str, Any]) -> float:
    return float(sum(one["elapsed"] for one in samples_of(record)["rounds"]))


def codes_of(record: dict[str, Any]) -> set[str]:
    return {one["code"] for one in record["warnings"]}


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("network", [UNIFORM, ONE_SLOW_CABLE], ids=["uniform", "one-slow-cable"])
def test_a_slow_network_does_not_exceed_the_budget(
    in_bed: Groma, network: Network, mpi: str, tmp_path: Path
) -> None:
    bed = (*network.words, "--mpi", mpi, "-q")
    done = in_bed(*bed, "--", *suite_on(network, tmp_path), GROMA_NATIVE_PATH=folder_for(mpi))
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "hpcc.json").read_text())
    assert samples_of(record)["ended"] == "budget"
    assert spent(record) <= 1.25 * network.budget + OVERHEAD
    announced = record["facts"]["plan"]["estimated_seconds"]["effective_bandwidth"]
    assert announced <= network.budget
    assert spent(record) <= 1.25 * announced + OVERHEAD
    assert "effective_bandwidth.cut" in codes_of(record)
    comment = (tmp_path / "hpccoutf.txt").read_text()
    assert re.search(r"random rings of 2000000 bytes: \d of 10 rings", comment), comment
    assert float(record["facts"]["summary"]["AvgPingPongLatency_usec"]) > 0


@pytest.mark.parametrize("mpi", MPIS)
def test_an_interruption_keeps_the_samples_of_a_partial_round(
    bed_environment: dict[str, str], mpi: str, tmp_path: Path
) -> None:
    network = UNIFORM._replace(budget=600)
    bed = (sys.executable, "-m", "groma", "testbed", "run", *network.words, "--mpi", mpi, "-q", "--")
    environment = bed_environment | {"GROMA_NATIVE_PATH": folder_for(mpi)}
    with subprocess.Popen(
        [*bed, *suite_on(network, tmp_path)], env=environment, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        said: list[str] = []
        for line in running.stderr:
            said.append(line)
            if announced := re.search(r"(\d+) samples so far", line):
                break
        running.send_signal(signal.SIGINT)
        said += running.stderr.readlines()
        running.wait(timeout=60)
    assert running.returncode == 130, said
    record = json.loads((tmp_path / "hpcc.partial.json").read_text())
    assert samples_of(record)["ended"] == "interrupted"
    assert announced
    assert sum(map(len, samples_of(record)["values"])) >= int(announced[1]) > 0
    assert record["unfinished"]["interrupted"] == ["effective_bandwidth"]
