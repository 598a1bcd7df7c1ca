"""Facts of RandomAccess. Fields may be added and are never renamed."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from groma.facts.kinds import Kind
from groma.record import Quantity, Record
from groma.record.launch import CheckResult, Launch, Plan
from groma.record.naming import Better
from groma.record.unfinished import Steps


class RandomAccessPlan(Plan, kw_only=True):
    """What a run will do. `routers` are the ranks of a node that route, 0 if all ranks do the same."""

    algorithm: str = ""
    grid: list[int] = msgspec.field(default_factory=list)
    routers: int = 0
    mapping_mode: int = 1
    table_words: int = 0
    updates: int | None = None
    generator: str = ""
    owner: str = ""
    look_ahead: int = 1024


class Exchange(msgspec.Struct, kw_only=True):
    """What ranks send for one update, over the whole run.

    `messages` and `bytes` go through MPI, `handed` are updates passed on through shared memory. An update may
    be sent several times (once for each dimension of a grid) or not at all. Of the messages, `part_full` had
    room for more updates and `empty` had none: requests of ranks that wait for their turn, and their answers.
    """

    messages: float
    part_full: float | None = None
    empty: float | None = None
    bytes: float
    handed: float


class Load(msgspec.Struct, kw_only=True):
    """How the ranks of one role spend a repetition: seconds of work and of waiting, mean over the ranks."""

    NAMED_BY: ClassVar[tuple[str, ...]] = ("role",)
    BETTER: ClassVar[dict[str, Better]] = {"worked": "neither", "waited": "neither"}

    role: str
    ranks: int
    worked: Quantity
    waited: Quantity


class RandomAccessFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `randomaccess`.

    `gups` is in GUP/s (1e9 updates per second), over the repetitions; None if none was completed. `seconds`
    is the time of a repetition from barrier to barrier. `errors` counts wrong words of the table, over all
    repetitions and the warm-up. `look_ahead_max` is the largest number of updates that a core (a node in
    mapping modes 6 and 8) held at once, `look_ahead` its limit. `updates` counts all timed updates. `grid` is
    empty for an algorithm without one. `success` is None if the run ended before its checks.
    """

    OUTCOMES: ClassVar[tuple[str, ...]] = ("updates", "errors", "look_ahead_max", "success")

    ranks: int
    table_words: int
    algorithm: str = ""
    mapping_mode: int = 1
    grid: list[int] = []
    generator: str = ""
    owner: str = ""
    look_ahead: int = 1024
    gups: Quantity | None = None
    seconds: Quantity | None = None
    updates: int | None = None
    errors: int | None = None
    look_ahead_max: int | None = None
    exchange: Exchange | None = None
    loads: list[Load] = []
    checks: list[CheckResult] = []
    success: bool | None = None
    launch: Launch | None = None
    plan: RandomAccessPlan = msgspec.field(default_factory=RandomAccessPlan)


def steps_of(record: Record[RandomAccessFacts]) -> Steps:
    """A run is complete once it is verified: its budget may end before all planned repetitions."""
    facts = record.facts
    return steps_to_verification(facts.plan, facts.gups, facts.success)


def steps_to_verification(plan: RandomAccessPlan, measured: Quantity | None, success: bool | None) -> Steps:
    """The repetitions that were measured, of those planned, and whether the verdict is missing."""
    done = measured.samples.n if measured is not None and measured.samples is not None else 0
    planned = max(plan.repetitions or 0, done)
    missing = ["verification of the table"] if success is None else []
    return Steps(noun="repetition", planned=planned, done=done, missing=missing)


KIND = Kind(
    name="randomaccess",
    title="RandomAccess",
    what="a run of RandomAccess",
    facts=RandomAccessFacts,
    schema="randomaccess",
    sections="groma.report.kinds.randomaccess:SECTIONS",
    steps=steps_of,
    more_samples=("--repeat", "--budget"),
)
