"""A slow node or link, found in the times of single ranks (docs/network/distance.md).

A message is slow where it crosses a slow part; so the ranks that are slow, distance by distance, intersect at
one node or one cable. Every node and, where the structure is known, every cable is a suspect: it predicts
which ranks are slow at which distances. The suspect that explains most of the differences between ranks is
named if it explains more than any does after the ranks were shuffled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.record import Quantity
from groma.record.network import SlowPart
from groma.stats.quantities import median_quantity
from groma.stats.torus import cables
from groma.survey.infer.network.structures import RING, TORUS, TREE, WAITS, crosses, share_at

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from groma.survey.infer.network.structures import Structure
    from groma.survey.infer.network.sweeps import Pattern

    Values = NDArray[np.float64]

METHOD = "mean excess of ranks whose messages cross it; bootstrap over repetitions"

RELATIVE_METHOD = "median over repetitions of the time of the rank over the mean of all ranks"

LEAST_FACTOR = 1.25
SHUFFLES = 999
MOST_CHANCE = 0.01
RESAMPLES = 200
LEAST_EXPLAINED = 0.25
FEWEST_RANKS, MOST_RANKS = 4, 64


class Suspect(NamedTuple):
    """A part, the ranks at it, and for each distance (row) the ranks that it would slow."""

    kind: str
    ranks: tuple[int, ...]
    slowed: NDArray[np.bool_]


class Case(NamedTuple):
    """What a structure leaves to be explained (logarithms of times, distances by ranks), and its suspects."""

    structure: Structure
    expected: list[Values]
    excess: Values
    suspects: list[Suspect]


class Verdict(NamedTuple):
    """Index of the suspect, logarithm of its factor, the share of the differences that it explains."""

    at: int
    excess: float
    explained: float


def slow_parts(
    found: Mapping[int, Pattern], structures: Sequence[Structure], hosts: Mapping[int, str]
) -> list[SlowPart]:
    """The part that is slow, if one is: nothing where ranks were not told, are few or too many.

    Of several possible structures the one is taken under which a slow part explains most.
    """
    speeds = {d: pattern.speeds for d, pattern in found.items() if pattern.speeds is not None}
    ranks = {one.shape[1] for one in speeds.values()}
    if len(ranks) != 1 or not FEWEST_RANKS <= min(ranks) <= MOST_RANKS:
        return []
    if any(one.nodes not in ranks for one in structures):
        return []  # a rank is missing
    cases = [_case(one, waits, speeds) for one in structures for waits in WAITS]
    verdicts = [_judge(case.suspects, case.excess) for case in cases]
    unexplained = [(1 - v.explained) * (c.excess**2).sum() for c, v in zip(cases, verdicts, strict=True)]
    best = int(np.argmin(unexplained))
    case, verdict = cases[best], verdicts[best]
    if verdict.excess < np.log(LEAST_FACTOR) or verdict.explained < LEAST_EXPLAINED:
        return []
    if len(structures) * _by_chance(case, verdict.explained) > MOST_CHANCE:
        return []
    return [_part(case, verdict, speeds, hosts)]


def _case(structure: Structure, waits: str, speeds: Mapping[int, Values]) -> Case:
    times = [_typical(one) for one in speeds.values()]
    expected = [-np.log(share_at(structure, d).of_ranks(waits)) for d in speeds]
    suspects = [
        Suspect(kind, ends, np.array([crosses(structure, d, links, waits) for d in speeds]))
        for kind, ends, links in _parts(structure)
    ]
    return Case(structure, expected, _excess(times, expected), suspects)


def _parts(structure: Structure) -> Iterator[tuple[str, tuple[int, ...], frozenset[Hashable]]]:
    """Kind, ranks at it and links of every node and of every cable between switches or routers."""
    for node in range(structure.nodes):
        yield "node", (node,), frozenset([("out", node), ("in", node)])
    if structure.kind in {RING, TORUS}:
        for one, other in cables(structure.shape):
            yield "link", (one, other), frozenset([(one, other), (other, one)])
    if structure.kind == TREE:
        for group in sorted(set(structure.group_of)):
            members = tuple(node for node, own in enumerate(structure.group_of) if own == group)
            yield "uplink", members, frozenset([("up", group), ("down", group)])


def _typical(speeds: Values) -> Values:
    """Logarithm of the median time of each rank."""
    times: Values = -np.log(np.median(speeds, axis=0))
    return times


def _excess(times: Sequence[Values], expected: Sequence[Values]) -> Values:
    """Deviation of each rank from the mean of its distance, beyond what the structure explains."""
    rows = np.array(times) - np.array(expected)
    left: Values = rows - rows.mean(axis=1, keepdims=True)
    return left


def _contrasts(suspects: Sequence[Suspect]) -> Values:
    """One row for each suspect: what it slows less the mean at that distance, and flat over all distances."""
    slowed = np.array([one.slowed for one in suspects], dtype=np.float64)
    flat: Values = (slowed - slowed.mean(axis=2, keepdims=True)).reshape(len(suspects), -1)
    return flat


def _judge(suspects: Sequence[Suspect], excess: Values) -> Verdict:
    return _judged(_contrasts(suspects), excess)


def _judged(contrasts: Values, excess: Values) -> Verdict:
    power = np.maximum((contrasts**2).sum(axis=1), 1e-12)
    along = contrasts @ excess.ravel()
    whole = max(float((excess**2).sum()), 1e-12)
    explained = np.where(along > 0, along**2 / power / whole, 0.0)
    best = int(np.argmax(explained))
    return Verdict(best, float(along[best] / power[best]), float(explained[best]))


def _by_chance(case: Case, explained: float) -> float:
    """How often some suspect explains as much when at every distance the ranks are in a random order."""
    random = np.random.default_rng(1)
    contrasts = _contrasts(case.suspects)
    shuffled = (random.permuted(case.excess, axis=1) for _ in range(SHUFFLES))
    as_much = sum(_judged(contrasts, one).explained >= explained for one in shuffled)
    return (as_much + 1) / (SHUFFLES + 1)


def _part(case: Case, verdict: Verdict, speeds: Mapping[int, Values], hosts: Mapping[int, str]) -> SlowPart:
    suspect = case.suspects[verdict.at]
    return SlowPart(
        kind=suspect.kind,
        ranks=list(suspect.ranks),
        hosts=[hosts.get(rank, "") for rank in suspect.ranks],
        factor=_factor(case, suspect, speeds, verdict),
        explained=verdict.explained,
        structure=case.structure.title,
    )


def _factor(case: Case, suspect: Suspect, speeds: Mapping[int, Values], verdict: Verdict) -> Quantity:
    random = np.random.default_rng(1)
    contrast = _contrasts([suspect])
    drawn = []
    for _ in range(RESAMPLES):
        times = [_typical(one[random.integers(0, len(one), len(one))]) for one in speeds.values()]
        drawn.append(_judged(contrast, _excess(times, case.expected)).excess)
    low, high = np.exp(np.quantile(drawn, [0.025, 0.975]))
    value = float(np.exp(verdict.excess))
    return Quantity(
        value=value,
        unit="ratio",
        low=min(value, float(low)),
        high=max(value, float(high)),
        confidence=0.95,
        method=METHOD,
    )


def slow_nodes(relative: Mapping[int, Sequence[float]], hosts: Mapping[int, str]) -> list[SlowPart]:
    """Of many nodes: those whose own times, over the mean of all at the same distance, stand out.

    A message involves two ranks, so the neighbours of a slow node at each distance are slow as well, but each
    only at one distance in many: over all distances their times average out.
    """
    medians = {rank: float(np.median(values)) for rank, values in relative.items() if len(values)}
    usual = float(np.median(list(medians.values()))) if medians else 1.0
    standing_out = {rank: one / usual for rank, one in medians.items() if one > LEAST_FACTOR * usual}
    return [_slow_node(rank, relative[rank], usual, hosts) for rank in standing_out]


def _slow_node(rank: int, values: Sequence[float], usual: float, hosts: Mapping[int, str]) -> SlowPart:
    return SlowPart(
        kind="node",
        ranks=[rank],
        hosts=[hosts.get(rank, "")],
        factor=median_quantity([value / usual for value in values], "ratio", RELATIVE_METHOD),
        explained=1.0,
    )
