"""How ranks are to lie on machines: what one asks of a launcher, whatever its flags are called."""

from __future__ import annotations

from typing import Literal

import msgspec

from groma.errors import GromaError
from groma.record.counting import counted

Binding = Literal["auto", "core", "none"]

MOST_RANKS = 1 << 24
"""As the native programs plan for."""


class RequestedShape(msgspec.Struct, frozen=True, kw_only=True):
    """What the user said; None is left to groma. 0 threads are as many as fill the cores of a node."""

    ranks: int | None = None
    nodes: int | None = None
    per_node: int | None = None
    threads: int = 1
    bind: Binding = "auto"


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to lie on: machines of the allocation, physical cores that ranks may fill on each.

    `one_machine`: all of them are on the same cores. `bindable` is given where threads can be bound to
    another number of cores: a file of hosts may give this machine more slots than it has cores, and a
    scheduler a node fewer ranks.
    """

    nodes: int = 1
    cores: int = 1
    one_machine: bool = False
    bindable: int | None = None

    @property
    def threads(self) -> int:
        """As many as have a core or a slot on each machine."""
        return max(self.cores, self.bindable or 0)


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """`ranks` on `nodes` machines, at most `per_node` on each, every one with `threads` threads.

    `bind` is "core" (each rank on `threads` own cores), "none", or "oversubscribed": unbound, because
    there are more threads than cores. `sharing` machines are on the same cores, as the hosts of a test bed.
    """

    ranks: int
    nodes: int
    per_node: int
    threads: int = 1
    bind: Literal["core", "none", "oversubscribed"] = "core"
    sharing: int = 1

    @property
    def oversubscribed(self) -> bool:
        return self.bind == "oversubscribed"


def shape_of(requested: RequestedShape, room: Room) -> Shape:
    """The shape that is meant; what was not said fills the cores. Raises GromaError (exit code 2)."""
    ranks, nodes, per_node = _counts(requested, room)
    threads = requested.threads or max(1, room.threads // per_node)
    sharing = nodes if room.one_machine else 1
    return Shape(
        ranks=ranks,
        nodes=nodes,
        per_node=per_node,
        threads=threads,
        bind=_binding(requested, room, sharing * per_node * threads),
        sharing=sharing,
    )


def _counts(requested: RequestedShape, room: Room) -> tuple[int, int, int]:
    per_node = requested.per_node or _filling(requested, room)
    nodes = requested.nodes or (-(-requested.ranks // per_node) if requested.ranks else room.nodes)
    ranks = requested.ranks or nodes * per_node
    if not (nodes - 1) * per_node < ranks <= nodes * per_node:
        raise GromaError(
            f"{counted(ranks, 'rank')} on {counted(nodes, 'node')} cannot be {per_node} on each",
            "omit one of -n, --nodes and --ppn",
        )
    if ranks > MOST_RANKS:
        raise GromaError(f"{counted(ranks, 'rank')} are too many", f"start at most {MOST_RANKS:,}")
    return ranks, nodes, per_node


def _filling(requested: RequestedShape, room: Room) -> int:
    """Ranks on each node: as even as they go, or as many as there are cores for."""
    if requested.ranks:
        return -(-requested.ranks // (requested.nodes or min(room.nodes, requested.ranks)))
    return max(1, min(room.cores, room.threads // max(1, requested.threads)))


def _binding(requested: RequestedShape, room: Room, busy: int) -> Literal["core", "none", "oversubscribed"]:
    if busy > (room.cores if room.bindable is None else room.bindable):
        return "oversubscribed"
    return "none" if requested.bind == "none" or room.one_machine else "core"
