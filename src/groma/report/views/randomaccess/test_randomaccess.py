"""What the page shows of RandomAccess: of a run, of studies of errors and of owners."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.facts.randomaccess import Exchange, Load, RandomAccessFacts, RandomAccessPlan
from groma.facts.randomaccess_bottleneck import BottleneckFacts, RoleLoad
from groma.facts.randomaccess_errors import ErrorFacts, ErrorRate, Strategy
from groma.facts.randomaccess_owner import OwnerFacts, OwnerLookup
from groma.record.units import NO_BREAK
from groma.report.blocks import LineChart, StripChart
from groma.report.views.randomaccess.errors import ScatterChart
from groma.report.views.registry import sections_of
from groma.report.views.test_support import (
    TWO_MACHINES,
    assert_whole,
    banner_in,
    blocks_in,
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
    notes_in,
    of_ranks,
    record_of,
    rows_in,
    samples_of,
    tiles_in,
)
from groma.report.words.text import ABSENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import Record

replaced = msgspec.structs.replace


def plain(text: str) -> str:
    return text.replace(NO_BREAK, " ")


# ---- a run -------------------------------------------------------------------------------------------------


def load_of(role: str, worked: float, waited: float) -> Load:
    return Load(role=role, ranks=1, worked=measured(worked, "s"), waited=measured(waited, "s"))


def of_role(rank: int, role: str, worked: list[float]) -> list[tuple[dict[str, Any], list[float]]]:
    """Samples of one rank; `handed` is zero for all."""
    labels = {"raw": True, "role": role, "rank": rank}
    return [
        ({**labels, "unit": "s", "series": "worked"}, worked),
        ({**labels, "unit": "1", "series": "handed"}, [0.0 for _ in worked]),
    ]


RUN = record_of(
    "randomaccess",
    RandomAccessFacts(
        ranks=2,
        table_words=2**20,
        algorithm="route",
        grid=[2, 1],
        generator="polynomial",
        owner="prediction",
        gups=measured(0.05, "GUP/s"),
        seconds=measured(0.02, "s"),
        updates=2**22,
        errors=0,
        look_ahead_max=919,
        exchange=Exchange(messages=0.01, bytes=8, handed=0),
        loads=[load_of("generate", 0.015, 0.005), load_of("update", 0.005, 0.015)],
        checks=[
            check_of("wrong words", value=0.0, limit=0.0),
            check_of("updates pending", value=919.0, limit=1024.0),
        ],
        success=True,
        launch=launch_of(blas=""),
        plan=RandomAccessPlan(updates=2**22, repetitions=5),
    ),
    samples=samples_of(
        "random_access",
        *of_ranks({"unit": "update/s", "series": "rate", "mode": "mpi"}, [4e7, 5e7, 6e7]),
        *of_role(0, "generate", [0.01, 0.015, 0.02]),
        *of_role(1, "update", [0.004, 0.005, 0.006]),
    ),
)


def test_a_damaged_run_of_no_ranks_has_no_rate_of_each() -> None:
    damaged = msgspec.structs.replace(RUN, facts=msgspec.structs.replace(RUN.facts, ranks=0))
    assert "for each rank" not in str(blocks_in(sections_of(damaged)))
    assert "for each rank" in str(blocks_in(sections_of(RUN)))


def test_a_run_has_its_sections_in_reading_order_and_no_tree_of_facts() -> None:
    assert ids_of(RUN) == ["verdict", "results", "run", "environment", "method", "samples"]


def test_every_figure_of_a_run_and_of_a_comparison_is_whole() -> None:
    assert_whole(figures_in([*sections_of(RUN), *compared(RUN, RUN)]))


def test_the_banner_says_that_the_table_was_verified_and_how_many_words_were_wrong() -> None:
    banner = banner_in(sections_of(RUN))
    assert (banner.outcome, banner.lines) == ("good", [])
    assert banner.title == "Validation passed: 0 wrong words, all 2 checks"


def test_the_banner_names_each_failed_check_and_the_table_has_it_first() -> None:
    wrong = check_of("wrong words", value=3.0, limit=0.0, passed=False)
    pending = check_of("updates pending", value=9.0, limit=1024.0)
    failed = sections_of(changed(RUN, checks=[pending, wrong], errors=3, success=False))
    banner = banner_in(failed)
    assert (banner.outcome, banner.title) == ("bad", "Validation failed: 1 of 2 checks")
    assert "wrong words is 3, at most 0 is allowed" in banner.lines[0]
    assert rows_in(failed, "checks")[0] == ["RandomAccess", "wrong words", "3", "0", "✗ FAILED"]


def test_a_run_that_was_cut_short_is_shown_with_what_there_is_and_not_as_verified() -> None:
    nothing = RandomAccessFacts(ranks=2, table_words=2**20, algorithm="route", grid=[2, 1])
    cut = record_of("randomaccess", nothing)
    sections = sections_of(cut)
    assert banner_in(sections).outcome == "warn"
    assert "was not verified" in banner_in(sections).title
    assert tiles_in(sections) == []
    assert_whole(list(figures_in([*sections, *compared(cut, cut)])))


def test_tiles_tell_rate_time_wrong_words_look_ahead_and_what_is_sent_for_an_update() -> None:
    tiles = tiles_in(sections_of(RUN))
    assert [(tile.title, tile.value, tile.unit) for tile in tiles] == [
        ("Updates per second", "0.0500", "GUP/s"),
        ("Time of a repetition", "20", "ms"),
        ("Wrong words", "0", ""),
        ("Maximum look-ahead", "919", "of 1024"),
        ("Sent per update", "8", "B"),
    ]
    assert plain(tiles[0].interval) == "[0.0450, 0.0550] GUP/s, 94 %, 5 samples"
    expected = ["in 0.0100 messages", "800 B per message", "0 handed on through shared memory"]
    assert tiles[4].lines == expected


def test_updates_have_their_thousands_apart() -> None:
    tiles = tiles_in(sections_of(changed(RUN, updates=1234567, errors=4321, table_words=1 << 23)))
    assert tiles[1].lines == ["1,234,567 updates in all"]
    assert tiles[2].value == "4,321"
    assert tiles[2].lines[0] == "of 8,388,608 in the table, over all repetitions"
    assert "; 1,234,567 updates per run (" in leads_in(sections_of(study(updates=1234567)))[0]


@pytest.mark.parametrize(("mode", "holder"), [(1, "core"), (6, "node"), (7, "core"), (8, "node")])
def test_look_ahead_is_that_of_a_node_where_a_node_has_the_limit(mode: int, holder: str) -> None:
    ahead = tiles_in(sections_of(changed(RUN, mapping_mode=mode)))[3]
    assert ahead.lines[0].endswith(f"by a {holder}")


def test_loads_are_bars_of_work_and_waiting_for_each_role_with_intervals() -> None:
    sections = sections_of(RUN)
    chart = drawing_in(sections, "randomaccess-loads", StripChart)
    assert chart.bars
    assert [one.name for one in chart.legend] == ["worked", "waited"]
    assert [(strip.name, [lane.value for lane in strip.lanes]) for strip in chart.strips] == [
        ("generate (1 rank)", [0.015, 0.005]),
        ("update (1 rank)", [0.005, 0.015]),
    ]
    assert all(lane.low < lane.high for strip in chart.strips for lane in strip.lanes)
    assert plain(rows_in(sections, "randomaccess-loads")[0][4]) == "75 %"


def test_repetitions_are_dots_over_their_median_in_the_unit_of_the_tile() -> None:
    sections = sections_of(RUN)
    (lane,) = drawing_in(sections, "steadiness", StripChart).strips[0].lanes
    assert lane.dots == pytest.approx([0.8, 1, 1.2])
    assert tiles_in(sections)[0].unit == "GUP/s"
    assert lane.text.startswith("0.0500 GUP/s")
    assert rows_in(sections, "steadiness")[0][5] == "0.0400 GUP/s"


def test_ranks_are_one_line_for_each_role_and_what_is_zero_for_all_of_them_is_left_out() -> None:
    sections = sections_of(RUN)
    series = drawing_in(sections, "ranks-time-worked", LineChart).series
    assert [(one.name, [(point.x, point.y) for point in one.points]) for one in series] == [
        ("generate", [(0, 0.015)]),
        ("update", [(1, 0.005)]),
    ]
    figure = figure_in(sections, "ranks-time-worked")
    assert "Least: rank 1 (one; update), 5 ms" in figure.what
    assert "Most: rank 0 (one; generate), 15 ms" in figure.what
    assert figure.table is not None
    assert figure.table.columns[-1] == "role"
    assert not any("handed" in one.id for one in figures_in(sections))


def test_roles_keep_their_colour_on_machines_that_have_only_some_of_them() -> None:
    spread = sections_of(changed(RUN, launch=launch_of(placement=TWO_MACHINES, nodes=2)))
    chart = drawing_in(spread, "machines-time-worked", StripChart)
    assert [[lane.tone for lane in strip.lanes] for strip in chart.strips] == [[0], [1]]
    assert [one.name for one in chart.legend] == ["generate", "update"]


def test_the_plan_tells_what_was_run_and_where_without_what_random_access_has_not() -> None:
    reported = dict(rows_in(sections_of(RUN), "plan"))
    assert reported["algorithm"] == "route on a grid of 2x1"
    assert reported["table"] == "1,048,576 words, 8 MiB"
    assert reported["ranks"] == "2"
    assert not {"BLAS", "budget"} & reported.keys()


SLOW = changed(
    RUN,
    gups=measured(0.025, "GUP/s"),
    algorithm="direct",
    grid=[],
    exchange=Exchange(messages=0.04, bytes=16, handed=0),
)


def test_runs_are_compared_by_rate_with_ratio_and_by_what_they_send_for_an_update() -> None:
    sections = compared(RUN, SLOW)
    first, second = rows_in(sections, "randomaccess-runs")
    assert first[:3] == ["one", "route on a grid of 2x1", 2]
    assert second[5:] == [0, 919, "0.0400", "16 B", "0"]
    ratio = drawing_in(sections, "randomaccess-ratios", StripChart).strips[0].lanes[0]
    assert ratio.value == 0.5
    assert ratio.low < 0.5 < ratio.high
    sent = drawing_in(sections, "randomaccess-sent-messages", StripChart).strips
    assert [strip.lanes[0].value for strip in sent] == [0.01, 0.04]


def test_a_comparison_says_in_what_the_runs_differed_and_leaves_out_what_no_run_sends() -> None:
    sections = compared(RUN, SLOW)
    assert [row[0] for row in rows_in(sections, "randomaccess-differences")] == ["algorithm"]
    assert not any("handed" in one.id for one in figures_in(sections))


def test_a_run_beside_records_of_other_kinds_is_not_compared() -> None:
    assert compared(RUN, owners(lookup(3, 2.0))) == []


# ---- lookups of owners -------------------------------------------------------------------------------------


def lookup(parts: int, ratio: float, **changes: Any) -> OwnerLookup:
    whole: dict[str, Any] = {
        "parts": parts,
        "table_words": 2**27,
        "divided": measured(ratio * 5e-10, "s"),
        "predicted": measured(5e-10, "s"),
        "ratio": measured(ratio, "ratio"),
    }
    return OwnerLookup(**{**whole, **changes})


def owners(*lookups: OwnerLookup) -> Record[OwnerFacts]:
    return record_of("randomaccess_owner", OwnerFacts(lookups=list(lookups)))


OWNERS = owners(
    lookup(3, 3.0),
    lookup(96, 0.99),
    lookup(12288, 2.0, predicted=None, searched=measured(6e-10, "s")),
)


def test_a_record_of_lookups_has_verdict_and_results_and_no_tree_of_facts() -> None:
    assert ids_of(OWNERS) == ["verdict", "results", "environment", "method"]
    assert_whole(figures_in(sections_of(OWNERS)))


def test_tiles_tell_the_least_and_the_most_that_a_division_costs() -> None:
    assert [(tile.value, tile.lines[0]) for tile in tiles_in(sections_of(OWNERS))] == [
        ("0.990", "as long as prediction, with 96 parts"),
        ("3", "as long as prediction, with 3 parts"),
    ]


def test_lookups_are_lines_over_the_number_of_parts_one_for_each_way() -> None:
    series = drawing_in(sections_of(OWNERS), "randomaccess-lookups", LineChart).series
    assert [(one.name, [point.x for point in one.points]) for one in series] == [
        ("division", [3, 96, 12288]),
        ("prediction", [3, 96]),
        ("search", [12288]),
    ]


def test_ratios_name_the_way_without_a_division_and_mark_1() -> None:
    chart = drawing_in(sections_of(OWNERS), "randomaccess-owner-ratios", StripChart)
    assert chart.marks == [1]
    names = ["3 parts, prediction", "96 parts, prediction", "12,288 parts, search"]
    assert [strip.name for strip in chart.strips] == names


def test_a_record_without_lookups_says_so() -> None:
    assert "No lookup" in notes_in(sections_of(owners()))[0]


def test_lookups_of_several_records_are_compared_number_by_number() -> None:
    sections = compared(owners(lookup(3, 3.0)), owners(lookup(3, 6.0)))
    assert_whole(figures_in(sections))
    assert [(row[0], row[4]) for row in rows_in(sections, "randomaccess-owners-headlines")] == [
        ("3 parts, by division", "higher"),
        ("3 parts, by prediction", "indistinguishable"),
    ]


# ---- errors of a shared table ------------------------------------------------------------------------------

TABLE_WORDS = 1_000_000
"""So that wrong words are parts per million."""

RUN_SECONDS = 0.04
"""A run of each strategy takes this long; with the facts below, 0.1 GUP/s."""


def error_rate(wrong_words: Sequence[int]) -> ErrorRate:
    rates = [words / TABLE_WORDS for words in wrong_words]
    ordered, mean = sorted(rates), statistics.fmean(rates)
    deviation = statistics.stdev(rates) if len(rates) > 1 else None
    least, first, median, third, most = (
        ordered[round(share * (len(ordered) - 1))] for share in (0, 0.25, 0.5, 0.75, 1)
    )
    return ErrorRate(
        runs=len(rates),
        mean=mean,
        standard_deviation=deviation,
        relative=deviation / mean if deviation is not None and mean > 0 else None,
        min=least,
        p25=first,
        p50=median,
        p75=third,
        max=most,
        wrong_runs=sum(words > 0 for words in wrong_words),
        wrong_words=sum(wrong_words),
        rates=rates,
    )


def strategy(name: str, speed: float, wrong_words: Sequence[int] = (0, 0, 0)) -> Strategy:
    """`speed` is relative to one thread, which makes 0.1 GUP/s."""
    return Strategy(
        name=name,
        exact=name != "unsynchronised",
        threads=1 if name == "serial" else 2,
        gups=measured(0.1 * speed, "GUP/s"),
        error_rate=error_rate(wrong_words),
        to_serial=measured(speed, "ratio"),
        to_unsynchronised=measured(speed / 2, "ratio"),
    )


STRATEGIES = [strategy("serial", 1), strategy("unsynchronised", 2, (0, 10, 50)), strategy("atomic", 0.5)]


def study(*strategies: Strategy, **changes: Any) -> Record[ErrorFacts]:
    some = list(strategies or STRATEGIES)
    whole: dict[str, Any] = {
        "table_words": TABLE_WORDS,
        "updates": 4 * TABLE_WORDS,
        "threads": 2,
        "success": True,
        "strategies": some,
    }
    times = [RUN_SECONDS, 2 * RUN_SECONDS, 4 * RUN_SECONDS]
    timed = [({"unit": "s", "series": "time", "strategy": one.name}, times) for one in some]
    facts = ErrorFacts(**{**whole, **changes})
    return record_of("randomaccess_errors", facts, samples=samples_of("errors", *timed))


STUDY = sections_of(study())


def test_a_study_of_errors_has_its_sections_in_reading_order_and_no_tree_of_facts() -> None:
    assert ids_of(study()) == ["verdict", "results", "environment", "method", "samples"]


def test_one_run_is_not_all_of_its_runs() -> None:
    banner = banner_in(sections_of(study(strategy("serial", 1, (0,)))))
    assert banner.title == "Validation passed: exact in 1 run: serial"


def test_every_figure_of_a_study_is_whole() -> None:
    assert_whole(figures_in(STUDY))


def test_the_verdict_names_the_exact_strategies_and_tells_what_no_synchronisation_costs_and_gains() -> None:
    banner = banner_in(STUDY)
    loose, exact = map(plain, banner.lines)
    assert banner.outcome == "good"
    assert banner.title == "Validation passed: exact in all of 6 runs: serial and atomic"
    assert loose.startswith("unsynchronised left wrong words in 2 of 3 runs, 20 ppm ± 26.5")
    assert "largest 50 ppm; the rules allow 10,000 ppm" in loose
    assert "2 x [1.80, 2.20] as fast as one thread" in loose
    assert "atomic was the fastest: only 0.25" in exact


def test_the_verdict_of_a_strategy_that_must_be_exact_and_was_not_is_bad() -> None:
    banner = banner_in(sections_of(study(*STRATEGIES, strategy("owner", 1, (0, 0, 4)), success=False)))
    assert banner.outcome == "bad"
    assert "owner must not lose an update and did" in banner.title
    assert banner.lines == ["owner: 4 wrong words in 1 of 3 runs, 0 allowed."]


def test_a_gain_that_the_interval_leaves_open_is_reported_as_such() -> None:
    banner = banner_in(sections_of(study(strategy("unsynchronised", 1, (1, 1)))))
    assert "it is open which is faster" in banner.lines[0]


def test_the_tile_of_the_error_rate_has_mean_deviation_and_runs() -> None:
    errors, loose, *_ = tiles_in(STUDY)
    assert (errors.value, errors.unit) == ("20", "ppm")
    assert errors.interval == "± 26.5 ppm, standard deviation"
    assert list(errors.lines[:2]) == ["of the table's words; mean of 3 runs", "2 of them with wrong words"]
    assert (loose.value, loose.unit) == ("0.200", "GUP/s")


def test_the_trade_off_places_each_strategy_at_its_relative_rate_and_its_error_rate() -> None:
    chart = drawing_in(STUDY, "randomaccess-trade-off", ScatterChart)
    assert chart.y.scale == "zero-log10"
    assert [(one.name, one.x.value, round(one.y.value), round(one.y.high)) for one in chart.points] == [
        ("serial", 1, 0, 0),
        ("unsynchronised", 2, 20, 50),
        ("atomic", 0.5, 0, 0),
    ]


def test_without_a_serial_run_the_trade_off_is_relative_to_threads_that_do_not_synchronise() -> None:
    others = [replaced(one, to_serial=None) for one in STRATEGIES[1:]]
    chart = drawing_in(sections_of(study(*others)), "randomaccess-trade-off", ScatterChart)
    assert "do not synchronise" in chart.x.title
    assert [one.x.value for one in chart.points] == [1, 0.25]


def test_a_strategy_alone_has_no_trade_off() -> None:
    alone = figures_in(sections_of(study(STRATEGIES[0])))
    assert not any(one.id == "randomaccess-trade-off" for one in alone)


def test_error_rates_are_a_dot_for_each_run_with_mean_and_deviation_over_an_axis_that_has_zero() -> None:
    chart = drawing_in(STUDY, "randomaccess-error-rates", StripChart)
    (lane,) = chart.strips[1].lanes
    assert chart.x.scale == "zero-log10"
    assert [round(dot) for dot in lane.dots] == [0, 10, 50]
    assert (round(lane.value), lane.low, round(lane.high)) == (20, 0, 46)
    assert chart.strips[0].lanes[0].text == "none in 3 runs"
    assert chart.marks == [10000]


def test_a_damaged_run_that_took_no_time_has_no_rate() -> None:
    record = study()
    for samples in record.samples.values():
        samples.values = [[0.0, *values[1:]] for values in samples.values]
    dots = drawing_in(sections_of(record), "randomaccess-rates", StripChart).strips[0].lanes[0].dots
    assert [round(rate, 3) for rate in dots] == [0.05, 0.025]


def test_rates_have_a_dot_for_each_run_and_can_be_seen_relative_to_one_thread() -> None:
    dots = drawing_in(STUDY, "randomaccess-rates", StripChart).strips[0].lanes[0].dots
    assert [round(rate, 3) for rate in dots] == [0.1, 0.05, 0.025]
    assert [row[0] for row in rows_in(STUDY, "randomaccess-to-serial")] == [
        "serial",
        "unsynchronised",
        "atomic",
    ]


def test_a_study_of_a_single_run_has_no_deviation() -> None:
    sections = sections_of(study(strategy("unsynchronised", 2, (7,))))
    assert tiles_in(sections)[0].interval == "one run"
    row = rows_in(sections, "randomaccess-error-rates")[0]
    assert row[2:8] == [1, 1, 7, "7 ppm", ABSENT, None]


def test_facts_that_are_none_of_a_study_are_shown_as_a_tree() -> None:
    assert figure_in(sections_of(record_of("randomaccess_errors", {"later": 1})), "facts")


def test_several_studies_show_wrong_words_over_the_updates_of_a_run_in_their_order() -> None:
    more = study(strategy("unsynchronised", 2, (100, 300)), updates=16 * TABLE_WORDS)
    sections = compared(more, study())
    (series,) = drawing_in(sections, "randomaccess-errors-over-updates", LineChart).series
    assert series.name == "unsynchronised"
    points = [(point.x, round(point.y), point.note) for point in series.points]
    assert points == [(4, 20, "two"), (16, 200, "one")]
    assert_whole(figures_in(sections))
    headlines = rows_in(sections, "randomaccess-studies-headlines")
    assert headlines[0][0] == "unsynchronised, updates in a second"


def test_studies_without_any_wrong_word_have_no_drawing_of_them() -> None:
    exact = study(*(one for one in STRATEGIES if one.exact))
    sections = compared(exact, exact)
    assert not any(one.id == "randomaccess-errors-over-updates" for one in figures_in(sections))
    assert figure_in(sections, "randomaccess-studies-ratios")


# ---- a search for the bottleneck ---------------------------------------------------------------------------


def role_of(role: str, dropped: float | None, delayed: float) -> RoleLoad:
    return RoleLoad(
        role=role,
        ranks=1,
        dropped=None if dropped is None else measured(dropped, "s"),
        delayed=measured(delayed, "s"),
        response=measured(0.5, "ratio"),
    )


SEARCH = record_of(
    "randomaccess_bottleneck",
    BottleneckFacts(
        ranks=4,
        table_words=2**20,
        update_time=measured(8e-9, "s"),
        roles=[role_of("generate", 4e-9, 4e-9), role_of("update", 8e-9, 8e-9)],
        messages=[role_of("send", None, 1e-9)],
        by_dropping="update",
        by_delaying="update",
        checks=[check_of("wrong words")],
        success=True,
    ),
)


def test_a_search_says_which_role_limits_and_that_it_is_no_result() -> None:
    sections = sections_of(SEARCH)
    assert_whole(figures_in(sections))
    assert banner_in(sections).outcome == "good"
    assert "no time here is a figure of the benchmark" in banner_in(sections).lines[0]
    assert tiles_in(sections)[0].value == "update"


def test_loads_of_roles_stand_beside_those_of_messages() -> None:
    strips = drawing_in(sections_of(SEARCH), "randomaccess-bottleneck", StripChart).strips
    assert [(one.name, len(one.lanes)) for one in strips] == [("generate", 2), ("update", 2), ("send", 1)]


def test_a_search_without_a_run_says_so() -> None:
    empty = changed(SEARCH, roles=[], messages=[], by_dropping=None, by_delaying=None, success=None)
    sections = sections_of(empty)
    assert banner_in(sections).outcome == "warn"
    assert notes_in(sections) == ["No run with an intervention was completed."]
