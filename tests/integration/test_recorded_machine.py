"""Surveys of NUMA machines that are not there, from the plan to the page, with recorded costs.

The NUMA probes run as they are, on the memory of native/testing/recorded_memory.hpp. Core-to-core latency and
load latency, which need the cores themselves, are simulated here.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groma.facts.matrices import measured_in
from groma.facts.reading import read_record
from groma.launch import native
from groma.record import Build, ProbeSamples, Record
from groma.report.blocks import Choice, Figure, HeatMap, LineChart
from groma.report.payload import encode, page_of
from groma.report.renderers import plain
from groma.report.terminal import document_of
from groma.report.views.registry import Named, sections_of
from groma.run.interruption import Interruption
from groma.run.probe import measured_with
from groma.run.surroundings import Surroundings
from groma.survey.plan import SurveyRequest, plan_survey
from groma.survey.run import new_survey, node_survey

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.facts.survey import Numa, SurveyFacts
    from groma.record import Topology
    from groma.run.events import Progress
    from groma.run.probe import ProbeStep

BUILD = Path(__file__).parents[2] / "build"
PROGRAM = BUILD / "default/native/groma-recorded-machine"
EXAMPLE = BUILD / "test-data/example-profile.json"

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="the native tests are not built")

NUMA = ("numa_read", "numa_lockstep", "numa_allocation", "numa_ping_back")


def measure_on(topology: Topology) -> Callable[[ProbeStep, Interruption, Progress], ProbeSamples]:
    recorded = measured_with(PROGRAM)

    def measure(step: ProbeStep, interruption: Interruption, progress: Progress) -> ProbeSamples:
        if step.probe in NUMA:
            return recorded(step, interruption, progress)
        samples = SIMULATED[step.probe](topology)
        samples.parameters = dict(step.parameters)
        return samples

    return measure


def core_to_core(topology: Topology) -> ProbeSamples:
    """Four pairs of each core, 8,192 at most: two in its node, two anywhere."""
    chance = random.Random(1)  # noqa: S311 - reproducible noise, no secret
    samples = ProbeSamples(probe="core_to_core", cases=[], values=[], ended="budget")
    pairs: set[tuple[int, int]] = set()
    for core in topology.cores:
        near = topology.numa[core.numa].cores
        others = [*chance.sample(near, 2), *(chance.choice(topology.cores).logical for _ in range(2))]
        pairs |= {(min(core.logical, one), max(core.logical, one)) for one in others if one != core.logical}
    for first, second in sorted(chance.sample(sorted(pairs), min(len(pairs), 8192))):
        same = topology.cores[first].numa == topology.cores[second].numa
        for operation, times in (("store", 1.0), ("compare_exchange", 1.3)):
            latency = (60e-9 if same else 700e-9) * times
            labels = {"core": first, "other": second, "operation": operation}
            relation = "same NUMA node" if same else "other package, distance 65"
            samples.cases.append({"unit": "s", **labels, "relation": relation, "home_numa": 0})
            samples.values.append([latency * (1 + chance.expovariate(30)) for _ in range(6)])
    return samples


SIMULATED: dict[str, Callable[[Topology], ProbeSamples]] = {
    "core_to_core": core_to_core,
    "load_latency": lambda _: read_record(EXAMPLE).samples["load_latency"],
}


class Surveyed:
    """A survey of the recorded machine, from the plan to its file."""

    def __init__(self, folder: Path, **request: Any) -> None:
        topology = native.declared_topology(PROGRAM)
        assert topology is not None
        self.topology = topology
        catalogue = native.catalogue(PROGRAM)
        self.plan = plan_survey(catalogue, SurveyRequest(only=(*SIMULATED, *NUMA), seed=1, **request))
        around = Surroundings(["groma", "survey"], Build(version="0"), {"host": "recorded"}, topology)
        self.output = folder / "profile.json"
        run = node_survey(self.plan, new_survey(self.plan, around), self.output, measure_on(topology))
        run.run(Interruption())
        self.record: Record[SurveyFacts] = read_record(self.output)

    @property
    def numa(self) -> Numa:
        facts = self.record.facts.node.numa
        assert facts is not None
        return facts

    @property
    def codes(self) -> list[str]:
        return [one.code for one in self.record.warnings if one.code.startswith("numa.")]

    def figures(self) -> dict[str, Figure]:
        found: dict[str, Figure] = {}
        for section in sections_of(self.record):
            for block in section.blocks:
                figures = (
                    [option.figure for option in block.options]
                    if isinstance(block, Choice)
                    else [block]
                    if isinstance(block, Figure)
                    else []
                )
                found |= {figure.id: figure for figure in figures}
        return found

    def page(self) -> bytes:
        return encode(page_of([Named("profile.json", self.record)]))


@pytest.fixture(scope="module")
def blacklight(tmp_path_factory: pytest.TempPathFactory) -> Surveyed:
    """24 nodes in 12 blades, 256 cores, at the speed of the paper's machine."""
    return Surveyed(tmp_path_factory.mktemp("blacklight"))


def test_every_pair_of_24_nodes_is_read_at_standard_depth(blacklight: Surveyed) -> None:
    assert blacklight.numa.over == "numa"
    assert blacklight.numa.places == list(range(24))
    for name in ("sequential_first", "sequential_again", "random", "lockstep"):
        assert len(measured_in(blacklight.numa, name)) == 576, name


def test_classes_are_those_of_the_machine(blacklight: Surveyed) -> None:
    classes = blacklight.numa.classes
    assert [one.declared_distance for one in classes] == [[10.0], [50.0], [65.0]]
    assert [len(one.pairs) for one in classes] == [24, 24, 528]
    assert [one.ratio.value for one in classes] == pytest.approx([1.0, 2.4, 6.2], rel=0.03)
    assert blacklight.numa.slow == []


def test_lock_step_shows_the_load_of_all_cores_of_a_node(blacklight: Surveyed) -> None:
    """Ten or eleven cores of a node at once: each adds a quarter of the time in the recorded costs."""
    size = blacklight.numa.block_bytes_of["lockstep"]
    own = [entry.quantity for entry in measured_in(blacklight.numa, "lockstep") if entry.row == entry.column]
    alone = 0.384 / (1 << 30) * size
    assert all(3.2 < one.value / alone < 3.6 for one in own)


def test_the_profile_says_what_it_could_not_read_beyond_the_caches(blacklight: Surveyed) -> None:
    """At 0.45 GB/s, parts of 256 KiB of 24 nodes fit into a cache of 24 MiB: the second reads do."""
    (advice,) = (one for one in blacklight.record.warnings if one.code == "numa.block_in_cache")
    assert advice.what.startswith("second reads: ")


def test_the_page_shows_the_figures_of_the_paper(blacklight: Surveyed) -> None:
    figures = blacklight.figures()
    curves = figures["numa-curves-sequential-read-first-touch"].drawing
    assert isinstance(curves, LineChart)
    assert [len(series.points) for series in curves.series] == [24] * 4
    assert curves.y.unit == "s"
    assert curves.x.title == "reader (NUMA node)"
    matrix = figures["numa-all-at-once-in-lockstep"].drawing
    assert isinstance(matrix, HeatMap)
    assert matrix.borders == list(range(2, 24, 2))
    assert "Time to read 2 MiB" in figures["numa-all-at-once-in-lockstep"].what
    assert isinstance(figures["numa-allocation"].drawing, LineChart)
    assert {"numa-ping-back", "numa-classes", "core-to-core"} <= figures.keys()


def test_the_terminal_tells_the_experiments(blacklight: Surveyed) -> None:
    told = " ".join(plain(document_of(blacklight.record, ["numa"])).split())
    assert "over 24 NUMA nodes; pairs are owner <- reader" in told
    assert "one NUMA node" not in told


def test_a_slow_node_gives_one_warning(
    blacklight: Surveyed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROMA_RECORDED_SLOW_NODE", "17")
    surveyed = Surveyed(tmp_path)
    assert [(one.number, one.part) for one in surveyed.numa.slow] == [(17, "memory")]
    assert [len(one.pairs) for one in surveyed.numa.classes] == [23, 22, 484]
    assert sorted(surveyed.codes) == sorted([*blacklight.codes, "numa.slow_node"])


def test_cores_take_the_place_of_nodes_where_they_are_asked_for(tmp_path: Path) -> None:
    surveyed = Surveyed(tmp_path, over="cores", depth="thorough")
    assert surveyed.numa.over == "cores"
    assert len(surveyed.numa.places) == 256
    assert surveyed.numa.sequential_first == []
    assert "numa.sampled" in surveyed.codes
    assert [one.name for one in surveyed.numa.classes] == ["local", "remote 1", "remote 2"]
    assert "numa-sequential-read-first-touch" in surveyed.figures()


def test_a_machine_of_4096_cores_has_a_small_profile_and_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROMA_RECORDED_NODES", "256")
    monkeypatch.setenv("GROMA_RECORDED_CORES", "4096")
    surveyed = Surveyed(tmp_path)
    assert surveyed.output.stat().st_size <= 20_000_000
    assert len(surveyed.page()) <= 5_000_000
    assert "numa.sampled" in surveyed.codes
