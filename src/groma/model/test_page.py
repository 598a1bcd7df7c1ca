"""The page with the paper's tables holds what the model gives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.model.page import PAGE, TABLES, main, markdown, with_tables

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
