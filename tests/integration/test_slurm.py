"""groma hpcc inside a job of a real Slurm on this one machine; skipped where it cannot be started."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from groma.errors import GromaError
from groma.launch.mpi_programs import mpi_programs
from slurm_here import skip_without_slurm, under_slurm


def suite_families() -> list[str]:
    try:
        return [one.family for one in mpi_programs()]
    except GromaError:
        return []


@pytest.fixture
def _slurm_can_run() -> None:
    skip_without_slurm()


@pytest.mark.usefixtures("_slurm_can_run")
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_srun_is_found_and_starts_each_mpi(mpi: str, tmp_path: Path) -> None:
    programs = mpi_programs() if mpi in suite_families() else []
    path = next((one.path for one in programs if one.family == mpi), None)
    if path is None:
        pytest.skip(f"groma-hpcc is not built for {mpi}")
    (tmp_path / "groma.toml").write_text(f'[native]\npath = "{Path(path).parent}"\n')
    options = (
        "-n",
        "2",
        "--only",
        "dgemm",
        "-N",
        "200",
        "--nb",
        "32",
        "--repeat",
        "2",
        "--budget",
        "0s",
        "-q",
    )
    done = under_slurm(
        tmp_path,
        "salloc",
        "-Q",
        "-N1",
        f"-n{os.cpu_count()}",
        sys.executable,
        "-m",
        "groma",
        "hpcc",
        *options,
    )
    assert done.returncode == 0, done.stderr
    launch = json.loads((tmp_path / "hpcc.json").read_text())["facts"]["launch"]
    assert launch["launcher"].startswith("Slurm")
    assert launch["ranks"] == len(launch["placement"]) == 2
    assert "--mpi" in launch["command"]
