"""What a machine file holds: node, torus, packets, and what a paper published of a benchmark on it."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import msgspec

from groma.machine.sourced import (
    ASSUMED,
    Bytes,
    BytesPerSecond,
    Channels,
    Cores,
    Cost,
    Count,
    Cycles,
    Delay,
    Dimensions,
    FixedBuckets,
    Hertz,
    Name,
    Nodes,
    Overhead,
    Packets,
    Places,
    Positive,
    RoutingUsed,
    Strict,
    Updates,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


def _refuse_twins(names: Iterable[str], noun: str) -> None:
    """Loads and rates are kept by name. Raises ValueError."""
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"two {noun} are named {name!r}")


class Receiving(Strict, frozen=True):
    """What receiving a packet costs: `single` for one, `each` where `batch` are received in one call."""

    single: Cost
    batch: Packets
    each: Cost


class Processor(Strict, frozen=True):
    """A node: `cores` of one `frequency`; `memory_latency` is that of a load from memory.

    `send` is what it spends on a packet that it sends, `receive` on one that it receives.
    """

    frequency: Hertz
    cores: Cores
    memory_latency: Cycles | None = None
    send: Cost | None = None
    receive: Receiving | None = None


MOST_DIMENSIONS = 30
"""Of as many nodes as may be asked for, 2^30, each dimension has two at least."""


class Torus(Strict, frozen=True):
    """`link` is what one link carries in one direction, headers included."""

    dimensions: Dimensions
    link: BytesPerSecond

    def __post_init__(self) -> None:
        if self.dimensions.value > MOST_DIMENSIONS:
            raise ValueError(f"{self.dimensions.value} dimensions are more than {MOST_DIMENSIONS}")


class Packet(Strict, frozen=True):
    """A multiple of `step`, `largest` at most, `header` included; `on_wire` comes on top of it."""

    step: Bytes
    largest: Bytes
    header: Overhead
    on_wire: Overhead

    def __post_init__(self) -> None:
        largest, header, step = self.largest.value, self.header.value, self.step.value
        if header >= largest:
            raise ValueError(f"a header of {header:g} B fills the largest packet of {largest:g} B")
        if largest % step:
            raise ValueError(f"the largest packet of {largest:g} B is no multiple of a step of {step:g} B")

    def wire_bytes(self, payload: float) -> float:
        """Bytes that a message of `payload` bytes takes on a link, in as many packets as it needs."""
        room = self.largest.value - self.header.value
        full, rest = divmod(payload, room)
        steps = math.ceil((rest + self.header.value) / self.step.value)
        last = steps * self.step.value + self.on_wire.value if rest else 0.0
        return full * (self.largest.value + self.on_wire.value) + last


class Network(Strict, frozen=True):
    """The routers: what papers rarely say is assumed, and listed as such by whoever uses it.

    `hop_latency` is from the head of a packet in one router to its head in the next, `channel` the buffer of
    a virtual channel, `injection` and `reception` the places of a FIFO between node and network.
    """

    hop_latency: Delay = Delay(
        value=64, unit="cycles", source=f"{ASSUMED}of the order of 100 ns in routers of this kind"
    )
    channel: Bytes = Bytes(value=1024, unit="B", source=f"{ASSUMED}four of the largest packets of Blue Gene")
    adaptive_channels: Channels = Channels(
        value=2, unit="channels", source=f"{ASSUMED}in addition to that for the escape"
    )
    injection: Places = Places(value=8, unit="packets", source=f"{ASSUMED}twice what a call receives at most")
    reception: Places = Places(value=8, unit="packets", source=f"{ASSUMED}as many as injection")
    routing: RoutingUsed = RoutingUsed(value="adaptive", source=f"{ASSUMED}what spreads load best")


class PublishedRow(Strict, frozen=True):
    """One row of a paper's table, in GUP/s; `bucket` in updates. None stands where the table is empty."""

    nodes: Count
    bucket: Count | None = None
    bottleneck: Positive | None = None
    measured: Positive | None = None
    measured_later: Positive | None = None


class Published(Strict, frozen=True):
    source: str
    rows: list[PublishedRow]

    def __post_init__(self) -> None:
        _refuse_twins((f"{one.nodes} nodes" for one in self.rows), "rows")


class Role(Strict, frozen=True):
    """What a core does for each update: receives it, sends it on, and its own work besides."""

    name: Name
    sends: bool
    receives: bool
    own: Cost


class Specialised(Strict, frozen=True, tag_field="kind", tag="specialised"):
    """Equations 6 and 7: every core of a node has a role; `send` and `receive` are costs of a packet.

    `sending` and `receiving` are the buckets that each core may have on their way to the network and from it.
    """

    name: Name
    title: str
    roles: Annotated[list[Role], msgspec.Meta(min_length=1)]
    send: Cost
    receive: Cost
    fixed_buckets: FixedBuckets
    sending: Places | None = None
    receiving: Places | None = None
    published: Published | None = None

    def __post_init__(self) -> None:
        _refuse_twins((one.name for one in self.roles), "roles")
        if not any(self._load_of_packet(one) + one.own.value for one in self.roles):
            raise ValueError("no role costs anything, so that there is no bound")

    def _load_of_packet(self, role: Role) -> float:
        return self.send.value * role.sends + self.receive.value * role.receives


class Routed(Strict, frozen=True, tag_field="kind", tag="routed"):
    """Equation 1 on one core of each node: `fixed` for each update and `per_hop` for each hop of its way.

    `send` and `receive` are the costs of a packet, where they are not those of the node.
    """

    name: Name
    title: str
    fixed: Cycles
    per_hop: Cost
    fixed_buckets: FixedBuckets
    send: Cost | None = None
    receive: Cost | None = None
    published: Published | None = None


class Direct(Strict, frozen=True, tag_field="kind", tag="direct"):
    """Equation 1 without buckets: `processors` of each node send every update by itself."""

    name: Name
    title: str
    processors: Cores
    fixed: Cycles
    send: Cost
    receive: Cost
    published: Published | None = None


Algorithm = Specialised | Routed | Direct


class Crossover(Strict, frozen=True):
    """From which nodes on the network binds, as a paper states it: `at` this number, or `beyond` it."""

    algorithm: str
    at: Nodes | None = None
    beyond: Nodes | None = None

    def __post_init__(self) -> None:
        if (self.at is None) == (self.beyond is None):
            raise ValueError("give either at or beyond")


class OwnerRow(Strict, frozen=True):
    """Measured GUP/s with the owner of a word found by division, and by prediction and correction."""

    nodes: Count
    division: Positive
    prediction: Positive


class Owners(Strict, frozen=True):
    algorithm: str
    source: str
    rows: list[OwnerRow]


class RandomAccess(Strict, frozen=True):
    """`look_ahead` updates may wait on a node; `update` is what one takes in a message.

    `routing` is that of its packets, where it is not what the network does otherwise.
    """

    look_ahead: Updates
    update: Bytes
    algorithms: list[Algorithm]
    routing: RoutingUsed | None = None
    crossovers: tuple[Crossover, ...] = ()
    owners: Owners | None = None

    def __post_init__(self) -> None:
        _refuse_twins((one.name for one in self.algorithms), "algorithms")

    def algorithm(self, name: str) -> Algorithm:
        """The algorithm of that name; KeyError where there is none."""
        return {one.name: one for one in self.algorithms}[name]


class Machine(Strict, frozen=True):
    """A machine as papers describe it. `papers` are the full titles of what the sources name."""

    name: Name
    title: str
    papers: dict[str, str]
    processor: Processor
    torus: Torus
    packet: Packet
    network: Network = Network()
    randomaccess: RandomAccess | None = None

    def __post_init__(self) -> None:
        if self.randomaccess is None:
            return
        known = {one.name for one in self.randomaccess.algorithms}
        named = [one.algorithm for one in self.randomaccess.crossovers]
        named += [self.randomaccess.owners.algorithm] if self.randomaccess.owners else []
        for name in named:
            if name not in known:
                raise ValueError(f"unknown algorithm {name!r}")
