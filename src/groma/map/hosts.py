"""How far hosts are apart: by the layers of a survey, else one farther than the node is wide."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.facts.matrices import sparse_entries
from groma.profile.rank_layers import placement_of_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from groma.facts.network import NetworkFacts, NodePairs
    from groma.map.machine import Machine


class HostLayers(NamedTuple):
    """Distances of all pairs of hosts in the unit of their nodes, and what they share: `names[layer]`."""

    distance: NDArray[np.float64]
    names: tuple[str, ...]
    layer: NDArray[np.int64]
    source: str = ""


def all_alike(node: Machine, hosts: int) -> HostLayers:
    """Another host is one farther than anything on the same one."""
    apart = 1.0 - np.eye(hosts)
    return HostLayers(
        apart * (_distances(node).max(initial=0.0) + 1.0), ("other host",), np.zeros((hosts, hosts), np.int64)
    )


def measured_layers(node: Machine, hosts: Sequence[str], network: NetworkFacts | None) -> HostLayers | None:
    """None where no layer between hosts was measured. `network` is of a survey.

    Messages within a node set the scale: their latency is the usual distance of two places of the node. Hosts
    without paired ranks have the layer that their nodes are nearest to; those that the survey did not see are
    as far apart as most.
    """
    known = _MeasuredLayers(network) if network is not None else None
    if known is None or known.usual_between is None:
        return None
    layer = np.full((len(hosts), len(hosts)), known.usual_between, dtype=np.int64)
    for one, other in combinations(range(len(hosts)), 2):
        layer[one, other] = layer[other, one] = known.between(hosts[one], hosts[other])
    used = sorted({int(each) for each in layer.flat}, key=lambda each: known.latency[each])
    scale = _scale(node, known)
    of_layer = np.array([known.latency.get(each, np.nan) for each in range(max(used) + 1)])
    return HostLayers(
        scale * of_layer[layer] * (1.0 - np.eye(len(hosts))),
        tuple(f"other host: {known.names[each]}" for each in used),
        np.searchsorted(of_layer[used], of_layer[layer]),
        "measured layers between hosts",
    )


def _scale(node: Machine, known: _MeasuredLayers) -> float:
    """Distance for each second of latency."""
    distances = _distances(node)
    if known.usual_within is not None and len(distances):
        return float(np.median(distances)) / known.latency[known.usual_within]
    nearest = min(known.latency[layer] for layer in known.layers_between)
    return (float(distances.max(initial=0.0)) + 1.0) / nearest


def _distances(node: Machine) -> NDArray[np.float64]:
    """Between different places of a node."""
    one, other = np.triu_indices(node.places, 1)
    return node.distances(one, other)


class _MeasuredLayers:
    """The layers with a latency, and those of each pair of hosts of the survey."""

    def __init__(self, network: NetworkFacts) -> None:
        layers = dict(enumerate(network.layers))
        self.names = {number: layer.name for number, layer in layers.items()}
        self.latency = {
            number: layer.latency.value
            for number, layer in layers.items()
            if layer.latency is not None and layer.latency.value > 0
        }
        self._of_hosts = self._counted(network)
        between = [counts for hosts, counts in self._of_hosts.items() if len(hosts) > 1]
        within = [counts for hosts, counts in self._of_hosts.items() if len(hosts) == 1]
        self.layers_between = set().union(*between)
        self.usual_between = _most_frequent(sum(between, Counter()))
        self.usual_within = _most_frequent(sum(within, Counter()))
        self._of_nodes = _latencies_of(network.node_pairs)
        self._slower = self._slowdown()

    def _counted(self, network: NetworkFacts) -> Mapping[frozenset[str], Counter[int]]:
        host = {place.rank: _name(place.host) for place in placement_of_pairs(network)}
        found: dict[frozenset[str], Counter[int]] = {}
        for number in self.latency:
            for one, other in network.layers[number].pairs:
                if one in host and other in host:
                    found.setdefault(frozenset((host[one], host[other])), Counter())[number] += 1
        return found

    def between(self, one: str, other: str) -> int:
        hosts = frozenset((_name(one), _name(other)))
        found = _most_frequent(self._of_hosts.get(hosts, Counter()))
        if found is not None:
            return found
        assert self.usual_between is not None  # noqa: S101 - asked for first
        return self._nearest(self._of_nodes[hosts]) if hosts in self._of_nodes else self.usual_between

    def _slowdown(self) -> float:
        """Times that nodes at the same time take over those of the layers, which were measured otherwise."""
        ratios = [
            self._of_nodes[hosts] / self.latency[layer]
            for hosts, counts in self._of_hosts.items()
            if hosts in self._of_nodes and (layer := _most_frequent(counts)) is not None
        ]
        return float(np.median(ratios)) if ratios else 1.0

    def _nearest(self, latency: float) -> int:
        """The layer between hosts that has about this latency."""
        expected = latency / self._slower
        return min(
            sorted(self.layers_between), key=lambda layer: abs(math.log(self.latency[layer] / expected))
        )


def _latencies_of(facts: NodePairs | None) -> dict[frozenset[str], float]:
    """Of pairs of hosts that were measured at the same time, where they did not disturb each other."""
    if facts is None or facts.disturbed or facts.latency is None:
        return {}
    names = [_name(host) for host in facts.hosts]
    return {
        frozenset((names[one.row], names[one.column])): one.quantity.value
        for one in sparse_entries(facts.latency)
        if one.quantity.value > 0.0
    }


def _name(host: str) -> str:
    """Launchers name hosts with or without their domain."""
    return host.partition(".")[0] if not host.replace(".", "").isdigit() else host


def _most_frequent(counts: Counter[int]) -> int | None:
    """The first of equally frequent ones."""
    return min(counts, key=lambda layer: (-counts[layer], layer), default=None)
