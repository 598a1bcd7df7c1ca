"""The structure of a network as somebody tells it, and what its links carry (docs/network/topology.md).

Both travel as parameters of the samples of the Distance Benchmark: they measure nothing, and say beside what
the measured figures are to stand.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from groma.errors import GromaError
from groma.survey.infer.network.structures import CROSSBAR, RING, TORUS, TREE, Structure, in_blocks

if TYPE_CHECKING:
    from groma.record import ProbeSamples

TOPOLOGY = "topology"
LINK_BANDWIDTH = "link_bandwidth"
"""What the link of a node carries in each direction, in B/s."""

SWITCH = "switch"
EXAMPLES = "4x4 (a torus), 9 (a ring), switch, or tree:8:2 (8 nodes under each leaf switch, 2 uplinks)"

_TORUS = re.compile(r"[1-9]\d*(x[1-9]\d*)*")
_TREE = re.compile(r"tree:(?P<leaf>[1-9]\d*):(?P<uplinks>[1-9]\d*(\.\d+)?)")


class Topology(NamedTuple):
    """Extents of a ring or torus, or the nodes under each leaf switch and the links that lead up from it."""

    kind: str
    extents: tuple[int, ...] = ()
    leaf: int = 0
    uplinks: float = 1.0

    def over(self, nodes: int) -> Structure | None:
        """The structure with these nodes in their order; None where it has another number of them."""
        if self.kind == CROSSBAR:
            return Structure(CROSSBAR, nodes, ())
        if self.kind == TREE:
            return self._tree(nodes)
        return Structure(self.kind, nodes, self.extents) if math.prod(self.extents) == nodes else None

    def _tree(self, nodes: int) -> Structure | None:
        if nodes % self.leaf or nodes == self.leaf:
            return None
        sizes = (self.leaf,) * (nodes // self.leaf)
        return Structure(TREE, nodes, sizes, in_blocks(nodes, self.leaf), self.uplinks)


def parse_topology(text: str) -> Topology:
    """Raises GromaError (exit code 2) for what names no topology."""
    if text == SWITCH:
        return Topology(CROSSBAR)
    tree = _TREE.fullmatch(text)
    if tree:
        return Topology(TREE, leaf=int(tree["leaf"]), uplinks=float(tree["uplinks"]))
    if _TORUS.fullmatch(text):
        extents = tuple(int(extent) for extent in text.split("x"))
        return Topology(RING if len(extents) == 1 else TORUS, extents)
    raise GromaError(f"{text!r} is no topology", f"write for example {EXAMPLES}")


def topology_over(text: str, nodes: int) -> Structure:
    """The topology named by `text` over so many nodes. Raises GromaError (exit code 2)."""
    found = parse_topology(text).over(nodes)
    if found is None:
        raise GromaError(
            f"the topology {text} does not fit {nodes} nodes",
            "give that of the nodes that are surveyed, or their number with --nodes",
        )
    return found


def order_of(structure: Structure) -> str:
    """How a structure is laid over the nodes, as a clause; "" where their order makes no difference."""
    if structure.kind == TREE:
        return f", the first {structure.shape[0]} nodes of the launch under one leaf switch, and so on"
    if structure.kind == CROSSBAR:
        return ""
    return ", every dimension closed; nodes of the launch in its order, the first dimension running fastest"


def declared_structure(samples: ProbeSamples, nodes: int) -> Structure | None:
    """The structure that somebody told of these nodes, None without one or for another number of them."""
    text = samples.parameters.get(TOPOLOGY, "")
    return parse_topology(text).over(nodes) if text else None


def declared_link(samples: ProbeSamples) -> float | None:
    """What somebody said that the link of a node carries (B/s)."""
    return float(samples.parameters.get(LINK_BANDWIDTH, 0)) or None
