"""The random ring without neighbours on the same node: section 4 of the paper. Formulas: docs/balance.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.balance.ratios import HPL, per_kflop
from groma.facts.balance import InterNode
from groma.stats.quotient import scaled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.balance import System


def inner_share(ranks: int, nodes: int) -> float:
    """How many of the neighbours in a ring of random order are on the same node, on average.

    Of the other P - 1 ranks p - 1 are on the node of a rank. The paper takes p / P, which counts the rank
    itself: 25 % instead of 22.6 % for 32 ranks on 4 nodes.
    """
    if ranks < 2:
        return 0.0
    return min(1.0, (ranks / nodes - 1) / (ranks - 1))


def _share_of_uneven(counts: Sequence[int]) -> float:
    """As `inner_share`, of nodes with so many ranks each."""
    ranks = sum(counts)
    return sum(count * (count - 1) for count in counts) / (ranks * (ranks - 1))


def has_unknown_nodes(system: System) -> bool:
    """Whether its nodes cannot all have as many ranks, and nothing says how many each has."""
    ranks, nodes = system.ranks, system.nodes
    return bool(ranks and nodes and ranks % nodes) and not _is_counted(system)


def _is_counted(system: System) -> bool:
    return bool(system.ranks_of_nodes) and sum(system.ranks_of_nodes) == system.ranks


def inter_node_of(system: System) -> InterNode | None:
    """None where the ranks of each node are not known, or where there is one node and hence no network."""
    ring = system.quantities.get("random_ring_bandwidth")
    ranks, nodes = system.ranks, system.nodes
    if ring is None or not ranks or not nodes or nodes < 2 or has_unknown_nodes(system):
        return None
    counts = system.ranks_of_nodes
    share = _share_of_uneven(counts) if _is_counted(system) else inner_share(ranks, nodes)
    per_node = ranks / nodes
    outer = scaled(ring, 1 - share, ring.unit)
    hpl = system.accumulated.get(HPL)
    return InterNode(
        ranks_per_node=per_node,
        inner_share=share,
        per_rank=outer,
        per_node=scaled(outer, per_node, ring.unit),
        over_hpl=per_kflop(scaled(outer, ranks, ring.unit), hpl, "B/kflop") if hpl else None,
    )
