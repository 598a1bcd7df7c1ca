"""Which nodes are near each other: latency between all of them, of many by blocks of neighbouring nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.matrices import sparse_entries
from groma.report.blocks import Figure
from groma.report.views.marks import square_map
from groma.report.views.network.pair_blocks import MeasuredPair, blocks_of_size, pair_matrix
from groma.report.views.network.pairs import pair_data, pair_table
from groma.report.views.network.registry import network_view
from groma.report.words.network import at_once_words, rank_names
from groma.report.words.text import sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.network import NetworkFacts, NodePairs
    from groma.report.views.registry import Blocks

_TITLE = "Latency between nodes"
MOST_NODES = 128
"""More make a page of many megabytes, and cells of less than a pixel."""


@network_view(order=6)
def node_pairs(network: NetworkFacts) -> Blocks:
    facts = network.node_pairs
    pairs = _pairs_in(facts) if facts else []
    if facts is None or len(pairs) < 2:
        return []
    return [_of_nodes(facts, pairs) if len(facts.ranks) <= MOST_NODES else _of_blocks(facts, pairs)]


def _pairs_in(facts: NodePairs) -> list[MeasuredPair]:
    entries = sparse_entries(facts.latency) if facts.latency else []
    return [MeasuredPair(facts.ranks[one.row], facts.ranks[one.column], one.quantity) for one in entries]


def _of_nodes(facts: NodePairs, pairs: Sequence[MeasuredPair]) -> Figure:
    labels = rank_names(facts.ranks, facts.hosts)
    return Figure(
        id="network-node-pairs",
        title=_TITLE,
        what=_what(facts, ""),
        method=pairs[0].latency.method,
        drawing=square_map("from node", "to node", labels, pair_matrix(facts.ranks, pairs)),
        table=pair_table("node", facts.ranks, facts.hosts, pairs),
        data=pair_data(pairs),
    )


def _of_blocks(facts: NodePairs, pairs: Sequence[MeasuredPair]) -> Figure:
    size = -(-len(facts.ranks) // MOST_NODES)
    found = blocks_of_size(facts.ranks, pairs, size)
    return Figure(
        id="network-node-pairs",
        title=_TITLE,
        what=_what(facts, f"A cell is the median between two blocks of {size} nodes that follow each other."),
        method=pairs[0].latency.method,
        drawing=square_map("from nodes", "to nodes", found.labels, found.cells),
    )


def _what(facts: NodePairs, cells: str) -> str:
    measured = f"One-way time of a message of {facts.bytes} bytes, {at_once_words(facts)}"
    return " ".join(filter(None, [sentence(measured), cells]))
