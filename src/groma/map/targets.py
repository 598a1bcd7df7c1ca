"""From places of a machine to hosts and cores of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from groma.errors import GromaError
from groma.map.hosts import all_alike, measured_layers
from groma.map.machine import MOST_OF_MATRIX, MatrixMachine, copies_of
from groma.map.place import Place
from groma.map.topologies import FoundMachine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.facts.network import NetworkFacts
    from groma.map.hosts import HostLayers

T = TypeVar("T", bound="np.generic")


def with_threads(found: FoundMachine, threads: int) -> FoundMachine:
    """A node whose places are teams of hardware threads, one team for each rank.

    Teams are as far apart as their threads on average, and share what all of these share. Raises GromaError
    (exit code 2) for places that are no hardware threads, and for more threads than a node has.
    """
    machine = found.machine
    if threads == 1:
        return found
    if not isinstance(machine, MatrixMachine) or not found.cores:
        raise GromaError(
            f"places of a {machine.title} have no hardware threads to give to ranks",
            "leave out --threads, or map to a node: PROFILE, hwloc:FILE or hwloc:DESCRIPTION",
        )
    teams = np.array(_teams(machine.layer, threads), dtype=np.int64)
    if not len(teams):
        raise GromaError(
            f"{threads} threads of a rank do not fit a {machine.title}", "use fewer --threads for each rank"
        )
    several = MatrixMachine(
        f"{machine.title}, {threads} for each rank",
        _between(machine.distance, teams).mean(axis=(2, 3)) * (1 - np.eye(len(teams))),
        machine.names,
        np.where(np.eye(len(teams)), 0, _between(machine.layer, teams).max(axis=(2, 3))),
        None if machine.of_group is None else machine.of_group[teams[:, 0]],
    )
    ids = tuple(tuple(found.cores[place] for place in team) for team in teams.tolist())
    return FoundMachine(several, tuple(range(len(ids))), found.topology, tuple(team[0] for team in ids), ids)


def _teams(layer: NDArray[np.int64], threads: int) -> list[list[int]]:
    """As many teams as possible. What is left over of groups of one layer joins within the next one."""
    teams: list[list[int]] = []
    left = list(range(len(layer)))
    for level in range(1, int(layer.max(initial=0)) + 1):
        groups: dict[int, list[int]] = {}
        for place in left:
            groups.setdefault(int(np.argmax(layer[place] <= level)), []).append(place)
        left = []
        for group in groups.values():
            full = len(group) - len(group) % threads
            teams += [group[at : at + threads] for at in range(0, full, threads)]
            left += group[full:]
    return sorted(teams)


def _between(values: NDArray[T], teams: NDArray[np.int64]) -> NDArray[T]:
    """Values of all pairs of threads: [one, other, thread of one, thread of other]."""
    return values[teams[:, None, :, None], teams[None, :, None, :]]


def on_hosts(found: FoundMachine, hosts: Sequence[str], network: NetworkFacts | None = None) -> FoundMachine:
    """A node as each of several hosts. They are as far apart as `network` measured, where it did."""
    if len(hosts) <= 1 or not found.cores:
        return found
    inside = found.machine.places
    if inside * len(hosts) > MOST_OF_MATRIX:
        raise GromaError(
            f"{len(hosts)} hosts of {inside} cores are more than {MOST_OF_MATRIX} places",
            "map ranks to hosts: --topology tree:HOSTSxCORES",
        )
    layers = measured_layers(found.machine, hosts, network) or all_alike(found.machine, len(hosts))
    return _joined(found, layers)


def _joined(found: FoundMachine, layers: HostLayers) -> FoundMachine:
    inside, hosts = found.machine.places, len(layers.distance)
    host, core = np.divmod(np.arange(inside * hosts), inside)
    one, other = np.broadcast_arrays(core[:, None], core[None, :])
    names, layer = found.machine.layers(one, other)
    pair = np.ix_(host, host)
    apart = host[:, None] != host[None, :]
    measured = f", {layers.source}" if layers.source else ""
    machine = MatrixMachine(
        f"{hosts} hosts, {found.machine.title} each{measured}",
        np.where(apart, layers.distance[pair], found.machine.distances(one, other)),
        (*names, *layers.names),
        np.where(apart, len(names) + layers.layer[pair], layer),
        host,
    )
    allowed = tuple(each * inside + place for each in range(hosts) for place in found.allowed)
    return found._replace(machine=machine, allowed=allowed)


def repeated(found: FoundMachine, times: int) -> FoundMachine:
    """Every place `times` times, as for ranks that share cores."""
    if times == 1:
        return found
    allowed = tuple(place * times + copy for place in found.allowed for copy in range(times))
    machine = copies_of(found.machine, times)
    cores = tuple(core for core in found.cores for _ in range(times))
    teams = tuple(team for team in found.teams for _ in range(times))
    return FoundMachine(machine, allowed, found.topology, cores, teams)


def places_on_host(found: FoundMachine, hosts: int) -> int:
    """Places of each of so many hosts. Raises GromaError (exit code 2) where they cannot be divided."""
    if found.cores:
        return len(found.cores)
    if found.machine.places % hosts:
        raise GromaError(
            f"{found.machine.places} places cannot be divided over {hosts} hosts",
            "give as many hosts as the topology has nodes, with --hostfile",
        )
    return found.machine.places // hosts


def are_places_apart(found: FoundMachine, hosts: int) -> bool:
    """Whether a host has places at a distance from each other: then its name alone is not a place."""
    places = np.arange(places_on_host(found, hosts) * hosts)
    first = places - places % places_on_host(found, hosts)
    return bool(np.any(found.machine.distances(first, places)))


def places_of(found: FoundMachine, mapping: Sequence[int], hosts: int, *, bound: bool = True) -> list[Place]:
    """Host and cores of each rank; no cores where ranks are not `bound`.

    Places of nodes are their hardware threads, or teams of them. Those of other machines are divided evenly
    over the hosts, in their order, and leave the cores open. Raises GromaError (exit code 2) where they
    cannot be divided.
    """
    each = places_on_host(found, hosts)
    if not found.cores:
        return [Place(place // each) for place in mapping]
    cores = [found.threads_at(place % each) if bound else () for place in mapping]
    return [Place(place // each, own) for place, own in zip(mapping, cores, strict=True)]
