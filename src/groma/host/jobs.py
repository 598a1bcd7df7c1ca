"""The batch job of this process, and the variables worth recording."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from groma.record.environment import Scheduler

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groma.host.host import Host

_PREFIXES = (
    "OMP_", "GOMP_", "KMP_", "MPI", "OMPI_", "MPICH_", "I_MPI_", "PMIX_MCA_", "PRTE_MCA_", "HYDRA_",
    "UCX_", "FI_", "PSM2_", "NCCL_", "SLURM_", "SLURMD_", "PBS_", "FLUX_", "LSB_", "SGE_", "COBALT_",
    "HWLOC_", "OPENBLAS_", "GOTO_", "MKL_", "BLIS_", "FFTW_", "MALLOC_", "GLIBC_TUNABLES", "GROMA_",
)  # fmt: skip

_SECRET = re.compile(r"TOKEN|JWT|SECRET|PASSW|COOKIE|CREDENTIAL|_KEY|AUTH|CERT")

LONGEST_VALUE = 1000
"""Characters kept of a variable: some hold whole environments or host files."""


class _Job(NamedTuple):
    scheduler: str
    job: str
    nodes: str
    queue: str


_JOBS = (
    _Job("slurm", "SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_JOB_PARTITION"),
    _Job("pbs", "PBS_JOBID", "PBS_NODEFILE", "PBS_QUEUE"),
    _Job("flux", "FLUX_JOB_ID", "FLUX_NODELIST", "FLUX_QUEUE"),
    _Job("lsf", "LSB_JOBID", "LSB_HOSTS", "LSB_QUEUE"),
    _Job("sge", "JOB_ID", "PE_HOSTFILE", "QUEUE"),
)


def chosen_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Variables with a known prefix, without those that may hold a secret."""
    return {
        name: value[:LONGEST_VALUE]
        for name, value in sorted(variables.items())
        if name.startswith(_PREFIXES) and not _SECRET.search(name)
    }


def scheduler_of(host: Host) -> Scheduler | None:
    """The batch job, None outside of one."""
    for one in _JOBS:
        if host.variables.get(one.job):
            return Scheduler(
                name=one.scheduler,
                job=host.variables[one.job],
                nodes=_nodes(host, job_variable(host, one.nodes)),
                queue=job_variable(host, one.queue),
            )
    return None


def job_variable(host: Host, name: str) -> str | None:
    """A variable of a batch job. In a heterogeneous job of Slurm its name ends with the number of a
    component. Only batch scripts also have it without a number, for the first, on which srun starts.
    """
    return host.variables.get(name) or host.variables.get(f"{name}_HET_GROUP_0")


def _nodes(host: Host, value: str | None) -> str | None:
    """A node list. Some schedulers name a file that holds it, with one node per slot."""
    content = host.read(value) if value and value.startswith("/") else None
    if content is None:
        return value
    return ",".join(dict.fromkeys(one.name for one in granted_hosts(content)))


class GrantedHost(NamedTuple):
    """A line of a file in which a scheduler names hosts. Grid Engine puts slots, a queue and a range of
    processors behind the name; `slots` is the second word as it stands, "" without one.
    """

    line: int
    name: str
    slots: str


def granted_hosts(text: str) -> Iterator[GrantedHost]:
    """Of the lines that are not blank; a host may stand on several."""
    for number, line in enumerate(text.split("\n"), start=1):
        name, slots, *_ = [*line.split(), "", ""]
        if name:
            yield GrantedHost(number, name, slots)
