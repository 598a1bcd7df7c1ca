"""The page of tables holds what studies found, and renews only the tables that it is given."""

from __future__ import annotations

import re

import msgspec

from groma.facts.torus_study import StudyRow, StudyTable, TorusStudyFacts
from groma.record import Quantity
from groma.report.torus_tables import BLOCK, PAGE, grid_of, markdown, merged, with_tables
from groma.sim.torus.studies.study import known_studies


def row(case: str, value: float, agrees: bool | None = True) -> StudyRow:
    simulated = Quantity(value=value, unit="GUP/s", low=value, high=value, confidence=1.0, method="made")
    return StudyRow(case=case, shape=[4, 4], simulated=simulated, expected=2.0, difference=0.5, agrees=agrees)


def study(*rows: StudyRow) -> TorusStudyFacts:
    table = StudyTable(
        name="uniform",
        title="Uniform",
        varied="load",
        quantity="rate",
        unit="GUP/s",
        against="paper",
        source="made",
        rows=list(rows),
    )
    return TorusStudyFacts(study="made", title="Made", tables=[table], planned=len(rows))


def test_a_row_has_paper_simulation_and_difference() -> None:
    (table,) = study(row("64", 3.0, agrees=False)).tables
    assert markdown(grid_of(table)).splitlines() == [
        "| load | torus | paper | simulated | difference | verdict |",
        "| --- | --- | ---: | ---: | ---: | --- |",
        "| 64 | 4x4 | 2 | 3 | +50.0 % | differs |",
    ]


def test_later_studies_take_the_place_of_rows() -> None:
    found = merged([study(row("64", 1.0), row("128", 2.0)), study(row("64", 5.0), row("256", 3.0))])
    assert [(one.case, one.simulated.value) for one in found["uniform"].rows] == [
        ("64", 5.0),
        ("128", 2.0),
        ("256", 3.0),
    ]


def test_tables_that_are_not_given_stay() -> None:
    page = "<!-- uniform -->\nold\n<!-- end -->\n<!-- other -->\nkept\n<!-- end -->\n"
    text = with_tables(page, merged([study(row("64", 3.0))]))
    assert "old" not in text
    assert "| 64 | 4x4 |" in text
    assert "<!-- other -->\nkept\n<!-- end -->\n" in text


def test_rows_that_are_not_given_stay() -> None:
    """With their columns, as where one record of several studies is read."""
    drifted = msgspec.structs.replace(row("64", 1.0), drift=0.25)
    empty = "<!-- uniform -->\n<!-- end -->\n"
    page = with_tables(empty, merged([study(drifted, row("128", 2.0))]))
    text = with_tables(page, merged([study(row("128", 5.0), row("256", 3.0))]))
    assert [line for line in text.splitlines() if line.startswith("|")] == [
        "| load | torus | paper | simulated | difference | drift | verdict |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- |",
        "| 64 | 4x4 | 2 | 1 | +50.0 % | +25.0 % | agrees |",
        "| 128 | 4x4 | 2 | 5 | +50.0 % |  | agrees |",
        "| 256 | 4x4 | 2 | 3 | +50.0 % |  | agrees |",
    ]
    again = with_tables(text, merged([study(drifted)]))
    assert again == text, "the same rows"


def test_a_table_gains_the_columns_of_new_rows() -> None:
    page = with_tables("<!-- uniform -->\n<!-- end -->\n", merged([study(row("64", 1.0))]))
    drifted = msgspec.structs.replace(row("128", 1.0), drift=0.25)
    (header, *_) = [line for line in with_tables(page, merged([study(drifted)])).splitlines() if "|" in line]
    assert header == "| load | torus | paper | simulated | difference | drift | verdict |"


def test_the_page_has_a_table_for_each_table_of_each_study() -> None:
    text = PAGE.read_text()
    blocks = {block["name"]: block[0] for block in BLOCK.finditer(text)}
    assert set(blocks) == {heading.name for one in known_studies() for heading in one.headings}
    assert [name for name, block in blocks.items() if not re.search(r"^\| \S", block, re.MULTILINE)] == []
