"""How people write an interconnect: 4x4, 9, mesh:4x4, switch, tree:8:2."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.interconnect.lattice import mesh, torus
from groma.interconnect.switched import Crossbar, crossbar, in_blocks, tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.interconnect.base import Interconnect

SWITCH = "switch"
EXAMPLES = (
    "4x4 (a torus), 9 (a ring), mesh:4x4, switch, or tree:8:2 (8 nodes under each leaf switch, 2 uplinks)"
)

_LATTICE = re.compile(r"(?P<mesh>mesh:)?(?P<extents>[1-9][0-9]{0,8}(x[1-9][0-9]{0,8})*)")
_TREE = re.compile(r"tree:(?P<leaf>[1-9][0-9]{0,8}):(?P<uplinks>[1-9][0-9]{0,8}(\.[0-9]{1,9})?)")


def parse_interconnect(text: str) -> Callable[[int], Interconnect | None]:
    """What makes the interconnect over a number of nodes in their order; None where the number does not fit.

    Raises GromaError (exit code 2) for what names none.
    """
    if text == SWITCH:
        return crossbar
    if found := _TREE.fullmatch(text):
        leaf, uplinks = int(found["leaf"]), float(found["uplinks"])
        return lambda nodes: _tree_over(nodes, leaf, uplinks)
    if found := _LATTICE.fullmatch(text):
        extents = tuple(int(extent) for extent in found["extents"].split("x"))
        lattice = mesh(*extents) if found["mesh"] else torus(*extents)
        return lambda nodes: lattice if lattice.nodes == nodes else None
    raise GromaError(f"{text!r} is not a topology", f"write for example {EXAMPLES}")


def _tree_over(nodes: int, leaf: int, uplinks: float) -> Interconnect | None:
    if nodes % leaf or nodes == leaf:
        return None
    return tree(in_blocks(nodes, leaf), uplinks)


def interconnect_over(text: str, nodes: int) -> Interconnect:
    """The interconnect named by `text` over so many nodes. Raises GromaError (exit code 2)."""
    found = parse_interconnect(text)(nodes)
    if found is None:
        raise GromaError(
            f"the topology {text} does not fit {nodes} nodes",
            "give the topology of the surveyed nodes, or their number with --nodes",
        )
    return found


def order_of(interconnect: Interconnect) -> str:
    """How an interconnect is laid over the nodes, as a clause; "" where their order makes no difference."""
    if isinstance(interconnect, Crossbar):
        return ""
    if interconnect.kind == "tree":
        return f", the first {interconnect.shape[0]} nodes of the launch under one leaf switch, and so on"
    edges = "open" if interconnect.kind == "mesh" else "closed"
    return f", every dimension {edges}; nodes of the launch in its order, the first dimension running fastest"
