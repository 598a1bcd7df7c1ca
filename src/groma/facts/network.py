"""Facts about the network: the part `network` of a profile. Fields may be added and are never renamed.

Ranks are those of the launch that measured the part. Hosts have the names that the launch found. What was not
measured is None or empty.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from groma.facts.matrices import SparseMatrix
from groma.record.launch import Launch
from groma.record.naming import Better
from groma.record.quantity import Quantity

MOST_SLOWDOWN = 1.2
"""Times as long as alone that a pair of nodes may take while others are measured."""


class NetworkLaunch(msgspec.Struct, kw_only=True):
    """A launch and what was measured in it.

    `labels` are those of the cases sampled in this launch, for probes that need several launches (the Network
    Access Benchmark needs one for each `per_node`).
    """

    probes: list[str]
    launch: Launch
    labels: dict[str, Any] = {}


class PairDesign(msgspec.Struct, kw_only=True):
    """Which pairs were measured: `kind` is "all" or "sampled".

    `risk` is the probability that a layer with at least `min_share` of all `total` pairs was missed
    entirely: (1 - min_share)^measured, since pairs were drawn independently.
    """

    kind: str
    measured: int
    total: int
    min_share: float
    risk: float


class PairLatencies(msgspec.Struct, kw_only=True):
    """One-way times of short messages between pairs of `ranks`; the matrix is symmetric.

    `hosts[i]` is where `ranks[i]` ran. Above 512 ranks the matrix is empty, and the layers list the measured
    pairs.
    """

    INDEXED_BY: ClassVar[dict[str, str]] = {"latency": "ranks"}

    ranks: list[int]
    hosts: list[str]
    bytes: int
    design: PairDesign
    latency: list[list[Quantity | None]] = []


class NodePairs(msgspec.Struct, kw_only=True):
    """One-way times of short messages between `ranks`, one on each node, `at_once` pairs at the same time.

    Entry (i, j) of `latency` is between `ranks[i]` and `ranks[j]`, i < j; `hosts[i]` is where `ranks[i]` ran.
    `slowdown` is how many times as long as alone a pair takes, None where no pair was measured alone.
    """

    BETTER: ClassVar[dict[str, Better]] = {"slowdown": "lower"}
    DETAILS: ClassVar[tuple[str, ...]] = ("slowdown",)

    ranks: list[int]
    hosts: list[str]
    bytes: int
    design: PairDesign
    at_once: int
    slowdown: Quantity | None = None
    latency: SparseMatrix | None = None

    @property
    def disturbed(self) -> bool:
        """Whether differences between pairs may be those of what disturbs them."""
        return self.slowdown is not None and self.slowdown.value > MOST_SLOWDOWN


class CurvePoint(msgspec.Struct, kw_only=True):
    """One-way time of a message of `bytes`; `bandwidth` is bytes over time, None for the empty message."""

    bytes: int
    time: Quantity
    bandwidth: Quantity | None = None


class ProtocolSwitch(msgspec.Struct, kw_only=True):
    """A message size at which the time of messages jumps, for example to the rendezvous protocol.

    `bytes` is the first size measured with the new protocol; its interval begins at the last size with the
    old one. `jump` is the time at that size over what the old protocol would take.
    """

    NAMED_BY: ClassVar[tuple[str, ...]] = ()
    BETTER: ClassVar[dict[str, Better]] = {"jump": "lower"}

    bytes: Quantity
    jump: Quantity


class LogGP(msgspec.Struct, kw_only=True):
    """Parameters of the LogGP model in s, G in s/B; None if the samples do not determine one.

    L is the latency, o the mean of the overheads `send` and `receive`, g the gap between short messages, G
    the gap for each byte of a long one.
    """

    L: Quantity | None = None
    o: Quantity | None = None
    g: Quantity | None = None
    G: Quantity | None = None
    send: Quantity | None = None
    receive: Quantity | None = None
    notes: list[str] = []


class ConcurrencyPoint(msgspec.Struct, kw_only=True):
    """`messages` at once, each between its own pair: their total bandwidth.

    `scaling` is that bandwidth over that of a single message. `slowest` assumes that all messages take as
    long as the slowest.
    """

    BETTER: ClassVar[dict[str, Better]] = {"scaling": "higher"}
    DETAILS: ClassVar[tuple[str, ...]] = ("slowest",)

    messages: int
    bandwidth: Quantity
    slowest: Quantity | None = None
    scaling: Quantity | None = None


class CommunicationLayer(msgspec.Struct, kw_only=True):
    """Pairs of ranks whose messages cost about the same.

    `relations` is what is known about the pairs ("between nodes", "same node", …), the most frequent first.
    `bandwidth` is that of long messages.
    """

    NAMED_BY: ClassVar[tuple[str, ...]] = ("name",)

    name: str
    latency: Quantity | None = None
    curve: list[CurvePoint] = []
    loggp: LogGP | None = None
    concurrency: list[ConcurrencyPoint] = []
    pairs: list[tuple[int, int]] = []
    relations: list[str] = []
    bandwidth: Quantity | None = None
    switches: list[ProtocolSwitch] = []


class Degradation(msgspec.Struct, kw_only=True):
    """Bandwidth of a rank in B/s and the ratio of the reference to it, by one statistic over the ranks."""

    BETTER: ClassVar[dict[str, Better]] = {"ratio": "lower"}

    bandwidth: list[Quantity | None]
    ratio: list[Quantity | None]


class SlowPart(msgspec.Struct, kw_only=True):
    """A slow part of the network, inferred from the times of single ranks.

    `kind` is "node", "link" or "uplink"; `ranks` and `hosts` are the node, the two ends of the link, or the
    group behind the uplink. Ranks whose messages use it take `factor` times as long as others at the same
    distance. `explained` is the share of the differences between ranks that it accounts for, if the network
    has the named `structure`. `otherwise` names one that explains as much without a slow part, if there is
    one: bandwidths do not tell the two apart.
    """

    BETTER: ClassVar[dict[str, Better]] = {"factor": "lower"}

    kind: str
    ranks: list[int]
    hosts: list[str]
    factor: Quantity
    explained: float
    structure: str = ""
    otherwise: str = ""

    @property
    def title(self) -> str:
        """As a reader knows it: "node h3", "link h3 - h4", "uplink of h0, h1, h2, h3"."""
        names = [host or f"rank {rank}" for host, rank in zip(self.hosts, self.ranks, strict=True)]
        return (
            f"uplink of {', '.join(names)}" if self.kind == "uplink" else f"{self.kind} {' - '.join(names)}"
        )


class DistanceLoad(msgspec.Struct, kw_only=True):
    """What a topology predicts for one distance: the mean number of links between nodes or switches that a
    message crosses, the number of messages on the busiest link, and the ratio of the mean max-min fair share
    of a message. `bandwidth` is the mean share of the ranks in B/s, if the bandwidth
    of a link is known.
    """

    hops: float
    busiest: int
    ratio: float
    bandwidth: float | None = None


class Distance(msgspec.Struct, kw_only=True):
    """The Distance Benchmark. Entry d - 1 of each list belongs to distance d.

    `ratio` is the paper's ratDist: the mean bandwidth of all ranks at distance 1, `reference`, over that at
    distance d. `exchange` marks the distance at which each rank sends to the rank it receives from (half the
    number of nodes). `per_rank[d - 1][r]` is the bandwidth of rank r, which ran on `hosts[r]`. `monotone`
    says whether the ratio grows with the distance throughout, None if the intervals leave it open. `loads`
    are those of `structure` ("torus 4x4"), which is "declared" or "inferred" (`loads_of`); with many nodes
    not every distance has one. `link_bandwidth` (B/s) is that of a node's link as the user gave it. Messages
    were sent in pieces of `piece` bytes.
    """

    BETTER: ClassVar[dict[str, Better]] = {"ratio": "lower"}
    DETAILS: ClassVar[tuple[str, ...]] = ("per_rank",)

    nodes: int
    message: int
    reference: Quantity
    ratio: list[Quantity | None]
    exchange: list[bool]
    bandwidth: list[Quantity | None] = []
    slowest: Degradation | None = None
    harmonic: Degradation | None = None
    per_rank: list[list[Quantity | None]] = []
    hosts: list[str] = []
    monotone: bool | None = None
    slow: list[SlowPart] = []
    loads: list[DistanceLoad | None] = []
    loads_of: str | None = None
    structure: str = ""
    link_bandwidth: float | None = None
    piece: int | None = None
    notes: list[str] = []


class Access(msgspec.Struct, kw_only=True):
    """The Network Access Benchmark. Entry i - 1 of each list belongs to i processes on a node.

    `ratio` is the paper's ratNC: the mean bandwidth of `processes` ranks with one on each node, `reference`,
    over that of as many ranks with i on each. What was not measured is None. `exchange` marks where there
    were two nodes, so that each rank sent to the rank it received from. Messages were sent in pieces of
    `pieces[i - 1]` bytes.
    """

    BETTER: ClassVar[dict[str, Better]] = {"ratio": "lower"}

    cores_per_node: int
    message: int
    processes: int
    reference: Quantity
    ratio: list[Quantity | None]
    bandwidth: list[Quantity | None] = []
    slowest: Degradation | None = None
    harmonic: Degradation | None = None
    exchange: list[bool] = []
    pieces: list[int | None] = []
    notes: list[str] = []


class ReceiverPhase(msgspec.Struct, kw_only=True):
    """`sending` nodes send to one node while it sends to `receiving` others, all at once.

    `bandwidth` is what the node receives, `outgoing` what it sends; None if there is no such message.
    `slowed[i]` is how much longer rank `senders[i]` takes than a single sender to an idle node.
    """

    DETAILS: ClassVar[tuple[str, ...]] = ("slowed",)
    BETTER: ClassVar[dict[str, Better]] = {"slowed": "lower"}
    INDEXED_BY: ClassVar[dict[str, str]] = {"slowed": "senders"}

    sending: int
    receiving: int
    bandwidth: Quantity | None = None
    outgoing: Quantity | None = None
    senders: list[int] = []
    slowed: list[Quantity] = []


class ReceiverLimit(msgspec.Struct, kw_only=True):
    """How many senders fill the node while it sends to `receiving` others, and what it receives then.

    `sending` counts senders at the rate of a single one and may be fractional. If not `saturated`, the total
    still grew at the largest number measured.
    """

    NAMED_BY: ClassVar[tuple[str, ...]] = ("receiving",)
    BETTER: ClassVar[dict[str, Better]] = {"sending": "higher"}

    receiving: int
    sending: Quantity
    saturated: bool
    bandwidth: Quantity


class Receiver(msgspec.Struct, kw_only=True):
    """How much one node, `host`, can receive.

    While it sends to nobody (`receiving` is 0), `sending` nodes can send to it at nearly their full rate;
    `bandwidth` is the most that it receives. `limits` has the same for each number of targets, `phases` all
    measurements: `messages` of `message` bytes from each sender.
    """

    sending: int
    receiving: int
    bandwidth: Quantity
    message: int
    messages: int
    host: str = ""
    limits: list[ReceiverLimit] = []
    phases: list[ReceiverPhase] = []
    notes: list[str] = []


class TopologyChoice(msgspec.Struct, kw_only=True):
    """A structure and its likelihood among all candidates (0 to 1)."""

    kind: str
    shape: list[int]
    weight: float


class TopologyLevel(msgspec.Struct, kw_only=True):
    """Groups within groups: one level of them.

    `groups` are the indexes of `hosts`. A message to another group of the level takes `adds` of the typical
    latency more, beside what smaller levels add.
    """

    groups: list[list[int]]
    adds: float


class NetworkTopology(msgspec.Struct, kw_only=True):
    """The likely structure of the network: inferred from times, never declared.

    `kind` is "crossbar" (all nodes equally near), "ring", "torus", "mesh", "tree" (groups under a common
    top), "groups" (linked in pairs) or "unknown"; `shape` holds the extents of a ring, torus or mesh,
    otherwise the sizes of the groups. `groups` are the indexes of `hosts` that are near each other.
    `in_rank_order` says whether nodes of neighbouring ranks are neighbours, `uplink` is the bandwidth of a
    link between groups over that of a node. `levels` are those of a tree of several levels, the smallest
    groups first: one of them has `groups`. `evidence` is what the inference rests on, `alternatives` are
    the next best explanations.
    """

    kind: str
    shape: list[int]
    confidence: float
    hosts: list[str] = []
    groups: list[list[int]] = []
    in_rank_order: bool = False
    uplink: float | None = None
    levels: list[TopologyLevel] = []
    evidence: list[str] = []
    alternatives: list[TopologyChoice] = []
    method: str = ""


class NetworkFacts(msgspec.Struct, kw_only=True):
    """`launches` says where the ranks of each part ran."""

    layers: list[CommunicationLayer] = []
    pairs: PairLatencies | None = None
    node_pairs: NodePairs | None = None
    distance: Distance | None = None
    access: Access | None = None
    receiver: Receiver | None = None
    topology: NetworkTopology | None = None
    launches: list[NetworkLaunch] = []
