"""How ranks are to lie on machines: what one asks of a launcher, whatever its flags are called."""

from __future__ import annotations

from typing import Literal

import msgspec

from groma.errors import GromaError

Binding = Literal["auto", "core", "none"]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What the user said; None is left to groma. 0 threads are as many as fill the cores of a node."""

    ranks: int | None = None
    nodes: int | None = None
    per_node: int | None = None
    threads: int = 1
    bind: Binding = "auto"


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to lie on: machines of the allocation, physical cores that may be used on each.

    `one_machine` tells that all of them are on the same cores.
    """

    nodes: int = 1
    cores: int = 1
    one_machine: bool = False


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """`ranks` on `nodes` machines, at most `per_node` on each, every one with `threads` threads.

    `bind` is "core" (each rank on `threads` cores of its own), "none", or "crowded": unbound, because there
    are more threads than cores. `sharing` machines are on the same cores, as the hosts of a test bed are.
    """

    ranks: int
    nodes: int
    per_node: int
    threads: int = 1
    bind: Literal["core", "none", "crowded"] = "core"
    sharing: int = 1

    @property
    def crowded(self) -> bool:
        return self.bind == "crowded"


def shape_of(asked: Asked, room: Room) -> Shape:
    """The shape that is meant; what was not said fills the cores. Raises GromaError (exit code 2)."""
    ranks, nodes, per_node = _counts(asked, room)
    threads = asked.threads or max(1, room.cores // per_node)
    sharing = nodes if room.one_machine else 1
    return Shape(
        ranks=ranks,
        nodes=nodes,
        per_node=per_node,
        threads=threads,
        bind=_binding(asked, room, sharing * per_node * threads),
        sharing=sharing,
    )


def _counts(asked: Asked, room: Room) -> tuple[int, int, int]:
    per_node = asked.per_node or _filling(asked, room)
    nodes = asked.nodes or (-(-asked.ranks // per_node) if asked.ranks else room.nodes)
    ranks = asked.ranks or nodes * per_node
    if not (nodes - 1) * per_node < ranks <= nodes * per_node:
        raise GromaError(
            f"{ranks} ranks do not lie on {nodes} nodes with {per_node} on each",
            "leave one of -n, --nodes and --ppn out",
        )
    return ranks, nodes, per_node


def _filling(asked: Asked, room: Room) -> int:
    """Ranks on each node: as even as they go, or as many as there are cores for."""
    if asked.ranks:
        return -(-asked.ranks // (asked.nodes or min(room.nodes, asked.ranks)))
    return max(1, room.cores // max(1, asked.threads))


def _binding(asked: Asked, room: Room, busy: int) -> Literal["core", "none", "crowded"]:
    if busy > room.cores:
        return "crowded"
    return "none" if asked.bind == "none" or room.one_machine else "core"
