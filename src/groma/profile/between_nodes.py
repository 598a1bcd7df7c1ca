"""What messages between nodes cost, from the layers of a profile: for models and simulators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.facts.network import LogGP
from groma.record import Quantity
from groma.stats.spans import quotient

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from groma.facts.network import CommunicationLayer, NetworkFacts


_WITHIN = "same node"
"""How a survey calls pairs of ranks on one node."""


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """Messages between nodes: `latency` one way (s), `bandwidth` of a node (B/s), `overhead` of the processor
    for sending or receiving one (s), where they are known. `of_pair` is the bandwidth of one message at a
    time.
    """

    name: str
    latency: Quantity
    bandwidth: Quantity | None = None
    of_pair: Quantity | None = None
    overhead: Quantity | None = None


def between_nodes(network: NetworkFacts | None) -> Layer | None:
    """The slowest layer of communication between nodes; None where there is none that has a latency."""
    layers = (layer for layer in (network.layers if network else []) if not is_within_node(layer))
    found = [layer for layer in map(_layer, layers) if layer is not None]
    return max(found, key=lambda layer: layer.latency.value, default=None)


def is_within_node(layer: CommunicationLayer) -> bool:
    """By what is known about its pairs; by its name in a profile that does not say it."""
    return all(known.startswith(_WITHIN) for known in layer.relations or [layer.name])


def _layer(layer: CommunicationLayer) -> Layer | None:
    latency = determined(layer.latency)
    if latency is None:
        return None
    loggp = layer.loggp or LogGP()
    of_pair = _best(_of_messages(layer))
    of_several = (determined(several.bandwidth) for several in layer.concurrency)
    return Layer(
        name=layer.name,
        latency=latency,
        bandwidth=_best([*of_several, of_pair, _inverse(determined(loggp.G), 1.0)]),
        of_pair=of_pair,
        overhead=determined(loggp.o),
    )


def _best(found: Iterable[Quantity | None]) -> Quantity | None:
    return max((one for one in found if one is not None), key=lambda one: one.value, default=None)


def _of_messages(layer: CommunicationLayer) -> Iterator[Quantity | None]:
    for point in layer.curve:
        yield _inverse(determined(point.time), point.bytes)


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
    is_positive = min(found.low, found.value, found.high) > 0  # any of them may be damaged
    return found if found.confidence > 0 and is_positive else None
