"""Facts of a trace of an MPI program. Fields may be added and are never renamed.

Times are sums over readings of a clock, in seconds and without an interval. Sizes are in bytes, rates in
bytes per second.
"""

from __future__ import annotations

import msgspec

from groma.facts.kinds import Kind


class TraceEfficiencies(msgspec.Struct, frozen=True, kw_only=True):
    """Those of the POP project: `parallel` is `load_balance` times `communication`."""

    load_balance: float
    communication: float
    parallel: float


class TraceRecords(msgspec.Struct, frozen=True, kw_only=True):
    """How many records of each kind were read; `lines` and `bytes` of a text."""

    states: int = 0
    events: int = 0
    event_lines: int = 0
    communications: int = 0
    lines: int = 0
    bytes: int = 0


class TraceState(msgspec.Struct, frozen=True, kw_only=True):
    """`share` of the time of all threads that were there."""

    state: int
    label: str
    count: int
    seconds: float
    share: float


class TraceCall(msgspec.Struct, frozen=True, kw_only=True):
    """All calls of one number.

    `share` is of the time that all threads were there. `received` bytes of messages arrived in calls that
    took `receiving` seconds; `bandwidth` is their quotient. What ranks send and receive by collectives stands
    apart.
    """

    type: int
    value: int
    label: str
    count: int
    seconds: float
    share: float
    mean: float
    longest: float
    received: int
    receiving: float
    bandwidth: float | None = None
    collective_sent: int = 0
    collective_received: int = 0


class TraceCallSite(msgspec.Struct, frozen=True, kw_only=True):
    """All calls of one name from one place of the program.

    `line` is "12 (file.c, program)" or, without debugging information, an address in its module. `sent` and
    `received` are bytes of messages and of collectives; a message is sent by the call that starts to send it,
    and received by the call in which it arrives.
    """

    call: str
    function: str
    line: str
    count: int
    seconds: float
    share: float
    mean: float
    longest: float
    sent: int
    received: int


class TraceCollective(msgspec.Struct, frozen=True, kw_only=True):
    """All collective calls of one name in one communicator, which is named by its ranks.

    `ranks` is their number, None where the trace does not say which they are. Of a call that does not block,
    the time is that of the call alone.
    """

    communicator: str
    ranks: int | None
    call: str
    count: int
    seconds: float
    share: float
    mean: float
    longest: float
    sent: int
    received: int


class TraceRank(msgspec.Struct, frozen=True, kw_only=True):
    """Where the time of a rank, or of a thread of a rank, went.

    It was there for `lifetime`. `sent` and `received` are bytes of messages. `states` has seconds by number
    of the state, `mpi` by type and number of the call ("50000001:2"). `present` is False for a place in the
    trace that was not traced. What the tracer took of `in_mpi` and of `useful` is None where it is not known.
    `counters` has what each counter counted, by its name. `bandwidths` has the number of calls, by type and
    number of the call and by the least bandwidth (B/s) of a bin of 10 MB/s; the last bin has no end.
    """

    name: str
    useful: float
    in_mpi: float
    calls: int
    sent: int
    received: int
    lifetime: float = 0.0
    present: bool = True
    tracer_in_mpi: float | None = None
    tracer_in_useful: float | None = None
    states: dict[str, float] = {}
    mpi: dict[str, float] = {}
    counters: dict[str, int] = {}
    bandwidths: dict[str, dict[int, int]] = {}


class TraceMessages(msgspec.Struct, frozen=True, kw_only=True):
    count: int
    bytes: int
    pairs: int


class TraceSize(msgspec.Struct, frozen=True, kw_only=True):
    """Messages of `min` to `max` bytes."""

    min: int
    max: int
    count: int
    bytes: int


class TracePair(msgspec.Struct, frozen=True, kw_only=True):
    """What one rank sent another; both by name."""

    sender: str
    receiver: str
    count: int
    bytes: int


class TraceBandwidth(msgspec.Struct, frozen=True, kw_only=True):
    """Calls that received `min` to `max` bytes per second; the fastest have no `max`."""

    type: int
    value: int
    label: str
    min: float
    max: float | None
    count: int
    seconds: float


class TraceRegion(msgspec.Struct, frozen=True, kw_only=True):
    """A region of the program.

    `received` bytes arrived within the calls of the region, by message; `bandwidth` divides them by the time
    of the thread that was there longest. A thread that never was there counts with 0 in `mean_thread`.
    """

    type: int
    label: str
    count: int
    seconds: float
    longest_thread: float
    mean_thread: float
    in_mpi: float
    messages: int
    received: int
    bandwidth: float | None = None


class TraceCounter(msgspec.Struct, frozen=True, kw_only=True):
    """What a counter counted, in all and outside of MPI; `place` is the region, "" for all of the trace."""

    counter: str
    place: str
    total: int
    outside_mpi: int


class TraceType(msgspec.Struct, frozen=True, kw_only=True):
    """A type of events, and how many there are."""

    type: int
    count: int
    label: str


class TraceClock(msgspec.Struct, frozen=True, kw_only=True):
    """How the clock of a host was brought onto that of rank 0; `error` bounds what is left (s)."""

    name: str
    aligned_by: str
    error: float
    comparisons: int = 0


class Tracing(msgspec.Struct, frozen=True, kw_only=True):
    """How the trace was taken, where groma took it."""

    program: str
    library: str
    logs: int
    log_bytes: int
    hosts: list[TraceClock] = []


class TraceTimelineRow(msgspec.Struct, frozen=True, kw_only=True):
    """Neighbouring threads of a trace, named by the only one or by the first and the last ("0 to 15").

    `nanoseconds` has the time of all these threads in each bin, by number of the state. They are whole, so
    that their sum over bins and rows is that of the state.
    """

    name: str
    threads: int
    nanoseconds: dict[str, list[int]]


class TraceTimeline(msgspec.Struct, frozen=True, kw_only=True):
    """The time in states over the time of the trace, in bins of `width` seconds from `begin` on.

    Of many threads, a row has as many neighbours as the others. Neither rows nor bins grow with the trace.
    """

    begin: float
    width: float
    bins: int
    rows: list[TraceTimelineRow]


class TraceFacts(msgspec.Struct, kw_only=True):
    """Facts of a record of kind `trace`.

    `created` is what the trace says of its own time, `hosts` the names of its nodes, where it has some. A
    trace without states has no `timeline`.
    """

    trace: str = ""
    created: str = ""
    duration: float
    threads: int
    nodes: int
    hosts: list[str] = []
    ranks: list[TraceRank]
    records: TraceRecords = TraceRecords()
    efficiencies: TraceEfficiencies | None = None
    states: list[TraceState] = []
    calls: list[TraceCall] = []
    call_sites: list[TraceCallSite] = []
    collectives: list[TraceCollective] = []
    messages: TraceMessages = TraceMessages(count=0, bytes=0, pairs=0)
    sizes: list[TraceSize] = []
    pairs: list[TracePair] = []
    bandwidths: list[TraceBandwidth] = []
    regions: list[TraceRegion] = []
    counters: list[TraceCounter] = []
    types: list[TraceType] = []
    timeline: TraceTimeline | None = None
    tracing: Tracing | None = None


KIND = Kind(
    name="trace",
    title="Trace of a program",
    what="what a program spent in MPI",
    facts=TraceFacts,
    schema="trace",
    sections="groma.report.kinds.trace:SECTIONS",
)
