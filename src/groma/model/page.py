"""The tables of docs/model/tables.md: the model beside the paper, as Markdown.

python -m groma.model.page      # writes them into the page anew
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from groma.machine.files import find_machine
from groma.model.cells import (
    CROSSOVER_COLUMNS,
    OWNER_COLUMNS,
    bound_cells,
    bound_columns,
    crossover_cells,
    owner_cells,
)
from groma.model.randomaccess import MachineModel, randomaccess_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PAGE = Path(__file__).parents[3] / "docs" / "model" / "tables.md"

_BLOCK = re.compile(r"(<!-- (?P<name>[\w-]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)

Rows = list[list[str]]


def bounds(machine: str, algorithm: str) -> str:
    """Table 4: the columns of an algorithm of a machine, and the torus, for which a terminal has no room."""
    rows = next(one for one in _model(machine).algorithms if one.name == algorithm).rows
    columns = bound_columns(rows)
    cells = [[bound_cells(row)[name] for name in columns] for row in rows]
    for row, texts in zip(rows, cells, strict=True):
        texts.insert(1, "x".join(map(str, row.torus)))
    return markdown([columns[0], "torus", *columns[1:]], cells)


def owners() -> str:
    """Table 3."""
    return markdown(OWNER_COLUMNS, [owner_cells(row) for row in _model("bluegene-p").owners])


def crossovers() -> str:
    """The sizes from which the network binds, as section 4 and 5.2 state them."""
    return markdown(CROSSOVER_COLUMNS, [crossover_cells(one) for one in _model("bluegene-p").crossovers])


TABLES: dict[str, Callable[[], str]] = {
    "multi-core": lambda: bounds("bluegene-p", "multi-core"),
    "single-core-p": lambda: bounds("bluegene-p", "single-core"),
    "single-core-l": lambda: bounds("bluegene-l", "single-core"),
    "owners": owners,
    "crossovers": crossovers,
}


def _model(machine: str) -> MachineModel:
    return randomaccess_model(find_machine(machine))


def markdown(columns: Sequence[str], rows: Rows) -> str:
    """A table, numbers to the right. Marks are escaped: two in a line would make its text italic."""
    lines = [columns, ["---", *("---:" for _ in columns[1:])], *rows]
    return "".join(f"| {' | '.join(line)} |\n".replace("*", "\\*") for line in lines)


def with_tables(text: str) -> str:
    """The page with each table, between `<!-- NAME -->` and `<!-- end -->`, as the model gives it now."""
    return _BLOCK.sub(lambda block: f"{block[1]}\n{TABLES[block['name']]()}\n{block[3]}", text)


def main() -> None:
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")


if __name__ == "__main__":
    main()
