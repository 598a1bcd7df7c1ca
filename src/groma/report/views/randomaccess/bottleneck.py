"""Which role limits the rate: the loads of roles, found by leaving them out and by delaying them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.randomaccess_bottleneck import BottleneckFacts
from groma.record.counting import counted
from groma.report.blocks import (
    Banner,
    DataTable,
    DotAxis,
    Figure,
    Legend,
    Note,
    Strip,
    StripChart,
    Tile,
    lead_and_tiles,
)
from groma.report.views.marks import quantity_lane, sampled_tile
from groma.report.views.registry import view
from groma.report.views.run.model import warning_line
from groma.report.words.environment import on_processor
from groma.report.words.randomaccess import (
    NO_FIGURE,
    bottleneck_validation,
    bottleneck_words,
    table_words,
)
from groma.report.words.text import quantity_text

if TYPE_CHECKING:
    from groma.facts.randomaccess_bottleneck import RoleLoad
    from groma.record import Record
    from groma.report.blocks import Block, Lane
    from groma.report.views.registry import Blocks


@view("verdict", order=0, of=BottleneckFacts)
def verdict(record: Record[BottleneckFacts]) -> Blocks:
    outcome, words = bottleneck_validation(record.facts)
    return [
        Banner(outcome=outcome, title=f"Validation {words}", lines=[NO_FIGURE, *warning_line(record)]),
        *lead_and_tiles(_lead(record), _tiles(record.facts)),
    ]


def _lead(record: Record[BottleneckFacts]) -> str:
    facts = record.facts
    what = f"{counted(facts.ranks, 'rank')}; a table of {table_words(facts.table_words)}"
    return f"The bottleneck of RandomAccess{on_processor(record)}: {bottleneck_words(facts)} ({what})."


def _tiles(facts: BottleneckFacts) -> list[Tile]:
    tiles = [Tile(title="Bottleneck", value=facts.by_dropping or "unknown", lines=[bottleneck_words(facts)])]
    if facts.update_time:
        tiles.append(sampled_tile("Time of an update", facts.update_time, ["of a node, nothing left out"]))
    return tiles


@view("results", order=1, of=BottleneckFacts)
def results(record: Record[BottleneckFacts]) -> Blocks:
    loads = [*record.facts.roles, *record.facts.messages]
    if not any(_lanes(one) for one in loads):
        return [Note(text="No run with an intervention was completed.")]
    return [_figure(loads)]


def _figure(loads: list[RoleLoad]) -> Block:
    method = next(one.method for load in loads for one in (load.dropped, load.delayed) if one)
    return Figure(
        id="randomaccess-bottleneck",
        title="Loads of roles",
        what="Time of a node for an update, found in two ways. Where all later roles drop what reaches "
        "them, it is the load of the slowest role up to this one. Where a role is delayed, it is the time "
        "less the delay: the load of this role, or more where a slower role hid a part of the delay.",
        method=method,
        drawing=StripChart(
            x=DotAxis(title="time of an update", unit="s"),
            strips=[Strip(name=one.role, lanes=_lanes(one)) for one in loads],
            legend=[Legend(name="later roles dropped", tone=0), Legend(name="delayed", tone=1)],
            bars=True,
        ),
        table=DataTable(
            columns=["role", "ranks of a node", "later roles dropped", "delayed, less the delay", "response"],
            rows=[[one.role, one.ranks, one.dropped, one.delayed, one.response] for one in loads],
        ),
        data=loads,
    )


def _lanes(one: RoleLoad) -> list[Lane]:
    lanes = []
    if one.dropped:
        lanes.append(quantity_lane(one.dropped, 0, text=f"later roles dropped {quantity_text(one.dropped)}"))
    if one.delayed:
        lanes.append(quantity_lane(one.delayed, 1, text=f"delayed {quantity_text(one.delayed)}"))
    return lanes
