"""Facts of a simulated run on a torus. Fields may be added and are never renamed.

What is counted is exact: the same request gives the same numbers. A quantity has an interval where it stands
for more than this run, such as a rate in the steady state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from groma.facts.kinds import Kind
from groma.record.quantity import Quantity
from groma.record.unfinished import Steps

if TYPE_CHECKING:
    from groma.record import Record


class SimulatedWith(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter of the run. `source` names a paper and the place, or says what the value comes from.

    `assumed` are those that no source gives, `surveyed` those that a profile gave (`--from-profile`).
    """

    name: str
    value: float | str | None
    unit: str = ""
    source: str = ""
    assumed: bool = False
    surveyed: bool = False


class TorusLatency(msgspec.Struct, frozen=True, kw_only=True):
    """From the injection of a packet to its tail at the destination (s), over all packets."""

    median: Quantity
    mean: Quantity
    longest: Quantity


class TokenStalls(msgspec.Struct, frozen=True, kw_only=True):
    """Time in which a link was idle, had a packet to send and no token for it.

    `share` is that of the time of all links; `by_direction` has the share of each direction, `nodes` that of
    each direction of each node, where it was asked for.
    """

    cycles: float
    share: float
    by_direction: list[float] = []
    nodes: list[list[float]] = []


class LinkBusy(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of the time in which links carried packets.

    `by_direction` are means; `nodes` has the share of each direction of each node, where it was asked for.
    """

    mean: float
    min: float
    max: float
    by_direction: list[float] = []
    nodes: list[list[float]] = []


class CoreLoad(msgspec.Struct, frozen=True, kw_only=True):
    """Share of the time in which the cores of a role worked, mean over the nodes."""

    role: str
    busy: float


class SteadyWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The part of the run from which a rate was taken: from `begin` to `end` (s), in `batches`.

    `drift` is the rate of its second half over that of its first, less 1.
    """

    begin: float
    end: float
    batches: int
    drift: float | None = None
    samples: list[tuple[float, float]] = []


class SimulatorCost(msgspec.Struct, frozen=True, kw_only=True):
    """What the simulation itself took: seconds, threads, bytes of memory for each node."""

    wall: float
    threads: int
    memory_per_node: float
    packet_hops_per_second: float | None = None


class TorusFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `torus`.

    `shape` and `closed` describe the torus, `axes` name its dimensions. Directions are 2 d (up) and 2 d + 1
    (down) in dimension d. Nodes are numbered with the first coordinate running fastest. `gups` (GUP/s) is
    there for RandomAccess, `bandwidth` (payload that arrived, over all nodes) for others. `values` are
    further numbers of a workload by name. `finished` is false where a limit ended the run,
    `stuck` is true where packets were left that nothing would move. `deadlock` are ranks of which each waits
    for the next one, and the last for the first; `waiting_ranks` is the number of all that wait for ever.
    The results of a test do not depend on the number of threads, nor on what is kept of them.
    """

    OUTCOMES: ClassVar[tuple[str, ...]] = (
        *("packets", "packet_hops", "bytes", "updates", "finished", "stuck", "deadlock", "waiting_ranks"),
    )
    NO_TEST: ClassVar[tuple[str, ...]] = ("run", "trace")
    DETAILS: ClassVar[tuple[str, ...]] = ("latency",)

    machine: str
    title: str
    workload: str
    algorithm: str = ""
    shape: list[int]
    closed: list[bool]
    axes: list[str]
    frequency: float
    gups: Quantity | None = None
    bandwidth: Quantity | None = None
    time: Quantity
    packets: int
    packet_hops: int
    bytes: float = 0.0
    updates: int = 0
    planned_updates: int = 0
    bucket: int | None = None
    latency: TorusLatency | None = None
    stalls: TokenStalls
    links: LinkBusy | None = None
    loads: list[CoreLoad] = []
    values: dict[str, list[float]] = {}
    window: SteadyWindow | None = None
    parameters: list[SimulatedWith] = []
    simulator: SimulatorCost | None = None
    seed: int = 1
    finished: bool = True
    stuck: bool = False
    deadlock: list[int] = []
    waiting_ranks: int = 0

    @property
    def assumed(self) -> list[SimulatedWith]:
        return [one for one in self.parameters if one.assumed]

    @property
    def surveyed(self) -> list[SimulatedWith]:
        return [one for one in self.parameters if one.surveyed]


def steps_of(record: Record[TorusFacts]) -> Steps:
    """A run that a limit ended cannot go on where it stopped."""
    facts = record.facts
    missing = [] if facts.finished else ["the rest of the simulated time"]
    if facts.planned_updates:
        planned = facts.planned_updates
        return Steps(noun="update", planned=planned, done=min(facts.updates, planned), missing=missing)
    return Steps(noun="run", planned=1, done=int(facts.finished), missing=missing)


KIND = Kind(
    name="torus",
    title="Simulated torus",
    what="a simulated run on a torus",
    facts=TorusFacts,
    schema="torus",
    sections="groma.report.kinds.torus:SECTIONS",
    steps=steps_of,
    subject=lambda facts: f"{facts.workload} on {facts.machine}, {facts.title}",
)
