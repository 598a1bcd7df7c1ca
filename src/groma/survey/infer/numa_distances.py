"""Where read times contradict the distances that the system declares between NUMA nodes."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from groma.record import Advice, Quantity
from groma.record.units import format_ids
from groma.survey.infer.numa_classes import is_own, over_pairs, ratios_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groma.facts.survey import DistanceClass
    from groma.survey.infer.numa_cells import Cell, Cells
    from groma.survey.infer.numa_findings import NumaEvidence

_EQUAL = 1.02
"""Ratio of two read times below which they are in no order, however narrow their intervals are."""

_FAR_LESS = 0.25
"""Times are equal where they differ by less than this part of what the declared distances do: 21 instead of
10 promises more than a quarter.
"""

_SPLIT_SHARE = 0.25
"""Share of the pairs of a distance, and of its readers (two at least), from which their being in a class is
no accident. Of few rounds other work may have disturbed most.
"""

_SURE = 0.9
"""Confidence in the ratio of a pair that was read often enough to speak for itself: in six rounds."""

_NARROW = 1.15
"""Upper over lower bound of a ratio that is known better than by the gap between two classes."""


def contradictions(seen: NumaEvidence, classes: Sequence[DistanceClass]) -> Iterator[Advice]:
    """Places whose own memory is slower than that of others, and declared distances that times disprove."""
    distances = _by_distance(seen, classes)
    unequal = _unequal_places(distances)
    yield from (_unequal(seen, *one) for one in unequal)
    yield from _distances_disagree(_without(distances, [slow for slow, _ in unequal]), classes)


class _Distance(NamedTuple):
    """A declared distance and the read times of its pairs in one class, over local ones. `own` are the places
    if all these pairs are places that read themselves, to which every system declares the same.
    """

    declared: float
    ratio: Quantity
    own: Sequence[int]


def _by_distance(seen: NumaEvidence, classes: Sequence[DistanceClass]) -> list[list[_Distance]]:
    """The declared distances of each class, ascending, without those that a few uncertain pairs bring in."""
    ratios = ratios_of(seen.from_memory())
    of_classes = [_ratios_by_distance(seen, one, ratios) for one in classes]
    pairs: Counter[float] = Counter()
    readers: dict[float, set[int]] = {}
    for distance, some in (item for of_distance in of_classes for item in of_distance.items()):
        pairs[distance] += len(some)
        readers.setdefault(distance, set()).update(_readers(some))
    return [
        [
            _Distance(distance, over_pairs(list(some.values()), "ratio"), _own_alone(some))
            for distance, some in of_distance.items()
            if _is_evident(some, pairs[distance], len(readers[distance]))
        ]
        for of_distance in of_classes
    ]


def _readers(some: Cells) -> set[int]:
    return {reader for _, reader in some}


def _own_alone(some: Cells) -> list[int]:
    return sorted(owner for owner, _ in some) if all(map(is_own, some)) else []


def _ratios_by_distance(seen: NumaEvidence, one: DistanceClass, ratios: Cells) -> dict[float, Cells]:
    found: dict[float, dict[Cell, Quantity]] = {}
    for cell in one.pairs:
        if cell in seen.declared and cell in ratios:
            found.setdefault(seen.declared[cell], {})[cell] = ratios[cell]
    return dict(sorted(found.items()))


def _is_evident(some: Cells, pairs: int, readers: int) -> bool:
    """Whether pairs of a distance, of so many with so many readers, are in a class for sure: many of them, or
    one that was read often and alike. Many by few readers do not count: other work on their cores may have
    lengthened these reads, or those of their own memory that they are compared with.
    """
    many = len(some) >= max(2, _SPLIT_SHARE * pairs) and len(_readers(some)) >= max(2, _SPLIT_SHARE * readers)
    return many or any(one.confidence >= _SURE and _is_narrow(one) for one in some.values())


def _is_narrow(ratio: Quantity) -> bool:
    return ratio.high <= _NARROW * ratio.low


def _unequal_places(distances: Sequence[Sequence[_Distance]]) -> list[tuple[_Distance, _Distance]]:
    """Places that read themselves in a class behind that of others, and these: no declaration tells that."""
    nearest: dict[float, _Distance] = {}
    for one in (one for within in distances for one in within):
        nearest.setdefault(one.declared, one)
    behind = [one for within in distances for one in within if one.own and one is not nearest[one.declared]]
    return [(one, nearest[one.declared]) for one in behind]


def _without(distances: Sequence[Sequence[_Distance]], some: Sequence[_Distance]) -> list[list[_Distance]]:
    return [[one for one in within if all(one is not other for other in some)] for within in distances]


def _unequal(seen: NumaEvidence, slow: _Distance, usual: _Distance) -> Advice:
    noun, verb = (seen.place, "reads its") if len(slow.own) == 1 else (f"{seen.place}s", "read their")
    return Advice(
        code="numa.unequal",
        what=f"{noun} {format_ids(list(slow.own))} {verb} own memory "
        f"{slow.ratio.value / usual.ratio.value:.1f} times slower than others do",
        next="check the memory there (populated channels, throttling) and the frequency of the cores; memory "
        "or cores of another kind look like this as well",
    )


def _distances_disagree(
    distances: Sequence[Sequence[_Distance]], classes: Sequence[DistanceClass]
) -> Iterator[Advice]:
    """Distances that differ where the times do not, the reverse, and those in another order than the times.

    Classes are farther apart than what a distance may mean: within one, its distances are compared.
    """
    for within, one in zip(distances, classes, strict=True):
        equal = [pair for pair in pairwise(within) if _equal(*pair)]
        if equal:
            listed = _listed(sorted({distance.declared for pair in equal for distance in pair}))
            yield _disagreement(
                f"the system declares the distances {listed} for equal "
                f"read times ({one.ratio.value:.2f} times local)"
            )
        for small, large in pairwise(within):
            if small.ratio.low > large.ratio.high and small.ratio.value > _EQUAL * large.ratio.value:
                yield _wrong_order(small, large)
    for nearer, farther in pairwise(zip(distances, classes, strict=True)):
        yield from _classes_disagree(*nearer, *farther)


def _equal(small: _Distance, large: _Distance) -> bool:
    """Whether the times differ by far less than the distances, as sure as their intervals are narrow."""
    less, more = sorted((small.ratio, large.ratio), key=lambda ratio: ratio.value)
    return more.high <= less.low * (1.0 + _FAR_LESS * (large.declared / small.declared - 1.0))


def _classes_disagree(
    near: Sequence[_Distance], nearer: DistanceClass, far: Sequence[_Distance], farther: DistanceClass
) -> Iterator[Advice]:
    common = {one.declared for one in near} & {one.declared for one in far}
    if common:
        yield _disagreement(
            f"the system declares the same distance {_listed(sorted(common))} for read times of "
            f"{nearer.ratio.value:.2f} and {farther.ratio.value:.2f} times local"
        )
    apart_near, apart_far = ([one for one in some if one.declared not in common] for some in (near, far))
    if apart_near and apart_far and apart_near[-1].declared > apart_far[0].declared:
        yield _wrong_order(apart_far[0], apart_near[-1])


def _wrong_order(small: _Distance, large: _Distance) -> Advice:
    return _disagreement(
        f"the system declares the distance {small.declared:g} for reads of {small.ratio.value:.2f} times "
        f"local, and the larger distance {large.declared:g} for reads of {large.ratio.value:.2f} times local"
    )


def _disagreement(what: str) -> Advice:
    return Advice(
        code="numa.distance_disagrees", what=what, next="place data and threads by the measured classes"
    )


def _listed(distances: Iterable[float]) -> str:
    return ", ".join(f"{distance:g}" for distance in distances)
