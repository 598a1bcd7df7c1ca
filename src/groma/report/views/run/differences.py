"""Several runs beside each other: in what they differed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.report.blocks import DataTable, table_figure
from groma.report.views.comparing import FEW
from groma.report.views.run.model import run_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Named

_Values = tuple[str, "list[str | None]"]
"""What differs, and what each run has of it."""

_NOT_COMPARED = {"launch line"}
"""Launch lines always differ, in the names of files."""


def differences_figure(name: str, runs: Sequence[Named]) -> list[Block]:
    """What was alike, or given by one record alone, needs no row; nothing where all was alike."""
    plans = [dict(run.entries) if (run := run_of(record)) else {} for _, record in runs]
    names = [one.name for one in runs]
    differs = [
        (what, [plan.get(what) for plan in plans])
        for what in dict.fromkeys(what for plan in plans for what in plan)
        if what not in _NOT_COMPARED and len({plan[what] for plan in plans if what in plan}) > 1
    ]
    return table_figure(
        name,
        "Differences between the runs",
        "These differences affect the ratios: a run with another size or number of ranks is another test.",
        differing_table(differs, names),
    )


def differing_table(differs: Sequence[_Values], names: Sequence[str]) -> DataTable:
    """A column for each of a few records; of more, a row for each value."""
    return _by_run(differs, names) if len(names) <= FEW else _by_value(differs, names)


def _by_run(differs: Sequence[_Values], names: Sequence[str]) -> DataTable:
    return DataTable(columns=["what", *names], rows=[[what, *values] for what, values in differs])


def _by_value(differs: Sequence[_Values], names: Sequence[str]) -> DataTable:
    """Many runs do not fit side by side: each value gets a row, with the runs that have it."""
    rows: list[list[Cell]] = [
        [what, value, ", ".join(name for name, own in zip(names, values, strict=True) if own == value)]
        for what, values in differs
        for value in dict.fromkeys(values)
        if value is not None
    ]
    return DataTable(columns=["what", "value", "runs"], rows=rows)
