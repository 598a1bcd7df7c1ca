"""What the page shows of the balance of systems."""

from __future__ import annotations

import msgspec
import pytest

from groma.balance.infer import facts_of
from groma.balance.ratios import accumulated_of
from groma.balance.reference import shipped, systems_of
from groma.facts.balance import BalanceFacts, System
from groma.report.blocks import LineChart, RadarChart, SystemCell, SystemChart
from groma.report.payload import encode, page_of
from groma.report.renderers import plain
from groma.report.terminal import document_of
from groma.report.views.balance.rows import Column, chart_of, entries_of, platforms_together, table_of
from groma.report.views.registry import sections_of
from groma.report.views.test_support import (
    assert_whole,
    drawing_in,
    figure_in,
    figures_in,
    ids_of,
    leads_in,
    notes_in,
    record_of,
    rows_in,
    tiles_in,
)
from groma.stats.quotient import one_sample

UNITS = {
    "hpl_mpi": "flop/s",
    "dgemm_star": "flop/s",
    "fft_mpi": "flop/s",
    "ptrans_mpi": "B/s",
    "copy_star": "B/s",
    "triad_star": "B/s",
    "random_access_mpi": "update/s",
    "natural_ring_bandwidth": "B/s",
    "random_ring_bandwidth": "B/s",
    "ping_pong_bandwidth_min": "B/s",
    "random_ring_latency": "s",
    "ping_pong_latency_max": "s",
}
VALUES = (1e12, 8e10, 5e10, 4e10, 2e10, 2e10, 1e8, 2e9, 1e9, 4e9, 4e-6, 2e-6)


def system(number: int, ranks: int = 16) -> System:
    """Each is faster than the one before, four of them on one platform."""
    quantities = {
        name: one_sample(value * (1 + number / 10), unit, "")
        for (name, unit), value in zip(UNITS.items(), VALUES, strict=True)
    }
    return System(
        name=f"system {number}",
        source=f"{number}.txt",
        platform=f"platform {number // 4}",
        ranks=ranks,
        threads=1,
        nodes=4,
        quantities=quantities,
        accumulated=accumulated_of(quantities, ranks),
    )


PAPER = systems_of(shipped("paper"))


def page(count: int, references: list[System] = PAPER) -> BalanceFacts:
    return facts_of([*map(system, range(count)), *references])


SECTIONS = sections_of(record_of("balance", page(1)))


def test_a_balance_has_its_sections_in_reading_order() -> None:
    expected = ["verdict", "systems", "balance", "messages", "scaling", "reference", "environment", "method"]
    assert ids_of(record_of("balance", page(1))) == expected


@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_every_figure_is_whole_for_any_number_of_systems(count: int) -> None:
    assert_whole(figures_in(sections_of(record_of("balance", page(count)))))


def test_a_system_without_anything_measured_is_no_error() -> None:
    empty = System(name="killed", source="killed.txt")
    for facts in (facts_of([empty]), facts_of([empty, system(1)])):
        assert_whole(figures_in(sections_of(record_of("balance", facts))))


def test_nothing_is_drawn_over_an_hpl_of_zero() -> None:
    without = system(0)
    none = {**without.quantities, "hpl_mpi": one_sample(0.0, "flop/s", "")}
    stopped = msgspec.structs.replace(without, quantities=none, accumulated=accumulated_of(none, 16))
    facts = facts_of([stopped, system(1), *PAPER])
    assert_whole(figures_in(sections_of(record_of("balance", facts))))


@pytest.mark.parametrize("part", ["ratios", "table1"])
def test_a_balance_from_which_ratios_or_rows_were_deleted_is_shown_without_them(part: str) -> None:
    whole = page(2)
    kept = [one for one in getattr(whole, part) if one.system != "system 0"]
    cut = record_of("balance", msgspec.structs.replace(whole, **{part: kept}))
    assert_whole(figures_in(sections_of(cut)))
    assert "system 1" in plain(document_of(cut, []))


def test_ratios_of_a_newer_version_have_their_names() -> None:
    facts = page(2)
    statements = [msgspec.structs.replace(one, ratio="star_of_2030") for one in facts.statements]
    assert statements
    relative = {"star_of_2030": one_sample(1.0, "ratio", "")}
    ratios = [msgspec.structs.replace(one, relative=relative) for one in facts.ratios]
    readings = [msgspec.structs.replace(one, ratio="star_of_2030") for one in facts.readings]
    newer = msgspec.structs.replace(facts, statements=statements, ratios=ratios, readings=readings)
    record = record_of("balance", newer)
    assert "star_of_2030" in str(rows_in(sections_of(record), "balance-statements"))
    assert "star_of_2030" in plain(document_of(record, []))


def test_the_user_stands_out_among_the_systems_of_the_paper_best_first() -> None:
    chart = drawing_in(SECTIONS, "balance-table1", SystemChart)
    assert [row.name for row in chart.rows if row.marked] == ["system 0"]
    balances = [cell.value for row in chart.rows if (cell := row.cells[-1]) and cell.value]
    assert balances == sorted(balances, reverse=True)
    assert len(chart.rows) == 29
    assert ("source", "0.txt") in chart.rows[[row.name for row in chart.rows].index("system 0")].details


def test_bars_are_relative_to_the_largest_of_their_column() -> None:
    chart = drawing_in(SECTIONS, "balance-table1", SystemChart)
    for column in range(len(chart.columns)):
        shares = [cell.share for row in chart.rows if (cell := row.cells[column]) and cell.share is not None]
        assert not shares or max(shares) == 1


def test_a_value_that_was_not_determined_has_no_bar_and_no_number() -> None:
    facts = page(2, [])
    one = facts.systems[0]
    unknown = msgspec.structs.replace(one.accumulated["hpl"], value=1e30, confidence=0.0, samples=None)
    doubtful = msgspec.structs.replace(one, name="doubtful", accumulated={**one.accumulated, "hpl": unknown})
    entries = entries_of(facts_of([doubtful, *facts.systems[1:]]))
    column = Column("HPL", lambda entry: entry.system.accumulated["hpl"])
    chart = chart_of(entries, [column])
    cells = {row.name: cell for row in chart.rows for cell in row.cells if cell}
    assert cells["doubtful"] == SystemCell(text="not determined")
    assert (chart.columns[0].unit, cells["system 1"].share) == ("Tflop/s", 1)
    assert [None] in [row[1:] for row in table_of(entries, [column]).rows]


def test_where_all_are_the_users_none_is_marked() -> None:
    sections = sections_of(record_of("balance", page(3, [])))
    chart = drawing_in(sections, "balance-table1", SystemChart)
    assert not any(row.marked for row in chart.rows)


def test_bands_of_figure_1_share_a_scale() -> None:
    chart = drawing_in(SECTIONS, "balance-messages", SystemChart)
    bands = [column.group for column in chart.columns]
    assert list(dict.fromkeys(bands)) == ["latency", "bandwidth", "speed", "ratio"]
    largest = [
        max((cell.share or 0 for row in chart.rows if (cell := row.cells[place])), default=0)
        for place, band in enumerate(bands)
        if band == "bandwidth"
    ]
    assert max(largest) == 1
    assert min(largest) < 1


def test_platforms_stay_together_in_figure_1() -> None:
    entries = platforms_together([one for one in entries_of(page(8)) if one.system.ranks])
    platforms = [one.system.platform for one in entries]
    assert platforms == [name for name in dict.fromkeys(platforms) for _ in range(platforms.count(name))]


def test_figures_4_to_6_have_1_as_the_best_of_each_column() -> None:
    sections = sections_of(record_of("balance", page(5, [])))
    rows = rows_in(sections, "balance-relative")
    for column in range(1, 10):
        values = [row[column] for row in rows if row[column] is not None]
        assert max(values) == pytest.approx(1)


def test_the_kiviat_diagram_shows_some_and_offers_all() -> None:
    shapes = drawing_in(sections_of(record_of("balance", page(10))), "balance-kiviat", RadarChart).shapes
    assert [shape.shown for shape in shapes] == [True] * 4 + [False] * 6


def test_a_best_value_without_any_other_is_not_passed_off_as_the_best() -> None:
    for name in ("balance-relative", "balance-kiviat"):
        alone = figure_in(SECTIONS, name).what
        assert "Only system 0 has DGEMM, FFT, PTRANS" in alone
        (remark,) = alone[alone.index("Only system 0") :].splitlines()
        assert "Random ring" not in remark, "the paper has random rings"
        assert "Only system" not in figure_in(sections_of(record_of("balance", page(2))), name).what


def test_a_test_of_one_system_is_no_scaling() -> None:
    names = {one.id for one in figures_in(SECTIONS)}
    assert "balance-random-ring-accumulated" in names
    assert "balance-fft-accumulated" not in names


@pytest.mark.parametrize(
    "name", ["random-ring", "stream-copy", "stream-triad", "fft", "natural-ring", "ptrans"]
)
def test_scaling_is_drawn_logarithmic_and_its_ratio_linear(name: str) -> None:
    sections = sections_of(record_of("balance", page(8)))
    whole = drawing_in(sections, f"balance-{name}-accumulated", LineChart)
    ratio = drawing_in(sections, f"balance-{name}-ratio", LineChart)
    assert (whole.x.scale, whole.y.scale, ratio.y.scale) == ("log10", "log10", "linear")
    for one, other in zip(whole.series, ratio.series, strict=True):
        for point, share in zip(one.points, other.points, strict=True):
            assert share.y == pytest.approx(1000 * point.y / point.x)


def test_curves_join_the_systems_of_one_platform_alone() -> None:
    series = drawing_in(
        sections_of(record_of("balance", page(8))), "balance-random-ring-accumulated", LineChart
    ).series
    joined = {one.name: len(one.points) for one in series if one.joined}
    assert joined["platform 0"] == joined["platform 1"] == 4
    assert joined["Cray X1"] == 5
    assert sum(len(one.points) for one in series) == 8 + 28


def test_many_platforms_do_not_become_many_curves() -> None:
    series = drawing_in(
        sections_of(record_of("balance", page(100))), "balance-random-ring-accumulated", LineChart
    ).series
    assert len(series) <= 14
    assert sum(len(one.points) for one in series) == 128


def test_words_stand_beside_the_figure_that_shows_them() -> None:
    notes = notes_in(SECTIONS)
    assert any(note.startswith("Network starved, Random ring / HPL below 20 B/kflop") for note in notes)
    (tile,) = tiles_in(SECTIONS)
    assert (tile.value, tile.unit) == ("16", "B/kflop")
    assert "place 25 of 29" in tile.lines


def test_a_system_without_ratios_is_not_ranked_and_the_reason_stands_in_its_tile() -> None:
    reason = "HPL used 4 of 16 ranks"
    own = system(1)
    quantities = accumulated_of(own.quantities, own.ranks, whole_hpl=False)
    doubtful = msgspec.structs.replace(own, no_ratios=reason, accumulated=quantities)
    sections = sections_of(record_of("balance", facts_of([system(0), doubtful])))
    ranked, unranked = tiles_in(sections)
    assert (unranked.value, unranked.lines) == ("no balance", [reason])
    assert "place 1 of 1" not in ranked.lines
    assert f"system 1: no ratio to HPL is given: {reason}." in notes_in(sections)
    (row,) = [
        one for one in drawing_in(sections, "balance-table1", SystemChart).rows if one.name == "system 1"
    ]
    assert ("no ratios to HPL", reason) in row.details


def test_the_page_says_of_how_many_systems_there_are_tiles() -> None:
    sections = sections_of(record_of("balance", page(14)))
    assert len(tiles_in(sections)) == 6
    (lead,) = leads_in(sections)
    assert lead.endswith("The first 6 stand here, and all in the tables below.")
    assert "first" not in "".join(leads_in(sections_of(record_of("balance", page(6)))))


def test_bars_relative_to_the_best_are_its_share_and_the_text_names_a_best_without_a_row() -> None:
    fast = one_sample(9e12, "flop/s", "")
    alone = System(name="only HPL", source="", reference=True, accumulated={"hpl": fast})
    sections = sections_of(record_of("balance", page(2, [alone])))
    figure = figure_in(sections, "balance-relative")
    (column,) = [
        i for i, one in enumerate(drawing_in(sections, figure.id, SystemChart).columns) if one.title == "HPL"
    ]
    cells = [row.cells[column] for row in drawing_in(sections, figure.id, SystemChart).rows]
    assert all(cell and cell.share == pytest.approx(cell.value, abs=1e-3) for cell in cells)
    assert max(cell.share or 0 for cell in cells if cell) < 0.2
    assert "The best HPL is that of only HPL, which has no row here." in figure.what
    assert "no row here" not in figure_in(sections_of(record_of("balance", page(2, []))), figure.id).what


def test_the_arithmetic_of_the_paper_is_shown_with_what_differs_first() -> None:
    rows = rows_in(SECTIONS, "balance-printed")
    verdicts = [row[5] for row in rows]
    assert verdicts.index("reproduced") == len(verdicts) - verdicts.count("reproduced")
    assert "inconsistent" in verdicts


def test_a_platform_is_read_at_the_speed_that_was_asked_for() -> None:
    facts = facts_of([*map(system, range(4))], at=1.05e12)
    sections = sections_of(record_of("balance", facts))
    assert figure_in(sections, "balance-readings").title == "Platforms at 1.05 Tflop/s"


def test_the_payload_of_100_systems_stays_small() -> None:
    record = msgspec.structs.replace(record_of("balance", page(100)))
    assert len(encode(page_of([("100 systems", record)]))) < 1_000_000
