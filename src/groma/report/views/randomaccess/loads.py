"""How ranks spend a repetition: at work or waiting, role by role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.randomaccess import RandomAccessFacts
from groma.record.counting import counted
from groma.record.units import format_share
from groma.report.blocks import DataTable, DotAxis, Figure, Legend, Strip, StripChart
from groma.report.views.marks import quantity_lane
from groma.report.views.registry import view
from groma.report.words.text import quantity_text

if TYPE_CHECKING:
    from groma.facts.randomaccess import Load
    from groma.record import Record
    from groma.report.views.registry import Blocks


@view("results", order=1, of=RandomAccessFacts)
def loads(record: Record[RandomAccessFacts]) -> Blocks:
    found = record.facts.loads
    if not found:
        return []
    return [
        Figure(
            id="randomaccess-loads",
            title="Work and waiting by role",
            what="Time of a repetition that the ranks of a role worked and waited: mean over the ranks, "
            "median over the repetitions, with its interval. If a role waits for long, move "
            "ranks from it to the others.",
            method=found[0].worked.method,
            drawing=StripChart(
                x=DotAxis(title="time of a repetition", unit="s"),
                strips=[_strip(load) for load in found],
                legend=[Legend(name="worked", tone=0), Legend(name="waited", tone=1)],
                bars=True,
            ),
            table=DataTable(
                columns=["role", "ranks", "worked", "waited", "share worked"],
                rows=[[load.role, load.ranks, load.worked, load.waited, _share(load)] for load in found],
            ),
            data=found,
        )
    ]


def _strip(load: Load) -> Strip:
    return Strip(
        name=f"{load.role} ({counted(load.ranks, 'rank')})",
        lanes=[
            quantity_lane(load.worked, 0, text=f"worked {quantity_text(load.worked)}"),
            quantity_lane(load.waited, 1, text=f"waited {quantity_text(load.waited)}"),
        ],
    )


def _share(load: Load) -> str | None:
    total = load.worked.value + load.waited.value
    return format_share(load.worked.value / total) if total > 0 else None
