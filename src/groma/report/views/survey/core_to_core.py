"""What it costs to hand a cache line from core to core, and the layers in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.matrices import whole_matrix
from groma.facts.survey import SurveyFacts
from groma.report.blocks import DataTable, Figure, Option, chosen_from, not_measured, table_figure
from groma.report.views.marks import first_method, square_map
from groma.report.views.registry import view
from groma.report.views.survey.borders import MOST_DRAWN, by_node, nodes_of, package_borders
from groma.report.words.node import groups_of_ends, measured_between
from groma.report.words.text import ABSENT, DASH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.matrices import Entry
    from groma.facts.survey import CoreToCore, LatencyLayer, NodeFacts
    from groma.record import Record
    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Blocks


@view("cores", order=0, of=SurveyFacts)
def core_to_core(record: Record[SurveyFacts]) -> Blocks:
    node = record.facts.node
    found = node.core_to_core
    if found is None or not measured_between(found.cores, found, "latency"):
        return [not_measured("Core-to-core latency")]
    return [*_matrices(node, found), *_layers(found.layers)]


_HANDED_OVER = {
    "latency": ("core-to-core", "Plain store", "a plain store that the other core polls"),
    "compare_exchange": (
        "core-to-core-exchange",
        "Compare-and-exchange",
        "compare-and-exchange on both sides",
    ),
}


def _matrices(node: NodeFacts, found: CoreToCore) -> list[Block]:
    """The plain store alone, or a choice between it and compare-and-exchange where both were measured."""
    options = [
        Option(label=label, figure=_matrix(name, how, node, found.cores, entries))
        for matrix, (name, label, how) in _HANDED_OVER.items()
        if (entries := measured_between(found.cores, found, matrix))
    ]
    return chosen_from("core-to-core-by", "Handed over by", options)


def _matrix(name: str, how: str, node: NodeFacts, cores: Sequence[int], entries: Sequence[Entry]) -> Figure:
    """By core, or by NUMA node where there are too many."""
    node_of = nodes_of(cores, node.cores)
    nodes = sorted(set(node_of.values()))
    summed = len(cores) > MOST_DRAWN and nodes == list(range(len(nodes)))
    drawn = by_node(entries, cores, node_of) if summed else entries
    labels = [str(one) for one in (nodes if summed else cores)]
    noun = "NUMA node" if summed else "core"
    by = (
        "NUMA node, the median over the pairs of their cores with the fastest and the slowest"
        if summed
        else "logical core number"
    )
    borders = [] if summed else package_borders(cores, node.cores)
    return Figure(
        id=name,
        title="Core-to-core latency",
        what=f"One-way time of a cache line handed from one core to another by {how}, by {by}.",
        method=first_method(entry.quantity for entry in entries),
        drawing=square_map(f"from {noun}", f"to {noun}", labels, whole_matrix(drawn, len(labels)), borders),
    )


def _layers(layers: Sequence[LatencyLayer]) -> list[Block]:
    rows: list[list[Cell]] = [
        [
            number,
            one.latency,
            ", ".join(one.relations) or ABSENT,
            len(one.pairs),
            groups_of_ends(one.groups) or _examples(one.pairs),
        ]
        for number, one in enumerate(layers, start=1)
    ]
    which = "groups of cores" if any(one.groups for one in layers) else "for example"
    return table_figure(
        "layers",
        "Layers of the node",
        "Pairs of cores with similar latency, nearest layer first, with the groups of cores that reach "
        "each other at this latency or faster.",
        DataTable(columns=["layer", "latency", "declared as", "pairs", which], rows=rows),
        method=layers[0].latency.method if layers else "",
        data=layers,
    )


def _examples(pairs: Sequence[tuple[int, int]]) -> str:
    shown = ", ".join(f"{one}{DASH}{other}" for one, other in pairs[:4])
    return f"{shown}, …" if len(pairs) > 4 else shown
