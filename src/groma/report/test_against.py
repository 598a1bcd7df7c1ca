from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.compare.compare import compare
from groma.report.blocks import Choice, DataTable, Figure, Tiles
from groma.report.payload import encode, page_of
from groma.report.views.test_support import record_of
from suite_records import stream, suite_record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.facts.comparison import ComparisonFacts
    from groma.facts.hpcc import HpccFacts
    from groma.facts.survey import SurveyFacts
    from groma.record import Record
    from groma.report.payload import Page

RATES = [1e10 * (1 + 0.001 * step) for step in range(-10, 10)]


@pytest.fixture
def new() -> Record[HpccFacts]:
    """A triad that fell by a tenth, and a copy that stayed."""
    return suite_record(stream({"triad": [0.9 * one for one in RATES], "copy": [1.1 * one for one in RATES]}))


@pytest.fixture
def comparison(new: Record[HpccFacts]) -> Record[ComparisonFacts]:
    old = suite_record(stream({"triad": RATES, "copy": [1.1 * one for one in RATES]}))
    return record_of("comparison", compare([("old", "old.json", old), ("new", "new.json", new)]))


def tables(page: Page) -> Iterator[DataTable]:
    for section in page.records[0].sections:
        for block in section.blocks:
            options = block.options if isinstance(block, Choice) else []
            for figure in [block, *(option.figure for option in options)]:
                if isinstance(figure, Figure) and figure.table is not None:
                    yield figure.table


def test_each_value_has_its_change_beside_it(
    new: Record[HpccFacts], comparison: Record[ComparisonFacts]
) -> None:
    page = page_of([("new", new)], {"new": comparison})
    reported = [table for table in tables(page) if "against old" in table.columns]
    assert reported
    words = [str(cell) for table in reported for row in table.rows for cell in row]
    assert any(word.startswith("-10.0 % [") and word.endswith("worse") for word in words)
    assert any(word.endswith("same") for word in words)
    assert all(len(row) == len(table.columns) for table in reported for row in table.rows)


def test_headline_tiles_tell_their_change(
    new: Record[HpccFacts], comparison: Record[ComparisonFacts]
) -> None:
    page = page_of([("new", new)], {"new": comparison})
    lines = [
        line
        for section in page.records[0].sections
        for block in section.blocks
        if isinstance(block, Tiles)
        for tile in block.tiles
        for line in tile.lines
    ]
    assert any(line.startswith("against old: -10.0 %") for line in lines)


def test_the_comparison_stands_before_the_record(
    new: Record[HpccFacts], comparison: Record[ComparisonFacts]
) -> None:
    page = page_of([("new", new)], {"new": comparison})
    assert [section.title for section in page.comparison] == ["Against old"]
    assert b"Against old" in encode(page)


def test_a_page_without_an_older_record_stays_as_it_is(new: Record[HpccFacts]) -> None:
    assert all("against old" not in table.columns for table in tables(page_of([("new", new)])))


def test_every_table_of_a_survey_keeps_its_shape(survey: Record[SurveyFacts]) -> None:
    facts = compare([("old", "old.json", survey), ("new", "new.json", survey)])
    page = page_of([("new", survey)], {"new": record_of("comparison", facts)})
    assert any("against old" in table.columns for table in tables(page))
    assert all(len(row) == len(table.columns) for table in tables(page) for row in table.rows)
    assert all(not table.units or len(table.units) == len(table.columns) for table in tables(page))
