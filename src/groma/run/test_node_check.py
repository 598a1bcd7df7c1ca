"""After a launch that failed, each node is asked alone, and those that do not answer are named."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.launch.command import Command, SelectedLauncher
from groma.launch.launchers import launcher_named
from groma.launch.mpi_programs import MpiProgram
from groma.launch.prepare import LaunchPlan, Timeouts, Tool
from groma.launch.shape import Shape
from groma.record import Build
from groma.record.launch import Plan, RankPlace
from groma.run.interruption import Interruption
from groma.run.job import JobResult
from groma.run.launch_results import LaunchResults, RunInfo
from groma.run.listener import Listener
from groma.run.node_check import (
    USUAL,
    NodeCheck,
    NodeCheckLimits,
    check_nodes,
    longest_check,
    nodes_of,
    with_node_check,
)
from groma.run.problems import LaunchEnd, with_silent_nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NODES = ("h0", "h1", "h2")


def setup_of(launcher: str, template: str = "", start: float = 120.0) -> LaunchPlan:
    found = launcher_named(launcher)
    assert found is not None
    selected = SelectedLauncher(
        launcher=found, program=found.programs[0], template=template, extra=("--account", "x")
    )
    return LaunchPlan(
        selected=selected,
        program=MpiProgram(path="groma-hpcc", family="", mpi="", blas="", build=Build(version="1")),
        shape=Shape(ranks=3, nodes=3, per_node=1),
        plan=Plan(),
        steps=(),
        command=Command(words=("mpirun",), variables={"OMPI_ALLOW_RUN_AS_ROOT": "1"}),
        timeouts=Timeouts(start=start),
    )


class FakeJob:
    """Ends what is started as `take` says; keeps the commands, the names in their files, and the timeouts."""

    def __init__(self, take: Callable[[str, Interruption], JobResult]) -> None:
        self.take = take
        self.lines: list[str] = []
        self.timeouts: list[Timeouts] = []

    def __call__(
        self, command: Command, on_line: Any, interruption: Interruption, timeouts: Timeouts
    ) -> JobResult:
        del on_line
        assert command.variables == {"OMPI_ALLOW_RUN_AS_ROOT": "1"}
        line = " ".join(map(_named, command.words))
        self.lines.append(line)
        self.timeouts.append(timeouts)
        return self.take(line, interruption)


def _named(word: str) -> str:
    """What is in a file instead of its name."""
    return f"[{Path(word).read_text().strip()}]" if word.startswith("/") else word


def answering(endings: Mapping[str, JobResult] | None = None) -> FakeJob:
    """Each node ends it as `endings` say, or well."""

    def take(line: str, _: Interruption) -> JobResult:
        return next((how for node, how in (endings or {}).items() if node in line), JobResult("finished", 0))

    return FakeJob(take)


def check(setup: LaunchPlan, job: FakeJob, limits: NodeCheckLimits = USUAL) -> NodeCheck | None:
    return check_nodes(setup, NODES, job, Interruption(), limits)


@pytest.mark.parametrize(
    ("launcher", "expected"),
    [
        ("openmpi", "mpirun -n 1 --hostfile [h1] --map-by ppr:1:node --bind-to none --account x true"),
        ("mpich", "mpiexec.hydra -n 1 -f [h1] -ppn 1 -bind-to none --account x true"),
        (
            "slurm",
            (
                "srun -n 1 -W 30 -N 1 --ntasks-per-node 1 --cpus-per-task 1 --cpu-bind none "
                "--account x --nodelist h1 --overlap true"
            ),
        ),
        ("flux", "flux run -n 1 -N 1 -c 1 -o cpu-affinity=off --account x --requires=host:h1 true"),
    ],
)
def test_a_launcher_is_kept_to_one_node(launcher: str, expected: str) -> None:
    job = answering()
    assert check_nodes(setup_of(launcher), ["h1"], job, Interruption()) is not None
    assert job.lines == [expected]


def test_those_that_answer_and_those_that_do_not_are_distinguished() -> None:
    endings = {"h1": JobResult("stuck", -9), "h2": JobResult("finished", 255, ["ssh: there is no host h2"])}
    found = check(setup_of("openmpi"), answering(endings))
    assert found == NodeCheck(
        nodes=NODES, answered=("h0",), silent={"h1": "", "h2": "ssh: there is no host h2"}
    )


def test_only_a_remote_shell_explains_a_node_whose_launcher_was_ended() -> None:
    ended = {
        "h1": JobResult("stuck", -9, ["srun: forcing job termination"]),
        "h2": JobResult("stuck", -9, ["ssh: connect to host h2 port 22: No route to host", "killed"]),
    }
    found = check(setup_of("mpich"), answering(ended))
    assert found is not None
    assert found.silent == {"h1": "", "h2": "ssh: connect to host h2 port 22: No route to host"}


def test_a_template_with_a_file_of_hosts_is_asked_by_it() -> None:
    job = answering({"h2": JobResult("finished", 1)})
    found = check(setup_of("openmpi", "start -np {n} -f {hostfile} {cmd}"), job)
    assert found is not None
    assert list(found.silent) == ["h2"]
    assert "start -np 1 -f [h1] true" in job.lines


@pytest.mark.parametrize(("launcher", "template"), [("openmpi", "mpirun --host h1:2 {cmd}"), ("ibrun", "")])
def test_who_cannot_keep_to_one_node_asks_nobody(launcher: str, template: str) -> None:
    job = answering()
    assert check(setup_of(launcher, template), job) is None
    assert not job.lines


def test_a_node_gets_no_more_time_than_the_launch() -> None:
    job = answering()
    check(setup_of("openmpi", start=5.0), job)
    assert {one.silence for one in job.timeouts} == {5.0}


@pytest.mark.parametrize(
    ("nodes", "start", "seconds"), [(3, 120.0, 16.0), (3, 6.0, 7.0), (33, 120.0, 32.0), (1024, 120.0, 76.0)]
)
def test_the_time_that_is_named_fits_the_nodes(nodes: int, start: float, seconds: float) -> None:
    assert longest_check(nodes, setup_of("openmpi", start=start)) == seconds


def test_after_the_time_for_all_nobody_else_is_asked() -> None:
    job = answering()
    assert check(setup_of("openmpi"), job, NodeCheckLimits(total=-1.0)) == NodeCheck(nodes=NODES)
    assert not job.lines


def test_no_more_are_asked_at_a_time_than_agreed() -> None:
    running, most = 0, 0
    lock = threading.Lock()

    def take(*_: Any) -> JobResult:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.01)
        with lock:
            running -= 1
        return JobResult("finished", 0)

    nodes = [f"n{i}" for i in range(12)]
    found = check_nodes(setup_of("openmpi"), nodes, FakeJob(take), Interruption(), NodeCheckLimits(at_once=3))
    assert found is not None
    assert len(found.answered) == 12
    assert 1 <= most <= 3


def test_an_interruption_ends_the_asking() -> None:
    interruption = Interruption()

    def take(_: str, own: Interruption) -> JobResult:
        interruption.requested = True
        while not own.requested:
            threading.Event().wait(0.01)
        return JobResult("interrupted", -15)

    assert check_nodes(setup_of("openmpi"), NODES, FakeJob(take), interruption) is None


def check_of(answered: int, *silent: str, nodes: int | None = None) -> NodeCheck:
    names = tuple(f"a{i}" for i in range(answered))
    every = (*names, *silent, *(f"z{i}" for i in range((nodes or 0) - answered - len(silent))))
    return NodeCheck(nodes=every, answered=names, silent=dict.fromkeys(silent, ""))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (check_of(8, "h4"), "it hung; h4 does not answer"),
        (check_of(6, "h4", "h5", "h6"), "it hung; h4, h5 and h6 do not answer"),
        (
            check_of(2, *(f"h{i}" for i in range(10))),
            "h0, h1, h2, h3, h4, h5, h6, h7 and 2 more do not answer",
        ),
        (check_of(1, "h1"), "it hung; h1 does not answer"),
        (check_of(1, "h1", "h2"), "it hung; of 3 nodes only a0 answers"),
        (check_of(0, "h1", "h2"), "it hung; none of 2 nodes answers"),
        (check_of(0, "h1", "h2", nodes=9), "it hung; none of 2 (of 9) asked nodes answers"),
        (check_of(9), "it hung; each of the 9 nodes answers when asked alone"),
        (check_of(4, nodes=9), "it hung; 4 of 9 nodes were asked alone, and all answer"),
        (check_of(0, nodes=9), "it hung"),
    ],
)
def test_the_problem_names_them(found: NodeCheck, words: str) -> None:
    problem = GromaError("it hung", "wait", ExitCode.ENVIRONMENT)
    notes = with_node_check(problem, found, hung=True)
    assert notes.what.endswith(words)
    assert notes.exit_code == ExitCode.ENVIRONMENT
    assert (notes.next_step == "wait") == (not found.silent)


def test_a_death_for_which_no_node_is_to_blame_stays_as_it_is() -> None:
    problem = GromaError("it died", "look", ExitCode.ENVIRONMENT)
    assert with_node_check(problem, check_of(9), hung=False).what == "it died"


def test_what_the_launcher_said_of_a_silent_node_is_reported() -> None:
    found = NodeCheck(nodes=("h1",), silent={"h1": "ssh: there is no host h1"})
    notes = with_node_check(GromaError("it died", ""), found, hung=False)
    assert notes.what.endswith("none of 1 nodes answers (ssh: there is no host h1)")


TOOL = Tool("groma-hpcc", "groma hpcc")
PLACES = [RankPlace(rank=rank, host=host) for rank, host in enumerate(NODES)]
RESULTS = LaunchResults(run=RunInfo(ranks=3, build=Build(version="1"), plan=Plan(), placement=PLACES))


class Notes(Listener):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def noted(self, what: str) -> None:
        self.notes.append(what)


@pytest.mark.parametrize(
    ("ended", "asked"),
    [
        (JobResult("stuck", -9), 3),
        (JobResult("finished", 137), 3),
        (JobResult("interrupted", -15), 0),
        (JobResult("finished", 2, ["groma-hpcc: 2 matrices do not fit", "  take smaller ones"]), 0),
    ],
)
def test_nodes_are_asked_where_one_of_them_may_be_the_cause(ended: JobResult, asked: int) -> None:
    job = answering({"h1": JobResult("stuck", -9)})
    end = LaunchEnd(TOOL, setup_of("mpich"), RESULTS, ended)
    notes = Notes()
    problem = with_silent_nodes(GromaError("it failed", "look"), end, job, Interruption(), notes)
    assert len(job.lines) == asked
    assert notes.notes == (["it failed; asking each of 3 nodes alone, for at most 16 s"] if asked else [])
    assert problem.what == ("it failed; h1 does not answer" if asked else "it failed")


def test_a_launch_on_one_node_asks_nobody() -> None:
    job = answering()
    alone = msgspec.structs.replace(setup_of("mpich"), shape=Shape(ranks=3, nodes=1, per_node=3))
    end = LaunchEnd(TOOL, alone, RESULTS, JobResult("stuck", -9))
    failure = GromaError("it failed", "")
    assert with_silent_nodes(failure, end, job, Interruption(), Listener()).what == "it failed"
    assert not job.lines


@pytest.mark.parametrize(
    ("launcher", "known"),
    [("aprun", RESULTS), ("mpich", LaunchResults())],
    ids=["the launcher takes no name of a node", "no node is known by name"],
)
def test_where_no_node_can_be_asked_nobody_is_told_of_it(launcher: str, known: LaunchResults) -> None:
    job, notes = answering(), Notes()
    end = LaunchEnd(TOOL, setup_of(launcher), known, JobResult("stuck", -9))
    problem = with_silent_nodes(GromaError("it failed", "look"), end, job, Interruption(), notes)
    assert (problem.what, notes.notes, job.lines) == ("it failed", [], [])


def test_names_from_the_launcher_come_before_those_from_ranks() -> None:
    setup = setup_of("mpich")
    known = msgspec.structs.replace(setup.selected, hosts=("h0.fast", "h1.fast", "h2.fast", "spare"))
    assert nodes_of(msgspec.structs.replace(setup, selected=known), RESULTS) == (
        "h0.fast",
        "h1.fast",
        "h2.fast",
    )
    assert nodes_of(setup, RESULTS) == NODES
    assert nodes_of(setup, LaunchResults()) == ()
