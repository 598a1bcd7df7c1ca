"""Headline quantities of several surveys with their ratio to the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.survey import SurveyFacts
from groma.report.views.comparing import Headline, compared, headline, headline_figure
from groma.report.views.registry import comparison
from groma.report.words.node import cache_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.facts.network import NetworkFacts
    from groma.facts.survey import Memory, NodeFacts
    from groma.record import Quantity, Record
    from groma.report.views.registry import Blocks, Named


@comparison(order=1, of=SurveyFacts)
def headlines(records: Sequence[Named]) -> Blocks:
    return headline_figure("headlines", "Headline quantities", compared(records, _headlines))


def _headlines(record: Record[SurveyFacts]) -> list[Headline]:
    network = record.facts.network
    return [*_of_node(record.facts.node), *(_of_network(network) if network else [])]


def _of_node(node: NodeFacts) -> list[Headline]:
    layers = node.core_to_core.layers if node.core_to_core else []
    return [
        *headline("core frequency", node.clock.core_frequency if node.clock else None),
        *(one for cache in node.caches for one in _of_cache(cache_name(cache), cache.size, cache.latency)),
        *(_of_memory(node.memory) if node.memory else []),
        *(
            Headline(f"core to core, layer {number}", layer.latency)
            for number, layer in enumerate(layers, start=1)
        ),
    ]


def _of_cache(name: str, size: Quantity, latency: Quantity) -> list[Headline]:
    return [Headline(f"{name} size", size), Headline(f"{name} latency", latency)]


def _of_memory(memory: Memory) -> Iterator[Headline]:
    """One core and as many as were used, per kernel."""
    yield from headline("memory latency", memory.latency)
    for kernel, points in memory.bandwidth.items():
        alone = next((one.value for one in points if one.cores == 1), None)
        most = max(points, key=lambda one: one.cores, default=None)
        yield from headline(f"{kernel}, one core", alone)
        yield from headline(f"{kernel}, all cores", most.value if most else None)


def _of_network(network: NetworkFacts) -> Iterator[Headline]:
    for layer in network.layers:
        yield from headline(f"message latency, {layer.name}", layer.latency)
        yield from headline(f"message bandwidth, {layer.name}", layer.bandwidth)
    for distance, ratio in enumerate(network.distance.ratio if network.distance else [], start=1):
        if _is_doubled(distance):
            yield from headline(f"bandwidth at distance 1 over that at {distance}", ratio)
    yield from headline("bandwidth into one node", network.receiver.bandwidth if network.receiver else None)


def _is_doubled(distance: int) -> bool:
    """2, 4, 8 …: of many nodes single distances say little."""
    return distance > 1 and distance.bit_count() == 1
