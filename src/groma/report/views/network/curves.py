"""Time and bandwidth of a message over its size, and what several at once reach, layer by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.report.blocks import Axis, DataTable, Figure, LineChart, Option, XRange, chosen_from
from groma.report.views.marks import measured_line, point_at
from groma.report.views.messages import MESSAGE_KINDS, MessageKind
from groma.report.views.network.registry import network_view
from groma.report.words.network import by_latency
from groma.report.words.text import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.network import CommunicationLayer, NetworkFacts
    from groma.report.blocks import Cell, Point
    from groma.report.views.registry import Blocks


# ---- over message size -------------------------------------------------------------------------------------


@network_view(order=3)
def curves(network: NetworkFacts) -> Blocks:
    known = [layer for layer in by_latency(network.layers) if layer.curve]
    if not known:
        return []
    options = [Option(label=kind.name, figure=_curve_figure(known, kind)) for kind in MESSAGE_KINDS]
    return chosen_from("network-curves", "Over message size:", options)


def _curve_figure(layers: Sequence[CommunicationLayer], kind: MessageKind) -> Figure:
    lines = [measured_line(one.name, tone, _points(one, kind)) for tone, one in enumerate(layers)]
    return Figure(
        id=f"network-curve-{kind.name}",
        title=kind.title,
        what="One way, half of a ping-pong, by layer. Bars are intervals. Vertical bands mark the "
        "sizes between which the library switches its protocol.",
        method=layers[0].curve[0].time.method,
        drawing=LineChart(x=kind.x, y=kind.y, series=lines, ranges=_switch_ranges(layers)),
        table=DataTable(
            columns=["layer", "bytes", "time", "bandwidth", "samples"],
            rows=[row for layer in layers for row in _curve_rows(layer)],
        ),
        data=[{"name": one.name, "curve": one.curve, "switches": one.switches} for one in layers],
    )


def _points(layer: CommunicationLayer, kind: MessageKind) -> list[Point]:
    """The empty message has no place on a logarithmic axis."""
    return [
        point
        for one in layer.curve
        if one.bytes > 0
        for point in point_at(one.bytes, one.time if kind.name == "time" else one.bandwidth)
    ]


def _curve_rows(layer: CommunicationLayer) -> list[list[Cell]]:
    return [
        [layer.name, one.bytes, one.time, one.bandwidth, one.time.samples.n if one.time.samples else None]
        for one in layer.curve
    ]


def _switch_ranges(layers: Sequence[CommunicationLayer]) -> list[XRange]:
    """Layers that switch between the same sizes share a band."""
    names: dict[tuple[float, float], list[str]] = {}
    for layer in layers:
        for switch in layer.switches:
            names.setdefault((switch.bytes.low, switch.bytes.high), []).append(layer.name)
    return [XRange(name=f"switch, {listed(own)}", low=low, high=high) for (low, high), own in names.items()]


# ---- at once -----------------------------------------------------------------------------------------------


@network_view(order=4)
def concurrency(network: NetworkFacts) -> Blocks:
    known = [layer for layer in by_latency(network.layers) if layer.concurrency]
    if not known:
        return []
    return [
        Figure(
            id="network-concurrency",
            title="Messages at once",
            what="Bandwidth of all messages of a layer over that of a single one, each between a pair of its "
            "own; bars are intervals.",
            method=known[0].concurrency[0].bandwidth.method,
            drawing=LineChart(
                x=Axis(title="messages at once"),
                y=Axis(title="times the bandwidth of one", unit="ratio"),
                series=[
                    measured_line(layer.name, tone, _scaling_points(layer))
                    for tone, layer in enumerate(known)
                ],
            ),
            table=DataTable(
                columns=["layer", "messages", "bandwidth of all", "as the slowest", "times one"],
                rows=[
                    [layer.name, one.messages, one.bandwidth, one.slowest, one.scaling]
                    for layer in known
                    for one in layer.concurrency
                ],
            ),
            data=[{"name": layer.name, "points": layer.concurrency} for layer in known],
        )
    ]


def _scaling_points(layer: CommunicationLayer) -> list[Point]:
    return [point for one in layer.concurrency for point in point_at(one.messages, one.scaling)]
