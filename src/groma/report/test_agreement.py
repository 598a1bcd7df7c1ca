"""The terminal and the page call a thing by the same name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from groma.facts.hpcc import HpccFacts, HpccTest
from groma.facts.randomaccess import RandomAccessFacts
from groma.facts.randomaccess_errors import ErrorFacts
from groma.record.launch import CheckResult
from groma.report.blocks import Choice
from groma.report.document import Pairs, Table, text_of
from groma.report.terminal import document_of
from groma.report.views.registry import sections_of
from groma.report.views.test_support import banner_in, blocks_in, record_of, rows_in, tiles_in

if TYPE_CHECKING:
    from groma.facts.survey import SurveyFacts
    from groma.record import Record


def tables(record: Record[Any], section: str) -> list[Table]:
    (shown,) = document_of(record, [section]).sections
    return [block for block in shown.blocks if isinstance(block, Table)]


def pairs(record: Record[Any]) -> dict[str, str]:
    """All names with their values that a terminal shows at a glance."""
    blocks = [block for section in document_of(record).sections for block in section.blocks]
    items = [item for block in blocks if isinstance(block, Pairs) for item in block.items]
    return {name: text_of(value) for name, value in items}


def test_experiments_on_memory_have_one_name(survey: Record[SurveyFacts]) -> None:
    choices = [block for block in blocks_in(sections_of(survey)) if isinstance(block, Choice)]
    on_page = next([one.label for one in block.options] for block in choices if block.id == "numa")
    on_terminal = [text_of(row[0]) for row in tables(survey, "numa")[0].rows]
    assert [name.lower() for name in on_page] == on_terminal


def test_caches_have_one_name_and_one_way_to_be_shared(survey: Record[SurveyFacts]) -> None:
    table = tables(survey, "caches")[0]
    rows = rows_in(sections_of(survey), "caches")
    assert list(table.columns[1:]) == [row[0] for row in rows]
    assert [text_of(cell) for cell in table.rows[-1][1:]] == [row[7] for row in rows]
    assert {f"{name} cache" for name in table.columns[1:]} <= {
        tile.title for tile in tiles_in(sections_of(survey))
    }


CHECK = CheckResult(name="residual", value=0.5, limit=16, passed=True)
FAILED = CheckResult(name="residual", value=43, limit=16, passed=False)


def suite(success: bool | None, *checks: CheckResult) -> Record[HpccFacts]:
    test = HpccTest(name="hpl", title="HPL", done=success is not None, checks=list(checks))
    return record_of("hpcc", HpccFacts(tests=[test], success=success))


def access(success: bool | None, *checks: CheckResult) -> Record[RandomAccessFacts]:
    facts = RandomAccessFacts(ranks=2, table_words=1024, success=success, checks=list(checks), errors=0)
    return record_of("randomaccess", facts)


@pytest.mark.parametrize(
    "record",
    [
        suite(True, CHECK),
        suite(False, CHECK, FAILED),
        suite(None),
        record_of("hpcc", HpccFacts(tests=[], success=True, origin="hpccoutf.txt of hpcc 1.5.0")),
        record_of("hpcc", HpccFacts(tests=[], origin="hpccoutf.txt of hpcc 1.5.0")),
        access(True, CHECK),
        access(False, FAILED),
        access(None),
        record_of(
            "randomaccess_errors",
            ErrorFacts(table_words=1024, updates=4096, threads=2, strategies=[], success=True),
        ),
    ],
)
def test_a_validation_has_one_outcome_and_one_wording(record: Record[Any]) -> None:
    assert banner_in(sections_of(record)).title == f"Validation {pairs(record)['validation']}"


def test_tests_of_the_suite_have_one_name() -> None:
    record = suite(True, CHECK)
    on_terminal = [text_of(row[0]) for row in tables(record, "results")[0].rows]
    assert on_terminal == [row[0] for row in rows_in(sections_of(record), "hpcc-figures")] == ["HPL"]
