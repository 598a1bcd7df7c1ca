"""Slow nodes and links, found in the times of single ranks (docs/network/distance.md).

Nodes that are slow with every partner come first, however many. Then a message is slow where it crosses a
slow part; so the ranks that are slow, distance by distance, intersect at one node or one cable. Every node
and, where the interconnect is known, every cable is a suspect: it predicts which ranks are slow at which
distances. The suspect that explains most of the differences between ranks is named if it explains more than
any does after the ranks were shuffled. Then the next one is looked for in what it leaves.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.facts.network import SlowPart
from groma.interconnect.base import Cable
from groma.interconnect.switched import Tree, crossbar
from groma.record import Quantity
from groma.stats.quantities import median_quantity
from groma.survey.infer.network.bounds import Speeds
from groma.survey.infer.network.node_speeds import (
    LEAST_FACTOR,
    resampled_medians,
    speeds_of_nodes,
    with_factors,
)
from groma.survey.infer.network.shares import WAITS, crosses, share_at, slowed_share_at
from groma.survey.infer.network.sweeps import speeds_by_distance
from groma.survey.infer.network.uneven_groups import fitted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from groma.interconnect.base import Interconnect, Link
    from groma.survey.infer.network.node_speeds import Factors, NodeSpeeds
    from groma.survey.infer.network.sweeps import Pattern

    Values = NDArray[np.float64]

METHOD = "mean excess time of ranks whose messages cross it; bootstrap over repetitions"

RELATIVE_METHOD = "median over repetitions of the time of the rank over the mean of all ranks"

NODE_METHOD = "usual best message of a node over that of this one; bootstrap over repetitions"

SHUFFLES = 499
MOST_CHANCE = 0.01
LEAST_EXPLAINED = 0.25
MUCH_LESS = 0.5
"""Of what a part leaves: where nodes of several speeds leave less, they are the reason."""
MOST_PARTS = 8
"""Besides nodes that are slow with every partner."""
FEWEST_RANKS, MOST_RANKS = 4, 64
ROUNDING = 1e-9
"""Relative: sums of squares that differ by less are equal."""


class Case(NamedTuple):
    """What an interconnect leaves for one of its parts to explain: logarithms of times, distances by ranks.

    `times` are those that were measured, `expected` those of a network that is sound but for `factors`: these
    parts are slow for certain. `contrasts` has a row for each part: how much longer its ranks take at each
    distance, from 0 to 1 for the whole factor of the part, less the mean at that distance, flat over all
    distances.
    """

    interconnect: Interconnect
    waits: str
    factors: Factors
    distances: tuple[int, ...]
    times: Values
    expected: Values
    excess: Values
    parts: list[Cable]
    contrasts: Values


class Verdict(NamedTuple):
    """Index of the part, logarithm of its factor, the share of the squared differences that it explains."""

    at: int
    excess: float
    explained: float


def slow_parts(
    found: Mapping[int, Pattern],
    interconnects: Sequence[Interconnect],
    hosts: Mapping[int, str],
    *,
    is_known: bool = False,
) -> list[SlowPart]:
    """The parts that are slow: nothing where ranks are unknown, few or too many.

    Where it `is_known` what the structure is, no other one is named that would explain as much.

    Of several possible interconnects the one is taken under which a slow part leaves least unexplained, if
    that is clearly less than the sound one leaves that fits best.
    """
    ranks = {one.nodes for one in interconnects}
    if len(ranks) != 1 or not FEWEST_RANKS <= min(ranks) <= MOST_RANKS:
        return []
    speeds = speeds_by_distance(found, min(ranks))
    if not speeds:
        return []
    nodes = speeds_of_nodes(speeds)
    factors = nodes.factors if nodes is not None else ()
    distances, times = tuple(speeds), np.array([_typical(one) for one in speeds.values()])
    cases = [_case(one, waits, distances, times, factors) for one in interconnects for waits in WAITS]
    slow = _slow_nodes(nodes, cases) if nodes is not None else []
    slow += _other_parts(cases, speeds)
    for part in slow:
        part.hosts = [hosts.get(rank, "") for rank in part.ranks]
        part.otherwise = "" if is_known else part.otherwise
    return slow


def _case(
    interconnect: Interconnect, waits: str, distances: tuple[int, ...], times: Values, factors: Factors
) -> Case:
    expected = _expected(interconnect, waits, distances, factors)
    is_free = expected - _expected(interconnect, waits, distances) < np.log(LEAST_FACTOR)
    parts = [part for part in _parts(interconnect) if part.links.isdisjoint(link for link, _ in factors)]
    slowed = np.array([_slowed(interconnect, factors, distances, part, waits) for part in parts]) * is_free
    contrasts = (slowed - slowed.mean(axis=2, keepdims=True)).reshape(len(parts), -1)
    excess = _excess(times, expected)
    return Case(interconnect, waits, factors, distances, times, expected, excess, parts, contrasts)


@lru_cache(maxsize=4096)
def _expected(
    interconnect: Interconnect, waits: str, distances: tuple[int, ...], factors: Factors = ()
) -> Values:
    network = with_factors(interconnect, factors)
    return _kept(np.array([-np.log(share_at(network, d).of_ranks(waits)) for d in distances]))


def _slow_nodes(nodes: NodeSpeeds, cases: Sequence[Case]) -> list[SlowPart]:
    """A minority that explains why ranks differ; where it is none, there are nodes of two speeds."""
    if not nodes.is_minority:
        return []
    case, sound = min(cases, key=_left), min(_left_with(one, ()) for one in cases)
    if _left(case) > (1.0 - LEAST_EXPLAINED) * sound:
        return []
    return [
        SlowPart(
            kind="node",
            ranks=[node],
            hosts=[],
            factor=_factor_of_node(nodes, node),
            explained=max(0.0, _left_with(case, nodes.factors_but_for(node)) - _left(case)) / sound,
            structure=case.interconnect.title,
        )
        for node in nodes.slow
    ]


def _left(case: Case) -> float:
    return float((case.excess**2).sum())


def _left_with(case: Case, factors: Factors) -> float:
    """The sum of squares that is left where these parts are slow."""
    expected = _expected(case.interconnect, case.waits, case.distances, factors)
    return float((_excess(case.excess + case.expected, expected) ** 2).sum())


def _factor_of_node(nodes: NodeSpeeds, node: int) -> Quantity:
    low, value, high = (1.0 / speed for speed in nodes.interval(node))
    return Quantity(value=value, unit="ratio", low=low, high=high, confidence=0.95, method=NODE_METHOD)


def _other_parts(cases: Sequence[Case], speeds: Mapping[int, Values]) -> list[SlowPart]:
    """One after the other, each under the interconnect under which it leaves least."""
    found: list[SlowPart] = []
    while len(found) < MOST_PARTS:
        case, verdict = _best(cases)
        if not _is_slow(cases, case, verdict):
            break
        found.append(_slow_part(case, verdict, speeds))
        cases = list(_with_slow(cases, case.parts[verdict.at]))
    return found


def _with_slow(cases: Sequence[Case], part: Cable) -> Iterator[Case]:
    """The cases that have the part, in which it is slow for certain. Several explain it as well as another,
    and what a wrong one makes of a slow part is no second slow part where a right one leaves nothing.
    """
    for case in cases:
        if part not in case.parts:
            continue
        at = case.parts.index(part)
        _, size = _fits(case.contrasts[at : at + 1], case.excess.ravel())
        slow = ((link, float(np.exp(-size[0]))) for link in part.links)
        yield _case(case.interconnect, case.waits, case.distances, case.times, (*case.factors, *slow))


def _is_slow(cases: Sequence[Case], case: Case, verdict: Verdict) -> bool:
    if verdict.excess < np.log(LEAST_FACTOR) or verdict.explained < LEAST_EXPLAINED:
        return False
    if case.parts[verdict.at].kind != "node" and _nodes_explain_more(cases, case, verdict):
        return False
    return not _is_by_chance(cases)


def _parts(interconnect: Interconnect) -> Iterator[Cable]:
    """Every node with its own links, and every cable between routers or switches.

    Messages between two groups cross both uplinks, so neither of two is a suspect.
    """
    for node in range(interconnect.nodes):
        yield from _directions(Cable("node", (node,), frozenset([("out", node), ("in", node)])))
    cables = list(interconnect.cables())
    if len(cables) > 2 or not isinstance(interconnect, Tree):
        for cable in cables:
            yield from _directions(cable) if cable.kind == "uplink" else (cable,)


def _directions(part: Cable) -> Iterator[Cable]:
    """Both together, then each: adapters and switches may be slow in one direction."""
    yield part
    for link in sorted(part.links, key=repr):
        yield part._replace(links=frozenset([link]))


def _slowed(
    interconnect: Interconnect, factors: Factors, distances: tuple[int, ...], part: Cable, waits: str
) -> Values:
    """For each distance and rank, from not at all (0) to by the factor of the part (1).

    An uplink is shared by a number of messages that changes with the distance, so it slows none as long as
    they are few: fair shares of one at half its rate tell.
    """
    if part.kind == "node":  # whatever is between the nodes, its messages are the same
        return _crossing(crossbar(interconnect.nodes), distances, part.links, waits)
    if part.kind == "link":
        return _crossing(interconnect, distances, part.links, waits)
    return _halvings(with_factors(interconnect, factors), distances, part.links, waits)


@lru_cache(maxsize=4096)
def _halvings(
    interconnect: Interconnect, distances: tuple[int, ...], links: frozenset[Link], waits: str
) -> Values:
    def halvings(distance: int) -> Values:
        sound = share_at(interconnect, distance).of_ranks(waits)
        slow = slowed_share_at(interconnect, distance, links).of_ranks(waits)
        return np.asarray(np.log2(sound / slow))

    return _kept(np.array([halvings(distance) for distance in distances]))


@lru_cache(maxsize=4096)
def _crossing(
    interconnect: Interconnect, distances: tuple[int, ...], links: frozenset[Link], waits: str
) -> Values:
    return _kept(np.array([crosses(interconnect, d, links, waits) for d in distances], dtype=np.float64))


def _kept(values: Values) -> Values:
    """What a cache returns to all who ask is not to be changed."""
    values.setflags(write=False)
    return values


def _typical(speeds: Values) -> Values:
    """Logarithm of the median time of each rank."""
    times: Values = -np.log(np.median(speeds, axis=0))
    return times


def _excess(times: Values, expected: Values) -> Values:
    """Deviation of each rank from the mean of its distance, beyond what the interconnect explains."""
    rows = times - expected
    left: Values = rows - rows.mean(axis=1, keepdims=True)
    return left


def _best(cases: Sequence[Case]) -> tuple[Case, Verdict]:
    """The case and the part that leave least unexplained, the first of several that leave as much; the share
    is of what the best sound one leaves.
    """
    verdicts = [_judged(case.contrasts, case.excess) for case in cases]
    whole = [float((case.excess**2).sum()) for case in cases]
    left = [(1.0 - verdict.explained) * total for verdict, total in zip(verdicts, whole, strict=True)]
    best = int(np.argmax(np.array(left) <= min(left) + ROUNDING * max(whole)))
    explained = 1.0 - left[best] / max(min(whole), 1e-12)
    return cases[best], verdicts[best]._replace(explained=explained)


def _judged(contrasts: Values, excess: Values) -> Verdict:
    explained, size = _fits(contrasts, excess.ravel())
    best = int(np.argmax(explained))
    return Verdict(best, float(size[best]), float(explained[best]))


def _fits(contrasts: Values, excess: Values) -> tuple[Values, Values]:
    """By contrast (row), for each column of `excess`: the share that it explains, and its size."""
    power = np.maximum((contrasts**2).sum(axis=1), 1e-12)
    along = contrasts @ excess
    size = (along.T / power).T
    whole = np.maximum((excess**2).sum(axis=0), 1e-12)
    return np.where(along > 0, along * size / whole, 0.0), size


def _nodes_explain_more(cases: Sequence[Case], case: Case, verdict: Verdict) -> bool:
    """Whether nodes of several speeds leave much less than the part does, for each value that is free."""
    distances, ranks = case.excess.shape
    free = distances * (ranks - 1) - 2 * (ranks - 1)
    if free <= 0:
        return False
    by_nodes = min(float((_less_nodes(one) ** 2).sum()) for one in cases) / free
    explained = verdict.excess**2 * float((case.contrasts[verdict.at] ** 2).sum())
    by_part = (float((case.excess**2).sum()) - explained) / (distances * (ranks - 1) - 1)
    return bool(by_nodes < MUCH_LESS * by_part)


def _less_nodes(case: Case) -> Values:
    """What an effect of every node on all that it sends, and one on all that it receives, leave."""
    distances, ranks = case.excess.shape
    receivers = np.tile(np.arange(ranks), distances)
    senders = (receivers - np.repeat(case.distances, ranks)) % ranks
    effects = np.hstack([np.eye(ranks)[receivers], np.eye(ranks)[senders]])
    values = case.excess.ravel()
    left: Values = values - effects @ np.linalg.lstsq(effects, values, rcond=None)[0]
    return left


def _is_by_chance(cases: Sequence[Case]) -> bool:
    """Whether a part of some interconnect too often explains as much of what that one leaves, when at every
    distance the ranks are in a random order.
    """
    random = np.random.default_rng(1)
    most = max(_judged(case.contrasts, case.excess).explained for case in cases)
    reached = np.zeros(SHUFFLES, dtype=bool)
    for case in cases:
        shuffled = random.permuted(np.broadcast_to(case.excess, (SHUFFLES, *case.excess.shape)), axis=2)
        explained, _ = _fits(case.contrasts, shuffled.reshape(SHUFFLES, -1).T)
        reached |= explained.max(axis=0) >= most
        if float(reached.sum() + 1) / (SHUFFLES + 1) > MOST_CHANCE:
            return True
    return False


def _slow_part(case: Case, verdict: Verdict, speeds: Mapping[int, Values]) -> SlowPart:
    part = case.parts[verdict.at]
    return SlowPart(
        kind=part.kind,
        ranks=list(part.nodes),
        hosts=[],
        factor=_factor(case, verdict, speeds),
        explained=verdict.explained,
        structure=case.interconnect.title,
        otherwise=_otherwise(case, verdict, speeds) if part.kind == "uplink" else "",
    )


def _otherwise(case: Case, verdict: Verdict, speeds: Mapping[int, Values]) -> str:
    """The sound tree of two groups, of which one is behind the uplink, if it leaves hardly more."""
    nodes, part = case.interconnect.nodes, case.parts[verdict.at]
    group_of = tuple(int((node in part.nodes) != (0 in part.nodes)) for node in range(nodes))
    usual = {d: -_typical(one) for d, one in speeds.items() if 2 * d != nodes}
    typical = np.array(list(usual.values()))
    sound = fitted(group_of, Speeds(list(usual), typical, np.zeros_like(typical))).tree
    slow = ((link, float(np.exp(-verdict.excess))) for link in part.links)
    left = _left_with(case, (*case.factors, *slow))
    left_by_sound = _left_with(case._replace(interconnect=sound), tuple(filter(_is_of_node, case.factors)))
    return "" if left < MUCH_LESS * left_by_sound else sound.title


def _is_of_node(factor: tuple[Link, float]) -> bool:
    return isinstance(factor[0], tuple) and factor[0][0] in {"in", "out"}


def _factor(case: Case, verdict: Verdict, speeds: Mapping[int, Values]) -> Quantity:
    contrast = case.contrasts[verdict.at : verdict.at + 1]
    times = -np.log(resampled_medians(speeds))
    drawn = [_judged(contrast, _excess(one, case.expected)).excess for one in times]
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
