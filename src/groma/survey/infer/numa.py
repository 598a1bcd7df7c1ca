"""Facts of the five NUMA experiments (docs/probes/numa_read.md and its neighbours)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.facts.survey import Numa
from groma.record import Advice
from groma.survey.infer.numa_cells import Touching, cells_of, matrix_of, sparse_of, touched
from groma.survey.infer.numa_classes import distance_classes
from groma.survey.infer.numa_declared import declared_distances
from groma.survey.infer.numa_findings import NumaEvidence, findings
from groma.survey.infer.numa_slow import as_cores, slow_cores, slow_places, without
from groma.survey.infer.registry import Evidence, Inferred, infers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groma.facts.survey import SlowPlace
    from groma.record import ProbeSamples, Quantity, Topology
    from groma.survey.infer.numa_cells import Cells

PROBES = ("numa_read", "numa_lockstep", "numa_allocation", "numa_ping_back")
READS = ("sequential_first", "sequential_again", "random", "reallocated")
STEPS = ("owner_first", "other_first", "other_again", "owner_back", "owner_again")
_TOGETHER = ("allocation", "first_touch", "second_touch", "release", "first_touch_huge")
TOUCHING = {
    "allocation": Touching("allocation", "small", together=True),
    "first_touch": Touching("first_touch", "small", together=True),
    "second_touch": Touching("second_touch", "small", together=True),
    "release": Touching("release", "small", together=True),
    "first_touch_huge": Touching("first_touch", "huge", together=True),
    "first_touch_alone": Touching("first_touch", "small", together=False),
}
_PLACE_LABELS = ("owner", "reader", "other", "place")


@infers("numa", needs=PROBES)
def numa(evidence: Evidence) -> Inferred:
    """Matrices, distance classes and findings; None where no experiment has samples."""
    samples = {name: evidence.samples.get(name) for name in PROBES}
    cases = list(_sampled_cases(samples.values()))
    if not cases:
        return Inferred(None)
    places = sorted({case[label] for case in cases for label in _PLACE_LABELS if label in case})
    seen = _seen(samples, cases, places, evidence.topology)
    if _of_one_place(samples.values()):
        return Inferred(_touched(seen, places), (_one_place(seen),))
    timed = seen.from_memory()
    slow = _slow(seen, timed)
    usual = seen.without(slow)
    classes = distance_classes(usual.from_memory(), seen.declared, seen.block_bytes, node_of=seen.node_of)
    facts = _facts(seen, places)
    facts.classes, facts.slow = classes, slow
    return Inferred(facts, tuple(findings(seen, usual, classes, slow)))


def _slow(seen: NumaEvidence, timed: Cells) -> list[SlowPlace]:
    """Slow nodes, and slow cores of the others; where all cores are of one node, slow cores alone."""
    found = slow_places(timed, seen.node_of, seen.declared)
    if seen.of_one_node:
        return as_cores(found)
    return [*found, *slow_cores(without(timed, found), seen.node_of, seen.declared)]


def _facts(seen: NumaEvidence, places: list[int]) -> Numa:
    matrices = {name: seen.read[name] for name in READS} | {"lockstep": seen.lockstep}
    ping_back = {step: cells for step, cells in seen.ping_back.items() if cells}
    fields: dict[str, Any] = {name: matrix_of(cells, places) for name, cells in matrices.items()}
    fields |= {name: _whole(seen.touching[name]) for name in _TOGETHER}
    steps = {step: matrix_of(cells, places) for step, cells in ping_back.items()}
    return Numa(
        over=seen.over,
        places=places,
        block_bytes=seen.block_bytes,
        block_bytes_of=seen.other_sizes(),
        touched_bytes=seen.size_of("numa_allocation"),
        ping_back={step: matrix for step, matrix in steps.items() if matrix},
        sparse=sparse_of(
            matrices | {f"ping_back.{step}": cells for step, cells in ping_back.items()}, places
        ),
        first_touch_alone=list(seen.touching["first_touch_alone"]),
        **fields,
    )


def _of_one_place(samples: Iterable[ProbeSamples | None]) -> bool:
    """Whether no case, sampled or not, sets a place against another one."""
    cases = [case for one in samples if one is not None for case in one.cases]
    return len({case[label] for case in cases for label in _PLACE_LABELS if label in case}) == 1


def _touched(seen: NumaEvidence, places: list[int]) -> Numa | None:
    """What one place shows alone: nobody else reads its memory, and nothing is done at once with others."""
    alone = list(seen.touching["first_touch_alone"])
    if not any(alone):
        return None
    return Numa(
        over=seen.over, places=places, sequential_first=[], sequential_again=[], first_touch_alone=alone
    )


def _one_place(seen: NumaEvidence) -> Advice:
    return Advice(
        code="numa.one_place",
        what=f"remote memory was not measured: this process may use only one {seen.place}",
        next="widen the affinity mask or the cpuset",
    )


def _sampled_cases(samples: Iterable[ProbeSamples | None]) -> Iterable[dict[str, Any]]:
    for one in samples:
        if one is not None:
            yield from (case for case, values in zip(one.cases, one.values, strict=True) if values)


def _seen(
    samples: Mapping[str, ProbeSamples | None],
    cases: list[dict[str, Any]],
    places: Sequence[int],
    topology: Topology | None,
) -> NumaEvidence:
    over = str(cases[0].get("over", "cores"))
    several = topology if _nodes_with_cores(topology) > 1 else None
    node_of = _nodes(over, places, several)
    return NumaEvidence(
        over=over,
        of_one_node=over == "cores" and several is None,
        cases=cases,
        read={name: cells_of(samples["numa_read"], ("owner", "reader"), measure=name) for name in READS},
        lockstep=cells_of(samples["numa_lockstep"], ("owner", "reader")),
        ping_back={
            step: cells_of(samples["numa_ping_back"], ("owner", "other"), step=step) for step in STEPS
        },
        touching={
            name: touched(samples["numa_allocation"], places, touching) for name, touching in TOUCHING.items()
        },
        node_of=node_of,
        declared=declared_distances(several, node_of),
        homes=_homes(over, places, topology),
        sizes=_sizes(samples),
        bare=_without_memory(topology, node_of),
    )


def _nodes_with_cores(topology: Topology | None) -> int:
    """The others are memory alone, such as that of a GPU or an expander."""
    return sum(bool(node.cores) for node in topology.numa) if topology is not None else 0


def _nodes(over: str, places: Sequence[int], topology: Topology | None) -> dict[int, int]:
    """The NUMA node of each place; the place itself where it is one, or its node is not known."""
    known = {core.logical: core.numa for core in topology.cores} if topology and over == "cores" else {}
    return {place: known.get(place, place) for place in places}


def _homes(over: str, places: Sequence[int], topology: Topology | None) -> dict[int, int]:
    """The physical number of the node of each place, where there are several nodes."""
    if topology is None or len(topology.numa) < 2:
        return {}
    physical = {node.logical: node.physical for node in topology.numa}
    nodes = _nodes(over, places, topology)
    return {place: physical[node] for place, node in nodes.items() if node in physical}


def _without_memory(topology: Topology | None, node_of: Mapping[int, int]) -> list[int]:
    """The nodes of these places that have no memory; none where the system tells the size of no memory."""
    if topology is None or not any(node.memory_bytes for node in topology.numa):
        return []
    of_places = set(node_of.values())
    bare = (one.logical for one in topology.numa if one.cores and not one.memory_bytes)
    return sorted(of_places.intersection(bare))


def _sizes(samples: Mapping[str, ProbeSamples | None]) -> dict[str, int]:
    """The bytes for which the times of each probe count, where it has one size."""
    sizes = {
        name: {case["block_bytes"] for case in one.cases if "block_bytes" in case}
        for name, one in samples.items()
        if one is not None
    }
    return {name: some.pop() for name, some in sizes.items() if len(some) == 1}


def _whole(times: Sequence[Quantity | None]) -> list[Quantity]:
    """The list if no place is missing: the profile has no place for gaps there."""
    present = [time for time in times if time is not None]
    return present if len(present) == len(times) else []
