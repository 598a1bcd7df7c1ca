"""Trends: the values of each quantity of each machine in the order of time. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.facts.history import PointInTime, Trend
from groma.history.judging import judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groma.facts.comparison import Thresholds
    from groma.history.index import Entry


class FoundTrends(NamedTuple):
    """`undated` are files with runs that have no place in any trend, in their order. `entries` are those that
    the points of each trend are made of.
    """

    trends: list[Trend]
    undated: list[str]
    entries: list[Sequence[Entry]]


def trends_of(entries: Iterable[Entry], limits: Thresholds) -> FoundTrends:
    """One for each machine, kind, shape and quantity.

    The quantities of one machine, kind and shape are judged together: of fifty, one would stand out by chance
    every other night. So are their changes.
    """
    groups: dict[tuple[str, ...], list[Entry]] = {}
    for one in entries:
        identity = (one.machine, one.kind, one.shape, one.name, one.value.unit)
        groups.setdefault(identity, []).append(one)
    families: dict[tuple[str, ...], list[tuple[Trend, Sequence[Entry]]]] = {}
    undated = set[str]()
    for key, group in sorted(groups.items()):
        ordered = _in_order(group)
        if ordered:
            families.setdefault(key[:3], []).append((_trend(ordered), ordered))
        if len(ordered) < len(group):
            undated |= {one.path for one in group if not is_dated(one.created)}
    for family in families.values():
        judge([trend for trend, _ in family], limits)
    every = [one for family in families.values() for one in family]
    return FoundTrends([trend for trend, _ in every], sorted(undated), [made_of for _, made_of in every])


def _in_order(group: Sequence[Entry]) -> Sequence[Entry]:
    """Those whose order in time is known: by their dates, else that of the runs in one file."""
    dated = [one for one in group if is_dated(one.created)]
    return group if not dated and len({one.path for one in group}) == 1 else dated


def is_dated(created: str) -> bool:
    """Whether a record says when it was measured; an output of another program may say it in words or not."""
    return created[:1].isdigit()


def _trend(group: Sequence[Entry]) -> Trend:
    one = group[0]
    return Trend(
        machine=one.machine,
        kind=one.kind,
        shape=one.shape,
        name=one.name,
        unit=one.value.unit,
        better=one.better,
        points=[PointInTime(created=each.created, file=each.path, value=each.value) for each in group],
    )
