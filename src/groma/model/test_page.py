"""The page with the paper's tables holds what the model gives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.machine.files import find_machine
from groma.model.page import PAGE, TABLES, main, markdown, with_tables
from groma.model.randomaccess import randomaccess_model

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_page_holds_the_tables_of_the_model() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == with_tables(text), "run: python -m groma.model.page"


def test_the_page_shows_every_table() -> None:
    assert set(
        re.findall(r"^<!-- (?!end)([\w-]+) -->$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    ) == set(TABLES)


def test_the_term_that_the_page_names_gives_every_printed_bound_of_small_systems() -> None:
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(r"follow to the last digit if (0\.\d+) is added to 1/GUPS", text)
    assert found
    rows = randomaccess_model(find_machine("bluegene-p")).algorithms[0].rows[:7]
    assert rows[-1].nodes == 4096
    assert [round(1 / (1 / row.cpu + float(found[1])), 2) for row in rows] == [row.printed for row in rows]


def test_a_stale_table_is_replaced_and_nothing_else() -> None:
    stale = "before\n\n<!-- owners -->\n\n| old |\n\n<!-- end -->\nafter\n"
    fresh = with_tables(stale)
    assert fresh.startswith("before\n\n<!-- owners -->\n\n| nodes | model | prediction |")
    assert fresh.endswith("|\n\n<!-- end -->\nafter\n")
    assert "old" not in fresh


def test_numbers_stand_to_the_right() -> None:
    assert markdown(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | ---: |\n| 1 | 2 |\n"


def test_the_page_is_written_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "tables.md"
    page.write_text("<!-- crossovers -->\n<!-- end -->\n")
    monkeypatch.setattr("groma.model.page.PAGE", page)
    main()
    assert "| multi-core | 65536 | at 65536 | yes |" in page.read_text()
