"""Surveys of NUMA machines that are not there hold what the paper shows of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.facts.matrices import measured_in
from groma.report.blocks import HeatMap, LineChart
from groma.report.renderers import plain
from groma.report.terminal import document_of
from groma.survey.infer.test_sharing import spread
from simulated.surveys import (
    CACHES,
    CYCLE,
    CYCLES,
    MEASURED_GROUPS,
    MIB,
    NUMA,
    OF_PLACES,
    PROGRAM,
    SIMULATED,
    Surveyed,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="the native tests are not built")


@pytest.fixture(scope="module")
def blacklight(tmp_path_factory: pytest.TempPathFactory) -> Surveyed:
    """24 nodes in 12 blades, 256 cores, at the speed of the paper's machine."""
    return Surveyed(tmp_path_factory.mktemp("blacklight"))


def test_a_whole_survey_has_every_probe_and_its_facts(blacklight: Surveyed) -> None:
    assert set(blacklight.record.samples) == {*SIMULATED, *NUMA}
    assert [one.error for one in blacklight.record.samples.values() if one.error] == []
    node = blacklight.record.facts.node
    assert node.clock is not None
    assert node.clock.core_frequency.value == pytest.approx(2.27e9, rel=0.01)
    assert [one.size.value for one in node.caches] == pytest.approx(CACHES, rel=0.1)
    nodes = [list(one.cores) for one in blacklight.topology.numa]
    assert node.caches[2].shared_by == nodes
    assert [(one.level, one.page, one.reach.value) for one in node.tlb] == [
        *((1, 4096, 64 * 4096), (2, 4096, 512 * 4096)),
        (1, 2 * MIB, 64 * MIB),
    ]
    assert node.memory is not None
    assert node.memory.latency is not None
    assert node.memory.latency.value == pytest.approx(CYCLE * CYCLES[-1], rel=0.05)
    assert node.memory.contention_groups == nodes
    assert [one.indexing.kind for one in node.caches[:2] if one.indexing] == ["page offset", "physical"]
    assert [one.cores for one in node.memory.contention_scaling] == spread(nodes, MEASURED_GROUPS)
    assert {one.saturates_at for one in node.memory.contention_scaling} == {3}
    assert node.core_to_core is not None
    assert len(node.core_to_core.layers) == 2


def test_the_page_of_a_whole_survey_shows_each_part(blacklight: Surveyed) -> None:
    shown = {
        "load-latency",
        "caches",
        "tlb",
        "bandwidth",
        "loaded-latency",
        "contention",
        "contention-scaling",
        "core-to-core",
        "layers",
    }
    assert shown <= blacklight.figures().keys()
    assert len(blacklight.page()) < 2_000_000


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
    curves = figures["numa-curves-sequential-read-first-read"].drawing
    assert isinstance(curves, LineChart)
    assert [len(series.points) for series in curves.series] == [24] * 4
    assert curves.y.unit == "s"
    assert curves.x.title == "owner (NUMA node)"
    matrix = figures["numa-all-at-once-in-lockstep"].drawing
    assert isinstance(matrix, HeatMap)
    assert matrix.borders == list(range(2, 24, 2))
    assert "Time to read 2 MiB" in figures["numa-all-at-once-in-lockstep"].what
    assert isinstance(figures["numa-allocation"].drawing, LineChart)
    assert {"numa-ping-back", "numa-classes", "core-to-core"} <= figures.keys()


def test_the_terminal_tells_the_experiments(blacklight: Surveyed) -> None:
    reported = " ".join(plain(document_of(blacklight.record, ["numa"])).split())
    assert "over 24 NUMA nodes; pairs are owner <- reader" in reported
    assert "one NUMA node" not in reported


def test_a_slow_node_gives_one_warning(
    blacklight: Surveyed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROMA_RECORDED_SLOW_NODE", "17")
    surveyed = Surveyed(tmp_path, only=OF_PLACES)
    assert [(one.number, one.part) for one in surveyed.numa.slow] == [(17, "memory")]
    assert [len(one.pairs) for one in surveyed.numa.classes] == [23, 22, 484]
    assert sorted(surveyed.codes) == sorted([*blacklight.codes, "numa.slow_node"])


def test_cores_take_the_place_of_nodes_where_they_are_asked_for(tmp_path: Path) -> None:
    surveyed = Surveyed(tmp_path, over="cores", depth="thorough", only=OF_PLACES)
    assert surveyed.numa.over == "cores"
    assert len(surveyed.numa.places) == 256
    assert surveyed.numa.sequential_first == []
    assert "numa.sampled" in surveyed.codes
    assert [one.name for one in surveyed.numa.classes] == ["local", "remote 1", "remote 2"]
    assert "numa-sequential-read-first-read" in surveyed.figures()


def test_a_machine_of_4096_cores_has_a_small_profile_and_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROMA_RECORDED_NODES", "256")
    monkeypatch.setenv("GROMA_RECORDED_CORES", "4096")
    surveyed = Surveyed(tmp_path)
    assert surveyed.output.stat().st_size <= 20_000_000
    assert len(surveyed.page()) <= 5_000_000
    assert "numa.sampled" in surveyed.codes
