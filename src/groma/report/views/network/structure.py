"""What the network looks like: an inference, and said to be one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_number
from groma.report.blocks import DataTable, Note, table_figure
from groma.report.views.network.registry import network_view
from groma.report.words.network import design_words, structure_words
from groma.report.words.text import sentence

if TYPE_CHECKING:
    from groma.facts.network import NetworkFacts, NetworkTopology, PairDesign
    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Blocks

_WITH_NEIGHBOURS = {"ring", "torus", "mesh"}


@network_view(order=1)
def structure(network: NetworkFacts) -> Blocks:
    topology, pairs = network.topology, network.pairs
    return [
        *([_structure_note(topology), *_group_table(topology)] if topology else []),
        *(_design_note(pairs.design) if pairs else []),
    ]


def _structure_note(topology: NetworkTopology) -> Note:
    return Note(text=" ".join([sentence(f"Structure: {structure_words(topology)}"), *_details(topology)]))


def _details(topology: NetworkTopology) -> list[str]:
    apart = "Neighbouring ranks are not on neighbouring nodes: another order of the hosts may help."
    order = "Neighbouring ranks are on neighbouring nodes." if topology.in_rank_order else apart
    uplink = topology.uplink
    return [
        *([order] if topology.kind in _WITH_NEIGHBOURS else []),
        *(
            []
            if uplink is None
            else [
                f"A link between groups carries {format_number(uplink)} times as much as the link of a node."
            ]
        ),
    ]


def _group_table(topology: NetworkTopology) -> list[Block]:
    hosts = topology.hosts
    named = [[hosts[node] if node < len(hosts) else str(node) for node in group] for group in topology.groups]
    rows: list[list[Cell]] = [
        [number, len(group), ", ".join(group)] for number, group in enumerate(named, start=1)
    ]
    return table_figure(
        "network-groups",
        "Groups of nodes",
        "Nodes that are near each other, by their times.",
        DataTable(columns=["group", "nodes", "hosts"], rows=rows),
        method=topology.method,
        data=named,
    )


def _design_note(design: PairDesign) -> list[Note]:
    """All pairs need no note."""
    return [] if design.kind == "all" else [Note(text=sentence(f"pairs of ranks: {design_words(design)}"))]
