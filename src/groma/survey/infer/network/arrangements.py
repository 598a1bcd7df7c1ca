"""Interconnects read from latencies between all nodes, whatever order the nodes are in."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.interconnect.switched import tree
from groma.stats.linkage import partitions
from groma.survey.infer.network.candidates import even_groups
from groma.survey.infer.network.likelihoods import NodeEffects
from groma.survey.infer.network.moved_nodes import with_nodes_moved
from groma.survey.infer.network.nested_groups import nested_blocks, nested_groups, parted_best
from groma.survey.infer.network.placement import Measured

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from groma.interconnect.base import Interconnect
    from groma.interconnect.lattice import Lattice, Shape
    from groma.survey.infer.network.likelihoods import Latencies
    from groma.survey.infer.network.nested_groups import Level, Membership

    Matrix = NDArray[np.float64]

FEWEST_NODES = 4
MOST_PLACED = 128
"""Every change of places on a lattice takes the cube of the nodes."""
MOST_GROUPED = 512
MOST_BY_DIFFERENCES, MOST_BY_RATIOS = 12, 8
"""Partitions of which every chain of levels is compared."""
MOST_PARTITIONS = 16
"""Of more than MOST_PLACED nodes: hops between hundreds of nodes take megabytes for each of them."""

FAINT = 0.25
"""Of the step between groups: latencies that differ by less are alike."""
LEAST_KNOWN = 0.5
"""Share of all pairs; what is not known counts as the mean."""
MOST_SEARCHED = 512
"""Lattices times their nodes: a second or two for 128 nodes, and all that promise enough for 16."""


class Layout(NamedTuple):
    """Hops between sites, and the logarithm of how many orders of the sites leave them as they are.

    The interconnect is None where no known kind describes it; `shape` is that of its routers.
    """

    interconnect: Lattice | None
    hops: Matrix
    log_symmetries: float
    shape: Shape


class Arrangement(NamedTuple):
    """An interconnect (None for one of no known kind), the hops between nodes in any order, the cost of
    describing that order (nats).

    `sites` are those of a lattice by node; a tree needs none. `levels` are those of a tree of several, the
    smallest groups first, or one of groups with their own steps; the interconnect has the smallest groups.
    """

    interconnect: Interconnect | None
    hops: Matrix
    cost: float
    sites: tuple[int, ...] = ()
    levels: tuple[Level, ...] = ()


def groups_in(latencies: Latencies) -> Iterator[Arrangement]:
    """Trees over every partition that average linkage makes of the latencies, as they are and less the
    effects of nodes, and the best ones of several levels, of these groups and of equal ones in rank order.

    Effects of nodes hide nodes that are slow with all others. They also make nodes of several small groups
    near each other where one group holds most nodes; the latencies themselves do not.
    """
    if not tell_an_order(latencies, MOST_GROUPED):
        return
    every = (_less_effects(latencies), _as_measured(latencies))
    found = (group_of for distances in every for group_of in _memberships(distances, latencies.between))
    memberships = list(dict.fromkeys(found))
    for group_of in memberships:
        of_one_level = tree(group_of)
        yield Arrangement(of_one_level, of_one_level.hops(), len(group_of) * math.log(len(set(group_of))))
    of_any_order = nested_groups(latencies, _promising(memberships, *every))
    in_order = nested_blocks(latencies, even_groups(len(latencies.between)))
    for nested in (of_any_order, in_order):
        if nested is not None:
            yield Arrangement(tree(nested.levels[0].group_of), nested.hops, nested.cost, levels=nested.levels)


def _promising(
    memberships: Sequence[Membership], less_effects: Matrix, as_measured: Matrix
) -> list[Membership]:
    """Of these the few whose groups are parted best, by differences and by ratios of latencies.

    Small groups are hardly parted by differences where others are many times as far apart.
    """
    by_differences = parted_best(memberships, less_effects, MOST_BY_DIFFERENCES)
    return list(
        dict.fromkeys([*by_differences, *parted_best(memberships, _ratios(as_measured), MOST_BY_RATIOS)])
    )


def _ratios(distances: Matrix) -> Matrix:
    """Logarithms of the distances over the least."""
    apart = distances > 0
    least = float(distances[apart].min(initial=np.inf))
    return np.asarray(np.log(np.where(apart, distances, least) / least), dtype=np.float64)


def _less_effects(latencies: Latencies) -> Matrix:
    return _with_unknown(latencies, latencies.rest - latencies.rest.min())


def _as_measured(latencies: Latencies) -> Matrix:
    rows, columns = latencies.effects.rows, latencies.effects.columns
    return _with_unknown(latencies, latencies.between[rows, columns])


def _with_unknown(latencies: Latencies, of_pairs: NDArray[np.float64]) -> Matrix:
    """Distances of at least 0, of all pairs: two nodes are no farther apart than the farther of the two is
    from a third one, as in groups within groups. The mean stands for those that no third node tells.
    """
    known, unknown = latencies.effects.as_matrix(of_pairs), _unknown(latencies)
    if not unknown.any():
        return known
    ways = np.where(unknown, np.inf, known)
    np.fill_diagonal(ways, np.inf)
    farthest = np.full_like(known, np.inf)
    for way in ways:
        np.minimum(farthest, np.maximum(way[:, None], way[None, :]), out=farthest)
    return np.where(unknown, np.where(np.isfinite(farthest), farthest, of_pairs.mean()), known)


def _unknown(latencies: Latencies) -> NDArray[np.bool_]:
    between = latencies.between
    return ~np.isfinite(between) & ~np.eye(len(between), dtype=bool)


def _memberships(distances: Matrix, between: Matrix) -> Iterator[Membership]:
    """The group of each node in every partition, as linkage made it and with nodes moved to the groups that
    suit them best; the groups are numbered in the order of their nodes.
    """
    for linked in _linked(distances):
        for group_of in (linked, with_nodes_moved(linked, distances)):
            yield _numbered(_with_strangers_apart(_joined_if_unknown(group_of, between), between))


def _linked(distances: Matrix) -> list[NDArray[np.intp]]:
    """The partitions of average linkage into groups of at least two nodes on average; where nodes are many,
    those whose groups are parted best.
    """
    nodes, found = len(distances), []
    for partition in partitions(distances):
        if len(partition) > nodes // 2:
            break
        group_of = np.empty(nodes, dtype=np.intp)
        for group, members in enumerate(partition):
            group_of[members] = group
        found.append(group_of)
    return found if nodes <= MOST_PLACED else parted_best(found, distances, MOST_PARTITIONS)


def _joined_if_unknown(group_of: NDArray[np.intp], between: Matrix) -> NDArray[np.intp]:
    """Groups between which no pair is known are one: nothing parts them, and fewer groups explain as much.

    A group that may belong to several others which are known to be apart stays alone.
    """
    partners = [tuple(np.flatnonzero(row)) for row in _may_be_one(group_of, between)]
    first = [some[0] if all(partners[one] == some for one in some) else i for i, some in enumerate(partners)]
    return np.array(first, dtype=np.intp)[group_of]


def groups_not_known_apart(group_of: Sequence[int], between: Matrix) -> int:
    """Pairs of groups between which no pair of nodes is known: with either joined, as much is explained."""
    return int(np.triu(_may_be_one(np.array(group_of), between), 1).sum())


def _may_be_one(group_of: NDArray[np.intp], between: Matrix) -> NDArray[np.bool_]:
    is_in = np.eye(int(group_of.max()) + 1)[group_of]
    unknown = is_in.T @ np.isfinite(between) @ is_in == 0
    return np.asarray(unknown | np.eye(len(unknown), dtype=bool))


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


def lattices_in(latencies: Latencies, layouts: Iterable[Layout], least: float) -> Iterator[Arrangement]:
    """These layouts with their hops, in the order that suits the latencies best.

    `least` is the gain less cost that another explanation has: what cannot exceed it is not searched.
    """
    if not tell_an_order(latencies):
        return
    measured = Measured(latencies.effects.as_matrix(latencies.rest))
    promising = _by_promise(latencies, layouts, measured)
    choices = math.lgamma(len(latencies.between) + 1) + math.log(max(len(promising), 1))
    for promise, layout in promising[: MOST_SEARCHED // len(latencies.between)]:
        cost = choices - layout.log_symmetries
        if promise - cost <= least:
            continue
        sites = measured.placed(own_hops(layout.hops)).sites
        found = Arrangement(
            layout.interconnect, layout.hops[np.ix_(sites, sites)], cost, tuple(sites.tolist())
        )
        least = max(least, latencies.explained_by(found.hops).gain - cost)
        yield found


def tell_an_order(latencies: Latencies, most: int = MOST_PLACED) -> bool:
    """Whether enough pairs were measured, of nodes that are not too many."""
    return FEWEST_NODES <= len(latencies.between) <= most and latencies.known >= LEAST_KNOWN


def _by_promise(
    latencies: Latencies, layouts: Iterable[Layout], measured: Measured
) -> list[tuple[float, Layout]]:
    """What each layout explains in the best order that eigenvalues allow, the most first."""
    promises = [(_most_gain(latencies, measured, own_hops(one.hops)), one) for one in layouts]
    return sorted(promises, key=lambda one: -one[0])


def own_hops(steps: Matrix) -> Matrix:
    """Hops less the effects of nodes."""
    effects = NodeEffects(steps)
    return effects.as_matrix(effects.left_of(steps))


def _most_gain(latencies: Latencies, measured: Measured, own: Matrix) -> float:
    power = latencies.known * float((own**2).sum())
    if power <= 0 or measured.power <= 0:
        return 0.0
    explained = min(1.0, measured.most(own) ** 2 / (power * measured.power))
    return latencies.gain_of((1.0 - explained) * float(latencies.rest @ latencies.rest))
