"""Communication layers: pairs of ranks whose messages cost alike (docs/network/layers.md)."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.facts.network import CommunicationLayer, NetworkFacts
from groma.record import Advice
from groma.stats.layers import layers_of
from groma.stats.spread import typical
from groma.survey.infer.network import concurrency, curves, loggp, pairs
from groma.survey.infer.network.names import OF_LAYERS, PAIRS
from groma.survey.infer.network.places import hosts_of, named
from groma.survey.infer.registry import Evidence, Inferred, infers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from groma.record import Quantity
    from groma.survey.infer.network.pairs import MeasuredPair

LATENCY_METHOD = "median over the pairs of the layer of the 5th percentile of half a round trip"
BETWEEN, WITHIN = "between nodes", "same node"
OUTLIER_SHARE = 0.1
"""Of the ends: so few that explain a layer are outliers, not a layer."""
FEWEST_ENDS = 6
COVERED = 0.95
AS_FAST = 1.3
"""A latency between nodes below this multiple of one within a node crosses no wire."""


Ends = tuple[str, str]


class Bundle(NamedTuple):
    """Pairs whose messages take the same way: between the same two hosts, or the same two places on a host.

    Noise and a less lucky core only add to a latency, so the fastest member speaks for the way.
    """

    ends: Ends
    members: list[MeasuredPair]

    @property
    def fastest(self) -> Quantity:
        return min((one.latency for one in self.members), key=lambda latency: latency.value)


class OutlierEnd(NamedTuple):
    """An end (host or rank) whose messages take `factor` times as long as those of the others."""

    name: str
    factor: float


class FoundLayers(NamedTuple):
    """Layers by index into the bundles of a stratum, and the ends that were left out to find them."""

    layers: list[list[int]]
    outliers: list[OutlierEnd]


@infers("layers", needs=(PAIRS, *OF_LAYERS), after=("pairs",), of=NetworkFacts)
def layers(evidence: Evidence) -> Inferred:
    """The layers of the pairs, and for each what messages of all sizes cost there, the nearest first."""
    found, outliers = layers_of_pairs(evidence)
    known = {layer.name: layer for layer in found}
    for name in _layers_of_probes(evidence):
        known.setdefault(name, CommunicationLayer(name=name))
    for layer in known.values():
        curves.add_curve(evidence, layer)
        loggp.add_parameters(evidence, layer)
        concurrency.add_concurrency(evidence, layer)
    measured = sorted((layer for layer in known.values() if layer.latency is not None), key=_latency)
    return Inferred(measured or None, (*map(_outlier_advice, outliers), *_through_memory(measured)))


def layers_of_pairs(evidence: Evidence) -> tuple[list[CommunicationLayer], list[OutlierEnd]]:
    """The layers that the pairs show, the fastest first, by name and with their pairs.

    Pairs within nodes and pairs between nodes are kept apart, however alike they cost: their messages take
    different ways. A planner takes names and pairs for the later probes from here.
    """
    samples = evidence.samples.get(PAIRS)
    if samples is None:
        return [], []
    hosts = hosts_of(evidence, PAIRS)
    built: list[CommunicationLayer] = []
    outliers: list[OutlierEnd] = []
    for relation, bundles in _strata(pairs.measured_pairs(samples), hosts).items():
        found = _find(bundles)
        built += _built(relation, [[bundles[i] for i in layer] for layer in found.layers])
        outliers += found.outliers
    return sorted(built, key=_latency), outliers


def _latency(layer: CommunicationLayer) -> float:
    return layer.latency.value if layer.latency else 0.0


def _strata(measured: Sequence[MeasuredPair], hosts: Mapping[int, str]) -> dict[str, list[Bundle]]:
    """Bundles by relation."""
    place = _places_on_hosts(hosts)
    strata: dict[str, dict[Ends, list[MeasuredPair]]] = {}
    for one in measured:
        relation = _relation(one.pair, hosts)
        ends = _ends(relation, one.pair, hosts, place)
        strata.setdefault(relation, {}).setdefault(ends, []).append(one)
    return {
        relation: [Bundle(ends, members) for ends, members in bundles.items()]
        for relation, bundles in strata.items()
    }


def _relation(pair: tuple[int, int], hosts: Mapping[int, str]) -> str:
    """Empty where the places of the ranks are not known."""
    ends = [hosts.get(rank) for rank in pair]
    if None in ends:
        return ""
    return WITHIN if ends[0] == ends[1] else BETWEEN


def _places_on_hosts(hosts: Mapping[int, str]) -> dict[int, int]:
    """The number of each rank among those of its host."""
    seen: Counter[str] = Counter()
    places = {}
    for rank in sorted(hosts):
        places[rank] = seen[hosts[rank]]
        seen[hosts[rank]] += 1
    return places


def _ends(relation: str, pair: tuple[int, int], hosts: Mapping[int, str], place: Mapping[int, int]) -> Ends:
    """What pairs of one bundle have in common: their two hosts, or their two places on any host."""
    one, other = pair
    if relation == BETWEEN:
        return min(hosts[one], hosts[other]), max(hosts[one], hosts[other])
    if relation == WITHIN:
        return f"place {place[one]} of a node", f"place {place[other]} of a node"
    return named(hosts, one), named(hosts, other)


def _find(bundles: Sequence[Bundle]) -> FoundLayers:
    """Layers of one stratum; ends that are slow with everybody are named and make no layer of their own."""
    everything = list(range(len(bundles)))
    first = _grouped(everything, bundles)
    outliers = _outlier_ends([[bundles[i] for i in layer] for layer in first])
    names = {one.name for one in outliers}
    usual = [index for index in everything if not names & set(bundles[index].ends)]
    return FoundLayers(_grouped(usual, bundles) if outliers else first, outliers)


def _grouped(indexes: Sequence[int], bundles: Sequence[Bundle]) -> list[list[int]]:
    groups = layers_of([bundles[i].ends for i in indexes], [bundles[i].fastest for i in indexes])
    return [[indexes[i] for i in group] for group in groups]


def _outlier_ends(groups: Sequence[Sequence[Bundle]]) -> list[OutlierEnd]:
    """Few ends that explain the slowest group: theirs are its pairs, and few of their pairs lie elsewhere."""
    every = Counter(end for group in groups for one in group for end in one.ends)
    if len(groups) < 2 or len(every) < FEWEST_ENDS:
        return []
    slowest = [one.ends for one in groups[-1]]
    cover = _cover(slowest, max(1, math.floor(OUTLIER_SHARE * len(every))))
    there = Counter(end for ends in slowest for end in ends)
    if any(there[end] < 0.8 * every[end] for end in cover):
        return []
    usual, slow = (typical([one.fastest for one in group], "") for group in groups[-2:])
    return [OutlierEnd(end, slow.value / usual.value) for end in cover]


def _cover(some: Sequence[Ends], most: int) -> list[str]:
    """At most `most` ends of which nearly all of these pairs have one, taken greedily; else none."""
    names = list(dict.fromkeys(end for pair in some for end in pair))
    number = {name: i for i, name in enumerate(names)}
    left = np.array([[number[one], number[other]] for one, other in some])
    cover: list[str] = []
    while len(left) > (1.0 - COVERED) * len(some):
        if len(cover) == most:
            return []
        busiest = _busiest(left)
        cover.append(names[busiest])
        left = left[(left != busiest).all(axis=1)]
    return cover


def _busiest(pairs: NDArray[np.intp]) -> int:
    """The number in most pairs; of several the one that comes first."""
    ends = pairs.ravel()
    return int(ends[np.argmax(np.bincount(ends)[ends])])


def _built(relation: str, layers: Sequence[Sequence[Bundle]]) -> Iterator[CommunicationLayer]:
    stem = relation or "layer"
    for number, bundles in enumerate(layers, start=1):
        members = sorted((one for bundle in bundles for one in bundle.members), key=lambda one: one.pair)
        yield CommunicationLayer(
            name=stem if relation and len(layers) == 1 else f"{stem} {number}",
            latency=typical([one.latency for one in members], LATENCY_METHOD),
            pairs=[one.pair for one in members],
            relations=[relation] if relation else [],
        )


def _layers_of_probes(evidence: Evidence) -> Iterator[str]:
    """Names of layers in the order of their cases."""
    for probe in OF_LAYERS:
        if probe in evidence.samples:
            yield from dict.fromkeys(case["layer"] for case in evidence.samples[probe].cases)


def _outlier_advice(end: OutlierEnd) -> Advice:
    return Advice(
        code="network.slow_node",
        what=f"messages to and from {end.name} take {end.factor:.2f} times as long as between other nodes",
        next="check whether it is on another switch; if not, check its adapter, cable and load",
    )


def _through_memory(found: Sequence[CommunicationLayer]) -> Iterator[Advice]:
    """Messages between nodes that are as fast as those within: a library has seen one kernel behind both."""
    between = [_latency(layer) for layer in found if BETWEEN in layer.relations]
    within = [_latency(layer) for layer in found if WITHIN in layer.relations]
    if between and within and min(between) < AS_FAST * max(within):
        yield Advice(
            code="network.through_memory",
            what="messages between nodes take no longer than within a node: "
            "they probably go through shared memory, not over a network",
            next="if these are containers on one machine, set UCX_TLS=tcp,self for MPICH to use the network",
        )
