"""How much streaming cores slow each other, and which of these slowdowns are more than scatter.

A machine of 16 cores has 240 ordered pairs. If each were judged by its own 95 % interval, several would seem
slowed where nothing is, and one false pair joins two groups. So all pairs are judged together
(docs/probes/memory_contention.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from groma.survey.infer.selection import matching

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from groma.record import ProbeSamples

    Direction = tuple[int, int]

CLEAR = 1.1
"""A core counts as slowed when it loses more than a tenth, and more than scatter explains."""

BLIND = 1.5
"""Smallest slowdown that must be distinguishable from scatter to say that no core slows another: two cores
that fill the memory together are slowed by 2.
"""

_OTHER_WORK = math.log(1.05)
"""What other work takes of the bandwidth in a part of the visits, as a logarithm."""

_FEWEST_VISITS = 6
_FALSE = 0.05
"""Probability that any of the pairs is taken for slowed although none is."""

_SIGMA = 1.4826  # standard deviation over median absolute deviation of normal noise
_OF_MEDIAN = 1.2533  # standard error of a median over that of a mean, of normal noise


@dataclass(frozen=True)
class Slowdown:
    """Of `core` while `other` streams: logarithm of the ratio, median over the visits, and its error."""

    core: int
    other: int
    relation: str
    log: float
    error: float

    def is_clear(self, of: int) -> bool:
        """Whether it is more than scatter and other work explain, as one `of` so many judged together."""
        return self.log >= math.log(CLEAR) and self.log - _OTHER_WORK > _least(self.error, of)


def ratios_of(samples: ProbeSamples) -> dict[Direction, list[float]]:
    """Bandwidth alone over bandwidth beside the other core, by (core, other) and for each visit."""
    together = {key: values for key, _, values in _directions(samples, "together")}
    found = {}
    for key, _, alone in _directions(samples, "alone"):
        # An interrupted probe may have sampled one state of its last visit only.
        ratios = [a / b for a, b in zip(alone, together.get(key, ()), strict=False) if a > 0 and b > 0]
        if ratios:
            found[key] = ratios
    return found


def _directions(samples: ProbeSamples, state: str) -> list[tuple[Direction, str, list[float]]]:
    return [
        ((case["core"], case["other"]), case.get("relation", ""), values)
        for case, values in matching(samples, state=state)
    ]


def slowdowns_of(samples: ProbeSamples) -> list[Slowdown]:
    """Of every direction; the error of one that was visited too seldom is infinite."""
    relation_of = {key: relation for key, relation, _ in _directions(samples, "alone")}
    logs = {key: np.log(ratios) for key, ratios in ratios_of(samples).items()}
    scatter = _common_scatter(logs)
    return [
        Slowdown(*key, relation_of[key], float(np.median(some)), _error(some, scatter))
        for key, some in logs.items()
    ]


def _common_scatter(logs: Mapping[Direction, NDArray[np.float64]]) -> float:
    """Standard deviation from visit to visit, over all directions; of few visits one alone is uncertain."""
    if not logs:
        return 0.0
    apart = np.concatenate([np.abs(some - np.median(some)) for some in logs.values()])
    return _SIGMA * float(np.median(apart))


def _error(logs: NDArray[np.float64], scatter: float) -> float:
    if len(logs) < _FEWEST_VISITS:
        return math.inf
    own = _SIGMA * float(np.median(np.abs(logs - np.median(logs))))
    return _OF_MEDIAN * max(own, scatter) / math.sqrt(len(logs))


def _least(error: float, of: int) -> float:
    """The least logarithm that is more than scatter, where `of` so many are judged (Bonferroni)."""
    return NormalDist().inv_cdf(1.0 - _FALSE / max(of, 1)) * error


def clear_links(found: Sequence[Slowdown]) -> list[Direction]:
    """Pairs of which a core clearly slows the other, or each the other: what both lose is judged as well.

    In a relation that slows its pairs, a pair belongs to them if it is nearer to their slowdown than to none.
    """
    by_key = {(one.core, one.other): one for one in found}
    of_relation = {name: one.log for name, one in _by_relation(found).items()}
    slowing = set(slowing_relations(found))
    links = []
    for one in found:
        both = _mutual(one, by_key.get((one.other, one.core)))
        tests = _tests(found)
        nearer = one.relation in slowing and both.log >= of_relation[one.relation] / 2.0
        if one.is_clear(tests) or both.is_clear(tests) or nearer:
            links.append((one.core, one.other))
    return links


def _tests(found: Sequence[Slowdown]) -> int:
    """Each direction and each pair."""
    return len(found) + len(found) // 2


def _mutual(one: Slowdown, back: Slowdown | None) -> Slowdown:
    if back is None:
        return one
    error = math.hypot(one.error, back.error) / 2.0
    return replace(one, log=(one.log + back.log) / 2.0, error=error)


def slowing_relations(found: Sequence[Slowdown]) -> list[str]:
    """Relations in which at least half of the directions are slowed, beyond what scatter explains."""
    typical = _by_relation(found)
    return [name for name, one in typical.items() if one.is_clear(len(typical))]


def _by_relation(found: Sequence[Slowdown]) -> dict[str, Slowdown]:
    """The median over the directions in each relation, with the error of that."""
    by_relation: dict[str, list[Slowdown]] = {}
    for one in found:
        by_relation.setdefault(one.relation, []).append(one)
    return {name: _typical(some) for name, some in by_relation.items()}


def _typical(some: Sequence[Slowdown]) -> Slowdown:
    wider = _OF_MEDIAN if len(some) > 2 else 1.0  # the median of two is their mean
    error = wider * _median(one.error for one in some) / math.sqrt(len(some))
    return replace(some[0], log=_median(one.log for one in some), error=error)


def is_blind(found: Sequence[Slowdown], *, by_relation: bool) -> bool:
    """Whether scatter hides what cores may lose: then nobody can say which slow each other.

    `by_relation`: the groups follow from relations, not from single pairs.
    """
    judged = list(_by_relation(found).values()) if by_relation else found
    if not judged:
        return True
    tests = len(judged) if by_relation else _tests(found)
    return _OTHER_WORK + _least(_median(one.error for one in judged), tests) > math.log(BLIND)


def _median(values: Iterable[float]) -> float:
    return float(np.median(list(values)))
