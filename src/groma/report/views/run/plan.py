"""What was asked for, why sizes are as they are, and where the ranks were found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.report.blocks import DataTable, table_figure
from groma.report.views.registry import view
from groma.report.views.run.model import run_of
from groma.report.views.run.placement import placement_figure
from groma.report.words.launch import choice_rows

if TYPE_CHECKING:
    from groma.record import Record
    from groma.report.views.registry import Blocks


@view("run", order=1, of=object)
def plan(record: Record[Any]) -> Blocks:
    run = run_of(record)
    if run is None:
        return []
    return [
        *table_figure(
            "plan",
            "Plan of the run",
            run.about,
            DataTable(columns=["what", "value"], rows=run.entries),
            data={"plan": run.plan, "launch": run.launch},
        ),
        *table_figure(
            "choices",
            "Reasons for this plan",
            "The choices of the program and their reasons.",
            DataTable(columns=["choice", "value", "why"], rows=choice_rows(run.plan)),
        ),
    ]


@view("run", order=2, of=object)
def placement(record: Record[Any]) -> Blocks:
    run = run_of(record)
    launch = run.launch if run else None
    return [placement_figure("placement", launch)] if launch and launch.placement else []
