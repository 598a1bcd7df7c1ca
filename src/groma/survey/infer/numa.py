"""Facts of the five NUMA experiments (docs/probes/numa_read.md and its neighbours)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.facts.survey import Numa
from groma.record import Advice
from groma.survey.infer.numa_cells import by_place, cells_of, matrix_of
from groma.survey.infer.numa_classes import distance_classes
from groma.survey.infer.numa_findings import NumaEvidence, findings
from groma.survey.infer.registry import Evidence, Inferred, infers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groma.record import ProbeSamples, Quantity, Topology
    from groma.survey.infer.numa_cells import Cell

PROBES = ("numa_read", "numa_lockstep", "numa_allocation", "numa_ping_back")
READS = ("sequential_first", "sequential_again", "random", "reallocated")
STEPS = ("owner_first", "other_first", "other_again", "owner_back", "owner_again")
TOUCHING = {
    "allocation": {"measure": "allocation", "pages": "small", "together": True},
    "first_touch": {"measure": "first_touch", "pages": "small", "together": True},
    "first_touch_huge": {"measure": "first_touch", "pages": "huge", "together": True},
    "first_touch_alone": {"measure": "first_touch", "pages": "small", "together": False},
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
    timed = seen.read["sequential_again"] or seen.read["sequential_first"]
    classes = distance_classes(timed, seen.declared, seen.block_bytes)
    facts = Numa(
        over=seen.over,
        places=places,
        block_bytes=seen.block_bytes,
        sequential_first=matrix_of(seen.read["sequential_first"], places),
        sequential_again=matrix_of(seen.read["sequential_again"], places),
        random=matrix_of(seen.read["random"], places),
        reallocated=matrix_of(seen.read["reallocated"], places),
        lockstep=matrix_of(seen.lockstep, places),
        ping_back={step: matrix_of(cells, places) for step, cells in seen.ping_back.items() if cells},
        allocation=_whole(seen.touching["allocation"]),
        first_touch=_whole(seen.touching["first_touch"]),
        first_touch_huge=_whole(seen.touching["first_touch_huge"]),
        first_touch_alone=list(seen.touching["first_touch_alone"]),
        classes=classes,
    )
    return Inferred(facts, tuple(findings(seen, classes)))


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
    samples: dict[str, ProbeSamples | None],
    cases: list[dict[str, Any]],
    places: Sequence[int],
    topology: Topology | None,
) -> NumaEvidence:
    over = str(cases[0].get("over", "cores"))
    nodes = topology if over == "numa" else None
    return NumaEvidence(
        over=over,
        cases=cases,
        read={name: cells_of(samples["numa_read"], ("owner", "reader"), measure=name) for name in READS},
        lockstep=cells_of(samples["numa_lockstep"], ("owner", "reader")),
        ping_back={
            step: cells_of(samples["numa_ping_back"], ("owner", "other"), step=step) for step in STEPS
        },
        touching={
            name: by_place(samples["numa_allocation"], places, **labels) for name, labels in TOUCHING.items()
        },
        declared=_declared_distances(nodes, places),
        homes={node.logical: node.physical for node in nodes.numa} if nodes else {},
    )


def _declared_distances(topology: Topology | None, places: Sequence[int]) -> dict[Cell, float]:
    if topology is None or topology.distances is None:
        return {}
    nodes = len(topology.distances)
    return {
        (owner, reader): topology.distances[owner][reader]
        for owner in places
        for reader in places
        if owner < nodes and reader < nodes
    }


def _whole(times: Sequence[Quantity | None]) -> list[Quantity]:
    """The list if no place is missing: the profile has no place for gaps there."""
    present = [time for time in times if time is not None]
    return present if len(present) == len(times) else []
