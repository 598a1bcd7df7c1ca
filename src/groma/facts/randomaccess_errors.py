"""Facts about the errors of a shared table in RandomAccess. Fields may be added and are never renamed."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from groma.facts.kinds import Kind
from groma.record import Quantity
from groma.record.naming import Better


class ErrorRate(msgspec.Struct, kw_only=True):
    """Wrong words over the words of the table, over the runs of a strategy: a random variable.

    `standard_deviation` is that of the sample, None for a single run. `relative` is its ratio to the mean,
    None if no word was ever wrong. `rates` are those of all runs in order.
    """

    runs: int
    mean: float
    standard_deviation: float | None
    relative: float | None
    min: float
    p25: float
    p50: float
    p75: float
    max: float
    wrong_runs: int
    wrong_words: int
    rates: list[float]


class Strategy(msgspec.Struct, kw_only=True):
    """One way in which threads update a shared table.

    `exact` strategies may have no wrong word. `gups` is in GUP/s (1e9 updates per second), over the runs.
    `to_unsynchronised` and `to_serial` are ratios of rates within a round, None if that strategy did not run.
    """

    NAMED_BY: ClassVar[tuple[str, ...]] = ("name",)
    BETTER: ClassVar[dict[str, Better]] = {"to_unsynchronised": "higher", "to_serial": "higher"}

    name: str
    exact: bool
    threads: int
    gups: Quantity
    error_rate: ErrorRate
    to_unsynchronised: Quantity | None = None
    to_serial: Quantity | None = None


class ErrorFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `randomaccess_errors`. `success` is False if an exact strategy had a wrong
    word.
    """

    OUTCOMES: ClassVar[tuple[str, ...]] = ("success",)

    table_words: int
    updates: int
    threads: int
    strategies: list[Strategy]
    success: bool


KIND = Kind(
    name="randomaccess_errors",
    title="RandomAccess, errors",
    what="errors of a shared table in RandomAccess",
    facts=ErrorFacts,
    schema="randomaccess_errors",
    sections="groma.report.kinds.randomaccess_errors:SECTIONS",
)
