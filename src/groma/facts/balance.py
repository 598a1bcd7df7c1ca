"""Facts about the balance of systems. Fields may be added and are never renamed."""

from __future__ import annotations

from typing import Annotated

import msgspec

from groma.facts.kinds import Kind
from groma.record import Quantity

Count = Annotated[int, msgspec.Meta(ge=1)]


class System(msgspec.Struct, kw_only=True):
    """One run of the suite, or a row of published results.

    `source` is the file, or the publication and the place in it. `ranks` are MPI processes of `threads`
    threads each, on `nodes` machines; None where nothing says so. `ranks_of_nodes` are those on each of them,
    where they differ. `quantities` are as HPC Challenge defines them, most of them per rank; `accumulated`
    are those of the whole system. What was not measured is absent.
    `no_ratios` says why a measured HPL is not that of the whole system. Runs of one `platform` lie on one
    curve.
    """

    name: str
    source: str
    reference: bool = False
    platform: str = ""
    created: str = ""
    program: str = ""
    switch: str = ""
    cpu: str = ""
    clock: Quantity | None = None
    ranks: Count | None = None
    threads: Count | None = None
    nodes: Count | None = None
    ranks_of_nodes: list[Count] = []
    success: bool | None = None
    no_ratios: str = ""
    note: str = ""
    quantities: dict[str, Quantity] = {}
    accumulated: dict[str, Quantity] = {}


class InterNode(msgspec.Struct, kw_only=True):
    """What is left of the random ring without neighbours on the same node (section 4 of the paper).

    `inner_share` is the share of neighbours that are on the same node when the order is random, `per_rank`
    and `per_node` the bandwidth between nodes, `over_hpl` its ratio to HPL.
    """

    ranks_per_node: float
    inner_share: float
    per_rank: Quantity
    per_node: Quantity
    over_hpl: Quantity | None = None


class SystemRatios(msgspec.Struct, kw_only=True):
    """`over_hpl` is what the whole system does of each test for 1,000 flop of HPL.

    `relative` is that over the largest of all systems (figures 4 to 6), with `hpl` and the reciprocal latency
    of random rings over their largest. `messages` are ratios between ways to send (figure 1).
    """

    system: str
    over_hpl: dict[str, Quantity] = {}
    relative: dict[str, Quantity] = {}
    messages: dict[str, Quantity] = {}
    inter_node: InterNode | None = None


class TableRow(msgspec.Struct, kw_only=True):
    """A row of the paper's table 1. `balance` is communication over computation in B/kflop."""

    system: str
    switch: str = ""
    cpu: str = ""
    clock: Quantity | None = None
    ranks: Count | None = None
    threads: Count | None = None
    random_ring_bandwidth: Quantity | None = None
    ping_pong_bandwidth: Quantity | None = None
    random_ring_latency: Quantity | None = None
    ping_pong_latency: Quantity | None = None
    hpl: Quantity | None = None
    hpl_per_rank: Quantity | None = None
    balance: Quantity | None = None
    note: str = ""


class PrintedValue(msgspec.Struct, kw_only=True):
    """A value that a paper derives from others that it prints, and what those give.

    `low` and `high` bound what they may give before they were rounded for print. `verdict` is "reproduced"
    (the printed digits), "rounded inputs" (within the bounds) or "inconsistent".
    """

    system: str
    what: str
    printed: str
    computed: str
    low: float
    high: float
    unit: str
    verdict: str
    source: str


class Reading(msgspec.Struct, kw_only=True):
    """The ratio that the curve of a platform has at a speed of HPL, between its two neighbours there."""

    platform: str
    ratio: str
    at: Quantity
    value: Quantity
    between: list[str]


class Statement(msgspec.Struct, kw_only=True):
    """What a number says, with the threshold that it is held against.

    `code` is stable: "network-starved". `side` is "below" or "above" the threshold.
    """

    system: str
    code: str
    text: str
    ratio: str
    value: Quantity
    side: str
    threshold: float
    reason: str


class Warned(msgspec.Struct, kw_only=True):
    """Something odd about the input. `line` of the file counts from 1; None where none can be named."""

    source: str
    line: int | None = None
    code: str
    what: str
    next: str


class BalanceFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `balance`.

    `ratios` and `table1` have one entry for each of `systems`, in that order.
    """

    systems: list[System]
    ratios: list[SystemRatios] = []
    table1: list[TableRow] = []
    statements: list[Statement] = []
    readings: list[Reading] = []
    printed: list[PrintedValue] = []
    warnings: list[Warned] = []


KIND = Kind(
    name="balance",
    title="Balance",
    what="the balance of systems",
    facts=BalanceFacts,
    schema="balance",
    sections="groma.report.kinds.balance:SECTIONS",
)
