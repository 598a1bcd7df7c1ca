"""What the network looks like: an inference, and said to be one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_number, format_share
from groma.report.blocks import DataTable, Note, table_figure
from groma.report.views.network.registry import network_view
from groma.report.words.network import design_words, named_groups, structure_words
from groma.report.words.text import sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.network import NetworkFacts, NetworkTopology, PairDesign
    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Blocks

_WITH_NEIGHBOURS = {"ring", "torus", "mesh"}


@network_view(order=1)
def structure(network: NetworkFacts) -> Blocks:
    topology, pairs, nodes = network.topology, network.pairs, network.node_pairs
    return [
        *([_structure_note(topology), *_group_table(topology), *_level_table(topology)] if topology else []),
        *(_design_note("pairs of ranks", pairs.design) if pairs else []),
        *(_design_note("pairs of nodes", nodes.design) if nodes else []),
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
    named = named_groups(topology, topology.groups)
    return table_figure(
        "network-groups",
        "Groups of nodes",
        "Nodes that are near each other, by their times.",
        DataTable(columns=["group", "nodes", "hosts"], rows=_rows(named)),
        method=topology.method,
        data=named,
    )


def _level_table(topology: NetworkTopology) -> list[Block]:
    """All levels, of which the groups above are one; nothing where there is one level only."""
    rows: list[list[Cell]] = []
    for number, level in enumerate(topology.levels, start=1):
        adds = format_share(level.adds)
        rows += [[number, adds, *row] for row in _rows(named_groups(topology, level.groups))]
    return table_figure(
        "network-levels",
        "Levels of groups",
        "Groups within groups, the smallest first. A message to another group of a level takes so much of "
        "the typical latency more, beside what smaller levels add.",
        DataTable(columns=["level", "adds", "group", "nodes", "hosts"], rows=rows),
        method=topology.method,
        data=topology.levels,
    )


def _rows(named: Sequence[Sequence[str]]) -> list[list[Cell]]:
    return [[number, len(group), ", ".join(group)] for number, group in enumerate(named, start=1)]


def _design_note(what: str, design: PairDesign) -> list[Note]:
    """All pairs need no note."""
    return [] if design.kind == "all" else [Note(text=sentence(f"{what}: {design_words(design)}"))]
