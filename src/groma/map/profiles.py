"""What a profile says for a mapping: measured latencies, and the greedy weights of Servet."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.errors import GromaError
from groma.facts.mapping import MappingFacts, MappingQuality, Selection
from groma.facts.matrices import measured_in
from groma.facts.survey import Cache, Core, NodeFacts, SurveyFacts
from groma.map.machine import MatrixMachine
from groma.map.topologies import node_of
from groma.profile import CodeClass, Profile
from groma.profile.mapping import Reason, selected
from groma.record import Quantity
from groma.record.counting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from groma.map.topologies import FoundMachine
    from groma.record.topology import Topology

OF_NODE = "use a PROFILE, hwloc:FILE or hwloc:DESCRIPTION"

CLASSES = {"memory": CodeClass.MEMORY_BOUND, "communication": CodeClass.COMMUNICATION_INTENSIVE}


def node_of_profile(facts: SurveyFacts, path: Path) -> FoundMachine:
    """The node of a profile, with measured core-to-core latencies where it has them.

    Raises GromaError (exit code 2) for a profile that names no cores.
    """
    if facts.declared is None or not facts.declared.cores:
        raise GromaError(f"{path} does not say which cores the machine has", "measure again: groma survey")
    found = node_of(facts.declared)
    return found._replace(machine=_with_latencies(found, facts.node))


def _with_latencies(found: FoundMachine, node: NodeFacts) -> MatrixMachine:
    """Distances in units of the smallest latency. A pair that was not measured has the usual one of its
    layer; where a layer has none, the declared distances stay.
    """
    machine = found.machine
    assert isinstance(machine, MatrixMachine)  # noqa: S101 - what a node is
    latency = _latencies(found, node)
    distance = np.zeros_like(machine.distance)
    for layer in range(1, len(machine.names)):
        pairs = machine.layer == layer
        known = latency[pairs][~np.isnan(latency[pairs])]
        if not len(known):
            if pairs.any():
                return machine
            continue
        distance[pairs] = np.where(np.isnan(latency[pairs]), np.median(known), latency[pairs])
    smallest = distance[distance > 0].min(initial=np.inf)
    if not np.isfinite(smallest):
        return machine
    name = f"{machine.name}, measured latencies"
    return MatrixMachine(name, distance / smallest, machine.names, machine.layer, machine.of_group)


def _latencies(found: FoundMachine, node: NodeFacts) -> NDArray[np.float64]:
    """Between places (s), symmetric; NaN where not measured."""
    place = {core: at for at, core in enumerate(found.cores)}
    latency = np.full((len(place), len(place)), np.nan)
    facts = node.core_to_core
    for row, column, quantity in measured_in(facts, "latency") if facts is not None else ():
        ends = place.get(facts.cores[row]), place.get(facts.cores[column])  # type: ignore[union-attr]
        if None not in ends:
            latency[ends] = latency[ends[::-1]] = quantity.value
    return latency


# ---- the weights of Servet ---------------------------------------------------------------------------------


def survey_of(topology: Topology) -> SurveyFacts:
    """What a topology declares, as facts of a survey in which nothing was measured."""
    cores = [
        Core(logical=one.logical, physical=one.physical, package=one.package, numa=one.numa, core=one.core)
        for one in topology.cores
    ]
    return SurveyFacts(declared=topology, node=NodeFacts(cores=cores, caches=[*_caches(topology)]))


def _caches(topology: Topology) -> Iterator[Cache]:
    """Levels that several hardware threads share."""
    for level in sorted({one.level for one in topology.caches}):
        same = [one for one in topology.caches if one.level == level and one.kind != "instruction"]
        if not same:
            continue
        yield Cache(
            level=level,
            kind="unified",
            size=_declared(float(same[0].size_bytes or 0), "B"),
            latency=_declared(0.0, "s"),
            shared_by=[list(one.cores) for one in same],
        )


def _declared(value: float, unit: str) -> Quantity:
    return Quantity(value=value, unit=unit, low=value, high=value, confidence=0.0, method="not measured")


class _Team(NamedTuple):
    """The hardware threads of a rank, and the place on its node that they are."""

    place: int
    threads: tuple[int, ...]


def _teams(found: FoundMachine) -> list[_Team]:
    """Of several ranks on a place the first one counts."""
    places: dict[tuple[int, ...], int] = {}
    for place in range(len(found.cores)):
        places.setdefault(found.threads_at(place), place)
    return [_Team(place, threads) for threads, place in places.items()]


def placed_by_weights(
    code: str, found: FoundMachine, facts: SurveyFacts, hosts: int, ranks: int
) -> MappingFacts:
    """The mapping of the paper, sections 3 and 4.2. A rank of several threads has the weights of its threads
    on average. Raises GromaError (exit code 2) for too many ranks.
    """
    teams = _teams(found)
    if not teams:
        raise GromaError("the weights of Servet need the cores of a node", OF_NODE)
    if ranks > hosts * len(teams):
        raise GromaError(
            f"{ranks} ranks do not fit {counted(hosts, 'host')} "
            f"with places for {counted(len(teams), 'rank')} each",
            "use fewer --ranks",
        )
    reasons = _reasons_of_teams(teams, Profile(facts).mapping_reasons(CLASSES[code], hosts))
    taken = list(
        selected(
            len(teams), hosts, ranks, lambda one, other: sum(each.change for each in reasons(one, other))
        )
    )
    return MappingFacts(
        mapping=[node * len(found.cores) + teams[team].place for node, team in taken],
        quality=MappingQuality(hop_bytes=0.0),
        machine=found.machine.title,
        places=found.machine.places,
        ranks=ranks,
        method=f"weights of Servet for {code}",
        selections=[_selection(rank, taken, reasons) for rank in range(ranks)],
    )


def _reasons_of_teams(
    teams: Sequence[_Team], of_threads: Callable[[int, int], list[Reason]]
) -> Callable[[int, int], list[Reason]]:
    """Of two teams by their numbers: every rule on average over the pairs of their threads."""

    def reasons(one: int, other: int) -> list[Reason]:
        pairs = list(product(teams[one].threads, teams[other].threads))
        change: dict[str, float] = {}
        for pair in pairs:
            for reason in of_threads(*pair):
                change[reason.rule] = change.get(reason.rule, 0.0) + reason.change / len(pairs)
        return [Reason(rule, value) for rule, value in change.items()]

    return lru_cache(maxsize=None)(reasons)


def _selection(
    rank: int, taken: Sequence[tuple[int, int]], reasons: Callable[[int, int], list[Reason]]
) -> Selection:
    """The weight of the core of a rank is what the ranks before it on its node made of it."""
    node, team = taken[rank]
    found = [
        (before, reason)
        for before, (node_before, team_before) in enumerate(taken[:rank])
        if node_before == node
        for reason in reasons(team_before, team)
    ]
    return Selection(
        rank=rank,
        weight=sum(reason.change for _, reason in found),
        reasons=[f"{reason.change:+.3g} {reason.rule} (rank {before})" for before, reason in found],
    )
