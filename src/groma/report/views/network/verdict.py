"""The network in one sentence and a row of tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.counting import counted
from groma.record.units import format_value
from groma.report.blocks import lead_and_tiles
from groma.report.views.marks import quantity_tile
from groma.report.views.network.registry import network_view
from groma.report.words.network import by_latency
from groma.report.words.text import quantity_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.network import Distance, NetworkFacts, Receiver
    from groma.record import Quantity
    from groma.report.blocks import Tile
    from groma.report.views.registry import Blocks


@network_view(order=2, section="verdict")
def verdict(network: NetworkFacts) -> Blocks:
    layers = by_latency(network.layers)
    tiles = [
        *_layer_tile("Message latency", [(layer.name, layer.latency) for layer in layers]),
        *_layer_tile("Message bandwidth", [(layer.name, layer.bandwidth) for layer in layers]),
        *(_distance_tile(network.distance) if network.distance else []),
        *([_receiver_tile(network.receiver)] if network.receiver else []),
    ]
    return lead_and_tiles(_lead(network), tiles) if tiles else []


def _lead(network: NetworkFacts) -> str:
    """How many nodes, on how many of which ranks were."""
    nodes = max((one.launch.nodes for one in network.launches), default=0)
    ranks = max((one.launch.ranks for one in network.launches), default=0)
    size = f" of {counted(nodes, 'node')}" if nodes else ""
    return f"Its network{size}, with up to {counted(ranks, 'rank')}:"


def _layer_tile(title: str, layers: Sequence[tuple[str, Quantity | None]]) -> list[Tile]:
    """Of the farthest layer, with that of the nearest."""
    known = [(name, quantity) for name, quantity in layers if quantity]
    if not known:
        return []
    (near, nearest), (far, farthest) = known[0], known[-1]
    lines = [far] if len(known) == 1 else [far, f"{near}: {quantity_text(nearest)}"]
    return [quantity_tile(title, farthest, lines)]


def _distance_tile(distance: Distance) -> list[Tile]:
    """Of the largest distance that was measured above 1."""
    known = [(number, one) for number, one in enumerate(distance.ratio, start=1) if one and number > 1]
    if not known:
        return []
    number, ratio = known[-1]
    size = format_value(distance.message, "B")
    lines = [f"at distance {number} than at 1", f"all {distance.nodes} nodes send {size} at once"]
    return [quantity_tile("Bandwidth loss over distance", ratio, lines)]


def _receiver_tile(receiver: Receiver) -> Tile:
    where = f"{receiver.host}, from several senders" if receiver.host else "from several senders"
    return quantity_tile("One node receives", receiver.bandwidth, [where])
