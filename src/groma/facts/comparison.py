"""Facts of a comparison of records. Fields may be added and are never renamed."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from groma.facts.kinds import Kind
from groma.record import Quantity
from groma.record.naming import Better

Verdict = Literal["better", "worse", "changed", "same", "inconclusive", "missing"]


class ComparedRecord(msgspec.Struct, kw_only=True):
    """`again` is the command that measures it again. `notes` say why its values may not count.

    `runs` are the records that are pooled in it; empty for a single one.
    """

    name: str
    file: str
    created: str
    host: str | None = None
    again: str = ""
    notes: list[str] = []
    runs: list[ComparedRecord] = []


class Difference(msgspec.Struct, kw_only=True):
    """What differs between the records besides what was measured: a value of each, in their order.

    `of` is "test" (another size or number of ranks: not the same measurement), "machine" or "software".
    """

    of: Literal["test", "machine", "software"]
    what: str
    values: list[str]


class Changed(msgspec.Struct, kw_only=True):
    """A quantity in one record against the first.

    `ratio` is its value over that of the first record. `probability` is that of such a ratio by chance,
    `adjusted` the same for all quantities together (Benjamini and Hochberg); None if nobody can tell. `why`
    explains a verdict that is open. `counts` are the samples of both sides, or their runs where runs are
    pooled; None where they are not known.
    """

    verdict: Verdict
    value: Quantity | None = None
    ratio: Quantity | None = None
    probability: float | None = None
    adjusted: float | None = None
    why: str = ""
    counts: tuple[int, int] | None = None
    counted: Literal["sample", "run"] = "sample"


class ComparedQuantity(msgspec.Struct, kw_only=True):
    """A quantity in every record: `first` in the first one, `others` in the others in their order.

    A `detail` is one of many, such as an entry of a matrix.
    """

    NAMED_BY: ClassVar[tuple[str, ...]] = ("name",)

    name: str
    unit: str
    better: Better
    detail: bool = False
    first: Quantity | None = None
    others: list[Changed] = []


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """When a change counts.

    At most the share `false_changes` of all changes reported may be chance. A change below `min_change` does
    not matter. Where no change is found, an interval that reaches further than `widest` to each side leaves
    the verdict open: a large change might hide in it.
    """

    false_changes: float = 0.01
    min_change: float = 0.02
    widest: float = 0.25


class GateResult(msgspec.Struct, kw_only=True):
    """`undecided` is a gate on a quantity that is missing or not determined, or whose change is open.

    `again` is the command that measures it again.
    """

    gate: str
    record: str
    quantity: str
    outcome: Literal["passed", "failed", "undecided"]
    what: str
    again: str = ""


class ComparisonFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `comparison`: records of the kind `of`, all against the first."""

    NAMELESS: ClassVar[tuple[str, ...]] = ("quantities",)

    of: str
    records: list[ComparedRecord]
    limits: Thresholds = Thresholds()
    differences: list[Difference] = []
    quantities: list[ComparedQuantity] = []
    gates: list[GateResult] = []


KIND = Kind(
    name="comparison",
    title="Comparison",
    what="a comparison of records",
    facts=ComparisonFacts,
    schema="comparison",
    sections="groma.report.kinds.comparison:SECTIONS",
)
