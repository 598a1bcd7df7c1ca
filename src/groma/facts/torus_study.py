"""Facts of a study of the torus simulator: published numbers or formulas beside simulated ones.

Fields may be added and are never renamed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from groma.facts.kinds import Kind
from groma.facts.torus import SimulatedWith
from groma.record.quantity import Quantity
from groma.record.unfinished import Steps

if TYPE_CHECKING:
    from groma.record import Record


class StudyRow(msgspec.Struct, frozen=True, kw_only=True):
    """One run beside what is known of it.

    `expected` is what was published, or what a formula gives. `difference` is `simulated` over it, less 1.
    `agrees` says whether it is within `tolerance`, or between `min` and `max`, which `wanted` puts into
    words (None where nothing is judged). `model` is the analytic
    bound. `drift` tells whether the rate was steady: that of the second half of its window over that of the
    first, less 1.
    """

    NAMED_BY: ClassVar[tuple[str, ...]] = ("case",)

    case: str
    shape: list[int]
    simulated: Quantity
    expected: float | None = None
    difference: float | None = None
    tolerance: float | None = None
    min: float | None = None
    max: float | None = None
    wanted: str = ""
    agrees: bool | None = None
    model: float | None = None
    drift: float | None = None
    bucket: int | None = None
    updates: int | None = None
    wall: float | None = None
    finished: bool = True
    stuck: bool = False
    note: str = ""


class StudyTable(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of one kind. `varied` says what the name of a row is, `against` what `expected` is, and `source`
    where that is printed.
    """

    NAMED_BY: ClassVar[tuple[str, ...]] = ("name",)

    name: str
    title: str
    varied: str
    quantity: str
    unit: str
    against: str
    source: str
    rows: list[StudyRow]


class TorusStudyFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `torus_study`. `missing` are runs that were planned and not made.

    `parameters` are those of all its runs that no source gives.
    """

    OUTCOMES: ClassVar[tuple[str, ...]] = ("tables",)

    study: str
    title: str
    tables: list[StudyTable]
    planned: int
    missing: list[str] = []
    parameters: list[SimulatedWith] = []
    notes: list[str] = []
    quick: bool = False
    seed: int = 1


def steps_of(record: Record[TorusStudyFacts]) -> Steps:
    facts = record.facts
    done = sum(len(table.rows) for table in facts.tables)
    return Steps(noun="run", planned=facts.planned, done=done, missing=facts.missing)


KIND = Kind(
    name="torus_study",
    title="Study of the torus simulator",
    what="a study of the torus simulator",
    facts=TorusStudyFacts,
    schema="torus_study",
    sections="groma.report.kinds.torus_study:SECTIONS",
    steps=steps_of,
    subject=lambda facts: facts.study,
)
