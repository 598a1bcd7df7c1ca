"""The tables of docs/sim/torus-tables.md: studies of the torus simulator as Markdown.

python -m groma.report.torus_tables RECORD...      # writes the rows of the records into the page

A row of the page that no record has stays: remove it by hand when its case is gone.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from groma.facts.reading import read_record
from groma.facts.torus_study import StudyTable, TorusStudyFacts
from groma.report.words.torus_study import cells_of, columns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PAGE = Path(__file__).parents[3] / "docs" / "sim" / "torus-tables.md"

VERDICT = "verdict"

BLOCK = re.compile(r"(<!-- (?P<name>[\w-]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def merged(studies: Iterable[TorusStudyFacts]) -> dict[str, StudyTable]:
    """The tables of several studies by name. Rows of the same name are those of the last study."""
    found: dict[str, StudyTable] = {}
    for table in (table for one in studies for table in one.tables):
        rows = {
            row.case: row for row in [*(found[table.name].rows if table.name in found else []), *table.rows]
        }
        found[table.name] = msgspec.structs.replace(table, rows=list(rows.values()))
    return found


class Grid(NamedTuple):
    """A table of Markdown."""

    columns: list[str]
    rows: dict[str, dict[str, str]]
    """Texts by column, by the text of the first column."""


def grid_of(table: StudyTable) -> Grid:
    names = columns_of(table)
    return Grid(
        [name or VERDICT for name in names],
        {row.case: {name or VERDICT: cells_of(table, row)[name] for name in names} for row in table.rows},
    )


def parsed(text: str) -> Grid:
    lines = [
        [cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines() if line.startswith("|")
    ]
    if not lines:
        return Grid([], {})
    columns, _, *rows = lines
    return Grid(columns, {row[0]: dict(zip(columns, row, strict=True)) for row in rows})


def markdown(grid: Grid) -> str:
    """Numbers to the right; the first column and those of the verdict and of the torus are words."""
    words = {grid.columns[0], "torus", VERDICT}
    lines = [
        grid.columns,
        ["---" if name in words else "---:" for name in grid.columns],
        *([row.get(name, "") for name in grid.columns] for row in grid.rows.values()),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def with_rows_of(old: Grid, new: Grid) -> Grid:
    """Rows of the new one take the place of those of the old one, or follow them; so do columns."""
    if old.columns[:1] != new.columns[:1]:
        return new
    return Grid(_in_one_order(old.columns, new.columns), {**old.rows, **new.rows})


def _in_one_order(old: list[str], new: list[str]) -> list[str]:
    """All columns. One that only the new table has stands before what it precedes there."""
    columns = list(old)
    for name, following in zip(reversed(new), [None, *reversed(new)], strict=False):
        if name not in columns:
            columns.insert(columns.index(following) if following else len(columns), name)
    return columns


def with_tables(text: str, tables: dict[str, StudyTable]) -> str:
    """The page with these tables, between `<!-- NAME -->` and `<!-- end -->`; others stay as they are."""

    def renewed(block: re.Match[str]) -> str:
        table = tables.get(block["name"])
        if table is None:
            return block[0]
        return f"{block[1]}\n{markdown(with_rows_of(parsed(block[0]), grid_of(table)))}\n{block[3]}"

    return BLOCK.sub(renewed, text)


def main(files: Sequence[str]) -> None:
    studies = [read_record(Path(file)).facts for file in files]
    tables = merged(one for one in studies if isinstance(one, TorusStudyFacts))
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
