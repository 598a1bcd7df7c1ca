"""groma hpcc inside a job of a real Slurm on this one machine; skipped where it cannot be started.

A controller and one node daemon run in a process namespace of their own, which ends with the test and takes
everything in it along.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from groma.errors import GromaError
from groma.launch.mpi_programs import mpi_programs
from groma.testbed import slurm

CONFIGURATION = """\
ClusterName=groma
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={next_port}
SlurmUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/pgid
TaskPlugin=task/affinity
SelectType=select/linear
SwitchType=switch/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ReturnToService=2
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

# Started in the namespace; without an idle node it ends with 77 and what the daemons said.
SCRIPT = """\
slurmctld -D -i 2> {folder}/slurmctld.err &
slurmd -D 2> {folder}/slurmd.err &
for attempt in $(seq 150); do
  sinfo -h -o %t 2> /dev/null | grep -q idle && exec salloc -Q -N1 -n{cores} "$@"
  sleep 0.2
done
tail -n 3 {folder}/*.err >&2
exit 77
"""


def suite_families() -> list[str]:
    try:
        return [one.family for one in mpi_programs()]
    except GromaError:
        return []


@pytest.fixture
def _slurm_can_run() -> None:
    reason = slurm.unusable(is_root=os.geteuid() == 0)
    if reason:
        pytest.skip(reason)
    works = subprocess.run(["unshare", "--fork", "--kill-child", "-p", "--mount-proc", "true"], check=False)
    if works.returncode != 0:
        pytest.skip("process namespaces are not allowed here")


def inside_job(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run words in a job on all cores of this machine."""
    place = folder / "slurm"
    (place / "state").mkdir(parents=True)
    (place / "spool").mkdir()
    port = 20000 + os.getpid() % 20000
    settings = CONFIGURATION.format(
        host=os.uname().nodename.partition(".")[0],
        port=port,
        next_port=port + 1,
        folder=place,
        cores=os.cpu_count(),
    )
    (place / "slurm.conf").write_text(settings)
    script = SCRIPT.format(folder=place, cores=os.cpu_count())
    done = subprocess.run(
        ["unshare", "--fork", "--kill-child", "-p", "--mount-proc", "sh", "-c", script, "sh", *words],
        cwd=folder,
        env=os.environ
        | {"SLURM_CONF": str(place / "slurm.conf"), "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    if done.returncode == 77:
        pytest.skip(f"Slurm does not come up here: {done.stderr[-300:]}")
    return done


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
    done = inside_job(tmp_path, sys.executable, "-m", "groma", "hpcc", *options)
    assert done.returncode == 0, done.stderr
    launch = json.loads((tmp_path / "hpcc.json").read_text())["facts"]["launch"]
    assert launch["launcher"].startswith("Slurm")
    assert launch["ranks"] == len(launch["placement"]) == 2
    assert "--mpi" in launch["command"]
