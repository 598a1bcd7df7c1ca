"""What was sampled of every rank, machine by machine: a slow machine, or a slow rank on each."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any, NamedTuple

from groma.record.units import format_value
from groma.report.blocks import (
    DataTable,
    DotAxis,
    Figure,
    Lane,
    Legend,
    Option,
    Strip,
    StripChart,
    chosen_from,
)
from groma.report.views.registry import view
from groma.report.views.run.model import run_of
from groma.report.views.run.sampled import over_ranks
from groma.report.words.text import id_of, spread
from groma.run.placement import machines as machines_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import Record
    from groma.record.launch import RankPlace
    from groma.report.blocks import Cell
    from groma.report.views.registry import Blocks
    from groma.report.views.run.sampled import Member, OverRanks

MOST_STRIPS = 64
"""More strips than these are read as a table."""

_COLUMNS = ("machine", "ranks", "median of ranks", "min: rank", "its median", "max: rank", "its median")


@view("results", order=3, of=object)
def machines(record: Record[Any]) -> Blocks:
    run = run_of(record)
    placement = run.launch.placement if run and run.launch else []
    found = list(machines_of(placement).values())
    if len(found) < 2:
        return []
    options = [Option(label=one.name, figure=_figure(one, found)) for one in over_ranks(record)]
    return chosen_from("machines", "Machine by machine", options)


class _Group(NamedTuple):
    """The ranks of one role on a machine; a role has one tone, whichever roles a machine has."""

    host: str
    role: str
    tone: int
    members: list[Member]

    @property
    def medians(self) -> list[float]:
        return [one.spread.median for one in self.members]


def _figure(one: OverRanks, machines: Sequence[Sequence[RankPlace]]) -> Figure:
    found = _groups(one, machines)
    with_roles = len(one.roles) > 1
    return Figure(
        id=id_of("machines", one.name),
        title=f"{one.name}, machine by machine",
        what="One row per machine, one dot per rank: its median while all ranks ran at once.",
        drawing=_strips(one, found) if len(found) <= MOST_STRIPS else None,
        table=DataTable(
            columns=[*_COLUMNS, *(["role"] if with_roles else [])],
            rows=[
                [*_row(group, one.unit), *([group.role] if with_roles else [])]
                for groups in found
                for group in groups
            ],
        ),
    )


def _groups(one: OverRanks, machines: Sequence[Sequence[RankPlace]]) -> list[list[_Group]]:
    """Those of each machine with a rank in the series."""
    machine_of = {place.rank: number for number, places in enumerate(machines) for place in places}
    members: dict[tuple[int, str], list[Member]] = {}
    for member in one.members:
        if member.rank in machine_of:
            members.setdefault((machine_of[member.rank], member.role), []).append(member)
    every = [
        [
            _Group(places[0].host, role, tone, members[number, role])
            for tone, role in enumerate(one.roles)
            if (number, role) in members
        ]
        for number, places in enumerate(machines)
    ]
    return [groups for groups in every if groups]


def _strips(one: OverRanks, found: Sequence[Sequence[_Group]]) -> StripChart:
    legend = [Legend(name=role, tone=tone) for tone, role in enumerate(one.roles)]
    return StripChart(
        x=DotAxis(title="median of a rank", unit=one.unit, close=True),
        strips=[
            Strip(name=groups[0].host, lanes=[_lane(group, one.unit) for group in groups]) for groups in found
        ],
        legend=legend if len(legend) > 1 else [],
    )


def _lane(group: _Group, unit: str) -> Lane:
    low, high = min(group.medians), max(group.medians)
    return Lane(
        tone=group.tone,
        value=statistics.median(group.medians),
        low=low,
        high=high,
        dots=group.medians,
        text=spread(low, high, unit),
    )


def _row(group: _Group, unit: str) -> list[Cell]:
    least = min(group.members, key=lambda one: one.spread.median)
    most = max(group.members, key=lambda one: one.spread.median)
    return [
        group.host,
        len(group.members),
        format_value(statistics.median(group.medians), unit),
        least.rank,
        format_value(least.spread.median, unit),
        most.rank,
        format_value(most.spread.median, unit),
    ]
