"""Records of several kinds make one page that is read, and printed, from top to bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.report.blocks import Heading
from groma.report.payload import Page, encode, page_of
from groma.report.views.test_support import figures_in, record_of

if TYPE_CHECKING:
    from groma.record import Record

HOST = {"captured": "", "host": "walnut", "cpu": {"model": "Xeon 6148"}}


def joined(*kinds: str, **more: Any) -> Page:
    return page_of([(f"r{number}", record_of(kind, {}, **more)) for number, kind in enumerate(kinds)])


def test_every_record_has_a_chapter_and_the_environments_stand_at_the_end() -> None:
    (one,) = joined("hpcc", "astrolabe", environment=HOST).records
    titles = [section.title for section in one.sections]
    assert titles[:2] == ["HPC Challenge: r0", "Astrolabe: r1"]
    assert titles[2] == "Environment"
    environment = one.sections[2]
    assert [block.text for block in environment.blocks if isinstance(block, Heading)] == titles[:2]


def test_figures_of_different_records_keep_apart() -> None:
    (one,) = joined("hpcc", "astrolabe", "survey", environment=HOST).records
    names = [figure.id for figure in figures_in(one.sections)]
    assert len(names) == len(set(names))
    assert len({section.id for section in one.sections}) == len(one.sections)


def test_records_of_one_kind_stay_to_choose_from() -> None:
    assert [one.name for one in joined("hpcc", "hpcc").records] == ["r0", "r1"]


def test_the_title_is_the_machine_that_all_are_of() -> None:
    assert joined("hpcc", "astrolabe", environment=HOST).title == "Report: Xeon 6148"
    other: Record[Any] = record_of("survey", {}, environment={"captured": "", "host": "oak"})
    page = page_of([("a", record_of("hpcc", {}, environment=HOST)), ("b", other)])
    assert page.title == "2 records"


def test_a_joined_page_is_plain_json() -> None:
    assert b'"heading"' in encode(joined("hpcc", "astrolabe"))
