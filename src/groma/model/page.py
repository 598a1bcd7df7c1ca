"""The tables of docs/model/tables.md: the model beside the paper, as Markdown.

python -m groma.model.page      # writes them into the page anew
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from groma.model.machine import find_machine
from groma.model.randomaccess import AlgorithmBounds, Bound, MachineModel, randomaccess_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PAGE = Path(__file__).parents[3] / "docs" / "model" / "tables.md"

_BLOCK = re.compile(r"(<!-- (?P<name>[\w-]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)

Rows = list[list[str]]


def multi_core() -> str:
    """Table 4, multi-core columns."""
    rows = [
        [
            *_count(row),
            str(row.bucket),
            f"{row.receive_cycles:.1f}",
            *_rates(row),
        ]
        for row in _algorithm("bluegene-p", "multi-core").rows
    ]
    return markdown(["nodes", "torus", "bucket", "t_r", *_RATES], rows)


def single_core(machine: str) -> str:
    """Table 4, single-core columns of a machine."""
    rows = [[*_count(row), *_rates(row)] for row in _algorithm(machine, "single-core").rows]
    return markdown(["nodes", "torus", *_RATES], rows)


def owners() -> str:
    """Table 3."""
    rows = [
        [
            str(row.nodes),
            _rate(row.division),
            _rate(row.prediction),
            _rate(row.bound),
            f"{row.ratio:.2f}",
            f"{row.division_cycles:.0f}",
        ]
        for row in _model("bluegene-p").owners
    ]
    columns = [
        "nodes",
        "division, measured",
        "prediction, measured",
        "model",
        "model / measured",
        "cycles of division",
    ]
    return markdown(columns, rows)


def crossovers() -> str:
    """The sizes from which the network binds, as section 4 and 5.2 state them."""
    rows = [
        [one.algorithm, one.stated, "never" if one.nodes is None else str(one.nodes), one.source]
        for one in _model("bluegene-p").crossovers
    ]
    return markdown(["algorithm", "stated", "model", "source"], rows)


TABLES: dict[str, Callable[[], str]] = {
    "multi-core": multi_core,
    "single-core-p": lambda: single_core("bluegene-p"),
    "single-core-l": lambda: single_core("bluegene-l"),
    "owners": owners,
    "crossovers": crossovers,
}

_RATES = ("model", "printed", "network", "measured", "model / measured")


def _model(machine: str) -> MachineModel:
    return randomaccess_model(find_machine(machine))


def _algorithm(machine: str, name: str) -> AlgorithmBounds:
    return next(one for one in _model(machine).algorithms if one.name == name)


def _count(row: Bound) -> list[str]:
    return [str(row.nodes), "x".join(map(str, row.torus))]


def _rates(row: Bound) -> list[str]:
    measured = row.measured_later or row.measured
    marked = f"**{_rate(row.printed)}**" if row.follows is False else _rate(row.printed)
    return [
        _rate(row.cpu),
        marked,
        _rate(row.network),
        _rate(measured),
        "" if row.ratio is None else f"{row.ratio:.2f}",
    ]


def _rate(gups: float | None) -> str:
    return "" if gups is None else f"{gups:.2f}"


def markdown(columns: Sequence[str], rows: Rows) -> str:
    """A table, numbers to the right."""
    lines = [columns, ["---", *("---:" for _ in columns[1:])], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def with_tables(text: str) -> str:
    """The page with each table, between `<!-- NAME -->` and `<!-- end -->`, as the model gives it now."""
    return _BLOCK.sub(lambda block: f"{block[1]}\n{TABLES[block['name']]()}\n{block[3]}", text)


def main() -> None:
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")


if __name__ == "__main__":
    main()
