"""The samples of a run: by repetition, by rank, by pair of ranks."""

from __future__ import annotations

import functools
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from groma.facts.randomaccess import RandomAccessFacts
from groma.record.units import format_value
from groma.report.series import PageSeries, series_of
from groma.report.words.suite import in_suite_order, series_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import Record

OF_RANKS = {
    "worked": ("time worked", "s"),
    "waited": ("time waited", "s"),
    "pending": ("updates held at most", "updates"),
    "messages": ("messages sent", "messages"),
    "sent": ("bytes sent", "B"),
    "handed": ("updates handed on", "updates"),
}
"""What is sampled of each rank beside the figures, in which unit, for one repetition."""

UPDATES_IN_GUP = 1e9


class Sampled(NamedTuple):
    """A series with the test that sampled it."""

    test: str
    series: PageSeries

    @property
    def name(self) -> str:
        return series_name(self.test, label(self.series, "series"))

    @property
    def means(self) -> list[float]:
        """The mean over the ranks in each repetition."""
        return [mean for _, mean, _ in self.series.repetitions]


def label(series: PageSeries, name: str) -> str:
    return str(series.labels.get(name, ""))


def series_in(record: Record[Any]) -> list[Sampled]:
    """All series of a record in the order of the suite, in the units of its facts."""
    in_gups = isinstance(record.facts, RandomAccessFacts)
    return [
        Sampled(one.probe, _in_gups(series) if in_gups else series)
        for one in in_suite_order(list(record.samples.values()), lambda one: one.probe)
        for series in series_of(one)
    ]


def _in_gups(series: PageSeries) -> PageSeries:
    """Sampled rates of updates in the unit in which the facts tell them."""
    if series.labels.get("unit") != "update/s":
        return series

    def reported(values: Sequence[float]) -> list[float]:
        return [value / UPDATES_IN_GUP for value in values]

    return msgspec.structs.replace(
        series,
        labels={**series.labels, "unit": "GUP/s"},
        low=reported(series.low),
        median=reported(series.median),
        high=reported(series.high),
        repetitions=[tuple(reported(one)) for one in series.repetitions],
    )


def figure_series(record: Record[Any]) -> list[Sampled]:
    """Those that are figures: neither samples behind figures, nor single sizes of curves."""
    return [one for one in series_in(record) if not {"raw", "purpose"} & one.series.labels.keys()]


class Spread(NamedTuple):
    """What was sampled of a member: of a rank, a pair of ranks or a ring."""

    low: float
    median: float
    high: float

    def words(self, unit: str) -> list[str]:
        """Median, lowest and highest."""
        return [format_value(value, unit) for value in (self.median, self.low, self.high)]


def spreads_of(series: PageSeries) -> list[Spread]:
    """That of each member."""
    return [Spread(*one) for one in zip(series.low, series.median, series.high, strict=True)]


# ---- over ranks --------------------------------------------------------------------------------------------


class Member(NamedTuple):
    """One rank of a series; `role` is empty where all ranks do the same."""

    rank: int
    role: str
    spread: Spread


@dataclass(frozen=True)
class OverRanks:
    """Series that differ in nothing but the role of their ranks; `roles` of a single one is empty."""

    name: str
    unit: str
    members: Sequence[Member]

    @functools.cached_property
    def by_role(self) -> dict[str, list[Member]]:
        found: dict[str, list[Member]] = {}
        for one in self.members:
            found.setdefault(one.role, []).append(one)
        return found

    @property
    def roles(self) -> list[str]:
        return list(self.by_role)

    @functools.cached_property
    def middle(self) -> float:
        """The median over the ranks."""
        return statistics.median(one.spread.median for one in self.members)


def over_ranks(record: Record[Any]) -> list[OverRanks]:
    """All series with several ranks, but those that are zero for every rank."""
    stars = [
        OverRanks(one.name, label(one.series, "unit"), _members(one.series)) for one in figure_series(record)
    ]
    return [
        one
        for one in (*stars, *_over_roles(record))
        if len(one.members) > 1 and any(member.spread.high > 0 for member in one.members)
    ]


def _members(series: PageSeries) -> list[Member]:
    if series.over != ["rank"]:
        return []
    role = label(series, "role")
    return [
        Member(rank, role, spread) for (rank,), spread in zip(series.members, spreads_of(series), strict=True)
    ]


def _over_roles(record: Record[Any]) -> list[OverRanks]:
    with_role = [one.series for one in series_in(record) if "role" in one.series.labels]
    return [
        OverRanks(
            name[0].upper() + name[1:],
            unit,
            [member for one in with_role if label(one, "series") == kind for member in _members(one)],
        )
        for kind, (name, unit) in OF_RANKS.items()
    ]
