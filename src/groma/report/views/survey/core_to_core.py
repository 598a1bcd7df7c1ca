"""What it costs to hand a cache line from core to core, and the layers in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.survey import SurveyFacts
from groma.report.blocks import Choice, DataTable, Figure, Option, not_measured, table_figure
from groma.report.views.marks import method_of, square_map
from groma.report.views.registry import view
from groma.report.views.survey.borders import package_borders
from groma.report.words.text import ABSENT, DASH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.survey import CoreToCore, LatencyLayer, NodeFacts
    from groma.record import Quantity, Record
    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Blocks


@view("cores", order=0, of=SurveyFacts)
def core_to_core(record: Record[SurveyFacts]) -> Blocks:
    node = record.facts.node
    found = node.core_to_core
    if found is None or not found.latency:
        return [not_measured("Core-to-core latency")]
    return [_matrices(node, found), *_layers(found.layers)]


def _matrices(node: NodeFacts, found: CoreToCore) -> Block:
    """The plain store alone, or a choice between it and the atomic exchange where both were measured."""
    borders = package_borders(found.cores, node.cores)
    store = _matrix(
        "core-to-core", "a plain store that the other core polls", found.cores, found.latency, borders
    )
    if not found.compare_exchange:
        return store
    exchange = _matrix(
        "core-to-core-exchange",
        "atomic exchanges on both sides",
        found.cores,
        found.compare_exchange,
        borders,
    )
    options = [Option(label="Plain store", figure=store), Option(label="Atomic exchange", figure=exchange)]
    return Choice(id="core-to-core-by", label="Handed over by", options=options)


def _matrix(
    name: str,
    how: str,
    cores: Sequence[int],
    cells: Sequence[Sequence[Quantity | None]],
    borders: Sequence[int],
) -> Figure:
    return Figure(
        id=name,
        title="Core-to-core latency",
        what=f"One-way time of a cache line handed from one core to another by {how}, by logical core "
        "number.",
        method=method_of(cells),
        drawing=square_map("from core", "to core", [str(core) for core in cores], cells, borders),
    )


def _layers(layers: Sequence[LatencyLayer]) -> list[Block]:
    rows: list[list[Cell]] = [
        [number, one.latency, ", ".join(one.relations) or ABSENT, len(one.pairs), _examples(one.pairs)]
        for number, one in enumerate(layers, start=1)
    ]
    return table_figure(
        "layers",
        "Layers of the node",
        "Pairs of cores with similar latency, nearest layer first.",
        DataTable(columns=["layer", "latency", "declared as", "pairs", "for example"], rows=rows),
        method=layers[0].latency.method if layers else "",
        data=layers,
    )


def _examples(pairs: Sequence[tuple[int, int]]) -> str:
    shown = ", ".join(f"{one}{DASH}{other}" for one, other in pairs[:4])
    return f"{shown}, …" if len(pairs) > 4 else shown
