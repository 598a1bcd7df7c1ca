"""What messages between nodes cost, from the layers of a profile: for models and simulators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.facts.network import LogGP
from groma.record import Quantity
from groma.stats.spans import quotient

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.facts.network import CommunicationLayer, NetworkFacts


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """Messages between nodes: `latency` one way (s), `bandwidth` of a node (B/s), `overhead` of the processor
    for sending or receiving one (s), where they are known.
    """

    name: str
    latency: Quantity
    bandwidth: Quantity | None = None
    overhead: Quantity | None = None


def between_nodes(network: NetworkFacts | None) -> Layer | None:
    """The slowest layer of communication; None where there is none that has a latency."""
    layers = network.layers if network else []
    found = [layer for layer in map(_layer, layers) if layer is not None]
    return max(found, key=lambda layer: layer.latency.value, default=None)


def _layer(layer: CommunicationLayer) -> Layer | None:
    latency = determined(layer.latency)
    if latency is None:
        return None
    loggp = layer.loggp or LogGP()
    bandwidths = [one for one in _bandwidths(layer, determined(loggp.G)) if one is not None]
    return Layer(
        name=layer.name,
        latency=latency,
        bandwidth=max(bandwidths, key=lambda one: one.value, default=None),
        overhead=determined(loggp.o),
    )


def _bandwidths(layer: CommunicationLayer, gap_per_byte: Quantity | None) -> Iterator[Quantity | None]:
    """Of several messages at once, of the longest message, of the gap between bytes."""
    for several in layer.concurrency:
        yield determined(several.bandwidth)
    for point in layer.curve:
        yield _inverse(determined(point.time), point.bytes)
    yield _inverse(gap_per_byte, 1.0)


def _inverse(time: Quantity | None, size: float) -> Quantity | None:
    if time is None or size <= 0:
        return None
    return quotient(size, time).quantity("B/s", time.method)


def determined(value: Any) -> Quantity | None:
    """A determined, positive quantity, also in plain JSON values; None for anything else."""
    try:
        found = value if isinstance(value, Quantity) else msgspec.convert(value, Quantity)
    except msgspec.ValidationError:
        return None
    return found if found.confidence > 0 and found.low > 0 else None
