"""The machines of a run are those of the file of hosts, where the user gives one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.host.host import FakeHost
from groma.launch.mpi_programs import MpiProgram
from groma.launch.prepare import (
    LaunchOptions,
    Site,
    Tool,
    command_of,
    refuse_missing_cores,
    refuse_missing_machines,
    shape_on,
    site_of,
    with_fewer_ranks,
)
from groma.launch.shape import RequestedShape, Shape, shape_of
from groma.record import Build

if TYPE_CHECKING:
    from pathlib import Path

TOOL = Tool("groma-hpcc", "groma hpcc")

VERSIONS = {"mpirun": "mpirun (Open MPI) 4.1.4", "mpiexec.hydra": "HYDRA build details:\n Version: 4.0.2"}


@pytest.fixture(autouse=True)
def _programs(monkeypatch: pytest.MonkeyPatch) -> None:
    one = MpiProgram(
        path="/opt/groma-hpcc", family="openmpi", mpi="Open MPI", blas="", build=Build(version="1")
    )
    both = [one, msgspec.structs.replace(one, family="mpich")]
    monkeypatch.setattr("groma.launch.prepare.mpi_programs", lambda *_, **__: both)


def machine(**variables: str) -> FakeHost:
    programs = {f"/usr/bin/{name}": "" for name in VERSIONS}
    cores = {f"/sys/devices/system/cpu/cpu{n}/topology/core_id": str(n) for n in range(8)}
    packages = {f"/sys/devices/system/cpu/cpu{n}/topology/physical_package_id": "0" for n in range(8)}
    files = {"/sys/devices/system/cpu/online": "0-7", **programs, **cores, **packages}
    return FakeHost(files=files, variables={"PATH": "/usr/bin", **variables}, answers=VERSIONS)


def site(path: Path, text: str, launcher: str = "openmpi", **variables: str) -> Site:
    file = path / "hosts"
    file.write_text(text)
    return site_of(machine(**variables), TOOL, LaunchOptions(launcher=launcher, hostfile=str(file)))


def test_hosts_and_slots_of_the_file_are_the_room(tmp_path: Path) -> None:
    found = site(tmp_path, "h1 slots=4\nh2 slots=2\n")
    assert found.selected.hosts == ("h1", "h2")
    assert (found.room.nodes, found.room.cores) == (2, 2)


def test_hosts_without_slots_have_the_cores_of_this_machine(tmp_path: Path) -> None:
    here = site_of(machine(), TOOL, LaunchOptions(launcher="openmpi")).room.cores
    assert site(tmp_path, "h1\nh2\nh3\n").room.cores == here


def test_slots_of_other_machines_may_be_more_than_the_cores_of_this_one(tmp_path: Path) -> None:
    """On the two cores of a login node."""
    room = site(tmp_path, "c1 slots=64\nc2 slots=64\n").room
    shape = shape_of(RequestedShape(), room)
    assert (shape.ranks, shape.nodes, shape.per_node, shape.bind) == (128, 2, 64, "core")


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "user@LocalHost", "walnut", "walnut.cluster"])
def test_more_slots_than_this_machine_has_cores_are_filled_and_not_bound(tmp_path: Path, name: str) -> None:
    shape = shape_of(RequestedShape(), site(tmp_path, f"{name} slots=16\n").room)
    assert (shape.per_node, shape.bind) == (16, "oversubscribed")


GRID_ENGINE = "c1 4 all.q@c1 UNDEFINED\nc2 4 all.q@c2 UNDEFINED\n"


@pytest.mark.parametrize(
    ("launcher", "words"),
    [("openmpi", ("--host", "c1:4,c2:4")), ("mpich", ("-hosts", "c1:4,c2:4"))],
)
def test_hosts_of_grid_engine_are_put_on_the_command_line(
    tmp_path: Path, launcher: str, words: tuple[str, str]
) -> None:
    """Launchers do not read its file, whether the user names it or the job does."""
    named = site(tmp_path, GRID_ENGINE, launcher)
    inside = machine(PE_HOSTFILE="/var/pe")
    inside.files["/var/pe"] = GRID_ENGINE
    for found in (named, site_of(inside, TOOL, LaunchOptions(launcher=launcher))):
        shape = shape_of(RequestedShape(), found.room)
        line = command_of(inside, found, shape, []).words
        assert (shape.nodes, shape.per_node) == (2, 4)
        assert " ".join(words) in " ".join(line)
        assert "/var/pe" not in line
        assert refusal(found, 3).endswith("has 2")


def test_the_file_is_read_as_the_launcher_reads_it(tmp_path: Path) -> None:
    assert site(tmp_path, "h1:2\n", "mpich").selected.hosts == ("h1",)
    with pytest.raises(GromaError, match=r"hosts, line 1: Open MPI does not read h1:2") as refused:
        site(tmp_path, "h1:2\n")
    assert refused.value.exit_code == ExitCode.USAGE
    assert site(tmp_path, "h1:2\n", "start -f {hostfile} {cmd}").selected.hosts == ("h1",)


@pytest.mark.parametrize("launcher", ["alone", "start -np {n} {cmd}"])
def test_a_launcher_that_reads_no_hosts_is_not_given_any(tmp_path: Path, launcher: str) -> None:
    with pytest.raises(GromaError, match="takes no host file") as refused:
        site(tmp_path, "h1\n", launcher)
    assert refused.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize("count", [None, 1])
def test_a_rank_that_no_launcher_starts_is_not_called_bound(count: int | None) -> None:
    found = site_of(machine(), TOOL, LaunchOptions(launcher="alone"))
    shape = shape_on(found, RequestedShape(ranks=count), 4)
    assert (shape.ranks, shape.bind) == (1, "none")
    with pytest.raises(GromaError, match="nothing binds the rank") as refused:
        shape_on(found, RequestedShape(ranks=count, bind="core"), None)
    assert refused.value.exit_code == ExitCode.USAGE


def test_the_ranks_of_a_grid_are_started_where_their_number_is_not_given() -> None:
    found = site_of(machine(), TOOL, LaunchOptions(launcher="openmpi"))
    assert shape_on(found, RequestedShape(), 4).ranks == 4
    assert shape_on(found, RequestedShape(ranks=2), 4).ranks == 2
    assert shape_on(found, RequestedShape(nodes=1, per_node=3), 4).ranks == 3


def test_a_file_of_the_scheduler_names_a_host_once_for_each_slot(tmp_path: Path) -> None:
    nodes = tmp_path / "hosts"
    with_job = site(tmp_path, "h1\nh1\nh2\nh2\n", PBS_NODEFILE=str(nodes))
    assert with_job.room.nodes >= 1


def test_a_host_file_of_the_user_stands_for_the_slots_of_a_job(tmp_path: Path) -> None:
    inside = machine(PBS_NODEFILE="/var/nodes")
    inside.allowed = set(range(16))
    inside.files["/var/nodes"] = "walnut\nwalnut\n"
    hosts = tmp_path / "hosts"
    hosts.write_text("walnut slots=4\n", encoding="utf-8")
    room = site_of(inside, TOOL, LaunchOptions(launcher="openmpi", hostfile=str(hosts))).room
    assert shape_of(RequestedShape(), room) == Shape(ranks=4, nodes=1, per_node=4)


def refusal(found: Site, nodes: int) -> str:
    with pytest.raises(GromaError) as refused:
        refuse_missing_machines(found, nodes)
    assert refused.value.exit_code == ExitCode.USAGE
    assert refused.value.next_step
    return refused.value.what


@pytest.mark.parametrize("variable", ["PBS_NODEFILE", "PE_HOSTFILE"])
@pytest.mark.parametrize(
    ("files", "said"),
    [({}, "cannot be read"), ({"/var/nodes": ""}, "names no host")],
    ids=["missing", "empty"],
)
def test_a_job_whose_file_names_no_host_is_refused_before_anything_starts(
    files: dict[str, str], said: str, variable: str
) -> None:
    """As in a shell that outlived its job."""
    host = machine(**{variable: "/var/nodes"})
    host.files.update(files)
    job = "pbs" if variable == "PBS_NODEFILE" else "sge"
    with pytest.raises(GromaError, match=f"/var/nodes of the {job} job {said}") as raised:
        site_of(host, TOOL, LaunchOptions(launcher="openmpi"))
    assert raised.value.exit_code == ExitCode.ENVIRONMENT
    assert f"unset {variable}" in raised.value.next_step


@pytest.mark.parametrize("count", ["-2", "0", "many", ""])
def test_a_job_of_no_countable_machines_is_one_of_unknown_size(count: str) -> None:
    job = site_of(machine(SLURM_JOB_ID="1", SLURM_JOB_NUM_NODES=count), TOOL, LaunchOptions())
    assert job.room.nodes == 1
    assert job.granted == ""


def test_a_host_file_of_the_user_stands_for_that_of_a_job_that_is_gone(tmp_path: Path) -> None:
    assert site(tmp_path, "h1\nh2\n", PBS_NODEFILE="/var/nodes").selected.hosts == ("h1", "h2")


def test_more_machines_than_there_are_is_refused_before_anything_starts(tmp_path: Path) -> None:
    here = site_of(machine(), TOOL, LaunchOptions())
    assert refusal(here, 2) == "--nodes asks for 2 machines, but there is none beside this one"
    assert refusal(site(tmp_path, "h1\nh2\n"), 3).endswith(f"{tmp_path / 'hosts'} has 2")
    job = site_of(machine(SLURM_JOB_ID="1", SLURM_JOB_NUM_NODES="4"), TOOL, LaunchOptions())
    assert refusal(job, 5) == "--nodes asks for 5 machines, but the slurm job has 4"
    first = {"SLURM_JOB_ID": "1", "SLURM_HET_SIZE": "3", "SLURM_JOB_NUM_NODES_HET_GROUP_0": "2"}
    job = site_of(machine(**first), TOOL, LaunchOptions())
    bed = machine(GROMA_TESTBED="/var/nodes", OMPI_MCA_orte_default_hostfile="/var/nodes")
    bed.files["/var/nodes"] = "h0\nh1\nh2\n"
    assert (
        refusal(site_of(bed, TOOL, LaunchOptions()), 4)
        == "--nodes asks for 4 machines, but the test bed has 3"
    )
    said = "--nodes asks for 5 machines, but the first of 3 components of the slurm job has 2"
    assert refusal(job, 5) == said


def test_the_machines_are_those_of_the_component_that_the_launcher_is_told() -> None:
    """Here by a template; flags behind the name of a launcher count alike."""
    job = {"SLURM_JOB_ID": "1", "SLURM_HET_SIZE": "2"} | {
        f"SLURM_JOB_{name}_HET_GROUP_{group}": count
        for group, counts in enumerate([("2", "8(x2)"), ("3", "4(x3)")])
        for name, count in zip(("NUM_NODES", "CPUS_PER_NODE"), counts, strict=True)
    }
    launcher = "srun --het-group={group} -n {{n}} {{cmd}}"
    rooms = [
        site_of(machine(**job), TOOL, LaunchOptions(launcher=launcher.format(group=group))).room
        for group in (0, 1)
    ]
    assert [(room.nodes, room.cores) for room in rooms] == [(2, 8), (3, 4)]


def test_more_cores_than_this_machine_has_are_refused(tmp_path: Path) -> None:
    here = machine()
    here.allowed = set(range(4))
    found = site_of(here, TOOL, LaunchOptions())
    for count in (None, 1, 4):
        refuse_missing_cores(found, count)
    refuse_missing_cores(site(tmp_path, "h1\nh2\n"), 64)  # whose cores nobody knows
    with pytest.raises(GromaError, match="--ppn asks for 5 cores, but this machine has 4"):
        refuse_missing_cores(found, 5)


@pytest.mark.parametrize("nodes", [None, 1])
def test_as_many_machines_as_there_are_may_be_asked_for(nodes: int | None) -> None:
    refuse_missing_machines(site_of(machine(), TOOL, LaunchOptions()), nodes)


@pytest.mark.parametrize(
    ("launcher", "variables"),
    [
        ("ssh-start -np {n} {cmd}", {}),
        ("mpirun --host h1,h2", {}),
        (None, {"OMPI_MCA_orte_default_hostfile": "/etc/hosts.mpi"}),
        (None, {"SLURM_JOB_ID": "1"}),
    ],
)
def test_a_launcher_that_may_know_of_others_is_asked_for_them(
    launcher: str | None, variables: dict[str, str]
) -> None:
    refuse_missing_machines(site_of(machine(**variables), TOOL, LaunchOptions(launcher=launcher)), 64)


def test_hosts_in_the_default_file_of_open_mpi_count_as_known() -> None:
    host = machine()
    host.files["/etc/openmpi/openmpi-default-hostfile"] = "# comment\nh1\nh2\n"
    refuse_missing_machines(site_of(host, TOOL, LaunchOptions()), 2)


TOO_SMALL = GromaError("a matrix of order 192 is too small for dgemm", "choose a larger N")


def test_what_cannot_be_planned_for_more_ranks_than_cores_names_the_command_for_fewer(tmp_path: Path) -> None:
    one = site_of(machine(), TOOL, LaunchOptions())
    said = with_fewer_ranks(TOO_SMALL, TOOL, one, shape_of(RequestedShape(ranks=1000), one.room))
    assert said.what == TOO_SMALL.what
    assert said.next_step == (
        "choose a larger N; 1000 ranks share the 8 cores that this machine has; "
        "fill them with: groma hpcc -n 8"
    )
    several = site(tmp_path, "h1 slots=4\nh2 slots=4\n")
    said = with_fewer_ranks(TOO_SMALL, TOOL, several, shape_of(RequestedShape(ranks=1000), several.room))
    assert said.next_step.endswith("8 cores that 2 machines have; fill them with: groma hpcc -n 8")


def test_what_cannot_be_planned_for_ranks_that_have_cores_is_not_due_to_them() -> None:
    one = site_of(machine(), TOOL, LaunchOptions())
    assert with_fewer_ranks(TOO_SMALL, TOOL, one, shape_of(RequestedShape(ranks=8), one.room)) is TOO_SMALL
