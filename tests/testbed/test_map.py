"""Mappings on several hosts: the file of each launcher puts every rank where the mapping says."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from groma.errors import GromaError
from groma.host.host import Host
from groma.launch.detect import installed
from groma.launch.mpi_programs import mpi_programs
from groma.testbed import slurm

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Groma = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(params=["openmpi", "mpich", "slurm"])
def mpi(request: pytest.FixtureRequest) -> str:
    """Each that is here, with groma-replay for it; the others are skipped with the reason."""
    name = str(request.param)
    if name == "slurm" and (reason := slurm.unusable(is_root=os.geteuid() == 0)):
        pytest.skip(reason)
    family = "openmpi" if name == "slurm" else name
    try:
        built = {one.family for one in mpi_programs("groma-replay")}
    except GromaError:
        built = set()
    if family not in built or not any(one.launcher.mpi == family for one in installed(Host())):
        pytest.skip(f"{family} is not installed, or groma-replay is not built for it")
    return name


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Ranks r and r + 4 talk a lot, so that no host gets ranks that follow each other."""
    path = tmp_path / "pairs.csv"
    path.write_text("source,target,bytes\n" + "".join(f"{rank},{rank + 4},100000\n" for rank in range(4)))
    return path


def mapped(in_bed: Groma, mpi: str, matrix: Path, *words: str) -> dict[str, Any]:
    order = ("--topology", "tree:4x2", "--matrix", str(matrix), "--json", *words)
    command = ("--shape", "4", "--mpi", mpi, "-q", "--", sys.executable, "-m", "groma", "map", *order)
    done = in_bed(*command)
    # On a busy machine ranks of Open MPI 4.1 under srun die in MPI_Init, whatever the program: a message of a
    # rank that has left it comes too early.
    attempts = 3 if mpi == "slurm" else 1
    while "died before the first rank answered" in done.stderr and (attempts := attempts - 1):
        done = in_bed(*command, *(["--resume"] if "--resume" in done.stderr else []))
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_rank_is_on_the_host_of_its_place(in_bed: Groma, mpi: str, pairs: Path) -> None:
    found = mapped(in_bed, mpi, pairs, "--verify")
    hosts = [one["host"] for one in found["verification"]["ranks"]]
    assert hosts == [f"h{place // 2}" for place in found["mapping"]]
    assert hosts[:4] == hosts[4:]
    assert sorted(hosts) == sorted(2 * ["h0", "h1", "h2", "h3"])


def test_the_gain_compares_launches_on_the_same_hosts(in_bed: Groma, mpi: str, pairs: Path) -> None:
    record = str(pairs.with_name("mapping.json"))
    gain = mapped(in_bed, mpi, pairs, "--measure", "--launches", "2", "--record", record)["gain"]
    assert gain["launches"] == 2
    assert sorted(gain["default_hosts"]) == sorted(2 * ["h0", "h1", "h2", "h3"])
    assert gain["gain"]["low"] <= gain["gain"]["value"] <= gain["gain"]["high"]


def test_places_that_do_not_fit_the_hosts_start_nothing(in_bed: Groma, mpi: str, tmp_path: Path) -> None:
    matrix = tmp_path / "m.csv"
    matrix.write_text("source,target,bytes\n0,1,1\n")
    order = ("--topology", "tree:3x2", "--matrix", str(matrix), "--verify")
    done = in_bed("--shape", "4", "--mpi", mpi, "-q", "--", sys.executable, "-m", "groma", "map", *order)
    assert done.returncode == 2
    assert "6 places cannot be divided over 4 hosts" in done.stderr
