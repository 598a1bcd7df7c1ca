"""Golden command lines of every launcher: what is typed on those machines, word for word."""

from __future__ import annotations

import shlex

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.launch.command import SelectedLauncher, Start, check_template, command_line, name_of
from groma.launch.launchers import LAUNCHERS, launcher_named
from groma.launch.shape import Shape

PROGRAM = Start(words=("/opt/groma-hpcc", "run"), mpi="openmpi")

ONE_NODE = Shape(ranks=2, nodes=1, per_node=2)
HYBRID = Shape(ranks=8, nodes=4, per_node=2, threads=8)
UNBOUND = Shape(ranks=8, nodes=4, per_node=2, bind="none")
OVERSUBSCRIBED = Shape(ranks=6, nodes=1, per_node=6, bind="oversubscribed")


def selected(name: str, **more: str) -> SelectedLauncher:
    launcher = launcher_named(name)
    assert launcher is not None
    program = launcher.programs[0] if launcher.programs else ""
    return SelectedLauncher(launcher=launcher, program=program, **more)  # type: ignore[arg-type]


GOLDEN = {
    ("openmpi", "one"): "mpirun -n 2 --map-by ppr:2:node:PE=1 --bind-to core",
    ("openmpi", "hybrid"): "mpirun -n 8 --map-by ppr:2:node:PE=8 --bind-to core -x LD_LIBRARY_PATH --wdir /w",
    ("openmpi", "unbound"): "mpirun -n 8 --map-by ppr:2:node --bind-to none -x LD_LIBRARY_PATH --wdir /w",
    ("openmpi", "oversubscribed"): "mpirun -n 6 --map-by ppr:6:node:OVERSUBSCRIBE --bind-to none",
    ("openmpi-5", "one"): "mpirun -n 2 --map-by ppr:2:node:PE=1 --bind-to core",
    (
        "openmpi-5",
        "hybrid",
    ): "mpirun -n 8 --map-by ppr:2:node:PE=8 --bind-to core -x LD_LIBRARY_PATH --wdir /w",
    ("openmpi-5", "unbound"): "mpirun -n 8 --map-by ppr:2:node --bind-to none -x LD_LIBRARY_PATH --wdir /w",
    ("openmpi-5", "oversubscribed"): "mpirun -n 6 --map-by ppr:6:node:OVERSUBSCRIBE --bind-to none",
    ("mpich", "one"): "mpiexec.hydra -n 2 -ppn 2 -bind-to core:1",
    ("mpich", "hybrid"): "mpiexec.hydra -n 8 -ppn 2 -bind-to core:8 -wdir /w",
    ("mpich", "unbound"): "mpiexec.hydra -n 8 -ppn 2 -bind-to none -wdir /w",
    ("mpich", "oversubscribed"): "mpiexec.hydra -n 6 -ppn 6 -bind-to none",
    ("intel-mpi", "one"): "mpiexec.hydra -n 2 -ppn 2 -genv I_MPI_PIN_DOMAIN 1:compact",
    ("intel-mpi", "hybrid"): "mpiexec.hydra -n 8 -ppn 2 -genv I_MPI_PIN_DOMAIN 8:compact -wdir /w",
    ("intel-mpi", "unbound"): "mpiexec.hydra -n 8 -ppn 2 -genv I_MPI_PIN 0 -wdir /w",
    ("intel-mpi", "oversubscribed"): "mpiexec.hydra -n 6 -ppn 6 -genv I_MPI_PIN 0",
    (
        "slurm",
        "one",
    ): "srun -n 2 -W 30 -N 1 --ntasks-per-node 2 --cpus-per-task 1 --cpu-bind cores --mpi pmix",
    (
        "slurm",
        "hybrid",
    ): "srun -n 8 -W 30 -N 4 --ntasks-per-node 2 --cpus-per-task 8 --cpu-bind cores --mpi pmix --chdir /w",
    (
        "slurm",
        "unbound",
    ): "srun -n 8 -W 30 -N 4 --ntasks-per-node 2 --cpus-per-task 1 --cpu-bind none --mpi pmix --chdir /w",
    (
        "slurm",
        "oversubscribed",
    ): "srun -n 6 -W 30 -N 1 --ntasks-per-node 6 --overcommit --cpu-bind none --mpi pmix",
    ("pals", "one"): "mpiexec -n 2 --ppn 2 --depth 1 --cpu-bind depth",
    ("pals", "hybrid"): "mpiexec -n 8 --ppn 2 --depth 8 --cpu-bind depth --wdir /w",
    ("pals", "unbound"): "mpiexec -n 8 --ppn 2 --cpu-bind none --wdir /w",
    ("pals", "oversubscribed"): "mpiexec -n 6 --ppn 6 --cpu-bind none",
    ("flux", "one"): "flux run -n 2 -N 1 -c 1 -o cpu-affinity=per-task",
    ("flux", "hybrid"): "flux run -n 8 -N 4 -c 8 -o cpu-affinity=per-task --cwd=/w",
    ("flux", "unbound"): "flux run -n 8 -N 4 -c 1 -o cpu-affinity=off --cwd=/w",
    ("aprun", "one"): "aprun -n 2 -N 2 -d 1 -cc depth",
    ("aprun", "hybrid"): "aprun -n 8 -N 2 -d 8 -cc depth",
    ("aprun", "unbound"): "aprun -n 8 -N 2 -d 1 -cc none",
    ("jsrun", "one"): "jsrun --nrs 2 --tasks_per_rs 1 --cpu_per_rs 1 --rs_per_host 2 --bind packed:1",
    (
        "jsrun",
        "hybrid",
    ): "jsrun --nrs 8 --tasks_per_rs 1 --cpu_per_rs 8 --rs_per_host 2 --bind packed:8 --chdir /w",
    (
        "jsrun",
        "unbound",
    ): "jsrun --nrs 8 --tasks_per_rs 1 --cpu_per_rs 1 --rs_per_host 2 --bind none --chdir /w",
    ("ibrun", "one"): "ibrun -n 2",
    ("ibrun", "hybrid"): "ibrun -n 8",
    ("ibrun", "unbound"): "ibrun -n 8",
    ("ibrun", "oversubscribed"): "ibrun -n 6",
}

SHAPES = {"one": ONE_NODE, "hybrid": HYBRID, "unbound": UNBOUND, "oversubscribed": OVERSUBSCRIBED}


@pytest.mark.parametrize(("name", "shape"), GOLDEN)
def test_command_line_is_the_golden_one(name: str, shape: str) -> None:
    start = msgspec.structs.replace(PROGRAM, exported=("LD_LIBRARY_PATH",), folder="/w")
    command = command_line(selected(name, interface="pmix"), SHAPES[shape], start)
    assert shlex.join(command.words) == f"{GOLDEN[name, shape]} /opt/groma-hpcc run"


def test_every_launcher_and_binding_has_a_golden_line() -> None:
    wanted = {
        (one.name, {"core": "hybrid", "none": "unbound", "oversubscribed": "oversubscribed"}[bind])
        for one in LAUNCHERS
        for bind in one.placement
        if one.programs
    }
    assert wanted <= GOLDEN.keys()


@pytest.mark.parametrize("name", ["flux", "aprun", "jsrun"])
def test_launcher_that_cannot_oversubscribe_says_so(name: str) -> None:
    with pytest.raises(GromaError, match="more threads than cores") as refusal:
        command_line(selected(name), OVERSUBSCRIBED, PROGRAM)
    assert refusal.value.exit_code == ExitCode.USAGE


def test_hostfile_is_given_to_launchers_that_take_one() -> None:
    for name, flag in (("openmpi", "--hostfile"), ("mpich", "-f"), ("pals", "--hostfile")):
        words = command_line(selected(name, hostfile="/nodes"), ONE_NODE, PROGRAM).words
        assert words[words.index(flag) + 1] == "/nodes"


def test_root_is_allowed_where_the_launcher_would_refuse() -> None:
    as_root = msgspec.structs.replace(PROGRAM, as_root=True)
    assert command_line(selected("openmpi"), ONE_NODE, as_root).variables["OMPI_ALLOW_RUN_AS_ROOT"] == "1"
    assert command_line(selected("openmpi"), ONE_NODE, PROGRAM).variables == {}
    assert command_line(selected("mpich"), ONE_NODE, as_root).variables == {}


def test_ranks_that_share_cores_yield() -> None:
    assert command_line(selected("openmpi"), OVERSUBSCRIBED, PROGRAM).variables == {
        "OMPI_MCA_mpi_yield_when_idle": "1"
    }


def test_start_flags_depend_on_the_family_of_mpi() -> None:
    mpich = msgspec.structs.replace(PROGRAM, mpi="mpich")
    assert "pmi2" in command_line(selected("slurm", interface="pmi2"), ONE_NODE, mpich).words
    assert "--mpi" not in command_line(selected("slurm"), ONE_NODE, mpich).words


def test_one_rank_needs_no_launcher() -> None:
    assert (
        command_line(selected("alone"), Shape(ranks=1, nodes=1, per_node=1), PROGRAM).words == PROGRAM.words
    )
    with pytest.raises(GromaError, match="need a launcher"):
        command_line(selected("alone"), ONE_NODE, PROGRAM)


def template(text: str, hostfile: str | None = None) -> SelectedLauncher:
    return msgspec.structs.replace(selected("alone"), template=text, hostfile=hostfile)


def test_template_is_filled_word_by_word() -> None:
    text = "my run -np {n} -per {ppn} -on {nodes}x{threads} -hosts {hostfile} '--note=a b' {cmd} --end"
    start = Start(words=("/a folder/groma-hpcc", "run"))
    assert command_line(template(text, "/my hosts"), HYBRID, start).words == (
        *("my", "run", "-np", "8", "-per", "2", "-on", "4x8", "-hosts", "/my hosts", "--note=a b"),
        *("/a folder/groma-hpcc", "run", "--end"),
    )


def test_template_may_hand_the_program_to_a_shell() -> None:
    words = command_line(template("ssh node 'cd /x; {cmd}'"), ONE_NODE, Start(words=("/a b/c", "run"))).words
    assert words == ("ssh", "node", "cd /x; '/a b/c' run")


@pytest.mark.parametrize(
    "text", ["mpirun -n {n}", "run {what} {cmd}", "run {cmd", "run '{cmd}", "run {} {cmd}"]
)
def test_broken_template_is_refused(text: str) -> None:
    with pytest.raises(GromaError) as refusal:
        check_template(text)
    assert refusal.value.exit_code == ExitCode.USAGE


def test_template_that_asks_for_a_missing_hostfile_is_refused() -> None:
    with pytest.raises(GromaError, match="hostfile"):
        command_line(template("run -f {hostfile} {cmd}"), ONE_NODE, PROGRAM)


def test_spoken_command_can_be_typed_into_a_shell() -> None:
    line = command_line(selected("openmpi"), OVERSUBSCRIBED, Start(words=("/a b/c",))).shell_line()
    assert line.startswith("OMPI_MCA_mpi_yield_when_idle=1 mpirun ")
    assert line.endswith(" '/a b/c'")


def test_launchers_are_distinguished_by_name() -> None:
    assert len({one.name for one in LAUNCHERS}) == len(LAUNCHERS)
    assert name_of(selected("slurm", version="23.02")) == "Slurm 23.02 (srun)"
    assert name_of(template("x {cmd}")) == "the given template"
