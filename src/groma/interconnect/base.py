"""What every interconnect answers: the links of a message, what they carry, how far nodes are apart."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

Link = Hashable
"""One direction of a connection, named by the interconnect that it belongs to."""


class Cable(NamedTuple):
    """Both directions of a connection that can fail as one, and the nodes that suffer first.

    `kind` is "node" for what attaches a node, "link" between two routers, or "uplink" of a leaf switch with
    all nodes below it.
    """

    kind: str
    nodes: tuple[int, ...]
    links: frozenset[Link]


@dataclass(frozen=True)
class Interconnect(ABC):
    """A network between nodes 0 to `nodes` - 1. Values of the same class and fields are equal.

    `shape` holds the extents of a lattice, or the sizes of the groups of a tree or of linked groups; it is
    empty for a crossbar. Links and capacities are those between routers or switches; `route` adds the two
    links by which the nodes themselves are attached. Capacities are in units of the link of a node.
    """

    nodes: int
    shape: tuple[int, ...]

    @property
    @abstractmethod
    def kind(self) -> str:
        """One of "ring", "torus", "mesh", "crossbar", "tree", "groups"."""

    @abstractmethod
    def path(self, source: int, target: int) -> list[Link]:
        """The links between routers or switches that a message crosses."""

    @abstractmethod
    def hops(self) -> NDArray[np.float64]:
        """The length of the path between all pairs of nodes, links of one switch not counted."""

    def cables(self) -> Iterator[Cable]:
        """Every connection between routers or switches that nodes share."""
        yield from ()

    def capacity(self, link: Link) -> float:  # noqa: ARG002
        """What a link carries over what the link of a node carries."""
        return 1.0

    def route(self, source: int, target: int) -> list[Link]:
        """The path, with the links of the two nodes to the network: ("out", source) and ("in", target)."""
        return [("out", source), *self.path(source, target), ("in", target)]

    @property
    def title(self) -> str:
        """As a reader knows it: "torus 4x4"."""
        return title_of(self.kind, self.shape)


def title_of(kind: str, shape: Sequence[int]) -> str:
    """For example "torus 4x4", "ring of 9", "tree of 3 groups of 4", "tree of 2 groups of 4 and 8"."""
    if kind in {"tree", "groups"}:
        linked = "tree" if kind == "tree" else "set of linked groups"
        return f"{linked} of {len(shape)} groups of {_sizes_in_words(shape)}"
    extents = "x".join(map(str, shape))
    return f"ring of {extents}" if kind == "ring" else f"{kind} {extents}".strip()


def _sizes_in_words(sizes: Sequence[int]) -> str:
    """One size for all, both of two groups, the range of more."""
    if len(set(sizes)) == 1:
        return str(sizes[0])
    return f"{sizes[0]} and {sizes[1]}" if len(sizes) == 2 else f"{min(sizes)} to {max(sizes)}"
