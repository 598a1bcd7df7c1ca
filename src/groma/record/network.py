"""Facts about the network: the part `network` of a profile. Fields may be added, none is ever renamed.

Ranks are those of the launch that measured the part. Nodes are named as the launch found them. What was not
measured is None or empty.
"""

from __future__ import annotations

from typing import Any

import msgspec

from groma.record.launch import Launch
from groma.record.quantity import Quantity


class NetworkLaunch(msgspec.Struct, kw_only=True):
    """A launch and what was measured in it.

    `labels` are those of the cases that were sampled in this launch, where a probe takes several launches
    (the Network Access Benchmark takes one for each `per_node`).
    """

    probes: list[str]
    launch: Launch
    labels: dict[str, Any] = {}


class PairDesign(msgspec.Struct, kw_only=True):
    """Which pairs were measured: `kind` is "all" or "sampled".

    Of a layer that holds at least `least_share` of all `total` pairs, not one pair was measured with the
    probability `risk` at most: (1 - least_share)^measured, as pairs were drawn independently.
    """

    kind: str
    measured: int
    total: int
    least_share: float
    risk: float


class PairLatencies(msgspec.Struct, kw_only=True):
    """One-way times of short messages between pairs of `ranks`; the matrix is symmetric.

    `hosts[i]` is where `ranks[i]` ran. The matrix is left out (empty) above 512 ranks: then the layers tell
    which pairs were measured.
    """

    ranks: list[int]
    hosts: list[str]
    bytes: int
    design: PairDesign
    latency: list[list[Quantity | None]] = []


class CurvePoint(msgspec.Struct, kw_only=True):
    """One-way time of a message of `bytes`; `bandwidth` is bytes over time, None for the empty message."""

    bytes: int
    time: Quantity
    bandwidth: Quantity | None = None


class ProtocolSwitch(msgspec.Struct, kw_only=True):
    """A message size at which the time of messages jumps, as where a library changes to its rendezvous.

    `bytes` is the first size that was measured with the new protocol; its interval begins at the last size
    with the old one. `jump` is the time at that size over what the old protocol would take.
    """

    bytes: Quantity
    jump: Quantity


class LogGP(msgspec.Struct, kw_only=True):
    """Parameters of the LogGP model in s, G in s/B; None where the samples do not determine one.

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
    """`messages` at once, each between a pair of its own: their bandwidth together.

    `scaling` is that bandwidth over the one of a single message; `slowest` counts all messages as long as
    the slowest of them.
    """

    messages: int
    bandwidth: Quantity
    slowest: Quantity | None = None
    scaling: Quantity | None = None


class CommunicationLayer(msgspec.Struct, kw_only=True):
    """Pairs of ranks whose messages cost alike.

    `relations` is what is known about the pairs ("between nodes", "same node", …), the most frequent first.
    `bandwidth` is that of long messages.
    """

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

    bandwidth: list[Quantity | None]
    ratio: list[Quantity | None]


class SlowPart(msgspec.Struct, kw_only=True):
    """A part of the network that the times of single ranks point at.

    `kind` is "node", "link" or "uplink"; `ranks` and `hosts` are the node, the two ends of the link, or the
    group behind the uplink. Ranks whose messages use it take `factor` times as long as others at the same
    distance; `explained` is the share of the differences between ranks that this accounts for, if the network
    has the `structure` named.
    """

    kind: str
    ranks: list[int]
    hosts: list[str]
    factor: Quantity
    explained: float
    structure: str = ""

    @property
    def title(self) -> str:
        """As a reader knows it: "node h3", "link h3 - h4", "uplink of h0, h1, h2, h3"."""
        names = [host or f"rank {rank}" for host, rank in zip(self.hosts, self.ranks, strict=True)]
        return (
            f"uplink of {', '.join(names)}" if self.kind == "uplink" else f"{self.kind} {' - '.join(names)}"
        )


class DistanceLoad(msgspec.Struct, kw_only=True):
    """What a topology makes of one distance: links between nodes or switches that a message crosses on the
    average, messages on the busiest link, and the ratio that max-min fair shares give where each rank waits
    for both of its messages. `bandwidth` is the mean of the ranks' shares in B/s, where somebody told what a
    link carries.
    """

    hops: float
    busiest: int
    ratio: float
    bandwidth: float | None = None


class Distance(msgspec.Struct, kw_only=True):
    """The Distance Benchmark. Entry d - 1 of each list belongs to distance d.

    `ratio` is the paper's ratDist: the mean bandwidth of all ranks at distance 1, `reference`, over that at
    distance d. `exchange` tells where each rank sends to the one that it receives from (twice the distance
    is the number of nodes). `per_rank[d - 1][r]` is the bandwidth of rank r, which ran on `hosts[r]`.
    `monotone` is whether the ratio grows with the distance all along, None where intervals leave it open.
    `loads` are those of `structure` ("torus 4x4"), which is "declared" or "inferred" (`loads_of`); of many
    nodes not every distance has one. `link_bandwidth` (B/s) is what the link of a node was said to carry.
    """

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
    notes: list[str] = []


class Access(msgspec.Struct, kw_only=True):
    """The Network Access Benchmark. Entry i - 1 of each list belongs to i processes on a node.

    `ratio` is the paper's ratNC: the mean bandwidth of `processes` ranks with one on each node, `reference`,
    over that of as many ranks with i on each. What was not measured is None.
    """

    cores_per_node: int
    message: int
    processes: int
    reference: Quantity
    ratio: list[Quantity | None]
    bandwidth: list[Quantity | None] = []
    slowest: Degradation | None = None
    harmonic: Degradation | None = None
    notes: list[str] = []


class ReceiverPhase(msgspec.Struct, kw_only=True):
    """`sending` nodes send to one node while that sends to `receiving` others, all at once.

    `bandwidth` is what the node takes in, `outgoing` what it gives out; None where there is no such message.
    `slowed[i]` is how much longer rank `senders[i]` takes than a sole sender to an idle node.
    """

    sending: int
    receiving: int
    bandwidth: Quantity | None = None
    outgoing: Quantity | None = None
    senders: list[int] = []
    slowed: list[Quantity] = []


class ReceiverLimit(msgspec.Struct, kw_only=True):
    """How many senders fill the node while it sends to `receiving` others, and what it takes in then.

    `sending` counts senders at the rate of a sole one, in fractions; where it is not `saturated` the sum grew
    up to the largest number that was measured.
    """

    receiving: int
    sending: Quantity
    saturated: bool
    bandwidth: Quantity


class Receiver(msgspec.Struct, kw_only=True):
    """How much one node, `host`, can take in.

    While it sends to nobody (`receiving` is 0), `sending` nodes can send to it with nearly their whole rate;
    `bandwidth` is what it takes in at most. `limits` tells the same for each number of targets, `phases` all
    that was measured: `messages` of `message` bytes from each sender.
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
    """A structure and how well it explains what was measured (share of the belief, 0 to 1)."""

    kind: str
    shape: list[int]
    weight: float


class NetworkTopology(msgspec.Struct, kw_only=True):
    """The likely structure of the network: an inference from times, never a declaration.

    `kind` is "crossbar" (everybody equally near), "ring", "torus", "tree" (groups under a common top),
    "groups" (linked in pairs) or "unknown"; `shape` holds the extents of a ring or torus, otherwise the sizes
    of the groups. `groups` are the indexes of `hosts` that lie near each other. `in_rank_order` is whether
    nodes of neighbouring ranks are neighbours, `uplink` what a link between groups carries over that of a
    node. `evidence` is what it rests on, `alternatives` the next best explanations.
    """

    kind: str
    shape: list[int]
    confidence: float
    hosts: list[str] = []
    groups: list[list[int]] = []
    in_rank_order: bool = False
    uplink: float | None = None
    evidence: list[str] = []
    alternatives: list[TopologyChoice] = []
    method: str = ""


class NetworkFacts(msgspec.Struct, kw_only=True):
    """`launches` tell where the ranks of each part ran."""

    layers: list[CommunicationLayer] = []
    pairs: PairLatencies | None = None
    distance: Distance | None = None
    access: Access | None = None
    receiver: Receiver | None = None
    topology: NetworkTopology | None = None
    launches: list[NetworkLaunch] = []
