"""What the nodes of a simulated torus do, and with which parameters."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from groma.errors import GromaError
from groma.sim.torus.nearest import nearest_hint

Figure = Literal["gups", "bandwidth"]

Value = int | float | str | None
"""A list is text: numbers with commas between them."""

RANDOMACCESS = "randomaccess"


class Parameter(NamedTuple):
    """`default` None leaves the choice to the simulator; `choices` are the words that it may be.

    One that `is_list` is typed as numbers with commas between them. `excludes` is one that cannot be given as
    well, `only_with` another one and the choice of it without which this one means nothing.
    """

    name: str
    default: Value
    unit: str
    what: str
    choices: tuple[str, ...] = ()
    is_list: bool = False
    is_path: bool = False
    is_positive: bool = False
    excludes: str = ""
    only_with: tuple[str, str] | None = None


class Workload(NamedTuple):
    """`figure` is the headline of its result."""

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    figure: Figure = "bandwidth"

    @property
    def sends_messages(self) -> bool:
        """Over the message layer; others send packets."""
        return set(_LAYER) <= set(self.parameters)

    @property
    def sends_packets_of_messages(self) -> bool:
        """Without a message layer, but more than one packet for each message."""
        return set(_ALL_TO_ALL) <= set(self.parameters)

    def parameter(self, name: str) -> Parameter:
        """Raises GromaError (exit code 2) for an unknown one."""
        known = {one.name: one for one in self.parameters}
        if name not in known:
            raise GromaError(
                f"the workload {self.name} has no parameter {name!r}", nearest_hint(name, known, "parameters")
            )
        return known[name]


_TRAFFIC = (
    Parameter("packet", None, "B", "size of a packet, header included (the largest)"),
    Parameter(
        "load",
        None,
        "",
        "offered, as a share of the bound for uniform traffic (as much as goes)",
        is_positive=True,
        excludes="rate",
    ),
    Parameter("rate", None, "B/cycle", "offered by each node, in place of load", is_positive=True),
    Parameter("warm_up", 50_000, "cycles", "before packets count"),
    Parameter("window", 100_000, "cycles", "in which packets count"),
    Parameter("packets", None, "packets", "of each node, after which the run ends", is_positive=True),
)

_LAYER = (
    Parameter(
        "policy", "fifo", "", "messages of a direction one by one, or in turns", ("fifo", "overlapping")
    ),
    Parameter(
        "polling",
        "alternate",
        "",
        "what a processor that waits looks at first",
        ("alternate", "receive-first", "send-first"),
    ),
    Parameter("rendezvous", 1000, "B", "longer messages are announced first"),
)

_EXCHANGE = (
    Parameter("bytes", 65_536, "B", "of a message"),
    Parameter("messages", 4, "messages", "one after the other"),
    *_LAYER,
)

_ALL_TO_ALL = (
    Parameter("bytes", 240, "B", "of the message for each other node"),
    Parameter(
        "destinations",
        None,
        "nodes",
        "to which each node sends: a random sample, at the same displacements from all nodes (all others)",
        is_positive=True,
    ),
    Parameter("burst", 1, "packets", "to a node before the next one has its turn"),
)
_SUBTREES = ("algorithm", "subtrees")
_AHEAD = Parameter("ahead", 0, "packets", "kept for directions whose FIFO is full, to go on with others")

WORKLOADS = {
    one.name: one
    for one in (
        Workload(RANDOMACCESS, "RandomAccess", (), "gups"),
        Workload("uniform", "each packet to a random node", _TRAFFIC),
        Workload("transpose", "coordinates change their places", _TRAFFIC),
        Workload("bit-reverse", "the bits of the node number reversed", _TRAFFIC),
        Workload("tornado", "almost half way round each dimension", _TRAFFIC),
        Workload(
            "shift",
            "to the node that is so far away in each dimension",
            (*_TRAFFIC, Parameter("offsets", "1", "nodes", "in each dimension: 1,0,0", is_list=True)),
        ),
        Workload(
            "hot-spot",
            "a share of all packets to one node, the others to random ones",
            (
                *_TRAFFIC,
                Parameter("hot", 0, "", "number of the node"),
                Parameter("share", 0.1, "", "of the packets"),
            ),
        ),
        Workload(
            "all-to-all",
            "a message from each node to each other, in random order",
            (*_ALL_TO_ALL, _AHEAD),
        ),
        Workload(
            "two-phase",
            "all-to-all along the longest dimension first, then along the others",
            (
                *_ALL_TO_ALL,
                _AHEAD._replace(default=64),
                Parameter("dimension", None, "", "that of the first phase, from 0 (the longest)"),
            ),
        ),
        Workload(
            "fan",
            "neighbours send to a node, which sends to some of them (figure 7 of Martorell et al.)",
            (
                Parameter("center", None, "", "the node in the middle (that in the middle of the torus)"),
                Parameter("senders", None, "nodes", "that send to it (3)"),
                Parameter("receivers", 0, "nodes", "to which it sends"),
                Parameter("from", None, "", "numbers of the senders, in place of senders", is_list=True),
                Parameter("to", None, "", "numbers of the receivers, in place of receivers", is_list=True),
                Parameter("bytes", 1 << 20, "B", "of a message"),
                Parameter("messages", 30, "messages", "of each sender to each receiver"),
                *_LAYER,
            ),
        ),
        Workload(
            "broadcast",
            "a message to all nodes of a group, in all groups at once",
            (
                Parameter(
                    "algorithm",
                    "subtrees",
                    "",
                    "how it spreads",
                    ("subtrees", "binomial", "scatter-allgather"),
                ),
                Parameter("dimensions", None, "", "along which a group lies (the last two)", is_list=True),
                Parameter("root", 0, "", "node whose coordinates in a group are those of its root"),
                Parameter("bytes", 4 << 20, "B", "of the message"),
                Parameter("pieces", 8, "pieces", "of the message with subtrees", only_with=_SUBTREES),
                Parameter(
                    "ahead",
                    0,
                    "pieces",
                    "on their way to a neighbour at once with subtrees; 0 for all",
                    only_with=_SUBTREES,
                ),
                *_LAYER,
            ),
        ),
        Workload(
            "halo",
            "to all neighbours and from all, again and again",
            (*_EXCHANGE, Parameter("compute", 0, "cycles", "of each iteration")),
        ),
        Workload(
            "distance",
            "Servet: all nodes send at once to the node that many further on",
            (*_EXCHANGE, Parameter("distance", 1, "nodes", "from number to number")),
        ),
        Workload(
            "access",
            "Servet: several processes of each node send at once to those of the next node",
            (*_EXCHANGE, Parameter("cores", 1, "processes", "of each node that send")),
        ),
        Workload(
            "replay",
            "the messages of a recorded trace",
            (
                Parameter(
                    "file",
                    None,
                    "",
                    "a time-independent trace, or a file that lists those of the ranks",
                    is_path=True,
                ),
                Parameter("cycles_per_unit", 1.0, "cycles", "of computation"),
                Parameter("cycles_per_second", 1e9, "cycles", "of a second that a rank sleeps"),
                Parameter("cores", 1, "ranks", "on each node"),
                *_LAYER,
            ),
        ),
    )
}


class DescribedParameter(msgspec.Struct, frozen=True, kw_only=True):
    """`default` is empty where the simulator chooses."""

    name: str
    default: str
    unit: str
    choices: list[str]
    help: str


class DescribedWorkload(msgspec.Struct, frozen=True, kw_only=True):
    """What a workload says of itself."""

    name: str
    title: str
    parameters: list[DescribedParameter]


def described_workloads() -> list[DescribedWorkload]:
    return [
        DescribedWorkload(
            name=one.name,
            title=one.title,
            parameters=[
                DescribedParameter(
                    name=p.name,
                    default="" if p.default is None else str(p.default),
                    unit=p.unit,
                    choices=list(p.choices),
                    help=p.what,
                )
                for p in one.parameters
            ],
        )
        for one in WORKLOADS.values()
    ]


def workload_named(name: str) -> Workload:
    """Raises GromaError (exit code 2) for an unknown one, with the nearest."""
    if name not in WORKLOADS:
        raise GromaError(f"unknown workload {name!r}", nearest_hint(name, WORKLOADS, "workloads"))
    return WORKLOADS[name]
