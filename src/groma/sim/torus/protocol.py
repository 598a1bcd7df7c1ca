"""What groma-torus reads and answers: one request on its standard input, JSON lines on its standard output.

Times are in cycles of the processor, sizes in bytes. Directions of a node are numbered as its ports: 2 d goes
up in dimension d, 2 d + 1 down. Nodes are numbered with the first coordinate running fastest. Later versions
may say more: unknown fields and events are ignored.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Routing = Literal["adaptive", "deterministic"]


class Network(msgspec.Struct, frozen=True, kw_only=True):
    """Routers and links. `channel_bytes` is the buffer of each virtual channel; 0 places of a FIFO stand for
    memory without a bound.
    """

    bytes_per_cycle: float
    hop_latency: int
    packet_step: int
    packet_largest: int
    packet_header: int
    packet_on_wire: int
    channel_bytes: int
    adaptive_channels: int
    injection_packets: int
    reception_packets: int
    routing: Routing


class Receive(msgspec.Struct, frozen=True, kw_only=True):
    """Cycles for a packet: `single` alone, `each` of `batch` that are received together."""

    single: float
    batch: int
    each: float


class Processor(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the cores of a node spend on a packet, in cycles; `message` on each end of a message, `call`,
    `reorder` (packets) and `copy` (bytes between ranks of a node) on messages as well. `poll` is the time
    between two looks for packets in RandomAccess. Other workloads know none of these.
    """

    send: float
    receive: Receive
    call: float = 0.0
    message: float | None = None
    reorder: float = 0.0
    copy: float = 0.0
    poll: float | None = None


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """`time_limit` in seconds of wall time; `links` asks for the load of each link."""

    seed: int = 1
    threads: int = 1
    time_limit: float | None = None
    links: bool = False


class TraceOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`path` is that of the files of a trace without their endings."""

    path: str
    nanoseconds_per_cycle: float


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """`torus` says for each dimension whether its ends are joined. `workload` has a name and parameters."""

    shape: list[int]
    torus: list[bool]
    network: Network
    processor: Processor
    workload: dict[str, Any]
    run: Run = Run()
    trace: TraceOptions | None = None


class Progress(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="progress"):
    """`time` is simulated (cycles), `wall` has passed meanwhile (s)."""

    time: float
    wall: float
    packets: int = 0


class TraceOutput(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="trace"):
    """The records of the trace that was asked for, or why it could not be written."""

    states: int = 0
    messages: int = 0
    bytes: int = 0
    failed: str = ""


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """`samples` are times with the updates that were done by then, over all nodes."""

    samples: list[tuple[float, float]] = []


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Cycles from the injection of a packet to its tail at the destination."""

    n: int
    min: float
    p5: float
    p50: float
    p95: float
    max: float
    mean: float


class Stalls(msgspec.Struct, frozen=True, kw_only=True):
    """Cycles in which a link was idle, had a packet and no token, over all links and by direction."""

    tokens: float = 0.0
    by_direction: list[float] = []


class Busy(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of the time in which a link carried packets, over all links."""

    min: float
    mean: float
    max: float


class Links(msgspec.Struct, frozen=True, kw_only=True):
    """`by_direction` are means over the links of a direction.

    `values` and `stalled` are shares of the time, node by node and direction by direction in one list, where
    asked for. A link that does not exist has 0.
    """

    busy: Busy
    by_direction: list[float] = []
    values: list[float] = []
    stalled: list[float] = []


class Deadlock(msgspec.Struct, frozen=True, kw_only=True):
    """Ranks that wait for each other for ever: those of a cycle, and how many there are in all."""

    cycle: list[int] = []
    ranks: int = 0


class Unreceived(msgspec.Struct, frozen=True, kw_only=True):
    """Messages of a replay that no receive took: of the program and of collectives. `first` is one of the
    program's: its sender, receiver and tag.
    """

    messages: int = 0
    of_collectives: int = 0
    first: tuple[int, int, int] | None = None


class Unsent(msgspec.Struct, frozen=True, kw_only=True):
    """Receives of a replay that wait for messages which no rank sends: of the program and of collectives.

    `ranks` are the first that wait so. `first` is one of the program's: its sender, receiver and tag, -1 for
    any sender or tag. `sendrecvs` are the lines of the trace that are a `sendRecv`.
    """

    receives: int = 0
    of_collectives: int = 0
    ranks: list[int] = []
    first: tuple[int, int, int] | None = None
    sendrecvs: int = 0


class Sender(msgspec.Struct, frozen=True, kw_only=True):
    """Of a fan: a node and the share of the time in which its links to the middle waited for a token."""

    node: int
    stalled: float


class Result(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="result"):
    """The outcome. `finished` is false where a limit or a signal ended the run, `stuck` is true where packets
    are left that nothing will move.

    `bytes` are those of the workload's own that arrived. `loads` are the shares of the time in which each
    core role worked. `waiting` are updates that have come to nodes and wait there. `values` are further
    numbers of a workload by name: all that no other field holds.
    """

    finished: bool
    stuck: bool = False
    time: float
    packets: int
    packet_hops: int
    bytes: float = 0.0
    updates: int = 0
    waiting: int = 0
    window: Window = Window()
    latency: Latency | None = None
    stalls: Stalls = Stalls()
    links: Links | None = None
    loads: list[float] = []
    values: dict[str, list[float]] = {}
    deadlock: Deadlock | None = None
    unreceived: Unreceived | None = None
    unsent: Unsent | None = None
    senders: list[Sender] = []
    wall: float = 0.0
    memory_per_node: float = 0.0
    trace: TraceOutput | None = None


class _Named(msgspec.Struct):
    event: str


def event_of(line: bytes) -> Progress | TraceOutput | Result | None:
    """What a line tells; None for an event of a later version. Raises msgspec.DecodeError."""
    kind = msgspec.json.decode(line, type=_Named).event
    if kind == "progress":
        return msgspec.json.decode(line, type=Progress)
    if kind == "trace":
        return msgspec.json.decode(line, type=TraceOutput)
    if kind != "result":
        return None
    result = msgspec.json.decode(line, type=Result)
    return msgspec.structs.replace(result, values=result.values | _further(msgspec.json.decode(line)))


_NO_VALUES = {"work", "complete", "unfinished"}
"""In other fields as well: `updates`, `finished`, `deadlock`. Who waits when a run is ended tells nothing."""


def _further(answer: dict[str, Any]) -> dict[str, list[float]]:
    """Numbers that no field of a result holds, by name; those of a table with a dot between the names."""
    found: dict[str, list[float]] = {}
    for name, value in answer.items():
        if name in Result.__struct_fields__ or name in _NO_VALUES:
            continue
        for part, number in value.items() if isinstance(value, dict) else [("", value)]:
            if isinstance(number, (int, float)) and not isinstance(number, bool):
                found[f"{name}.{part}" if part else name] = [float(number)]
            elif isinstance(number, list) and all(isinstance(one, (int, float)) for one in number):
                found[f"{name}.{part}" if part else name] = [float(one) for one in number]
    return found
