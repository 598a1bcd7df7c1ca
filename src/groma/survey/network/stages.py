"""Where probes of pairs run: on all cores of all nodes, or where these are too many, on two stages.

Ranks of a whole machine are numbered node after node with `cores` on each. A stage that starts fewer of them
uses the same numbers, as if all had run.
"""

from __future__ import annotations

import msgspec

from groma.launch.shape import RequestedShape, Room, Shape, shape_of
from groma.survey.network.cost import MOST_RANKS


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """`cores` is how many ranks each node would have if all had one."""

    name: str
    shape: Shape
    cores: int

    def whole_rank(self, rank: int) -> int:
        """The number of this stage's rank among those of the whole machine."""
        return rank // self.shape.per_node * self.cores + rank % self.shape.per_node

    def own_rank(self, whole: int) -> int | None:
        """The reverse; None for a rank that this stage does not have."""
        node, place = divmod(whole, self.cores)
        if node >= self.shape.nodes or place >= self.shape.per_node:
            return None
        return node * self.shape.per_node + place


def one_on_each(room: Room, nodes: int) -> Shape:
    """Unbound: which core suits the network is not known beforehand."""
    return shape_of(RequestedShape(nodes=nodes, per_node=1, bind="none"), room)


def filled(room: Room, nodes: int) -> Shape:
    return shape_of(RequestedShape(nodes=nodes, per_node=room.cores), room)


def stages_of(room: Room) -> list[Stage]:
    """The stages on which pairs of every kind are found."""
    if room.nodes * room.cores <= MOST_RANKS:
        return [Stage(name="all", shape=filled(room, room.nodes), cores=room.cores)]
    return [
        Stage(name="cores", shape=filled(room, min(2, room.nodes)), cores=room.cores),
        Stage(name="nodes", shape=one_on_each(room, room.nodes), cores=room.cores),
    ]
