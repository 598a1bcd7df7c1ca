"""Several runs beside each other: in what they differed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.report.blocks import DataTable, table_figure
from groma.report.views.run.model import run_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.report.blocks import Block
    from groma.report.views.registry import Named

_NOT_COMPARED = {"launch line"}
"""Launch lines always differ, in the names of files."""


def differences_figure(name: str, runs: Sequence[Named]) -> list[Block]:
    """What was alike, or given by one record alone, needs no row; nothing where all was alike."""
    plans = [dict(run.entries) if (run := run_of(record)) else {} for _, record in runs]
    rows = [
        [what, *(plan.get(what) for plan in plans)]
        for what in dict.fromkeys(what for plan in plans for what in plan)
        if what not in _NOT_COMPARED and len({plan[what] for plan in plans if what in plan}) > 1
    ]
    return table_figure(
        name,
        "Differences between the runs",
        "These differences affect the ratios: a run with another size or number of ranks is another test.",
        DataTable(columns=["what", *(one.name for one in runs)], rows=rows),
    )
