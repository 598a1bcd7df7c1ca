"""What the page shows of a run of the HPC Challenge suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groma.facts.hpcc import Figure, Grid, HpccFacts, HpccPlan, HpccTest, MatrixPlan
from groma.facts.survey import NodeFacts, SurveyFacts
from groma.record.units import NO_BREAK
from groma.report.blocks import HeatMap, LineChart, MachinePicture, RadarChart, StripChart, SystemChart
from groma.report.views.registry import sections_of
from groma.report.views.test_support import (
    TWO_MACHINES,
    assert_whole,
    banner_in,
    changed,
    check_of,
    compared,
    drawing_in,
    figure_in,
    figures_in,
    ids_of,
    launch_of,
    leads_in,
    measured,
    of_ranks,
    placed,
    record_of,
    rows_in,
    samples_of,
    tiles_in,
)
from groma.report.words.launch import binding_words
from groma.report.words.suite import suite_entries
from groma.run.placement import machines
from groma.stats.quotient import one_sample

if TYPE_CHECKING:
    from groma.record import Quantity, Record

    Run = Record[HpccFacts]


def suite_run(samples: dict[str, Any] | None = None, **facts: Any) -> Run:
    return record_of("hpcc", HpccFacts(**{"tests": [], **facts}), samples=samples or {})


def a_test(name: str, *figures: Figure, **changes: Any) -> HpccTest:
    return HpccTest(**{"name": name, "title": name, "done": True, "figures": list(figures), **changes})


def figure(series: str, mode: str, value: Quantity, **labels: Any) -> Figure:
    return Figure(series=series, mode=mode, value=value, labels=labels)


HPL = a_test(
    "hpl", figure("WR00", "mpi", measured(4e10, "flop/s")), checks=[check_of("HPL residual of WR00")]
)
TRIAD = a_test(
    "stream",
    figure("triad", "star", measured(1e10, "B/s")),
    figure("triad", "single", measured(1.3e10, "B/s")),
)
TRIAD_LABELS = {"unit": "B/s", "series": "triad", "mode": "star"}
TRIAD_SAMPLES = of_ranks(TRIAD_LABELS, [10, 11, 12], [20, 21, 22])
MESSAGE = {
    "unit": "s",
    "series": "time",
    "mode": "mpi",
    "purpose": "definition",
    "buffers": "reused",
    "raw": True,
}
CURVE_LABELS = {"purpose": "curve", "pattern": "pair", "exchange": "ping_pong", "buffers": "reused"}
CURVE = [
    figure("time", "mpi", measured(1e-6, "s"), **CURVE_LABELS, bytes=size, client=0, server=1)
    for size in (1, 1024)
]


def behind(median: float, **labels: Any) -> tuple[dict[str, Any], list[float]]:
    """Samples of messages behind figures."""
    return {**MESSAGE, **labels}, [median * 0.9, median, median * 1.2]


PING_PONG = {"pattern": "pair", "exchange": "ping_pong", "bytes": 8}
MESSAGES = [
    behind(1e-6, **PING_PONG, client=0, server=1),
    behind(2e-6, **PING_PONG, client=1, server=0),
    behind(3e-6, pattern="random_ring", exchange="sendrecv", bytes=8, ring=1),
    behind(2e-6, pattern="natural_ring", exchange="sendrecv", bytes=8, ring=0),
]
FULL = suite_run(
    {**samples_of("stream", *TRIAD_SAMPLES), **samples_of("effective_bandwidth", *MESSAGES)},
    tests=[HPL, TRIAD, a_test("effective_bandwidth", *CURVE)],
    success=True,
    launch=launch_of(),
    plan=HpccPlan(hpl=[MatrixPlan(n=1500, nb=192, grid=Grid(rows=1, columns=2))]),
)


def plain(text: str) -> str:
    return text.replace(NO_BREAK, " ")


# ---- the whole ---------------------------------------------------------------------------------------------


def test_a_run_of_the_suite_has_its_sections_in_reading_order_and_no_tree_of_facts() -> None:
    sections = ["verdict", "results", "balance", "messages", "run", "environment", "method", "samples"]
    assert ids_of(FULL) == sections


def test_every_figure_of_the_suite_has_a_name_of_its_own_a_caption_and_full_rows() -> None:
    assert_whole(figures_in([*sections_of(FULL), *compared(FULL, FULL)]))


def test_a_record_without_any_fact_is_shown_with_what_there_is() -> None:
    assert ids_of(suite_run()) == ["verdict", "run", "environment"]


def test_quantities_are_named_after_test_series_and_mode_points_of_a_curve_as_a_list() -> None:
    assert [row[0] for row in rows_in(sections_of(FULL), "method")] == [
        "HPL WR00, mpi",
        "STREAM triad, star",
        "STREAM triad, single",
        "Messages time, mpi[0]",
        "Messages time, mpi[1]",
    ]


# ---- verdict -----------------------------------------------------------------------------------------------


def test_the_banner_says_that_all_checks_passed() -> None:
    banner = banner_in(sections_of(FULL))
    assert (banner.outcome, banner.lines) == ("good", [])
    assert banner.title == "Validation passed: all 1 check of 3 tests"


def test_the_banner_names_each_failed_check_with_its_value_and_its_limit() -> None:
    checks = [check_of("residual", passed=False, value=43.0), check_of("other", passed=False, value=None)]
    banner = banner_in(sections_of(suite_run(tests=[a_test("hpl", checks=checks)], success=False)))
    assert banner.outcome == "bad"
    assert banner.title == "Validation failed: 2 of 2 checks"
    assert banner.lines[0] == "HPL: residual is 43, at most 16 is allowed."
    assert "other is not a number" in banner.lines[1]


def test_the_banner_says_which_tests_of_the_plan_were_not_begun() -> None:
    plan = HpccPlan(tests=["hpl", "fft", "random_access"])
    banner = banner_in(sections_of(suite_run(tests=[HPL], plan=plan)))
    assert banner.lines == ["Not started: FFT, RandomAccess."]


def test_the_lead_of_a_run_of_which_nothing_is_known_is_a_whole_sentence() -> None:
    environment = {"captured": "", "host": "walnut"}
    killed = record_of("hpcc", HpccFacts(tests=[]), environment=environment)
    assert leads_in(sections_of(killed)) == ["HPC Challenge suite on walnut."]


def test_the_banner_says_which_tests_were_cut_short() -> None:
    cut = a_test("stream", *TRIAD.figures, done=False)
    banner = banner_in(sections_of(suite_run(tests=[HPL, cut])))
    assert banner.outcome == "warn"
    assert "Cut short: STREAM" in banner.lines[0]


def test_a_tile_has_unit_interval_confidence_and_number_of_samples() -> None:
    hpl = tiles_in(sections_of(FULL))[0]
    assert (hpl.title, hpl.value, hpl.unit) == ("HPL", "40", "Gflop/s")
    assert plain(hpl.interval) == "[36, 44] Gflop/s, 94 %, 5 samples"


def test_a_tile_heads_the_star_value_and_tells_the_single_one_below() -> None:
    triad = next(tile for tile in tiles_in(sections_of(FULL)) if tile.title == "STREAM triad")
    assert triad.value == "10"
    assert triad.lines == ["each rank, all at once", f"one rank alone: 13{NO_BREAK}GB/s"]


def test_hpl_is_reported_as_a_share_of_dgemm_on_all_ranks() -> None:
    dgemm = a_test("dgemm", figure("dgemm", "star", measured(2.5e10, "flop/s")))
    hpl = tiles_in(sections_of(suite_run(tests=[HPL, dgemm], launch=launch_of())))[0]
    assert "80 % of DGEMM on all ranks" in map(plain, hpl.lines)


def test_an_hpl_on_a_part_of_the_ranks_is_no_value_of_all_and_has_no_share_of_dgemm() -> None:
    summary = {"CommWorldProcs": "16", "HPL_Tflops": "0.1", "StarDGEMM_Gflops": "9"}
    grid = {"HPL_nprow": "2", "HPL_npcol": "2"}
    sections = sections_of(record_of("hpcc", HpccFacts(tests=[], summary=summary | grid)))
    (hpl, *_) = tiles_in(sections)
    assert hpl.lines == ["HPL used 4 of 16 ranks"]
    assert "balance" not in ids_of(record_of("hpcc", HpccFacts(tests=[], summary=summary | grid)))


def test_an_old_output_shows_its_values_as_one_sample_each() -> None:
    summary = {"HPL_Tflops": "0.0425", "Success": "1", "CommWorldProcs": "4", "PTRANS_GBs": "1.7"}
    sections = sections_of(suite_run(summary=summary, success=True))
    hpl = tiles_in(sections)[0]
    assert (hpl.value, hpl.unit, hpl.interval) == ("42.5", "Gflop/s", "one sample, no interval")
    assert [(name, value) for name, _, value, _ in rows_in(sections, "hpcc-summary")] == [
        ("HPL", "42.5 Gflop/s, one sample"),
        ("PTRANS", "1.70 GB/s, one sample"),
    ]
    assert banner_in(sections).title == "Validation passed, according to the file"


# ---- figures -----------------------------------------------------------------------------------------------


def test_a_figure_of_one_sample_is_reported_as_such_in_every_table() -> None:
    single = suite_run(tests=[a_test("hpl", figure("WR00", "mpi", one_sample(4e10, "flop/s", "median")))])
    sections = sections_of(single)
    assert rows_in(sections, "hpcc-figures")[0][3] == "40 Gflop/s, one sample"
    assert rows_in(sections, "method")[0][1] == "40 Gflop/s, one sample"


def test_a_test_that_was_cut_before_its_first_sample_has_a_row() -> None:
    cut = sections_of(suite_run(tests=[a_test("fft", done=False)]))
    assert rows_in(cut, "hpcc-figures")[0][:2] == ["FFT (cut short)", None]


def test_sizes_of_curves_are_no_rows_of_the_table_of_all_figures() -> None:
    assert len(rows_in(sections_of(FULL), "hpcc-figures")) == 4


def test_samples_are_drawn_over_their_median_one_dot_for_each_repetition() -> None:
    sections = sections_of(FULL)
    (lane,) = drawing_in(sections, "steadiness", StripChart).strips[0].lanes
    assert lane.dots == pytest.approx([mean / 16 for mean in (15, 16, 17)])
    assert len(rows_in(sections, "steadiness")) == 3


def test_a_figure_with_a_median_of_zero_is_in_the_table_and_not_relative_to_it() -> None:
    zero = of_ranks({"unit": "s", "series": "time", "mode": "star"}, [0.0, 0.0, 1.0])
    sections = sections_of(suite_run(samples_of("stream", *TRIAD_SAMPLES, *zero)))
    assert len(drawing_in(sections, "steadiness", StripChart).strips) == 1
    assert len(rows_in(sections, "steadiness")) == 6


def test_conditions_of_the_messages_are_not_drawn_among_the_figures() -> None:
    skew = of_ranks({"unit": "s", "series": "clock_uncertainty", "mode": "mpi"}, [1e-7, 2e-7])
    sections = sections_of(suite_run(samples_of("effective_bandwidth", *TRIAD_SAMPLES, *skew)))
    assert len(drawing_in(sections, "steadiness", StripChart).strips) == 1
    assert len(rows_in(sections, "steadiness")) == 5


def test_ranks_stand_side_by_side_with_host_and_processors() -> None:
    sections = sections_of(FULL)
    (series,) = drawing_in(sections, "ranks-stream-triad", LineChart).series
    assert [(one.x, one.y, one.low, one.high) for one in series.points] == [(0, 11, 10, 12), (1, 21, 20, 22)]
    assert rows_in(sections, "ranks-stream-triad")[1][:3] == [1, "one", "1"]
    what = plain(figure_in(sections, "ranks-stream-triad").what)
    assert "Slowest: rank 0 (one), 11 B/s, 31.3 % below" in what


def test_a_thousand_ranks_are_drawn_as_a_band() -> None:
    every = of_ranks(TRIAD_LABELS, *([rank + 1.0, rank + 2.0] for rank in range(1000)))
    sections = sections_of(suite_run(samples_of("stream", *every)))
    assert drawing_in(sections, "ranks-stream-triad", LineChart).series[0].spread == "band"
    assert len(rows_in(sections, "ranks-stream-triad")) == 1000


def test_ranks_of_several_machines_are_gathered_machine_by_machine() -> None:
    spread = sections_of(
        suite_run(samples_of("stream", *TRIAD_SAMPLES), launch=launch_of(placement=TWO_MACHINES, nodes=2))
    )
    strips = drawing_in(spread, "machines-stream-triad", StripChart).strips
    assert [(one.name, one.lanes[0].dots) for one in strips] == [("node0", [11]), ("node1", [21])]
    expected = ["node1", 1, "21 B/s", 1, "21 B/s", 1, "21 B/s"]
    assert rows_in(spread, "machines-stream-triad")[1] == expected
    assert not any(one.id.startswith("machines") for one in figures_in(sections_of(FULL)))


def test_other_buffers_are_reported_as_ratios_to_those_of_the_suite() -> None:
    series = "natural_ring_bandwidth"
    states = [
        figure(series, "mpi", measured(1e10, "B/s")),
        figure(series, "mpi", measured(2e10, "B/s"), buffers="reused_huge"),
        figure(series, "mpi", measured(5e9, "B/s"), buffers="rotating"),
    ]
    sections = sections_of(suite_run(tests=[a_test("effective_bandwidth", *states)]))
    chart = drawing_in(sections, "hpcc-buffers", StripChart)
    (strip,) = chart.strips
    assert [(lane.value, lane.tone) for lane in strip.lanes] == [(2, 1), (0.5, 2)]
    assert [one.tone for one in chart.legend or ()] == [1, 2]
    sections = sections_of(suite_run(tests=[a_test("effective_bandwidth", *states[:2])]))
    assert [one.tone for one in drawing_in(sections, "hpcc-buffers", StripChart).legend or ()] == [1]


def test_pairs_of_few_ranks_are_a_matrix_client_by_server() -> None:
    cells = drawing_in(sections_of(FULL), "hpcc-pairs-latency", HeatMap).cells
    assert [[cell and cell.value for cell in row] for row in cells] == [[None, 1e-6], [2e-6, None]]


def test_pairs_of_many_ranks_are_sorted_from_best_to_worst() -> None:
    labels = {**PING_PONG, "bytes": 2_000_000}
    pairs = [
        behind((100 - number) * 1e-6, **labels, client=number, server=number + 1) for number in range(100)
    ]
    sections = sections_of(suite_run(samples_of("effective_bandwidth", *pairs)))
    points = drawing_in(sections, "hpcc-pairs-bandwidth", LineChart).series[0].points
    heights = [point.y for point in points]
    assert len(heights) == 100
    assert heights == sorted(heights)
    assert points[0].note == "ranks 0 and 1"


def test_natural_and_random_rings_of_one_way_are_one_line_the_natural_one_first() -> None:
    series = drawing_in(sections_of(FULL), "hpcc-rings-8", LineChart).series
    assert [(one.name, [point.x for point in one.points]) for one in series] == [("sendrecv", [0, 1])]


def test_a_curve_over_message_size_is_reported_as_time_and_as_bytes_over_it() -> None:
    points = drawing_in(sections_of(FULL), "hpcc-curves-bandwidth-reused", LineChart).series[0].points
    last = points[1]
    assert round(last.y / 1e6) == 1024
    assert last.low is not None
    assert last.high is not None
    assert last.low < last.y < last.high


def test_a_time_that_may_be_zero_has_no_bandwidth() -> None:
    points = [
        *CURVE,
        figure("time", "mpi", measured(1e-3, "s", low=0.0), **{**CURVE[0].labels, "bytes": 4096}),
    ]
    sections = sections_of(suite_run(tests=[a_test("effective_bandwidth", *points)]))
    times, bandwidths = (
        drawing_in(sections, f"hpcc-curves-{kind}-reused", LineChart).series[0].points
        for kind in ("time", "bandwidth")
    )
    assert [point.x for point in times] == [1, 1024, 4096]
    assert [point.x for point in bandwidths] == [1, 1024]


@pytest.mark.parametrize("ranks", [3, 100])
def test_a_pair_with_a_sample_of_zero_has_no_bandwidth(ranks: int) -> None:
    labels = {**PING_PONG, "bytes": 2_000_000}
    pairs = [behind(1e-3, **labels, client=number, server=number + 1) for number in range(ranks - 1)]
    zero = ({**MESSAGE, **labels, "client": ranks - 1, "server": 0}, [0.0, 0.0, 1e-3])
    sections = sections_of(suite_run(samples_of("effective_bandwidth", *pairs, zero)))
    drawing = figure_in(sections, "hpcc-pairs-bandwidth").drawing
    if isinstance(drawing, HeatMap):
        assert drawing.cells[ranks - 1][0] is None
    else:
        assert isinstance(drawing, LineChart)
        assert len(drawing.series[0].points) == ranks - 1
    assert [row[-1] is None for row in rows_in(sections, "hpcc-pairs-bandwidth")] == [False] * (ranks - 1) + [
        True
    ]


# ---- plan and placement ------------------------------------------------------------------------------------


def test_ranks_are_drawn_on_their_processors_shared_masks_once_overlaps_below() -> None:
    placement = [placed(0, [0, 1, 4]), placed(1, [0, 1, 4]), placed(2, [1])]
    sections = sections_of(suite_run(launch=launch_of(placement=placement)))
    machine = drawing_in(sections, "placement", MachinePicture).packages[0]
    assert machine.columns == 3
    boxes = [[(box.first, box.span, box.text) for box in band.boxes] for band in machine.bands]
    assert boxes == [[(0, 3, "0-1")], [(1, 1, "2")]]


def test_machines_are_distinguished_by_boot_id_not_by_host_name() -> None:
    ranks = [placed(0, [0]), placed(1, [1], "container"), placed(2, [0], boot_id="other")]
    assert [[one.rank for one in own] for own in machines(ranks).values()] == [[0, 1], [2]]


def test_placement_is_verified_only_where_no_two_ranks_of_a_machine_share_a_processor() -> None:
    apart = [placed(0, [0]), placed(1, [1]), placed(2, [0], boot_id="other")]
    shared = [placed(0, [0, 1]), placed(1, [1])]
    assert binding_words(launch_of(placement=apart)).startswith("verified")
    assert "share processors" in binding_words(launch_of(placement=shared))
    assert "fewer processors than threads" in binding_words(launch_of(placement=apart, threads=2))
    assert binding_words(launch_of(placement=[])) == "not reported"


def test_the_plan_tells_sizes_with_their_bytes_and_of_old_outputs_what_the_summary_has() -> None:
    matrix = MatrixPlan(n=1500, nb=192, grid=Grid(rows=1, columns=2))
    entries = dict(suite_entries(suite_run(plan=HpccPlan(hpl=[matrix], stream_elements=1048576))))
    assert entries["HPL"].startswith("N 1500, NB 192, grid 1 x 2, 17.2 MiB")
    assert entries["STREAM"] == "1048576 elements of each of a rank's three vectors, 8 MiB"
    summary = {
        "HPL_N": "2560",
        "HPL_NB": "80",
        "HPL_nprow": "1",
        "HPL_npcol": "4",
        "CommWorldProcs": "4",
    }
    old = dict(suite_entries(suite_run(summary=summary)))
    assert old["HPL"].startswith("N 2560, NB 80, grid 1 x 4")
    assert old["ranks"] == "4"


# ---- compared ----------------------------------------------------------------------------------------------


def test_runs_are_compared_with_ratio_and_verdict() -> None:
    faster = a_test("hpl", figure("WR00", "mpi", measured(8e10, "flop/s")))
    sections = compared(FULL, changed(FULL, tests=[faster, TRIAD]))
    assert [(row[0], row[4]) for row in rows_in(sections, "hpcc-headlines")] == [
        ("HPL (mpi)", "higher"),
        ("STREAM triad (star)", "indistinguishable"),
        ("STREAM triad (single)", "indistinguishable"),
    ]
    assert drawing_in(sections, "hpcc-ratios", StripChart).strips[0].lanes[0].value == 2


def test_a_comparison_with_a_single_sample_leaves_open_which_is_larger() -> None:
    old = suite_run(summary={"HPL_Tflops": "0.08"})
    row = rows_in(compared(FULL, old), "hpcc-headlines")[0]
    assert row[2:] == ["80 Gflop/s, one sample", "2 x, one sample", "open: one sample"]


def test_what_differed_between_runs_is_reported_what_was_alike_is_not() -> None:
    other = changed(FULL, launch=launch_of(ranks=4))
    assert rows_in(compared(FULL, other), "hpcc-differences") == [["ranks", "2", "4"]]


def test_of_many_runs_each_has_a_row_and_one_group_of_values_is_shown_at_a_time() -> None:
    sections = compared(FULL, FULL, changed(FULL, launch=launch_of(ranks=4)))
    chart = drawing_in(sections, "hpcc-headlines", SystemChart)
    assert [(one.title, one.unit) for one in chart.columns] == [("HPL (mpi)", "Gflop/s")]
    assert [(row.name, row.cells[0] and row.cells[0].text) for row in chart.rows] == [
        ("one", "40"),
        ("two", "40"),
        ("three", "40"),
    ]
    star = drawing_in(sections, "hpcc-headlines-each-rank-all-at-once", SystemChart)
    assert [one.title for one in star.columns] == ["STREAM triad (star)"]
    first, second, _ = rows_in(sections, "hpcc-headlines")
    assert (first[:2], first[3:]) == (["HPL (mpi)", "one"], [None, None])
    assert (second[:2], second[4]) == (["HPL (mpi)", "two"], "indistinguishable")


def test_what_differed_between_many_runs_is_reported_value_by_value() -> None:
    other = changed(FULL, launch=launch_of(ranks=4))
    assert rows_in(compared(FULL, other, FULL), "hpcc-differences") == [
        ["ranks", "2", "one, three"],
        ["ranks", "4", "two"],
    ]


def test_a_record_without_hpl_has_no_shape_in_the_kiviat_diagram() -> None:
    rings = [
        figure(series, "mpi", measured(1e9, "B/s"))
        for series in ("random_ring_bandwidth", "natural_ring_bandwidth")
    ]
    whole = suite_run(tests=[HPL, TRIAD, a_test("effective_bandwidth", *rings)], launch=launch_of())
    shapes = drawing_in(compared(whole, suite_run(tests=[TRIAD]), whole), "hpcc-kiviat", RadarChart).shapes
    assert [(shape.name, shape.tone) for shape in shapes] == [("one", 0), ("three", 2)]


def test_records_of_other_kinds_beside_runs_of_the_suite_are_not_in_their_comparison() -> None:
    survey = record_of("survey", SurveyFacts(node=NodeFacts()))
    table = figure_in(compared(FULL, survey, FULL), "hpcc-headlines").table
    assert table is not None
    assert list(table.columns) == ["quantity", "one", "three", "ratio", "verdict"]
    assert compared(FULL, survey) == []
