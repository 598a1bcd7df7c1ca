"""Facts of the history of quantities. Fields may be added and are never renamed."""

from __future__ import annotations

from typing import Literal

import msgspec

from groma.facts.comparison import Verdict
from groma.facts.kinds import Kind
from groma.record import Quantity
from groma.record.naming import Better

MOST_ZEROS = 0.1
"""The share of values of a trend that may be zero or less, and so on no level: nights in which something
failed. Where there are more, as in counts of errors, no ratio says anything.
"""


class PointInTime(msgspec.Struct, kw_only=True):
    """What a record says; `created` is UTC in ISO 8601."""

    created: str
    file: str
    value: Quantity


class ChangePoint(msgspec.Struct, kw_only=True):
    """Where a new level begins, at `points[at]`.

    `ratio` is the new level over the old one. `differences` are those of test, machine and software between
    the records on both sides, where both files can still be read.
    """

    at: int
    verdict: Verdict
    ratio: Quantity
    differences: list[str] = []


class Trend(msgspec.Struct, kw_only=True):
    """A quantity of a machine over time. `shape` is the number of ranks and nodes, empty without a launch.

    `latest` says whether the last value stands out of those since the last change: "usual", a verdict, or
    "open" if there are too few values to tell. `latest_ratio` is its ratio to their median.
    """

    machine: str
    kind: str
    shape: str
    name: str
    unit: str
    better: Better
    points: list[PointInTime]
    changes: list[ChangePoint] = []
    latest: Literal["usual", "better", "worse", "changed", "open"] = "open"
    latest_ratio: float | None = None


class Unread(msgspec.Struct, kw_only=True):
    file: str
    why: str


class HistoryFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `history`. `unread` are files that look like records and cannot be read."""

    places: list[str]
    files: int = 0
    records: int = 0
    trends: list[Trend] = []
    unread: list[Unread] = []


KIND = Kind(
    name="history",
    title="History",
    what="the history of quantities",
    facts=HistoryFacts,
    schema="history",
    sections="groma.report.kinds.history:SECTIONS",
)
