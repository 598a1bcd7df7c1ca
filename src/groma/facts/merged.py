"""Several surveys of one machine in one profile: which they were, and how their facts differ between days."""

from __future__ import annotations

import msgspec


class MergedSurvey(msgspec.Struct, kw_only=True):
    """One of the surveys: its file, when it was measured, and the parts of its facts that it has."""

    name: str
    created: str
    parts: list[str]
    host: str = ""


class QuantitySpread(msgspec.Struct, kw_only=True):
    """A quantity in each survey, None where one lacks it; `median` of the others is the value of the profile.

    `spread` is the largest less the smallest value over the median, `deviation` their standard deviation in
    `unit`. `agrees` says whether the intervals of all surveys have a point in common, or all values lie
    within 5 % of each other.
    """

    name: str
    unit: str
    median: float
    values: list[float | None]
    spread: float
    deviation: float
    agrees: bool


class FactSpread(msgspec.Struct, kw_only=True):
    """A fact that is no quantity, in words of each survey; "-" where one lacks it."""

    name: str
    values: list[str]
    agrees: bool


class Merged(msgspec.Struct, kw_only=True):
    """`surveys` in the order of their time; the lists of values follow it."""

    surveys: list[MergedSurvey]
    quantities: list[QuantitySpread]
    facts: list[FactSpread]
