"""Facts of the regions of a program, which libgroma writes. Fields may be added and are never renamed."""

from __future__ import annotations

import msgspec

from groma.facts.kinds import Kind


class RegionTotals(msgspec.Struct, kw_only=True):
    """What one thread spent in a region, by the regions around it: `path` begins with the outermost.

    Times are sums over all calls in seconds: readings of a clock, without an interval. Inclusive ones have
    the regions inside of it, exclusive ones have not. Counts are in the order of `RegionsFacts.events`, and
    empty for a thread that did not count.
    """

    path: list[str]
    thread: int
    calls: int
    inclusive: float
    exclusive: float
    shortest: float = 0.0
    longest: float = 0.0
    counts: list[int] = []
    exclusive_counts: list[int] = []


class ValueTotals(msgspec.Struct, kw_only=True):
    """Values that a thread noted under a name."""

    name: str
    thread: int
    calls: int
    sum: float
    min: int
    max: int


class RegionMetric(msgspec.Struct, kw_only=True):
    """A metric of a group, derived from the inclusive counts of all threads.

    Metrics whose events are not counted are left out. A value is None where the formula divides by zero, or
    where no thread counted the region.
    """

    path: list[str]
    group: str
    name: str
    unit: str
    formula: str
    value: float | None


class RegionsFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `regions`. `rank` is empty outside of launchers."""

    regions: list[RegionTotals]
    events: list[str] = []
    values: list[ValueTotals] = []
    metrics: list[RegionMetric] = []
    remarks: list[str] = []
    host: str = ""
    process: int = 0
    rank: str = ""


KIND = Kind(
    name="regions",
    title="Regions of a program",
    what="regions of a program",
    facts=RegionsFacts,
    schema="regions",
    sections="groma.report.kinds.regions:SECTIONS",
)
