"""The launchers that groma knows, as data: one record each, no code.

Flags are words with fields in braces: {n} ranks, {nodes}, {ppn} ranks on each node, {threads} of each rank,
{hostfile}, {slots} of all hosts in one word, {folder}, {name} of a variable, {node}. A new launcher is one
more record here and its golden command lines in test_command.py.
"""

from __future__ import annotations

import msgspec

Words = tuple[str, ...]


class Launcher(msgspec.Struct, frozen=True, kw_only=True):
    """`mpi` is the family of MPI whose programs it starts, "" where it starts those of any.

    `placement` are the flags by the shape's binding ("core", "none", "oversubscribed"); one that is missing
    cannot be had. `export` passes one variable on to other nodes where the launcher does not do so by itself.
    `start` holds the flags that a program of that MPI needs to be started (key "family/interface"). `on_node`
    keeps a launch to one {node} of the job, where no file of hosts does. `hosts` is the dialect of its files
    of hosts (groma.launch.hostfile), "" where any will do.
    """

    name: str
    title: str
    programs: Words
    mpi: str = ""
    version: str = ""
    ranks: Words = ()
    nodes: Words = ()
    hostfile: Words = ()
    slots: Words = ()
    hosts: str = ""
    placement: dict[str, Words] = {}
    export: Words = ()
    folder: Words = ()
    on_node: Words = ()
    root_variables: dict[str, str] = {}
    oversubscribed_variables: dict[str, str] = {}
    start: dict[str, Words] = {}


_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

# Ranks that share a core must not spin while they wait.
_YIELDING = {"OMPI_MCA_mpi_yield_when_idle": "1"}

_OPEN_MPI = Launcher(
    name="openmpi",
    title="Open MPI",
    programs=("mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.openmpi"),
    mpi="openmpi",
    version=r"\(Open(?:RTE| MPI)\) (?P<version>[1-4]\.\S+)",
    ranks=("-n", "{n}"),
    hostfile=("--hostfile", "{hostfile}"),
    slots=("--host", "{slots}"),
    hosts="slots",
    placement={
        "core": ("--map-by", "ppr:{ppn}:node:PE={threads}", "--bind-to", "core"),
        "none": ("--map-by", "ppr:{ppn}:node", "--bind-to", "none"),
        "oversubscribed": ("--map-by", "ppr:{ppn}:node:OVERSUBSCRIBE", "--bind-to", "none"),
    },
    export=("-x", "{name}"),
    folder=("--wdir", "{folder}"),
    root_variables=_AS_ROOT,
    oversubscribed_variables=_YIELDING,
)

LAUNCHERS: tuple[Launcher, ...] = (
    _OPEN_MPI,
    msgspec.structs.replace(
        _OPEN_MPI,
        name="openmpi-5",
        version=r"\((?:Open MPI|PRRTE)\) (?P<version>\d+\.\S+)",
        root_variables=_AS_ROOT | {"PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
    ),
    Launcher(
        name="intel-mpi",
        title="Intel MPI",
        programs=("mpiexec.hydra", "mpirun", "mpiexec"),
        mpi="mpich",
        version=r"Intel\(R\) MPI Library.*Version (?P<version>\S+)",
        ranks=("-n", "{n}"),
        hostfile=("-f", "{hostfile}"),
        slots=("-hosts", "{slots}"),
        hosts="colon",
        placement={
            "core": ("-ppn", "{ppn}", "-genv", "I_MPI_PIN_DOMAIN", "{threads}:compact"),
            "none": ("-ppn", "{ppn}", "-genv", "I_MPI_PIN", "0"),
            "oversubscribed": ("-ppn", "{ppn}", "-genv", "I_MPI_PIN", "0"),
        },
        folder=("-wdir", "{folder}"),
        oversubscribed_variables={"I_MPI_WAIT_MODE": "1"},
    ),
    Launcher(
        name="mpich",
        title="MPICH (Hydra)",
        programs=("mpiexec.hydra", "mpiexec", "mpirun", "mpiexec.mpich", "mpirun.mpich"),
        mpi="mpich",
        version=r"HYDRA build details:\s+Version:\s+(?P<version>\S+)",
        ranks=("-n", "{n}"),
        hostfile=("-f", "{hostfile}"),
        slots=("-hosts", "{slots}"),
        hosts="colon",
        placement={
            "core": ("-ppn", "{ppn}", "-bind-to", "core:{threads}"),
            "none": ("-ppn", "{ppn}", "-bind-to", "none"),
            "oversubscribed": ("-ppn", "{ppn}", "-bind-to", "none"),
        },
        folder=("-wdir", "{folder}"),
    ),
    Launcher(
        name="slurm",
        title="Slurm",
        programs=("srun",),
        version=r"slurm(?:-wlm)? (?P<version>\S+)",
        # Where a rank died the others wait for it in vain; srun alone would wait with them.
        ranks=("-n", "{n}", "-W", "30"),
        nodes=("-N", "{nodes}", "--ntasks-per-node", "{ppn}"),
        placement={
            "core": ("--cpus-per-task", "{threads}", "--cpu-bind", "cores"),
            "none": ("--cpus-per-task", "{threads}", "--cpu-bind", "none"),
            "oversubscribed": ("--overcommit", "--cpu-bind", "none"),
        },
        folder=("--chdir", "{folder}"),
        on_node=("--nodelist", "{node}", "--overlap"),
        oversubscribed_variables=_YIELDING,
        start={
            "openmpi/pmix": ("--mpi", "pmix"),
            "mpich/pmi2": ("--mpi", "pmi2"),
            "mpich/pmix": ("--mpi", "pmix"),
            "mpich/cray_shasta": ("--mpi", "cray_shasta"),
            "openmpi/pmi2": ("--mpi", "pmi2"),
        },
    ),
    Launcher(
        name="pals",
        title="PALS",
        programs=("mpiexec", "mpirun"),
        mpi="mpich",
        version=r"(?i)\bpals\b\D*(?P<version>[\d.]+)",
        ranks=("-n", "{n}"),
        hostfile=("--hostfile", "{hostfile}"),
        placement={
            "core": ("--ppn", "{ppn}", "--depth", "{threads}", "--cpu-bind", "depth"),
            "none": ("--ppn", "{ppn}", "--cpu-bind", "none"),
            "oversubscribed": ("--ppn", "{ppn}", "--cpu-bind", "none"),
        },
        folder=("--wdir", "{folder}"),
    ),
    Launcher(
        name="flux",
        title="Flux",
        programs=("flux",),
        version=r"(?:commands|flux-core):?\s+(?P<version>\S+)",
        ranks=("run", "-n", "{n}"),
        nodes=("-N", "{nodes}"),
        placement={
            "core": ("-c", "{threads}", "-o", "cpu-affinity=per-task"),
            "none": ("-c", "{threads}", "-o", "cpu-affinity=off"),
        },
        folder=("--cwd={folder}",),
        on_node=("--requires=host:{node}",),
    ),
    Launcher(
        name="aprun",
        title="ALPS (older Cray systems)",
        programs=("aprun",),
        mpi="mpich",
        version=r"aprun \(ALPS\) (?P<version>\S+)",
        ranks=("-n", "{n}"),
        placement={
            "core": ("-N", "{ppn}", "-d", "{threads}", "-cc", "depth"),
            "none": ("-N", "{ppn}", "-d", "{threads}", "-cc", "none"),
        },
    ),
    Launcher(
        name="jsrun",
        title="JSM (IBM Spectrum LSF)",
        programs=("jsrun",),
        mpi="openmpi",
        version=r"(?P<version>\d+\.\d+\S*)",
        ranks=("--nrs", "{n}", "--tasks_per_rs", "1"),
        placement={
            "core": ("--cpu_per_rs", "{threads}", "--rs_per_host", "{ppn}", "--bind", "packed:{threads}"),
            "none": ("--cpu_per_rs", "{threads}", "--rs_per_host", "{ppn}", "--bind", "none"),
        },
        folder=("--chdir", "{folder}"),
    ),
    Launcher(
        name="ibrun",
        title="ibrun (TACC)",
        programs=("ibrun",),
        ranks=("-n", "{n}"),
        # The job's own --ntasks-per-node says how many lie on a node; ibrun has no flag for it.
        placement={"core": (), "none": (), "oversubscribed": ()},
    ),
    Launcher(
        name="alone",
        title="no launcher: one rank",
        programs=(),
        placement={"core": (), "none": (), "oversubscribed": ()},
    ),
)


def launcher_named(name: str) -> Launcher | None:
    return next((one for one in LAUNCHERS if one.name == name), None)
