"""Whether what an interconnect leaves of the latencies of pairs is noise.

Noise of one pair says nothing about another. So the rest of a pair must not be foreseeable from those of
other pairs: from the sums, over all third nodes and over all pairs of them, of the products of the rests on
the way from one end to the other (the triangles and rectangles that the pair closes). Ranks stand for the
rests, so a few disturbed pairs decide nothing. Levels of groups within groups leave rests of few pairs: these
are compared with the groups that were found otherwise. Nor must latencies avoid valleys that the rests, as
noise of any pair, would fill: noise does not know where the levels of another structure are.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.survey.infer.network.likelihoods import LEAST_SCATTER, MODEL_ERROR

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from groma.survey.infer.network.likelihoods import Latencies

    Matrix = NDArray[np.float64]
    Values = NDArray[np.float64]

CLEAR = 3.5
"""Standard deviations from which on no noise is that regular."""
MOST_NATS = 6.0
"""Latencies alone do not overrule clear bandwidths."""
CUT = 0.9
"""Quantile of the rests beyond which they may be disturbed."""
FLAT = 1e-9
MOST_VALLEYS = 12
SURPRISING = 3.0
"""Pairs beyond the logarithm of all: about that many would be in the widest gap of a smooth density."""
LEAST_MISSING = 0.12
"""Of all pairs, in the valleys: fits to skewed noise leave smaller ones."""
MOST_ALIKE = 0.5
"""Of all pairs: more that repeat a latency were read from a coarse clock, which leaves valleys of its own."""
SMOOTHED = 0.7
"""Standard deviations of the rests, where only their own valleys can show that they are no noise."""
KERNEL = 15
"""Places at which a kernel stands for a normal distribution."""
QUARTILES = 1.349
"""Between the quartiles of a normal distribution, in standard deviations."""
FAR = 3.5
"""Standard deviations of a normal distribution beyond which a pair is much nearer than a fit says."""
FEWEST_FREE = 2
FITS = 4
SHARED_BY = {3: 3.0, 4: 4.0}
"""A triangle counts for three pairs, a rectangle for four: their sums scatter by as much more."""


class Rests(NamedTuple):
    """What a fit leaves of each pair, its steps, the mean square of what these explain, in medians."""

    of_pairs: Values
    steps: Values
    explained: float

    def usual_square(self) -> float:
        """Mean square, disturbed pairs cut."""
        return float((_cut(self.of_pairs) ** 2).mean())

    def tolerated(self) -> float:
        """Mean square of deviations that are no structure."""
        return tolerated_square(self.explained)


def tolerated_square(explained: float) -> float:
    """Mean square of deviations that are no structure, beside this mean square that is explained."""
    return LEAST_SCATTER**2 + MODEL_ERROR**2 * explained


class Groups(NamedTuple):
    """Hops between groups, and what describing the groups costs (nats)."""

    hops: Matrix
    cost: float


class Misfit(NamedTuple):
    """Nats for a structure that explains what hops leave, 0 where that is noise, and what shows it."""

    nats: float
    why: str = ""


NONE = Misfit(0.0)


def misfit(
    latencies: Latencies,
    hops: Matrix,
    others: Iterable[Groups] = (),
    levels: Iterable[Sequence[int]] = (),
) -> Misfit:
    """The clearest of all tests of what `hops` leave. `levels` hold the group of each node, at every level of
    groups that the hops are between.

    What real networks deviate from their own hops is no structure: less than MODEL_ERROR of what the hops
    explain, or than LEAST_SCATTER of the latency.
    """
    if latencies.pairs - len(latencies.between) < FEWEST_FREE:
        return NONE
    rests = _fitted(latencies, hops)
    of_groups = (_between_groups(latencies, rests, np.array(one)) for one in levels)
    tests = {
        "what it leaves of a pair follows from what it leaves of others": _regularity(latencies, rests),
        "other groups explain what it leaves": max(
            (_explained(latencies, rests, one) for one in others), default=0.0
        ),
        "latencies have gaps that the scatter around it would fill": _emptiness(latencies, rests),
        "its groups are not equally far from each other": max(of_groups, default=0.0),
        "more pairs are much nearer than it says than much farther": _shortcuts(latencies, rests),
    }
    nats, why = max((nats, why) for why, nats in tests.items())
    return Misfit(min(nats, MOST_NATS), why) if nats > 0 else NONE


def _regularity(latencies: Latencies, rests: Rests) -> float:
    clearness, share = _foreseeable(latencies, rests.of_pairs)
    if share * rests.usual_square() <= rests.tolerated():
        return 0.0
    return max(0.0, 0.5 * (clearness**2 - CLEAR**2))


def _explained(latencies: Latencies, rests: Rests, groups: Groups) -> float:
    """Nats for groups besides the hops that were fitted."""
    steps = latencies.effects.left_of(groups.hops)
    known = rests.steps
    if (power := float(known @ known)) > FLAT:
        steps = steps - known * (float(known @ steps) / power)
    power, product = float(steps @ steps), float(rests.of_pairs @ steps)
    if power <= FLAT or product <= 0 or product**2 / power <= rests.tolerated() * latencies.pairs:
        return 0.0
    freedom = latencies.pairs - len(latencies.between) - 1
    floor = latencies.pairs * LEAST_SCATTER**2
    whole = float(rests.of_pairs @ rests.of_pairs)
    left = max(0.0, whole - product**2 / power)
    return max(0.0, 0.5 * freedom * math.log((whole + floor) / (left + floor)) - groups.cost)


def _emptiness(latencies: Latencies, rests: Rests) -> float:
    """Nats for latencies that avoid valleys: how many would be there if pairs had the rests of others."""
    measured = np.sort(latencies.of_pairs)
    if rests.usual_square() <= rests.tolerated() or len(np.unique(measured)) < MOST_ALIKE * len(measured):
        return 0.0
    expected = latencies.of_pairs - rests.of_pairs
    noise = _smoothed(rests)
    widest = np.argsort(np.diff(measured))[::-1][:MOST_VALLEYS]
    above = np.searchsorted(noise, measured[widest + 1][:, None] - expected[None, :])
    below = np.searchsorted(noise, measured[widest][:, None] - expected[None, :], side="right")
    missing = np.maximum(0, above - below).sum(axis=1) / len(noise)
    usual = math.log(len(measured)) + SURPRISING
    valleys = missing[missing > usual]
    return float((valleys - usual).sum()) if valleys.sum() >= LEAST_MISSING * len(measured) else 0.0


class _Variance(NamedTuple):
    """Sum of squares, and its degrees of freedom."""

    squares: float
    free: int

    def mean(self) -> float:
        return self.squares / self.free if self.free > 0 else 0.0


class _Variances(NamedTuple):
    """Of the means of pairs of groups; of those of a node with another group, and of pairs, less these."""

    of_groups: _Variance
    of_nodes: _Variance
    within: _Variance


def _between_groups(latencies: Latencies, rests: Rests, group_of: NDArray[np.intp]) -> float:
    """Nats for groups that are nearer to each other than the fit says, and for nodes that are nearer to
    another group than the other nodes of their own are.

    Under common switches all nodes of two groups are equally far apart, and all groups. Switches in a row are
    at several distances. In a dragonfly a router of each group has the link to the other one. An analysis of
    variance of ranks.
    """
    ranks = _ranks(rests.of_pairs)
    found = _variances(latencies, ranks, group_of)
    whole = float((ranks**2).sum())
    least = whole * rests.tolerated() / rests.usual_square() if rests.usual_square() > 0 else whole
    of_any_pair = whole / len(ranks)
    free_within = max(found.within.free, 1)
    return max(
        _excess(found.of_groups, found.within.mean(), 1.0 + found.of_groups.free / free_within, least),
        _excess(found.of_nodes, of_any_pair, 1.0, least),
    )


def _excess(one: _Variance, noise: float, doubt: float, least: float) -> float:
    """Nats for a variance above that of noise, by more than the `least` sum of squares. `doubt` is how much
    larger an uncertain noise makes the variance of their ratio.
    """
    if one.free <= 0 or noise <= 0:
        return 0.0
    excess = one.squares / noise - one.free
    clearness = excess / math.sqrt(2.0 * one.free * doubt)
    if clearness <= CLEAR or excess * noise <= least:
        return 0.0
    return 0.5 * (clearness**2 - CLEAR**2)


def _variances(latencies: Latencies, of_pairs: Values, group_of: NDArray[np.intp]) -> _Variances:
    """Of values with a mean of 0. Effects of nodes take a degree for each group and each node."""
    known, values = np.isfinite(latencies.between), latencies.effects.as_matrix(of_pairs)
    groups = int(group_of.max()) + 1
    is_in = np.eye(groups)[group_of]
    apart = known & (group_of[:, None] != group_of[None, :])
    counts, sums = apart @ is_in, np.where(apart, values, 0.0) @ is_in
    means = _means(is_in.T @ sums, is_in.T @ counts)
    of_nodes = float((counts * (_means(sums, counts) - means[group_of]) ** 2).sum())
    blocks = np.triu(is_in.T @ known @ is_in)
    blocks[np.diag_indices(groups)] /= 2.0
    of_groups = float((blocks * _means(is_in.T @ values @ is_in, is_in.T @ known @ is_in) ** 2).sum())
    filled = int((blocks > 0).sum())
    return _Variances(
        _Variance(of_groups, filled - groups - 1),
        _Variance(of_nodes, int((counts > 0).sum() - (is_in.T @ counts > 0).sum())),
        _Variance(float((of_pairs**2).sum()) - of_groups, len(of_pairs) - filled - (len(group_of) - groups)),
    )


def _means(sums: Matrix, counts: Matrix) -> Matrix:
    """0 of nothing."""
    return np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)


def _shortcuts(latencies: Latencies, rests: Rests) -> float:
    """Nats for pairs that are nearer than the fit says: noise adds to latencies more than it takes away."""
    lower, median, upper = np.quantile(rests.of_pairs, [0.25, 0.5, 0.75])
    far = FAR * max((upper - lower) / QUARTILES, LEAST_SCATTER)
    deviations = rests.of_pairs - median
    near = deviations[deviations < -far]
    of_all = len(near) + int((deviations > far).sum()) + latencies.disturbed
    if 2 * len(near) <= of_all or float((near**2).sum()) <= rests.tolerated() * latencies.pairs:
        return 0.0
    share = len(near) / of_all
    of_noise = -sum(one * math.log(one) for one in (share, 1.0 - share) if one > 0)
    return max(0.0, of_all * (math.log(2.0) - of_noise) - SURPRISING)


def _smoothed(rests: Rests) -> Values:
    """The rests in ascending order; those of equal hops without their own valleys."""
    if float(rests.steps @ rests.steps) > FLAT:
        return np.sort(rests.of_pairs)
    width = SMOOTHED * float(np.ptp(np.quantile(rests.of_pairs, [0.25, 0.75]))) / QUARTILES
    kernel = width * np.array([NormalDist().inv_cdf((i + 0.5) / KERNEL) for i in range(KERNEL)])
    return np.sort((rests.of_pairs[:, None] + kernel[None, :]).ravel())


def _fitted(latencies: Latencies, hops: Matrix) -> Rests:
    """The fit of hops and of effects of nodes that disturbed pairs do not shift (Huber's method)."""
    effects = latencies.effects
    steps = effects.left_of(hops)
    power = float(steps @ steps)
    cut, explained, rest = latencies.rest, np.zeros(latencies.pairs), latencies.rest
    for _ in range(FITS):
        own = effects.left_of(effects.as_matrix(cut))
        if power > FLAT:
            explained = steps * (float(own @ steps) / power)
        fitted = cut - own + explained
        rest = latencies.rest - fitted
        cut = fitted + _cut(rest)
    return Rests(rest, steps, float((explained**2).mean()))


def _cut(rest: Values) -> Values:
    limit = float(np.quantile(np.abs(rest), CUT))
    return np.clip(rest, -limit, limit)


def _foreseeable(latencies: Latencies, rest: Values) -> tuple[float, float]:
    """How clearly the rests depend on each other (standard deviations), and the share that is foreseeable."""
    rows, columns = latencies.effects.rows, latencies.effects.columns
    ranks = _ranks(rest)
    of_pairs = latencies.effects.as_matrix(ranks / (np.abs(ranks).max() or 1.0))
    by_triangles = of_pairs @ of_pairs
    own = np.diag(by_triangles)
    by_rectangles = by_triangles @ of_pairs - of_pairs * (own[:, None] + own[None, :]) + of_pairs**3
    clearness = share = 0.0
    for length, foreseen in ((3, by_triangles), (4, by_rectangles)):
        correlation = _cosine(of_pairs[rows, columns], foreseen[rows, columns])
        clearness = max(clearness, abs(correlation) * math.sqrt(len(rest) / SHARED_BY[length]))
        share = max(share, correlation**2)
    return clearness, share


def _ranks(values: Values) -> Values:
    """0 for the middle one."""
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable").astype(np.float64)
    return ranks - (len(values) - 1) / 2.0


def _cosine(one: Values, other: Values) -> float:
    norm = math.sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / norm if norm > 0 else 0.0
