"""What the page shows of a node."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.facts.matrices import Entry
from groma.facts.survey import (
    Core,
    GroupPoint,
    GroupScaling,
    Indexing,
    NodeFacts,
    Numa,
    SlowPlace,
    SurveyFacts,
    Tlb,
)
from groma.record import Advice, ProbeSamples, Quantity, Record, TopologyNuma
from groma.record.units import format_quantity
from groma.report.blocks import Callouts, Choice, LineChart, MachinePicture
from groma.report.quantities import quantities_in
from groma.report.renderers import plain
from groma.report.terminal import document_of
from groma.report.views.marks import quantity_tile
from groma.report.views.registry import Named, comparison_of, sections_of
from groma.report.views.survey.borders import by_node, nodes_of
from groma.report.views.survey.caches import _tlb_row
from groma.report.views.test_support import (
    assert_whole,
    blocks_in,
    changed,
    compared,
    drawing_in,
    figure_in,
    figures_in,
    ids_of,
    leads_in,
    measured,
    notes_in,
    record_of,
    rows_in,
    tiles_in,
)
from groma.report.words.node import STEPS
from groma.stats.quotient import one_sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.report.views.registry import PageSection

PARTS = [field.name for field in msgspec.structs.fields(NodeFacts)]

CURVE = {
    "load_latency": ProbeSamples(
        probe="load_latency",
        cases=[
            {"unit": "s", "size_bytes": size, "pages": pages}
            for pages in ("huge", "small")
            for size in (4096, 32768, 1048576)
        ],
        values=[[1.0], [2.0], [3.0], [4.0], [5.0], []],
    )
}


def nothing(**changes: Any) -> Record[SurveyFacts]:
    return record_of("survey", SurveyFacts(node=NodeFacts()), **changes)


def advice_in(sections: Sequence[PageSection]) -> Sequence[Advice]:
    return next(block.advice for block in blocks_in(sections) if isinstance(block, Callouts))


def test_a_full_survey_has_all_of_its_sections_in_reading_order(survey: Record[SurveyFacts]) -> None:
    parts = ["verdict", "machine", "latency", "memory", "cores", "numa"]
    assert ids_of(survey) == [*parts, "environment", "method", "samples"]


def test_every_figure_has_a_name_of_its_own_a_caption_and_rows(survey: Record[SurveyFacts]) -> None:
    assert_whole(figures_in(sections_of(survey)))


def test_a_survey_in_which_nothing_was_measured_says_so_for_every_part() -> None:
    notes = "\n".join(notes_in(sections_of(nothing())))
    for part in (
        "Load latency",
        "Cache levels",
        "TLB",
        "bandwidth",
        "Contention",
        "Core-to-core",
        "memory of",
    ):
        assert part in notes


@pytest.mark.parametrize("part", PARTS)
def test_a_survey_that_measured_one_part_is_shown(part: str, survey: Record[SurveyFacts]) -> None:
    node = NodeFacts(**{part: getattr(survey.facts.node, part)})
    assert_whole(figures_in(sections_of(changed(survey, node=node))))


def test_what_an_edited_matrix_has_beyond_its_places_is_left_out(survey: Record[SurveyFacts]) -> None:
    """By the page as by the terminal."""
    numa, cores = survey.facts.node.numa, survey.facts.node.core_to_core
    assert numa is not None
    assert cores is not None
    node = msgspec.structs.replace(
        survey.facts.node,
        numa=msgspec.structs.replace(numa, random=numa.random * 2),
        core_to_core=msgspec.structs.replace(cores, latency=[row * 2 for row in cores.latency]),
    )
    edited = changed(survey, node=node)
    for section in ("numa", "core-to-core"):
        assert _shown(edited, section) == _shown(survey, section)
    drawn = [[one.drawing for one in figures_in(sections_of(which))] for which in (edited, survey)]
    assert drawn[0] == drawn[1]


def _shown(record: Record[SurveyFacts], section: str) -> str:
    return plain(document_of(record, [section]))


def test_the_latency_curve_has_a_series_per_page_mode_and_skips_cases_without_samples() -> None:
    sections = sections_of(nothing(samples=CURVE))
    drawing = drawing_in(sections, "load-latency", LineChart)
    assert [len(series.points) for series in drawing.series] == [3, 2]
    assert len(rows_in(sections, "load-latency")) == 5


def test_cache_brackets_are_marked_and_the_systems_size_where_it_differs(survey: Record[SurveyFacts]) -> None:
    ranges = drawing_in(sections_of(survey), "load-latency", LineChart).ranges
    assert [f"{one.name} {one.kind}" for one in ranges] == [
        "L1d measured",
        "L2 measured",
        "L3 measured",
        "L3 by the OS declared",
    ]


def test_the_bandwidth_table_has_a_row_per_point_drawn(survey: Record[SurveyFacts]) -> None:
    sections = sections_of(survey)
    drawn = drawing_in(sections, "bandwidth", LineChart).series
    assert len(rows_in(sections, "bandwidth")) == sum(len(series.points) for series in drawn)


def test_a_variant_with_non_temporal_stores_shares_the_colour_of_its_kernel(
    survey: Record[SurveyFacts],
) -> None:
    series = drawing_in(sections_of(survey), "bandwidth", LineChart).series
    tones = {one.name: one.tone for one in series}
    assert tones["triad_nt"] == tones["triad"]
    assert tones["triad"] != tones["copy"]


def test_the_machine_picture_spans_shared_caches_over_their_threads(survey: Record[SurveyFacts]) -> None:
    packages = drawing_in(sections_of(survey), "machine", MachinePicture).packages
    assert [package.columns for package in packages] == [4, 4]
    single = [(first, 1) for first in range(4)]
    spans = [(band.role, [(box.first, box.span) for box in band.boxes]) for band in packages[0].bands]
    assert spans == [
        ("core", single),
        ("level1", single),
        ("level2", single),
        ("level3", [(0, 4)]),
        ("memory", [(0, 4)]),
    ]


def test_cores_that_the_run_could_not_use_are_faded_and_memory_without_cores_is_kept(
    survey: Record[SurveyFacts],
) -> None:
    declared = survey.facts.declared
    assert declared is not None
    far = TopologyNuma(logical=2, physical=4, memory_bytes=2**34, cores=())
    limited = msgspec.structs.replace(declared, allowed=(0, 1), numa=(*declared.numa, far))
    packages = drawing_in(sections_of(changed(survey, declared=limited)), "machine", MachinePicture).packages
    assert [box.faded for box in packages[0].bands[0].boxes] == [False, False, True, True]
    assert packages[-1].bands[0].boxes[0].text == "NUMA 2 · 16 GiB"


def test_memory_without_cores_is_called_by_its_kind_on_page_and_terminal(survey: Record[SurveyFacts]) -> None:
    declared = survey.facts.declared
    assert declared is not None
    far = [TopologyNuma(logical=2 + i, physical=4 + i, memory_bytes=2**34, cores=()) for i in range(2)]
    record = changed(survey, declared=msgspec.structs.replace(declared, numa=(*declared.numa, *far)))
    hbm = {"processors": "", "memory_bytes": 2**34, "kind": "HBM"}
    record.environment["numa"] = [{"node": 0, "processors": "0-7"}, {"node": 4, **hbm}, {"node": 5, **hbm}]
    packages = drawing_in(sections_of(record), "machine", MachinePicture).packages
    assert [box.text for box in packages[-1].bands[0].boxes] == [
        "NUMA 2 · 16 GiB · HBM",
        "NUMA 3 · 16 GiB · HBM",
    ]
    assert "32 GiB of HBM in NUMA nodes 4-5 of the system" in plain(document_of(record, ["machine"]))


def test_a_slow_node_and_a_slow_core_are_called_so(survey: Record[SurveyFacts]) -> None:
    numa = survey.facts.node.numa
    assert numa is not None
    ratio = measured(1.6, "ratio")
    numa.slow = [
        SlowPlace(number=1, part="memory", ratio=ratio, places=[1]),
        SlowPlace(number=5, part="cores", ratio=ratio, places=[5], kind="core"),
    ]
    figure = figure_in(sections_of(survey), "numa-classes")
    assert figure.what.endswith("Slow NUMA node 1 is left out. Slow core 5 is left out.")
    lines = [" ".join(line.split()) for line in plain(document_of(survey)).splitlines()]
    for row in ("NUMA node 1 memory", "core 5 cores"):
        assert any(line.startswith(row) for line in lines)


def test_each_numa_experiment_that_ran_can_be_chosen_first_and_second_touch_apart(
    survey: Record[SurveyFacts],
) -> None:
    choice = next(
        block
        for section in sections_of(survey)
        if section.id == "numa"
        for block in section.blocks
        if isinstance(block, Choice)
    )
    labels = [option.label for option in choice.options]
    assert len(labels) == 10
    assert {"Sequential read, first read", "Sequential read, second read"} <= set(labels)


def test_each_reader_is_a_curve_over_the_owners_as_in_the_paper(survey: Record[SurveyFacts]) -> None:
    times: list[list[Quantity | None]] = [
        [measured(10.0 * owner + reader, "s") for reader in range(3)] for owner in range(3)
    ]
    numa = Numa(over="cores", places=[0, 4, 8], sequential_first=times, sequential_again=[])
    drawing = drawing_in(
        sections_of(of_node(survey, numa=numa)), "numa-curves-sequential-read-first-read", LineChart
    )
    assert drawing.x.title == "owner (core)"
    curve = next(one for one in drawing.series if one.name == "reader 4")
    assert [(point.x, point.y) for point in curve.points] == [(0, 1.0), (4, 11.0), (8, 21.0)]


def test_a_virtual_machine_is_called_one_in_the_verdict(survey: Record[SurveyFacts]) -> None:
    environment = {"captured": "", "virtualisation": {"hypervisor": "kvm", "container": None}}
    guest = msgspec.structs.replace(survey, environment=environment)
    assert "virtual machine (kvm)" in leads_in(sections_of(guest))[0]


def test_warnings_and_failed_probes_are_reported_with_what_to_do() -> None:
    unstable = Advice(code="memory.unstable", what="unstable", next="stop other programs")
    error = Advice(code="probe.no_memory", what="no memory", next="free some")
    failed = msgspec.structs.replace(CURVE["load_latency"], ended="failed", error=error)
    record = nothing(warnings=[unstable], samples={"load_latency": failed})
    assert advice_in(sections_of(record)) == [unstable, error]


def test_a_failed_probe_whose_error_is_a_warning_too_is_reported_once() -> None:
    error = Advice(code="probe.needs_cores", what="it takes two cores", next="use two")
    failed = msgspec.structs.replace(CURVE["load_latency"], ended="failed", error=error)
    record = nothing(warnings=[error], samples={"load_latency": failed})
    assert advice_in(sections_of(record)) == [error]


def test_one_core_is_counted_as_one_and_its_bandwidth_reported_once(survey: Record[SurveyFacts]) -> None:
    memory, declared = survey.facts.node.memory, survey.facts.declared
    assert memory is not None
    assert declared is not None
    alone = [one for one in memory.bandwidth["triad"] if one.cores == 1]
    node = msgspec.structs.replace(
        survey.facts.node, memory=msgspec.structs.replace(memory, bandwidth={"triad": alone})
    )
    sections = sections_of(
        changed(survey, node=node, declared=msgspec.structs.replace(declared, allowed=(0,)))
    )
    assert "could use 1 thread." in leads_in(sections)[0]
    bandwidth = next(tile for tile in tiles_in(sections) if tile.title == "Memory bandwidth")
    assert bandwidth.lines == ["triad on 1 core"]


def test_every_quantity_of_the_facts_is_accounted_for_in_the_method_table(
    survey: Record[SurveyFacts],
) -> None:
    entries = [re.search(r"\((\d+)\)$", str(path)) for path, *_ in rows_in(sections_of(survey), "method")]
    reported = sum(int(found[1]) if found else 1 for found in entries)
    assert reported == len(list(quantities_in(survey.facts)))
    assert reported == msgspec.json.encode(survey.facts).count(b'"confidence":')


def test_groups_of_cores_that_share_are_reported_as_on_the_terminal(survey: Record[SurveyFacts]) -> None:
    assert rows_in(sections_of(survey), "caches")[2][7] == "{0-3} {4-7}"
    assert "Cores that slow each other: {0-3} {4-7}." in notes_in(sections_of(survey))


def test_a_record_of_an_unknown_kind_shows_facts_environment_quantities_and_samples() -> None:
    rate = {"value": 4.2e10, "unit": "flop/s", "low": 4e10, "high": 4.4e10, "confidence": 0.9, "method": "m"}
    other = record_of("astrolabe", {"rate": rate, "grid": [1, 2]}, samples=CURVE)
    sections = sections_of(other)
    assert [section.id for section in sections] == ["facts", "environment", "method", "samples"]
    (name, quantity), (grid, numbers) = rows_in(sections, "facts")
    assert (name, grid, numbers) == ("rate", "grid", "1, 2")
    assert isinstance(quantity, Quantity)


def test_curves_beyond_the_colours_of_records_are_hidden_at_first(survey: Record[SurveyFacts]) -> None:
    sections = comparison_of([Named(f"night{number}", survey) for number in range(9)])
    chart = drawing_in(sections, "latency-comparison", LineChart)
    assert {one.name.partition(":")[0] for one in chart.series if not one.shown} == {"night7", "night8"}


def test_cases_of_an_edited_file_that_have_no_samples_are_on_no_curve(survey: Record[SurveyFacts]) -> None:
    survey.samples["load_latency"].values.pop()
    assert "load-latency" in {one.id for one in figures_in(sections_of(survey))}


def test_one_record_is_not_compared(survey: Record[SurveyFacts]) -> None:
    assert compared(survey) == []


def test_a_comparison_overlays_the_curves_and_gives_ratios_to_the_first_record(
    survey: Record[SurveyFacts],
) -> None:
    sections = compared(survey, survey, nothing())
    assert len(drawing_in(sections, "latency-comparison", LineChart).series) == 4
    table = figure_in(sections, "headlines").table
    assert table is not None
    assert table.columns == ["quantity", "record", "value", "ratio", "verdict"]
    frequency = next(row for row in table.rows if row[:2] == ["core frequency", "two"])
    assert frequency[4] == "indistinguishable"
    absent = next(row for row in table.rows if row[:2] == ["core frequency", "three"])
    assert list(absent[2:]) == [None, None, None]


def test_split_huge_pages_are_counted_in_the_small_pages_that_translate_them() -> None:
    reach = Quantity(
        value=64 * 4096.0, unit="B", low=64 * 4096.0, high=72 * 4096.0, confidence=0.9, method=""
    )
    cost = Quantity(value=2e-9, unit="s", low=1e-9, high=3e-9, confidence=0.9, method="")
    split = Tlb(level=1, page=4096, reach=reach, miss_cost=cost, advised_page=2 << 20)
    assert _tlb_row(split)[:4] == ["L1", "4 KiB (2 MiB split)", reach, 64]
    older = Tlb(level=1, page=2 << 20, reach=reach, miss_cost=cost)
    assert _tlb_row(older)[3] is None


def scaled_groups() -> list[GroupScaling]:
    points = [
        GroupPoint(
            cores=cores,
            bandwidth=measured(total, "B/s"),
            ratio=measured(ratio, "1"),
            placed=list(range(cores)),
        )
        for cores, total, ratio in ((1, 10e9, 1.0), (2, 20e9, 1.0), (3, 24e9, 1.25), (4, 25e9, 1.6))
    ]
    return [
        GroupScaling(
            name=name, kind="NUMA node", cores=[0, 1, 2, 3], over=[0, 1, 2, 3], points=points, saturates_at=3
        )
        for name in ("0-3", "4-7")
    ]


def of_node(survey: Record[SurveyFacts], **parts: Any) -> Record[SurveyFacts]:
    return changed(survey, node=msgspec.structs.replace(survey.facts.node, **parts))


def test_each_contention_group_has_a_line_with_the_loss_of_its_cores(survey: Record[SurveyFacts]) -> None:
    memory = survey.facts.node.memory
    assert memory is not None
    record = of_node(survey, memory=msgspec.structs.replace(memory, contention_scaling=scaled_groups()))
    drawing = drawing_in(sections_of(record), "contention-scaling", LineChart)
    lines = {series.name: series for series in drawing.series}
    assert [point.label for point in lines["cores 0-3"].points] == ["(1.00)", "(1.00)", "(1.25)", "(1.60)"]
    assert [(point.x, point.y) for point in lines["no contention"].points] == [(1, 10e9), (3.25, 32.5e9)]
    assert len(rows_in(sections_of(record), "contention-scaling")) == 8


def test_the_tile_of_a_single_sample_says_that_it_is_one() -> None:
    tile = quantity_tile("Memory bandwidth", one_sample(4.29e9, "B/s", "median"), [])
    assert (tile.value, tile.unit, tile.interval) == ("4.29", "GB/s", "one sample, no interval")


def test_pairs_of_nodes_are_drawn_at_the_median_of_their_cores_which_is_known() -> None:
    cores = [Core(logical=core, physical=core, package=0, numa=core // 2) for core in range(4)]
    entries = [Entry(0, column, measured(time, "s")) for column, time in ((1, 1e-9), (2, 4e-9), (3, 6e-9))]
    near, far = by_node(entries, [0, 1, 2, 3], nodes_of([0, 1, 2, 3], cores))
    assert format_quantity(near.quantity) == "1 ns [0.90, 1.10]"
    assert format_quantity(far.quantity) == "5 ns [4, 6]"


def test_quartiles_of_two_pairs_lie_between_them(survey: Record[SurveyFacts]) -> None:
    times: list[list[Quantity | None]] = [[None, measured(1.0, "s")], [measured(2.0, "s"), None]]
    numa = Numa(
        over="numa",
        places=[0, 1],
        sequential_first=[],
        sequential_again=[],
        ping_back=dict.fromkeys(STEPS, times),
    )
    row = rows_in(sections_of(of_node(survey, numa=numa)), "numa-ping-back")[0]
    assert row[2:] == [1.5, 1.25, 1.75]


def test_what_is_not_known_of_a_cache_is_absent(survey: Record[SurveyFacts]) -> None:
    caches = [msgspec.structs.replace(one, indexing=None, shared_by=None) for one in survey.facts.node.caches]
    rows = rows_in(sections_of(of_node(survey, caches=caches)), "caches")
    assert [row[6:8] for row in rows] == [[None, None]] * len(caches)


def test_the_index_of_each_cache_stands_with_its_reason(survey: Record[SurveyFacts]) -> None:
    caches = [
        msgspec.structs.replace(cache, indexing=Indexing(kind=kind, confidence=sure, reason="as it is"))
        for cache, kind, sure in zip(
            survey.facts.node.caches, ("virtual", "physical", "unknown"), (0.9, 0.9, 0.0), strict=True
        )
    ]
    sections = sections_of(of_node(survey, caches=caches))
    rows = rows_in(sections, "caches")
    assert [row[6] for row in rows] == ["virtual address", "physical address", "not determined"]
    assert "L3: index not determined: as it is." in notes_in(sections)
    reported = plain(document_of(of_node(survey, caches=caches), ["caches"]))
    assert "L1d: indexed by virtual address: as it is (confidence 0.90)" in reported


def test_the_method_of_allocation_is_what_all_of_its_ways_share(survey: Record[SurveyFacts]) -> None:
    raw = "median over the rounds, measure: {}, pages: small"
    assert survey.facts.node.numa
    for name in ("allocation", "first_touch", "second_touch", "release", "first_touch_huge"):
        setattr(survey.facts.node.numa, name, [measured(1.0, "s", method=raw.format(name))])
    survey.facts.node.numa.first_touch_alone = []
    figure = figure_in(sections_of(survey), "numa-allocation")
    assert figure.method == "median over the rounds, pages: small"
