"""A real Slurm in a bed: a controller on the first host, a node daemon on each."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from groma.errors import ExitCode, GromaError
from groma.testbed import scripts
from groma.testbed.namespace_shell import path_with_sbin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.testbed.plan import Plan

PROGRAMS = ("slurmctld", "slurmd", "srun", "salloc", "sinfo")

_FOLDER = f"{scripts.FOLDER}/slurm"
_CONFIGURATION = f"{_FOLDER}/slurm.conf"

VARIABLES = {"SLURM_CONF": _CONFIGURATION}

# No task plugin binds tasks: all hosts are on the cores of one machine.
_SETTINGS = """\
ClusterName=groma
SlurmctldHost=h0
SlurmUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault={interface}
StateSaveLocation={folder}/state
SlurmdSpoolDir={local}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={local}/slurmd.pid
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=h[0-{last}] CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

# Hosts that shared the folder would take each other's files for their own. By default Slurm exchanges data
# in a ring and, on a busy machine, ranks leave MPI_Init while others are still in it: a message then kills
# these in Open MPI 4.1. With a tree it is rare (11 of 24 runs of a test before, 4 of 45 after).
_PMIX_SETTINGS = f"""\
PMIxCliTmpDirBase={scripts.LOCAL}
PMIxCollFence=tree
"""

# The daemons are up as soon as all nodes are idle; otherwise what they said goes to the reader.
_UNTIL_IDLE = """\
for attempt in $(seq 300); do
  [ "$(nsenter -t {first} -n -u -m sinfo -h -t idle -o %D 2>/dev/null)" = {count} ] && up=yes && break
  sleep 0.05
done
[ "$up" ] || {{ tail -q -n 2 {folder}/*.err; false; }}"""


_NEEDS_ROOT = "slurmd needs root"


def unusable(*, is_root: bool) -> str:
    """Why Slurm cannot be started in a bed here, "" where it can."""
    path = path_with_sbin(os.environ.get("PATH"))
    missing = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    if missing:
        return f"not installed: {', '.join(missing)}"
    return "" if is_root else _NEEDS_ROOT


def refuse_unusable(*, is_root: bool) -> None:
    """Raises GromaError (exit code 4) where Slurm cannot be started in a bed."""
    reason = unusable(is_root=is_root)
    if reason:
        raise GromaError(
            f"Slurm cannot be started here: {reason}",
            "run it as root, or use --mpi openmpi or mpich"
            if reason == _NEEDS_ROOT
            else "as root: apt-get install slurmctld slurmd slurm-client",
            ExitCode.ENVIRONMENT,
        )


def allocation(plan: Plan) -> tuple[str, ...]:
    """Words in front of a command that give it all hosts, when every one of them is ready.

    Otherwise the first srun may find a host that is not yet, and tries again a minute later only.
    """
    return ("salloc", "-Q", "-N", str(len(plan.hosts)), "--wait-all-nodes=1")


def configuration(plan: Plan, cores: int, interface: str = "pmix") -> str:
    """The content of slurm.conf; hosts have `cores` each."""
    return _SETTINGS.format(
        interface=interface, folder=_FOLDER, local=scripts.LOCAL, last=len(plan.hosts) - 1, cores=cores
    )


def starting(plan: Plan, holders: Mapping[str, int], cores: int) -> str:
    """Starts all daemons and waits until every node is idle; fails with what they say."""
    first = holders[plan.hosts[0]]
    return "\n".join(
        [
            f"mkdir -p {_FOLDER}/state",
            scripts.written(_CONFIGURATION, configuration(plan, cores)),
            scripts.written(f"{_FOLDER}/mpi.conf", _PMIX_SETTINGS),
            f"export SLURM_CONF={_CONFIGURATION}",
            _daemon(first, "slurmctld -D -i", "slurmctld"),
            *(_daemon(holders[name], f"slurmd -D -N {name}", name) for name in plan.hosts),
            _UNTIL_IDLE.format(first=first, count=len(plan.hosts), folder=_FOLDER),
        ]
    )


def _daemon(pid: int, command: str, name: str) -> str:
    return f"nsenter -t {pid} -n -u -m {command} >/dev/null 2>{_FOLDER}/{name}.err &"
