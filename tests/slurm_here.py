"""A real Slurm on this one machine, for tests; it cannot be started everywhere.

A controller and one node daemon run in a process namespace of their own, which ends with the test and takes
everything in it along.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from groma.testbed import slurm

if TYPE_CHECKING:
    from pathlib import Path

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
  sinfo -h -o %t 2> /dev/null | grep -q idle && exec "$@"
  sleep 0.2
done
tail -n 3 {folder}/*.err >&2
exit 77
"""


def skip_without_slurm() -> None:
    reason = slurm.unusable(is_root=os.geteuid() == 0)
    if reason:
        pytest.skip(reason)
    works = subprocess.run(["unshare", "--fork", "--kill-child", "-p", "--mount-proc", "true"], check=False)
    if works.returncode != 0:
        pytest.skip("process namespaces are not allowed here")


def under_slurm(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run words on a machine with Slurm: `salloc …`, `sbatch --wait …`."""
    place = folder / "slurm"
    (place / "state").mkdir(parents=True, exist_ok=True)
    (place / "spool").mkdir(exist_ok=True)
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
        | variables
        | {
            "SLURM_CONF": str(place / "slurm.conf"),
            "PATH": f"{variables.get('PATH', os.environ['PATH'])}:/usr/sbin:/sbin",
        },
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    if done.returncode == 77:
        pytest.skip(f"Slurm does not come up here: {done.stderr[-300:]}")
    return done
