"""Plain launchers, and groma without options for it, start ranks on every host of a bed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
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

    Groma = Callable[..., subprocess.CompletedProcess[str]]

PROGRAM = "groma-randomaccess"
FEW_UPDATES = ("--table", "2^14", "--updates", "2^14", "--budget", "0s")


@pytest.fixture(params=["openmpi", "mpich", "slurm"])
def mpi(request: pytest.FixtureRequest) -> str:
    """Each that is here; the others are skipped with the reason."""
    name = str(request.param)
    reason = (
        slurm.unusable(is_root=os.geteuid() == 0)
        if name == "slurm"
        else ""
        if any(one.launcher.mpi == name for one in installed(Host()))
        else f"{name} is not installed"
    )
    if reason:
        pytest.skip(reason)
    return name


def folder_for(mpi: str) -> Path:
    """Where the program is that was built for this MPI; Slurm starts that of Open MPI."""
    wanted = "openmpi" if mpi == "slurm" else mpi
    try:
        paths = [one.path for one in mpi_programs(PROGRAM) if one.family == wanted]
    except GromaError:
        paths = []
    if not paths:
        pytest.skip(f"{PROGRAM} is not built for {wanted}")
    return Path(paths[0]).parent


def test_a_plain_launcher_takes_every_host_once(in_bed: Groma, mpi: str) -> None:
    launcher = "srun" if mpi == "slurm" else "mpirun"
    # Hydra dies of SIGPIPE where rank 0 ends before the end of standard input is passed on.
    program = ("sh", "-c", "hostname; sleep 1")
    done = in_bed("--shape", "9", "--mpi", mpi, "-q", "--", launcher, "-n", "9", *program)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == [f"h{node}" for node in range(9)]


def test_ranks_on_three_hosts_talk_through_the_network(in_bed: Groma, mpi: str, tmp_path: Path) -> None:
    record = measured(in_bed, mpi, ("--shape", "3"), ("-n", "3", *FEW_UPDATES), tmp_path)
    launch = record["facts"]["launch"]
    assert record["facts"]["errors"] == 0
    assert launch["inter_node"]
    assert [place["host"] for place in sorted(launch["placement"], key=rank)] == ["h0", "h1", "h2"]
    assert "launch.overlapping_cpus" not in {one["code"] for one in record["warnings"]}


def test_a_torus_of_sixteen_hosts_runs_open_mpi(in_bed: Groma, tmp_path: Path) -> None:
    record = measured(in_bed, "openmpi", ("--shape", "4x4"), ("-n", "16", *FEW_UPDATES), tmp_path)
    assert record["facts"]["errors"] == 0
    assert len({place["host"] for place in record["facts"]["launch"]["placement"]}) == 16


def rank(place: dict[str, Any]) -> int:
    return int(place["rank"])


def measured(
    in_bed: Groma, mpi: str, bed: tuple[str, ...], sizes: tuple[str, ...], folder: Path
) -> dict[str, Any]:
    """The record of a run of `route` with one rank on each host; groma knows nothing of the bed."""
    path = folder / "record.json"
    words = (sys.executable, "-m", "groma", "randomaccess", "run", "--algorithm", "route", *sizes)
    on_bed = (*bed, "--link", "400mbit", "--mpi", mpi)
    done = in_bed(*on_bed, "--", *words, "-o", str(path), GROMA_NATIVE_PATH=str(folder_for(mpi)))
    assert done.returncode == 0, done.stderr
    return dict(json.loads(path.read_text()))


def test_a_slow_host_causes_no_storm_of_messages(in_bed: Groma, mpi: str, tmp_path: Path) -> None:
    """A full bucket of `route` has 208 updates on a 2x2 grid, and an update moves 0.94 times."""
    bed = ("--shape", "4", "--at", "0s", "slow h1 5mbit")
    sizes = ("-n", "4", "--grid", "2x2", "--table", "2^14", "--repeat", "2", "--budget", "0s")
    exchange = measured(in_bed, mpi, bed, sizes, tmp_path)["facts"]["exchange"]
    ideal = exchange["bytes"] / 8 / 208
    assert ideal < exchange["messages"] < 3 * ideal
    assert exchange["empty"] < ideal
