"""The launch files that groma writes and reads, as data: one row for each launcher that takes one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from groma.errors import GromaError
from groma.map.launch_files import coordinates, cray, hydra, openmpi, permutation, slurm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.map.launch_files.placement import Numbering, Placement

Words = tuple[str, ...]


class Write(Protocol):
    def __call__(self, placement: Placement, numbering: Numbering) -> str: ...


class Read(Protocol):
    def __call__(
        self, text: str, path: str, numbering: Numbering, hosts: Sequence[str] = ()
    ) -> Placement: ...


class Flags(Protocol):
    def __call__(self, placement: Placement, numbering: Numbering, /) -> Words: ...


class NodesOf(Protocol):
    def __call__(self, shape: tuple[int, ...], /) -> tuple[str, ...]: ...


class LaunchFormat(NamedTuple):
    """One kind of file. `name` is that of the launcher (groma.launch.launchers) where it has one.

    `use` is how users start ranks with it: {variables}, {flags}, {ranks} and {file} are those of a mapping.

    `flags` are the words that make the launcher obey the file, with {file} for its path; `variables` are set
    as well. `nodes_of` names the nodes of a torus or mesh where the file has coordinates in place of hosts.
    """

    name: str
    title: str
    written: Write
    read: Read
    flags: Flags
    use: str
    variables: tuple[tuple[str, str], ...] = ()
    caution: str = ""
    nodes_of: NodesOf | None = None


def _rank_file(placement: Placement, numbering: Numbering) -> Words:
    if not placement.is_bound:
        return ("--mca", "rmaps", "seq", "--hostfile", "{file}", "--bind-to", "none")
    threads = ("--use-hwthread-cpus",) if numbering.has_siblings else ()
    return (*threads, "--rankfile", "{file}")


def _rank_file_of_prrte(placement: Placement, numbering: Numbering) -> Words:
    if not placement.is_bound:
        return ("--map-by", "seq:file={file}", "--bind-to", "none")
    threads = ":hwtcpus" if numbering.has_siblings else ""
    return ("--map-by", f"rankfile:file={{file}}{threads}")


def _host_file(_placement: Placement, _numbering: Numbering) -> Words:
    return ("-f", "{file}")


def _arbitrary(placement: Placement, numbering: Numbering) -> Words:
    return ("--distribution=arbitrary", f"--cpu-bind={slurm.cpu_bind(placement, numbering)}")


def _blocks(placement: Placement, numbering: Numbering) -> Words:
    return ("--distribution=block", f"--cpu-bind={cray.cpu_bind(placement, numbering)}")


def _coordinates(_placement: Placement, _numbering: Numbering) -> Words:
    return ("--vcoordfile", "{file}")


def _nothing(_placement: Placement, _numbering: Numbering) -> Words:
    return ()


_MPIRUN = "mpirun {flags} -n {ranks} ./app"
_SRUN = "{variables} srun -n {ranks} {flags} ./app"
_SEVERAL_LINES = "a host in several places of the file is several nodes to MPICH, without shared memory"

FORMATS = {
    one.name: one
    for one in (
        LaunchFormat(
            "openmpi",
            "rank file of Open MPI",
            openmpi.written,
            openmpi.read,
            _rank_file,
            _MPIRUN,
        ),
        LaunchFormat(
            "openmpi-5",
            "rank file of Open MPI 5",
            openmpi.written,
            openmpi.read,
            _rank_file_of_prrte,
            _MPIRUN,
        ),
        LaunchFormat(
            "mpich",
            "host file of Hydra",
            hydra.written,
            hydra.read,
            _host_file,
            "mpiexec {flags} -n {ranks} ./app",
            caution=_SEVERAL_LINES,
        ),
        LaunchFormat(
            "slurm",
            "host file of Slurm",
            slurm.written,
            slurm.read,
            _arbitrary,
            _SRUN,
            (("SLURM_HOSTFILE", "{file}"),),
        ),
        LaunchFormat(
            "cray",
            "MPICH_RANK_ORDER",
            cray.written,
            cray.read,
            _blocks,
            _SRUN,
            (("MPICH_RANK_REORDER_METHOD", "3"), ("MPICH_RANK_REORDER_FILE", "{file}")),
        ),
        LaunchFormat(
            "permutation",
            "keys for MPI_Comm_split",
            permutation.written,
            permutation.read,
            _nothing,
            "in the program: MPI_Comm_split(MPI_COMM_WORLD, 0, key, ...)",
        ),
        LaunchFormat(
            "bluegene",
            "map file of Blue Gene",
            coordinates.written_for_blue_gene,
            coordinates.read_of_blue_gene,
            _nothing,
            "mpirun -mapfile {file}, or on Blue Gene/Q: runjob --mapping {file}",
            (("BGLMPI_MAPPING", "{file}"),),
            nodes_of=coordinates.nodes_of_blue_gene,
        ),
        LaunchFormat(
            "fujitsu",
            "coordinate file of Fujitsu MPI",
            coordinates.written_for_fujitsu,
            coordinates.read_of_fujitsu,
            _coordinates,
            "mpiexec {flags} -n {ranks} ./app",
            nodes_of=coordinates.nodes_of_fujitsu,
        ),
    )
}


def format_named(name: str) -> LaunchFormat:
    """Raises GromaError (exit code 2) for a launcher that takes no such file."""
    if name not in FORMATS:
        raise GromaError(
            f"groma writes no launch file for {name}",
            f"use --launcher with one of {', '.join(FORMATS)}",
        )
    return FORMATS[name]
