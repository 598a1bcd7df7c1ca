"""Interconnects read from latencies between all nodes, whatever order the nodes are in."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.interconnect.lattice import symmetries
from groma.interconnect.switched import tree
from groma.stats.linkage import partitions
from groma.survey.infer.network.likelihoods import NodeEffects
from groma.survey.infer.network.nested_groups import nested_groups
from groma.survey.infer.network.placement import Measured

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from groma.interconnect.base import Interconnect
    from groma.interconnect.lattice import Lattice
    from groma.survey.infer.network.likelihoods import Latencies
    from groma.survey.infer.network.nested_groups import Level, Membership

    Matrix = NDArray[np.float64]

FEWEST_NODES = 4
MOST_NODES = 128
"""Finding groups takes the cube of the nodes, and so does every change of places on a lattice."""


FAINT = 0.25
"""Of the step between groups: latencies that differ by less are alike."""
LEAST_KNOWN = 0.5
"""Share of all pairs; what is not known counts as the mean."""
MOST_SEARCHED = 512
"""Lattices times their nodes: a second or two for 128 nodes, and all that promise enough for 16."""


class Arrangement(NamedTuple):
    """An interconnect, the hops between nodes in any order, the cost of describing that order (nats).

    `sites` are those of a lattice by node; a tree needs none. `levels` are those of a tree of several, the
    smallest groups first; the interconnect has these.
    """

    interconnect: Interconnect
    hops: Matrix
    cost: float
    sites: tuple[int, ...] = ()
    levels: tuple[Level, ...] = ()


def groups_in(latencies: Latencies) -> Iterator[Arrangement]:
    """Trees over every partition that average linkage makes of the latencies, as they are and less the
    effects of nodes, and the best one of several levels.

    Effects of nodes hide nodes that are slow with all others. They also make nodes of several small groups
    near each other where one group holds most nodes; the latencies themselves do not.
    """
    if not _tell_an_order(latencies):
        return
    every = (_less_effects(latencies), _as_measured(latencies))
    found = (group_of for distances in every for group_of in _memberships(distances, latencies.between))
    memberships = list(dict.fromkeys(found))
    for group_of in memberships:
        of_one_level = tree(group_of)
        yield Arrangement(of_one_level, of_one_level.hops(), len(group_of) * math.log(len(set(group_of))))
    nested = nested_groups(latencies, every[0], memberships)
    if nested is not None:
        yield Arrangement(tree(nested.levels[0].group_of), nested.hops, nested.cost, levels=nested.levels)


def _less_effects(latencies: Latencies) -> Matrix:
    """Distances of at least 0; what is not known is as far as the mean."""
    distances = latencies.effects.as_matrix(latencies.rest - latencies.rest.min())
    return np.where(_unknown(latencies), -latencies.rest.min(), distances)


def _as_measured(latencies: Latencies) -> Matrix:
    rows, columns = latencies.effects.rows, latencies.effects.columns
    measured = latencies.between[rows, columns]
    distances = latencies.effects.as_matrix(measured)
    return np.where(_unknown(latencies), measured.mean(), distances)


def _unknown(latencies: Latencies) -> NDArray[np.bool_]:
    between = latencies.between
    return ~np.isfinite(between) & ~np.eye(len(between), dtype=bool)


def _memberships(distances: Matrix, between: Matrix) -> Iterator[Membership]:
    """The group of each node in every partition; the groups are numbered in the order of their nodes."""
    nodes = len(distances)
    for partition in partitions(distances):
        if len(partition) > nodes // 2:
            return
        group_of = np.empty(nodes, dtype=np.intp)
        for group, members in enumerate(partition):
            group_of[members] = group
        yield _numbered(_with_strangers_apart(group_of, between))


def _numbered(group_of: Sequence[int]) -> Membership:
    numbers = {group: number for number, group in enumerate(dict.fromkeys(group_of))}
    return tuple(numbers[group] for group in group_of)


def _with_strangers_apart(group_of: NDArray[np.intp], between: Matrix) -> Sequence[int]:
    """Each node alone of a group whose nodes are as far from each other as any other two groups are."""
    means = _means_of_groups(group_of, between)
    step = float(np.nanmax(means.outside - means.inside, initial=0.0))
    from_others, elsewhere = np.abs(means.outside - means.inside), np.abs(means.elsewhere - means.outside)
    strangers = np.flatnonzero(np.maximum(from_others, elsewhere) < FAINT * step)
    alone = len(means.inside) + np.arange(len(group_of))
    found: list[int] = np.where(np.isin(group_of, strangers), alone, group_of).tolist()
    return found


class _MeansOfGroups(NamedTuple):
    """Mean latencies by group: within it (NaN for a group of one), from it to all others, between the others.

    Where there are no two others, the last is that from it.
    """

    inside: Matrix
    outside: Matrix
    elsewhere: Matrix


def _means_of_groups(group_of: NDArray[np.intp], between: Matrix) -> _MeansOfGroups:
    is_in = np.eye(int(group_of.max()) + 1)[group_of]
    known = np.isfinite(between) & ~np.eye(len(between), dtype=bool)
    sums = is_in.T @ np.where(known, between, 0.0) @ is_in
    counts = is_in.T @ known @ is_in
    total, number = sums.sum() - np.trace(sums), counts.sum() - np.trace(counts)
    out, number_out = sums.sum(axis=1) - np.diag(sums), counts.sum(axis=1) - np.diag(counts)
    with np.errstate(invalid="ignore", divide="ignore"):
        outside = out / number_out
        elsewhere = (total - 2.0 * out) / (number - 2.0 * number_out)
        return _MeansOfGroups(
            np.diag(sums) / np.diag(counts), outside, np.where(np.isfinite(elsewhere), elsewhere, outside)
        )


def lattices_in(
    latencies: Latencies, lattices: Iterable[tuple[Lattice, Matrix]], least: float
) -> Iterator[Arrangement]:
    """These lattices with their hops, in the order that suits the latencies best.

    `least` is the gain less cost that another explanation has: what cannot exceed it is not searched.
    """
    if not _tell_an_order(latencies):
        return
    measured = Measured(latencies.effects.as_matrix(latencies.rest))
    promising = _by_promise(latencies, lattices, measured)
    choices = math.lgamma(len(latencies.between) + 1) + math.log(max(len(promising), 1))
    for promise, lattice, steps in promising[: MOST_SEARCHED // len(latencies.between)]:
        cost = choices - math.log(symmetries(lattice))
        if promise - cost <= least:
            continue
        sites = measured.placed(_own(steps)).sites
        found = Arrangement(lattice, steps[np.ix_(sites, sites)], cost, tuple(sites.tolist()))
        least = max(least, latencies.explained_by(found.hops).gain - cost)
        yield found


def _tell_an_order(latencies: Latencies) -> bool:
    """Whether enough pairs were measured, of nodes that are not too many."""
    nodes = len(latencies.between)
    return FEWEST_NODES <= nodes <= MOST_NODES and latencies.known >= LEAST_KNOWN


def _by_promise(
    latencies: Latencies, lattices: Iterable[tuple[Lattice, Matrix]], measured: Measured
) -> list[tuple[float, Lattice, Matrix]]:
    """What each lattice explains in the best order that eigenvalues allow, the most first."""
    promises = [(_most_gain(latencies, measured, _own(steps)), lattice, steps) for lattice, steps in lattices]
    return sorted(promises, key=lambda one: -one[0])


def _own(steps: Matrix) -> Matrix:
    """Hops less the effects of nodes."""
    effects = NodeEffects(steps)
    return effects.as_matrix(effects.left_of(steps))


def _most_gain(latencies: Latencies, measured: Measured, own: Matrix) -> float:
    power = latencies.known * float((own**2).sum())
    if power <= 0 or measured.power <= 0:
        return 0.0
    explained = min(1.0, measured.most(own) ** 2 / (power * measured.power))
    return latencies.gain_of((1.0 - explained) * float(latencies.rest @ latencies.rest))
