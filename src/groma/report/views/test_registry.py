"""Views are found by being there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.facts.survey import NodeFacts, SurveyFacts
from groma.record import Advice
from groma.report import views
from groma.report.blocks import Banner, Callouts, Lead, Note, Tiles
from groma.report.views import registry
from groma.report.views.any.advice import advice
from groma.report.views.registry import load_views, sections_of, view
from groma.report.views.test_support import blocks_in, compared, notes_in, record_of

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from groma.record import Record

PLANTED = """
from groma.report.blocks import Note
from groma.report.views.registry import view

@view("facts", order=9, of=object)
def planted(record):
    return [Note(text="planted")]
"""


def test_a_new_module_is_all_that_a_figure_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "planted.py").write_text(PLANTED, encoding="utf-8")
    monkeypatch.setattr(registry, "_OF_RECORDS", list(registry._OF_RECORDS))
    monkeypatch.setattr(views, "__path__", [*views.__path__, str(tmp_path)])
    load_views.__wrapped__()
    assert "planted" in notes_in(sections_of(record_of("astrolabe", {})))


def test_views_of_a_section_follow_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    load_views()
    monkeypatch.setattr(registry, "_OF_RECORDS", [])
    for order, text in ((2, "second"), (1, "first")):

        @view("facts", order, of=object)
        def shown(_: Record[Any], text: str = text) -> list[Note]:
            return [Note(text=text)]

    assert notes_in(sections_of(record_of("astrolabe", {}))) == ["first", "second"]


def test_views_see_records_of_their_facts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    load_views()
    monkeypatch.setattr(registry, "_OF_RECORDS", [])

    @view("facts", order=0, of=SurveyFacts)
    def shown(record: Record[SurveyFacts]) -> list[Note]:
        return [Note(text=f"{len(record.facts.node.caches)} caches")]

    assert notes_in(sections_of(record_of("survey", SurveyFacts(node=NodeFacts())))) == ["0 caches"]
    assert sections_of(record_of("astrolabe", {})) == []


def test_warnings_stand_above_the_figures_that_they_may_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    load_views()
    shown = [
        Banner(outcome="good", title="passed", lines=[]),
        Lead(text="found"),
        Tiles(tiles=[]),
        Note(text="n"),
    ]
    monkeypatch.setattr(registry, "_OF_RECORDS", [registry._View("verdict", 0, lambda _: shown, object)])
    view("verdict", order=3, of=object)(advice)
    record = record_of("astrolabe", {}, warnings=[Advice(code="a.b", what="busy", next="wait")])
    blocks = [type(one) for one in blocks_in(sections_of(record))]
    assert blocks == [Banner, Lead, Callouts, Tiles, Note]


def test_records_that_have_nothing_in_common_are_not_compared() -> None:
    assert compared(record_of("survey", SurveyFacts(node=NodeFacts())), record_of("astrolabe", {})) == []
