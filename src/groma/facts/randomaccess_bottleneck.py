"""Facts about which role of ranks limits RandomAccess. Fields may be added and are never renamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from groma.facts.kinds import Kind
from groma.facts.randomaccess import RandomAccessPlan, steps_to_verification
from groma.record import Quantity, Record
from groma.record.launch import CheckResult, Launch

if TYPE_CHECKING:
    from groma.record.unfinished import Steps


class RoleLoad(msgspec.Struct, kw_only=True):
    """What the work of a role takes of the time of a node for an update (s).

    `dropped` is the time of an update where all later roles drop what reaches them: the load of the slowest
    role up to this one. `delayed` is the load of the role itself: the time of an update where its ranks are
    delayed for each update, less the delay; it is more where a slower role hid a part of the delay.
    `response` is the part of the delay that the node became slower by: 1 for a bottleneck, less for a role
    that waits. Each is None if no such run was completed; for `send` and `receive` nothing can be dropped.
    """

    NAMED_BY: ClassVar[tuple[str, ...]] = ("role",)

    role: str
    ranks: int | None = None
    dropped: Quantity | None = None
    delayed: Quantity | None = None
    response: Quantity | None = None


class BottleneckFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `randomaccess_bottleneck`: an experiment, not a result of the benchmark.

    `update_time` is the time of a node for an update (s), with nothing dropped or delayed. `roles` are in the
    order in which updates pass them, `messages` are the loads of sending and receiving. `by_dropping` and
    `by_delaying` name the role that each method finds to be the bottleneck, None if times vary too much to
    tell. `checks` are of the runs that drop nothing; the others leave wrong words by design and are not
    verified. `success` is None if the run ended before its checks.
    """

    OUTCOMES: ClassVar[tuple[str, ...]] = ("by_dropping", "by_delaying", "success")

    ranks: int
    table_words: int
    mapping_mode: int = 8
    grid: list[int] = []
    update_time: Quantity | None = None
    roles: list[RoleLoad] = []
    messages: list[RoleLoad] = []
    by_dropping: str | None = None
    by_delaying: str | None = None
    checks: list[CheckResult] = []
    success: bool | None = None
    launch: Launch | None = None
    plan: RandomAccessPlan = msgspec.field(default_factory=RandomAccessPlan)


def steps_of(record: Record[BottleneckFacts]) -> Steps:
    """An experiment is complete once its tables are verified: its budget may end it before."""
    facts = record.facts
    return steps_to_verification(facts.plan, facts.update_time, facts.success)


KIND = Kind(
    name="randomaccess_bottleneck",
    title="RandomAccess, bottleneck",
    what="a search for the bottleneck of RandomAccess",
    facts=BottleneckFacts,
    schema="randomaccess_bottleneck",
    sections="groma.report.kinds.randomaccess_bottleneck:SECTIONS",
    steps=steps_of,
    more_samples=("--repeat", "--budget"),
)
