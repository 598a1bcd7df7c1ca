"""A cluster that does not exist: its catalogue of probes, its plan, and a job that answers as MPI would."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.facts.survey import SurveyFacts
from groma.host.host import FakeHost
from groma.launch.command import Command, SelectedLauncher
from groma.launch.launchers import launcher_named
from groma.launch.mpi_programs import MpiProgram
from groma.launch.native import ParameterInfo, ProbeInfo
from groma.launch.prepare import LaunchOptions, Site
from groma.record import Build, Record
from groma.run.job import JobResult
from groma.survey.infer.registry import infer_node
from groma.survey.network.plan import NetworkPlan, plan_network
from groma.survey.network.request import NetworkRequest
from groma.survey.network.run import begin, network_survey
from groma.survey.network.setup import NetworkSetup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from groma.launch.shape import Room
    from groma.run.run import Run

PROBES = {
    "net_pairs": ("pairs", "20"),
    "net_curve": ("layers", "15"),
    "net_loggp": ("layers", "8"),
    "net_concurrency": ("layers", "10"),
    "net_node_pairs": ("one_per_node", "12"),
    "net_distance": ("one_per_node", "20"),
    "net_access": ("processes_per_node", "5"),
    "net_receiver": ("one_per_node", "15"),
}


def _probe(name: str, ranks: Any, budget: str) -> ProbeInfo:
    quick = f"{float(budget) / 4:g}"
    parameters = (ParameterInfo("budget", quick, budget, budget, "", "seconds"),)
    title = name.removeprefix("net_").capitalize()
    return ProbeInfo(name, title, "", "", "", "", 1, parameters, ranks)


CATALOGUE = [_probe(name, *how) for name, how in PROBES.items()]


def plan_for(room: Room, **requested: Any) -> NetworkPlan:
    return plan_network(CATALOGUE, NetworkRequest(**requested), room)


def setup_for(plan: NetworkPlan, hostfile: str | None = None) -> NetworkSetup:
    launcher = launcher_named("openmpi")
    assert launcher is not None  # noqa: S101 - of the table
    selected = SelectedLauncher(
        launcher=launcher, program="mpirun", version="4.1.4", reason="given", hostfile=hostfile
    )
    program = MpiProgram(
        path="groma-network", family="openmpi", mpi="Open MPI v4.1.4", blas="", build=Build(version="1")
    )
    return NetworkSetup(
        host=FakeHost(), site=Site(selected, program, plan.room), launch_options=LaunchOptions(), plan=plan
    )


def survey_of(plan: NetworkPlan, output: Path, job: FakeJob, record: Any = None) -> Run[SurveyFacts]:
    setup = setup_for(plan)
    record = record or Record(
        kind="survey",
        created="2026-01-02T03:04:05+00:00",
        command=["groma"],
        build=Build(version="1"),
        environment={},
        parameters={},
        samples={},
        facts=SurveyFacts(node=infer_node({}, None)[0]),
    )
    begin(record, setup, anew="network" not in record.parameters)
    return network_survey(setup, record, output, job)


class FakeJob:
    """Ranks on nodes n0, n1, … as the launch line asks; every sample is taken three times.

    Pairs within a node take a microsecond, others ten. `misplace` changes the node of a rank. A launch with
    one of `endings` (by a word of its line) ends so, after half of the lines if it is not lingering. Nodes of
    `silent` do not answer when they are asked alone; `asked` are those that were. A launch with the word
    `damaged` begins its output with a line that cannot be read.
    """

    def __init__(
        self,
        misplace: Callable[[int], int] = lambda node: node,
        endings: dict[str, JobResult] | None = None,
        silent: Sequence[str] = (),
        mpi: str = "Open MPI v4.1.4",
        damaged: str | None = None,
    ) -> None:
        self.misplace, self.endings, self.silent, self.mpi = misplace, endings or {}, silent, mpi
        self.damaged = damaged
        self.commands: list[Command] = []
        self.asked: list[str] = []

    def __call__(self, command: Command, on_line: Any, interruption: Any, timeouts: Any) -> JobResult:
        del interruption, timeouts
        words = list(command.words)
        if words[-1] == "true":
            return self.asked_alone(words)
        self.commands.append(command)
        start = words.index("run")
        ranks = int(words[words.index("-n") + 1])
        per_node = int(words[words.index("--map-by") + 1].split(":")[1])
        lines = list(self.lines(words[start + 1 :], ranks, per_node))
        ended = next((how for name, how in self.endings.items() if name in command.shell_line()), None)
        cut_short = ended is not None and ended.ending != "lingering"
        if self.damaged and self.damaged in command.shell_line():
            on_line(b'{"event":"sam\n')
        for line in lines[: len(lines) // 2] if cut_short else lines:
            on_line(msgspec.json.encode(line))
        return ended or JobResult("finished", 0)

    def asked_alone(self, words: list[str]) -> JobResult:
        node = Path(words[words.index("--hostfile") + 1]).read_text().strip()
        self.asked.append(node)
        return JobResult("stuck", -9) if node in self.silent else JobResult("finished", 0)

    def lines(self, words: list[str], ranks: int, per_node: int) -> Iterator[dict[str, Any]]:
        calls = [word for word in words if "=" not in word]
        given = dict(word.split("=", 1) for word in words if "=" in word)
        nodes = [self.misplace(rank // per_node) for rank in range(ranks)]
        placement = [
            {"rank": rank, "host": f"n{node}", "boot_id": f"b{node}", "cpus": [rank % per_node]}
            for rank, node in enumerate(nodes)
        ]
        yield {
            "event": "run",
            "ranks": ranks,
            "mpi": self.mpi,
            "build": {"version": "1"},
            "plan": {"tests": calls},
            "placement": placement,
        }
        for call in calls:
            yield from self._samples(call, given, ranks, nodes)

    def _samples(
        self, probe: str, given: dict[str, str], ranks: int, nodes: list[int]
    ) -> Iterator[dict[str, Any]]:
        cases = [{"unit": "s"} | case for case in CASES[probe](ranks, nodes, given)]
        yield {"event": "begin", "probe": probe, "seed": 1, "parameters": given, "cases": cases}
        for number, (case, one) in itertools.product(range(3), enumerate(cases)):
            yield {"event": "sample", "case": case, "round": number, "value": _time(one, nodes)}
        yield {"event": "end", "ended": "stable"}
        yield {"event": "outcome", "benchmark": probe, "facts": {"probe": probe}}


def _time(case: dict[str, Any], nodes: list[int]) -> float:
    if "from" in case:
        return 1e-6 if nodes[case["from"]] == nodes[case["to"]] else 1e-5
    return 1e-3 * float(case.get("distance", case.get("per_node", 1)))


def _pairs(ranks: int, *_: Any) -> Iterator[dict[str, Any]]:
    for first, second in itertools.combinations(range(ranks), 2):
        yield {"from": first, "to": second, "bytes": 8}


def _node_pairs(ranks: int, *_: Any) -> Iterator[dict[str, Any]]:
    for case in _pairs(ranks):
        yield case | {"at_once": ranks // 2}


def _of_layers(_ranks: int, _nodes: Any, given: dict[str, str]) -> Iterator[dict[str, Any]]:
    for layer in given["layers"].split(";"):
        number, _, pairs = layer.partition(":")
        first, _, second = pairs.split(",")[0].partition("-")
        yield {"layer": number, "from": int(first), "to": int(second), "bytes": 8}


def _by_rank(label: str) -> Callable[..., Iterator[dict[str, Any]]]:
    def cases(ranks: int, nodes: list[int], _given: Any) -> Iterator[dict[str, Any]]:
        per_node = nodes.count(nodes[0])
        values = range(1, ranks // 2 + 1) if label == "distance" else [per_node]
        for value, rank in itertools.product(values, range(ranks)):
            yield {label: value, "rank": rank, "bytes": 1000}

    return cases


def _receiver(_ranks: int, *_: Any) -> Iterator[dict[str, Any]]:
    yield {"senders": 1, "receivers": 0, "rank": 0, "role": "receiver", "bytes": 1000, "messages": 30}


CASES: dict[str, Callable[..., Iterator[dict[str, Any]]]] = {
    "net_pairs": _pairs,
    "net_curve": _of_layers,
    "net_loggp": lambda *_: iter(()),
    "net_concurrency": lambda *_: iter(()),
    "net_node_pairs": _node_pairs,
    "net_distance": _by_rank("distance"),
    "net_access": _by_rank("per_node"),
    "net_receiver": _receiver,
}


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "profile.json"
