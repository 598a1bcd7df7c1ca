"""What a message costs in each layer, and the parameters of a model of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.report.blocks import DataTable, Note, table_figure
from groma.report.views.marks import first_method
from groma.report.views.network.registry import network_view
from groma.report.words.network import by_latency
from groma.report.words.text import quantity_text, sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.network import CommunicationLayer, NetworkFacts, ProtocolSwitch
    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Blocks


@network_view(order=2)
def layers(network: NetworkFacts) -> Blocks:
    found = by_latency(network.layers)
    return [*_layer_table(found), *_parameter_table(found)]


def _layer_table(layers: Sequence[CommunicationLayer]) -> list[Block]:
    rows = [
        [one.name, one.latency, one.bandwidth, _switches(one.switches), len(one.pairs) or None]
        for one in layers
    ]
    return table_figure(
        "network-layers",
        "Communication layers",
        "Pairs of ranks with similar message cost, nearest layer first. Latency is one way.",
        DataTable(columns=["layer", "latency", "bandwidth", "protocol switch", "pairs"], rows=rows),
        method=first_method(one.latency for one in layers[:1]),
        data=layers,
    )


def _switches(switches: Sequence[ProtocolSwitch]) -> Cell:
    if len(switches) == 1:
        return switches[0].bytes
    return ", ".join(quantity_text(one.bytes) for one in switches) or None


def _parameter_table(layers: Sequence[CommunicationLayer]) -> list[Block]:
    known = [(layer.name, layer.loggp) for layer in layers if layer.loggp]
    rows = [[name, one.L, one.o, one.g, one.G] for name, one in known]
    figure = table_figure(
        "network-loggp",
        "LogGP parameters",
        "Latency L, overhead o of the processor per message (mean of sending and receiving), gap "
        "g between short messages, gap G per byte of a long message.",
        DataTable(columns=["layer", "L", "o", "g", "G"], rows=rows),
        method=first_method(one.L for _, one in known[:1]),
        data=dict(known),
    )
    return [*figure, *(Note(text=sentence(f"{name}: {note}")) for name, one in known for note in one.notes)]
