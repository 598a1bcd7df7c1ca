"""What the nodes of a simulated torus do, and with which parameters."""

from __future__ import annotations

from typing import Literal, NamedTuple

from groma.errors import GromaError
from groma.sim.torus.nearest import nearest_hint

Figure = Literal["gups", "bandwidth"]

Value = int | float | str | None

RANDOMACCESS = "randomaccess"


class Parameter(NamedTuple):
    """`default` None leaves the choice to the simulator; `choices` are the words that it may be."""

    name: str
    default: Value
    unit: str
    what: str
    choices: tuple[str, ...] = ()


class Workload(NamedTuple):
    """`figure` is the headline of its result."""

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    figure: Figure = "bandwidth"

    def parameter(self, name: str) -> Parameter:
        """Raises GromaError (exit code 2) for an unknown one."""
        known = {one.name: one for one in self.parameters}
        if name not in known:
            raise GromaError(
                f"the workload {self.name} has no parameter {name!r}", nearest_hint(name, known, "parameters")
            )
        return known[name]


_BYTES = Parameter("bytes", 240, "B", "payload of a message")
_MESSAGES = Parameter("messages", 200, "messages", "that each node sends")
_RATE = Parameter(
    "rate", None, "B/cycle", "payload that a node offers; if empty, as much as the network takes"
)
_POLICY = Parameter(
    "policy",
    "fifo",
    "",
    "messages of a direction one by one, or in turns",
    ("fifo", "overlapping"),
)
_EAGER = Parameter("eager", 1000, "B", "longer messages ask before they are sent (rendezvous)")

_PATTERN = (_BYTES, _MESSAGES, _RATE)

WORKLOADS = {
    one.name: one
    for one in (
        Workload(RANDOMACCESS, "RandomAccess", (), "gups"),
        Workload("uniform", "each message to a random node", _PATTERN),
        Workload("transpose", "coordinates in the reverse order", _PATTERN),
        Workload("bit-reverse", "the bits of the node number reversed", _PATTERN),
        Workload("tornado", "almost half way round each dimension", _PATTERN),
        Workload(
            "shift", "to the node that many further on", (*_PATTERN, Parameter("by", 1, "nodes", "how far"))
        ),
        Workload(
            "hot-spot",
            "a share of all messages to one node, the others to random ones",
            (
                *_PATTERN,
                Parameter("node", 0, "", "the hot one"),
                Parameter("share", 0.1, "", "of the messages"),
            ),
        ),
        Workload(
            "fan-in",
            "neighbours send to a node, which may send to others (figure 7 of the tools paper)",
            (
                Parameter("senders", 3, "nodes", "that send to the node"),
                Parameter("receivers", 0, "nodes", "that the node sends to"),
                Parameter("bytes", 1_000_000, "B", "payload of a message"),
                Parameter("messages", 30, "messages", "of each sender"),
                _POLICY,
            ),
        ),
        Workload(
            "all-to-all",
            "a message from each node to each other, in random order",
            (Parameter("bytes", 240, "B", "payload for each other node"),),
        ),
        Workload(
            "two-phase",
            "all-to-all along the longest dimension first, then in the others",
            (Parameter("bytes", 240, "B", "payload for each other node"),),
        ),
        Workload(
            "broadcast",
            "messages of a root to all nodes",
            (
                Parameter("root", 0, "", "node that has the data"),
                Parameter("bytes", 100_000, "B", "payload of a message"),
                Parameter("messages", 8, "messages", "into which the data is divided"),
                Parameter("tree", "linpack", "", "by hand, or that of MPI", ("linpack", "built-in")),
                _POLICY,
            ),
        ),
        Workload(
            "halo",
            "to all neighbours and from all, again and again",
            (
                Parameter("bytes", 65536, "B", "payload of a message"),
                Parameter("iterations", 10, "iterations", "number of exchanges"),
                _POLICY,
            ),
        ),
        Workload(
            "distance",
            "Servet: all nodes send at once to the node that many further on",
            (
                Parameter("by", 1, "nodes", "logical distance"),
                Parameter("bytes", 1 << 20, "B", "payload of a message"),
            ),
        ),
        Workload(
            "access",
            "Servet: several processes of each node send at once to the next node",
            (
                Parameter("per_node", 1, "processes", "that send"),
                Parameter("bytes", 1 << 20, "B", "payload of a message"),
            ),
        ),
        Workload(
            "replay",
            "the messages of a recorded trace",
            (
                Parameter("file", None, "", "trace.groma, or the index of a time-independent trace"),
                Parameter("factor", 1.0, "", "by which computation takes longer"),
                _EAGER,
                _POLICY,
            ),
        ),
    )
}


def workload_named(name: str) -> Workload:
    """Raises GromaError (exit code 2) for an unknown one, with the nearest."""
    if name not in WORKLOADS:
        raise GromaError(f"unknown workload {name!r}", nearest_hint(name, WORKLOADS, "workloads"))
    return WORKLOADS[name]
