"""The tables of docs/sim/torus-tables.md: studies of the torus simulator as Markdown.

python -m groma.report.torus_tables RECORD...      # writes those of the records into the page anew
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.facts.reading import read_record
from groma.facts.torus_study import StudyTable, TorusStudyFacts
from groma.report.words.torus_study import cells_of, columns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PAGE = Path(__file__).parents[3] / "docs" / "sim" / "torus-tables.md"

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


def markdown(table: StudyTable) -> str:
    """Numbers to the right; the columns of the verdict and of the torus are words."""
    columns = columns_of(table)
    words = {table.varied, "torus", ""}
    lines = [
        [name or "verdict" for name in columns],
        ["---" if name in words else "---:" for name in columns],
        *([cells_of(table, row)[name] for name in columns] for row in table.rows),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def with_tables(text: str, tables: dict[str, StudyTable]) -> str:
    """The page with these tables, between `<!-- NAME -->` and `<!-- end -->`; others stay as they are."""

    def renewed(block: re.Match[str]) -> str:
        table = tables.get(block["name"])
        return block[0] if table is None else f"{block[1]}\n{markdown(table)}\n{block[3]}"

    return BLOCK.sub(renewed, text)


def main(files: Sequence[str]) -> None:
    studies = [read_record(Path(file)).facts for file in files]
    tables = merged(one for one in studies if isinstance(one, TorusStudyFacts))
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
