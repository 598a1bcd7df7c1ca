"""Launchers inside a bed: plain mpirun, mpiexec and srun take the hosts in turn.

Every host is on the cores of this one machine. So nothing is bound to cores, and who waits lets others run.
"""

from __future__ import annotations

import dataclasses
import os
import shlex
from typing import TYPE_CHECKING

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.allocation import TESTBED_VARIABLE
from groma.launch.detect import NO_MPI, installed
from groma.testbed import scripts, slurm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.host.host import Host
    from groma.launch.command import SelectedLauncher
    from groma.testbed.bed import Bed

MPIS = ("openmpi", "mpich", "slurm")

_OPEN_MPI = {
    "OMPI_MCA_plm": "rsh",
    "OMPI_MCA_plm_rsh_agent": scripts.SHELL,
    "OMPI_MCA_orte_default_hostfile": scripts.HOSTFILE,
    "OMPI_MCA_rmaps_base_mapping_policy": "node",
    # Since version 5 it is PRRTE that starts the ranks.
    "PRTE_MCA_plm_ssh_agent": scripts.SHELL,
    "PRTE_MCA_prte_default_hostfile": scripts.HOSTFILE,
    "PRTE_MCA_rmaps_default_mapping_policy": "node:OVERSUBSCRIBE",
}
_OPEN_MPI_ANYWHERE = {
    "OMPI_MCA_orte_tmpdir_base": scripts.LOCAL,
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
_SHARED = {TESTBED_VARIABLE: scripts.HOSTFILE}
_HYDRA = {
    "HYDRA_HOST_FILE": scripts.HOSTFILE,
    "HYDRA_LAUNCHER": "ssh",
    "HYDRA_LAUNCHER_EXEC": scripts.SHELL,
    "HYDRA_IFACE": "eth0",
}


class LaunchEnvironment(msgspec.Struct, frozen=True, kw_only=True):
    """What a command in a bed needs: variables, words in front of it, a script that the bed runs before."""

    variables: dict[str, str]
    words: tuple[str, ...] = ()
    script: str = ""


def launch_environment(mpi: str | None, host: Host, bed: Bed) -> LaunchEnvironment:
    """What makes `mpi` (of MPIS, None for the first that is installed) the launcher of a bed.

    Raises GromaError (exit code 4) where it is not installed or cannot be started here.
    """
    if mpi == "slurm":
        slurm.refuse_unusable(is_root=host.is_root())
        return LaunchEnvironment(
            variables=_SHARED | _OPEN_MPI_ANYWHERE | slurm.VARIABLES,
            words=slurm.allocation(bed.plan),
            script=slurm.starting(bed.plan, bed.holders, os.cpu_count() or 1),
        )
    launcher = _launcher(mpi, list(installed(_outside_of_beds(host))))
    return LaunchEnvironment(
        variables=_SHARED | _OPEN_MPI_ANYWHERE | _OPEN_MPI | _HYDRA,
        script="\n".join(_called(name, launcher.program) for name in ("mpirun", "mpiexec")),
    )


def _outside_of_beds(host: Host) -> Host:
    """The host without the launchers of a bed around this one, which are at the same path in this one."""
    paths = host.variables.get("PATH", os.defpath).split(os.pathsep)
    outside = os.pathsep.join(path for path in paths if path != scripts.PROGRAMS)
    return dataclasses.replace(host, variables={**host.variables, "PATH": outside})


def _called(name: str, program: str) -> str:
    """The command that makes `name` start a program, whatever it is outside of the bed."""
    path = f"{scripts.PROGRAMS}/{name}"
    return f"{scripts.written(path, _FORWARD.format(program=shlex.quote(program)))}\nchmod +x {path}"


_FORWARD = """\
#!/bin/sh
exec {program} "$@"
"""


def refuse_unknown(mpi: str | None) -> None:
    """Raises GromaError (exit code 2) for a name that is not of MPIS."""
    if mpi is not None and mpi not in MPIS:
        raise GromaError(f"unknown MPI {mpi!r}", f"use one of {', '.join(MPIS)}")


def _launcher(mpi: str | None, there: Sequence[SelectedLauncher]) -> SelectedLauncher:
    fitting = [one for one in there if one.launcher.mpi in ({mpi} if mpi else {"openmpi", "mpich"})]
    if fitting:
        return fitting[0]
    raise GromaError(
        f"{mpi} is not installed" if mpi and there else NO_MPI,
        "sudo apt-get install openmpi-bin (or mpich); groma doctor lists what is installed",
        ExitCode.ENVIRONMENT,
    )
