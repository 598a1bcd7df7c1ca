"""The page of a process mapping."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.report.blocks import Banner, Figure, Lead, Note, SystemChart
from groma.report.views.mapping.mapping import results, verdict
from groma.report.views.test_support import compared, rows_in

if TYPE_CHECKING:
    from groma.facts.mapping import MappingFacts
    from groma.record import Record

DATA = Path(__file__).parents[5] / "tests" / "data"


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch) -> Record[MappingFacts]:
    monkeypatch.syspath_prepend(DATA)
    monkeypatch.delitem(sys.modules, "example_run", raising=False)
    made: Record[MappingFacts] = runpy.run_path(str(DATA / "example_mapping.py"))["example_mapping"]()
    return made


def figure(record: Record[MappingFacts], name: str) -> Figure:
    return next(one for one in results(record) if isinstance(one, Figure) and one.id == name)


def notes(record: Record[MappingFacts]) -> list[str]:
    return [one.text for one in verdict(record) if isinstance(one, Note)]


def test_measures_that_no_placement_has_are_no_columns(record: Record[MappingFacts]) -> None:
    chart = figure(record, "mapping-quality").drawing
    assert isinstance(chart, SystemChart)
    assert [one.title for one in chart.columns] == ["hop-bytes", "dilation", "busiest link"]
    assert {len(one.cells) for one in chart.rows} == {3}
    record.facts.quality.modularity = 0.25
    chart = figure(record, "mapping-quality").drawing
    assert isinstance(chart, SystemChart)
    assert [one.cells[3] is not None for one in chart.rows] == [True, False, False, False, False]


def test_ranks_elsewhere_are_told_before_the_quality_that_is_not_theirs(record: Record[MappingFacts]) -> None:
    first = verdict(record)[0]
    assert isinstance(first, Banner)
    assert (first.outcome, first.title) == ("warn", "1 of 16 ranks ran elsewhere than planned.")
    record.facts.verification = None
    assert not any(isinstance(one, Banner) for one in verdict(record))


def test_the_verdict_has_the_remarks(record: Record[MappingFacts]) -> None:
    record.facts.remarks = ["the file does not bind ranks"]
    assert notes(record) == ["the file does not bind ranks"]


def test_the_verdict_calls_a_mapping_the_best_only_where_that_is_proven(
    record: Record[MappingFacts],
) -> None:
    def lead() -> str:
        return next(one.text for one in verdict(record) if isinstance(one, Lead))

    assert "proven" not in lead()
    record.facts.is_optimal = True
    assert lead().endswith("No mapping of these ranks has fewer hop-bytes: this is proven.")


def test_a_rank_elsewhere_is_marked_in_its_row(record: Record[MappingFacts]) -> None:
    table = figure(record, "mapping-ranks").table
    assert table is not None
    assert [row[-1] for row in table.rows][:2] == ["elsewhere", "as planned"]


def test_a_mapping_without_a_matrix_has_places_alone(record: Record[MappingFacts]) -> None:
    facts = msgspec.structs.replace(record.facts, gain=None)
    facts.quality.dilation = None
    bare = msgspec.structs.replace(record, facts=facts)
    assert [one.id for one in results(bare) if isinstance(one, Figure)] == ["mapping-ranks"]


def test_mappings_are_compared_by_what_they_cost(record: Record[MappingFacts]) -> None:
    rows = rows_in(compared(record, record), "mapping-quantities")
    assert {"quality.hop_bytes", "quality.dilation", "quality.max_congestion"} <= {row[0] for row in rows}
