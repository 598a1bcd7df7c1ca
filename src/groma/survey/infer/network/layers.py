"""Communication layers: pairs of ranks whose messages cost alike (docs/network/layers.md)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from groma.record import Advice, NetworkFacts
from groma.record.network import CommunicationLayer
from groma.stats.layers import layers_of
from groma.stats.spread import typical
from groma.survey.infer.network import concurrency, curves, loggp, pairs
from groma.survey.infer.network.places import hosts_of, named
from groma.survey.infer.registry import Evidence, Inferred, infers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.survey.infer.network.pairs import MeasuredPair

LATENCY_METHOD = "median over the pairs of the layer of the 5th percentile of half a round trip"
BETWEEN, WITHIN = "between nodes", "same node"
ODD_SHARE = 0.1
"""Of the ends: so few that explain a layer are odd ends, not a layer."""
FEWEST_ENDS = 6
COVERED = 0.95
AS_FAST = 1.3
"""A latency between nodes below this multiple of one within a node crosses no wire."""


class OddEnd(NamedTuple):
    """An end (host or rank) whose messages take `factor` times as long as those of the others."""

    name: str
    factor: float


class Found(NamedTuple):
    """Layers by index into the pairs of a stratum, and the ends that were left out to find them."""

    layers: list[list[int]]
    odd: list[OddEnd]


@infers("layers", needs=("net_pairs", *curves.PROBES), after=("pairs",), of=NetworkFacts)
def layers(evidence: Evidence) -> Inferred:
    """The layers of the pairs, and for each what messages of all sizes cost there."""
    found, odd = layers_of_pairs(evidence)
    known = {layer.name: layer for layer in found}
    for name in _layers_of_probes(evidence):
        known.setdefault(name, CommunicationLayer(name=name))
    for layer in known.values():
        curves.add_curve(evidence, layer)
        loggp.add_parameters(evidence, layer)
        concurrency.add_concurrency(evidence, layer)
    measured = [layer for layer in known.values() if layer.latency is not None or layer.curve]
    return Inferred(measured or None, (*map(_odd_advice, odd), *_through_memory(measured)))


def layers_of_pairs(evidence: Evidence) -> tuple[list[CommunicationLayer], list[OddEnd]]:
    """The layers that `net_pairs` shows, the fastest first, by name and with their pairs.

    Pairs within nodes and pairs between nodes are kept apart, however alike they cost: their messages take
    different ways. A planner takes names and pairs for the later probes from here.
    """
    samples = evidence.samples.get(pairs.PROBE)
    if samples is None:
        return [], []
    hosts = hosts_of(evidence, pairs.PROBE)
    strata = _strata(pairs.measured_pairs(samples), hosts)
    built: list[CommunicationLayer] = []
    odd: list[OddEnd] = []
    for relation, measured in strata.items():
        found = _find(measured, hosts if relation == BETWEEN else {})
        built += _built(relation, measured, found.layers)
        odd += found.odd
    return sorted(built, key=_latency), odd


def _latency(layer: CommunicationLayer) -> float:
    return layer.latency.value if layer.latency else 0.0


def _strata(measured: Sequence[MeasuredPair], hosts: Mapping[int, str]) -> dict[str, list[MeasuredPair]]:
    strata: dict[str, list[MeasuredPair]] = {}
    for one in measured:
        strata.setdefault(_relation(one.pair, hosts), []).append(one)
    return strata


def _relation(pair: tuple[int, int], hosts: Mapping[int, str]) -> str:
    """Empty where the places of the ranks are not known."""
    ends = [hosts.get(rank) for rank in pair]
    if None in ends:
        return ""
    return WITHIN if ends[0] == ends[1] else BETWEEN


def _find(measured: Sequence[MeasuredPair], hosts: Mapping[int, str]) -> Found:
    """Layers of one stratum; ends that are slow with everybody are named and make no layer of their own."""
    ends = [(named(hosts, a), named(hosts, b)) for a, b in (one.pair for one in measured)]
    everything = list(range(len(measured)))
    first = _grouped(everything, ends, measured)
    odd = _odd_ends(first, ends, measured)
    names = {one.name for one in odd}
    usual = [index for index in everything if not names & set(ends[index])]
    groups = _grouped(usual, ends, measured) if odd else first
    return Found(groups, odd)


def _grouped(
    indexes: Sequence[int], ends: Sequence[tuple[str, str]], measured: Sequence[MeasuredPair]
) -> list[list[int]]:
    groups = layers_of([ends[i] for i in indexes], [measured[i].latency for i in indexes])
    return [[indexes[i] for i in group] for group in groups]


def _odd_ends(
    groups: Sequence[Sequence[int]], ends: Sequence[tuple[str, str]], measured: Sequence[MeasuredPair]
) -> list[OddEnd]:
    """Few ends that explain the slowest group: theirs are its pairs, and few of their pairs lie elsewhere."""
    every = Counter(end for pair in ends for end in pair)
    if len(groups) < 2 or len(every) < FEWEST_ENDS:
        return []
    slowest = groups[-1]
    cover = _cover([ends[i] for i in slowest])
    there = Counter(end for i in slowest for end in ends[i])
    if len(cover) > max(1, ODD_SHARE * len(every)) or any(there[end] < 0.8 * every[end] for end in cover):
        return []
    usual = typical([measured[i].latency for i in groups[-2]], "")
    slow = typical([measured[i].latency for i in slowest], "")
    return [OddEnd(end, slow.value / usual.value) for end in cover]


def _cover(some: Sequence[tuple[str, str]]) -> list[str]:
    """Ends that nearly all of these pairs have one of, taken greedily."""
    left, cover = list(some), []
    while len(left) > (1.0 - COVERED) * len(some):
        (end, _), *_ = Counter(end for pair in left for end in pair).most_common(1)
        cover.append(end)
        left = [pair for pair in left if end not in pair]
    return cover


def _built(
    relation: str, measured: Sequence[MeasuredPair], groups: Sequence[Sequence[int]]
) -> Iterator[CommunicationLayer]:
    stem = relation or "layer"
    for number, group in enumerate(groups, start=1):
        members = [measured[i] for i in group]
        yield CommunicationLayer(
            name=stem if relation and len(groups) == 1 else f"{stem} {number}",
            latency=typical([one.latency for one in members], LATENCY_METHOD),
            pairs=[one.pair for one in members],
            relations=[relation] if relation else [],
        )


def _layers_of_probes(evidence: Evidence) -> Iterator[str]:
    """Names of layers in the order of their cases."""
    for probe in curves.PROBES:
        if probe in evidence.samples:
            yield from dict.fromkeys(case["layer"] for case in evidence.samples[probe].cases)


def _odd_advice(odd: OddEnd) -> Advice:
    return Advice(
        code="network.slow_node",
        what=f"messages to and from {odd.name} take {odd.factor:.2f} times as long as between the others",
        next="see whether it hangs at another switch; if not, look at its adapter, cable and load",
    )


def _through_memory(found: Sequence[CommunicationLayer]) -> Iterator[Advice]:
    """Messages between nodes that are as fast as those within: a library has seen one kernel behind both."""
    between = [_latency(layer) for layer in found if BETWEEN in layer.relations]
    within = [_latency(layer) for layer in found if WITHIN in layer.relations]
    if between and within and min(between) < AS_FAST * max(within):
        yield Advice(
            code="network.through_memory",
            what="messages between nodes take no longer than messages within a node: "
            "they probably go through shared memory, not over a network",
            next="are the nodes containers of one machine? MPICH: UCX_TLS=tcp,self keeps to the network",
        )
