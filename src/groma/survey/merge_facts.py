"""Facts of a survey that are no quantities, in words, to see whether surveys of one machine agree on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.facts.merged import FactSpread
from groma.record.units import format_ids

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.facts.network import NetworkFacts
    from groma.facts.survey import NodeFacts, SurveyFacts

_ABSENT = "-"


def compared_facts(surveys: Sequence[SurveyFacts]) -> list[FactSpread]:
    """Every fact that two surveys tell at least, in the order of the profile."""
    reported = [dict(_facts(one)) for one in surveys]
    names = dict.fromkeys(name for one in reported for name in one)
    found = [_compared(name, [one.get(name) for one in reported]) for name in names]
    return [one for one in found if sum(value != _ABSENT for value in one.values) > 1]


def _compared(name: str, values: Sequence[str | None]) -> FactSpread:
    known = {value for value in values if value is not None}
    return FactSpread(name=name, values=[value or _ABSENT for value in values], agrees=len(known) < 2)


def _facts(survey: SurveyFacts) -> Iterator[tuple[str, str]]:
    yield from _of_node(survey.node)
    if survey.network is not None:
        yield from _of_network(survey.network)


def _of_node(node: NodeFacts) -> Iterator[tuple[str, str]]:
    if node.caches:
        yield "number of cache levels", str(len(node.caches))
    for cache in node.caches:
        if cache.shared_by is not None:
            yield f"cores that share L{cache.level}", _groups(cache.shared_by)
        if cache.indexing is not None and cache.indexing.kind != "unknown":
            yield f"index of L{cache.level}", cache.indexing.kind
    if node.memory is not None and node.memory.contention_groups is not None:
        yield "cores that slow each other", _groups(node.memory.contention_groups)
    if node.core_to_core is not None:
        yield "layers of cores", str(len(node.core_to_core.layers))
    if node.numa is not None:
        yield "distance classes", str(len(node.numa.classes))


def _of_network(network: NetworkFacts) -> Iterator[tuple[str, str]]:
    if network.layers:
        yield "layers of the network", str(len(network.layers))
    if network.topology is not None:
        yield "structure of the network", _named(network.topology)
    if network.distance is not None and network.distance.monotone is not None:
        yield "bandwidth falls with distance", "yes" if network.distance.monotone else "no"


def _named(topology: Any) -> str:
    shape = "x".join(map(str, getattr(topology, "shape", None) or []))
    return f"{topology.kind} {shape}".strip()


def _groups(groups: Sequence[Sequence[int]]) -> str:
    return " ".join(f"{{{format_ids(list(group))}}}" for group in groups) or "none"
