"""What was sampled of every rank, side by side: which rank, and so which core or machine, differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.record.units import format_ids, format_share, format_value
from groma.report.blocks import Axis, DataTable, Figure, LineChart, Option, Point, chosen_from
from groma.report.views.marks import measured_line
from groma.report.views.registry import view
from groma.report.views.run.model import run_of
from groma.report.views.run.sampled import over_ranks
from groma.report.words.text import id_of, joined

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.record import Record
    from groma.record.launch import RankPlace
    from groma.report.blocks import Cell, Series
    from groma.report.views.registry import Blocks
    from groma.report.views.run.sampled import Member, OverRanks

_COLUMNS = ("rank", "host", "may run on", "median", "min", "max", "over the median rank")


@view("results", order=4, of=object)
def ranks(record: Record[Any]) -> Blocks:
    run = run_of(record)
    if run is None:
        return []
    places = {place.rank: place for place in (run.launch.placement if run.launch else [])}
    options = [Option(label=one.name, figure=_figure(one, places)) for one in over_ranks(record)]
    return chosen_from("ranks", "Rank by rank", options)


def _figure(one: OverRanks, places: Mapping[int, RankPlace]) -> Figure:
    with_roles = len(one.roles) > 1
    rows = [[*_row(member, one, places), *([member.role] if with_roles else [])] for member in one.members]
    return Figure(
        id=id_of("ranks", one.name),
        title=f"{one.name}, rank by rank",
        what="Median of each rank while all ran at once, from its lowest to its highest sample. "
        f"{_extremes(one, places)}",
        drawing=LineChart(
            x=Axis(title="rank"),
            y=Axis(title=one.name, unit=one.unit),
            series=[_line(one, role, tone) for tone, role in enumerate(one.roles)],
        ),
        table=DataTable(
            columns=[*_COLUMNS, *(["role"] if with_roles else [])],
            rows=rows,
            units=["", "", "", one.unit, one.unit, one.unit],
        ),
    )


def _line(one: OverRanks, role: str, tone: int) -> Series:
    points = [
        Point(x=rank, y=spread.median, low=spread.low, high=spread.high)
        for rank, _, spread in one.by_role[role]
    ]
    return measured_line(role or one.name, tone, points)


def _extremes(one: OverRanks, places: Mapping[int, RankPlace]) -> str:
    """A rate is slow or fast, anything else is least or most."""
    least, most = ("Slowest", "Fastest") if one.unit.endswith("/s") else ("Least", "Most")
    ordered = sorted(one.members, key=lambda member: member.spread.median)
    return f"{least}: {_text(ordered[0], one, places)} {most}: {_text(ordered[-1], one, places)}"


def _text(member: Member, one: OverRanks, places: Mapping[int, RankPlace]) -> str:
    where = joined(_host(member, places), member.role, by="; ")
    value = format_value(member.spread.median, one.unit)
    return f"rank {member.rank}{f' ({where})' if where else ''}, {joined(value, _relative(member, one))}."


def _host(member: Member, places: Mapping[int, RankPlace]) -> str:
    return places[member.rank].host if member.rank in places else ""


def _relative(member: Member, one: OverRanks) -> str:
    if one.middle <= 0:
        return ""
    ratio = member.spread.median / one.middle
    return f"{format_share(abs(ratio - 1))} {'below' if ratio < 1 else 'above'} the median rank"


def _row(member: Member, one: OverRanks, places: Mapping[int, RankPlace]) -> list[Cell]:
    low, median, high = member.spread
    cpus = format_ids(places[member.rank].cpus) if member.rank in places else ""
    share = format_share(median / one.middle) if one.middle > 0 else None
    return [member.rank, _host(member, places) or None, cpus or None, median, low, high, share]
