from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.comparison import (
    Changed,
    ComparedQuantity,
    ComparedRecord,
    ComparisonFacts,
    Difference,
    GateResult,
)
from groma.report.blocks import Banner, Figure, StripChart
from groma.report.renderers import plain
from groma.report.terminal import document_of
from groma.report.views.registry import sections_of
from groma.report.views.test_support import measured, record_of
from groma.report.words.comparison import summaries_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.record import Record


def ratio(value: float) -> Changed:
    verdict = "worse" if value < 1 else "same"
    return Changed(
        verdict=verdict,  # type: ignore[arg-type]
        value=measured(value * 1e10, "B/s"),
        ratio=measured(value, "ratio", low=0.99 * value, high=1.01 * value),
    )


def comparison(quantities: int = 3, others: int = 1) -> Record[ComparisonFacts]:
    records = [
        ComparedRecord(name=f"r{number}", file=f"r{number}.json", created="") for number in range(others + 1)
    ]
    compared = [
        ComparedQuantity(
            name=f"hpcc.stream.s{number}.star",
            unit="B/s",
            better="higher",
            first=measured(1e10, "B/s"),
            others=[ratio(0.9 if number % 2 else 1.0)] * others,
        )
        for number in range(quantities)
    ]
    differences = [Difference(of="machine", what="kernel", values=["6.1"] + ["6.2"] * others)]
    return record_of(
        "comparison",
        ComparisonFacts(of="hpcc", records=records, differences=differences, quantities=compared),
    )


def blocks(record: Record[ComparisonFacts], section: str) -> list[object]:
    return [block for one in sections_of(record) if one.id == section for block in one.blocks]


def figure(record: Record[ComparisonFacts], name: str) -> Figure:
    (found,) = (
        block
        for section in sections_of(record)
        for block in section.blocks
        if isinstance(block, Figure) and block.id == name
    )
    return found


def test_a_quantity_of_an_edited_file_that_lost_a_record_shows_the_others() -> None:
    record = comparison(quantities=1, others=2)
    del record.facts.quantities[0].others[1]
    table = figure(record, "comparison-quantities").table
    assert table is not None
    assert len(table.rows) == 1


def test_an_edited_file_without_records_is_shown() -> None:
    record = comparison()
    record.facts.records.clear()
    assert sections_of(record)
    assert plain(document_of(record, ()))


def test_differences_stand_before_the_verdict() -> None:
    kinds = [type(block) for block in blocks(comparison(), "verdict")]
    assert kinds.index(Figure) < kinds.index(Banner)


def test_only_changes_that_count_are_drawn_and_all_are_in_the_table() -> None:
    drawing = figure(comparison(), "comparison-changes").drawing
    assert isinstance(drawing, StripChart)
    assert [strip.name for strip in drawing.strips] == ["stream.s1.star"]
    assert drawing.marks == [1]
    table = figure(comparison(), "comparison-quantities").table
    assert table is not None
    assert [row[1] for row in table.rows] == ["worse", "same", "same"]


def test_a_hundred_records_have_a_lane_each() -> None:
    drawing = figure(comparison(quantities=4, others=99), "comparison-changes").drawing
    assert isinstance(drawing, StripChart)
    assert [len(strip.lanes) for strip in drawing.strips] == [99, 99]


def lane_texts(others: int) -> set[str]:
    drawing = figure(comparison(quantities=2, others=others), "comparison-changes").drawing
    assert isinstance(drawing, StripChart)
    assert len(drawing.legend) == (others if others < 7 else 0)
    return {lane.text for strip in drawing.strips for lane in strip.lanes}


def test_no_name_of_a_record_hides_a_change() -> None:
    assert lane_texts(others=1) == {"-10.0 % [-10.9, -9.1], worse"}
    assert lane_texts(others=6) == {f"-10.0 % [-10.9, -9.1], worse, r{number}" for number in range(1, 7)}
    assert lane_texts(others=7) == {f"-10.0 %, worse, r{number}" for number in range(1, 8)}


def test_the_banner_is_green_only_if_something_was_decided() -> None:
    record = comparison(quantities=1)
    for verdict, expected in (("inconclusive", "warn"), ("missing", "warn"), ("same", "good")):
        record.facts.quantities[0].others[0].verdict = verdict  # type: ignore[assignment]
        (banner,) = (block for block in blocks(record, "verdict") if isinstance(block, Banner))
        assert banner.outcome == expected


def banner(record: Record[ComparisonFacts]) -> Banner:
    (found,) = (block for block in blocks(record, "verdict") if isinstance(block, Banner))
    return found


def test_the_banner_says_what_changed_the_bad_changes_first() -> None:
    two = banner(comparison(quantities=3))
    assert two.title == "r1 against r0: 1 worse, 2 same."
    assert two.lines == ["hpcc.stream.s1.star worse: -10.0 % [-10.9, -9.1]"]
    three = banner(comparison(quantities=8, others=2))
    assert three.title == "r1 and r2 against r0."
    assert three.lines[:3] == [
        "r1: 4 worse, 4 same",
        "r2: 4 worse, 4 same",
        "hpcc.stream.s1.star worse: -10.0 % [-10.9, -9.1], r1",
    ]
    assert three.lines[-1] == "and 4 more, in the changes below"


def test_gates_decide_the_banner_where_there_are_any() -> None:
    record = comparison()
    (banner,) = (block for block in blocks(record, "verdict") if isinstance(block, Banner))
    assert banner.outcome == "bad"
    for outcome, expected in (("passed", "good"), ("undecided", "warn"), ("failed", "bad")):
        record.facts.gates = [
            GateResult(gate="g", record="r1", quantity="q", outcome=outcome, what="w")  # type: ignore[arg-type]
        ]
        (banner,) = (block for block in blocks(record, "verdict") if isinstance(block, Banner))
        assert banner.outcome == expected


def test_the_quantities_are_counted_once_for_all_records() -> None:
    walks = 0

    class Walked(list[ComparedQuantity]):
        def __iter__(self) -> Iterator[ComparedQuantity]:
            nonlocal walks
            walks += 1
            return super().__iter__()

    facts = comparison(quantities=4, others=100).facts
    facts.quantities = Walked(facts.quantities)
    assert summaries_of(facts) == [(f"r{number}", "2 worse, 2 same") for number in range(1, 101)]
    assert walks == 1


def test_a_record_without_quantities_has_nothing_in_common_with_the_first() -> None:
    assert summaries_of(comparison(quantities=0).facts) == [("r1", "nothing in common")]
