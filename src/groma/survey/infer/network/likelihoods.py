"""How well an interconnect explains what was measured, in natural logarithms of likelihood.

Bandwidth over distance: ratios deviate from the expected ones by MODEL_ERROR and by their own intervals; a
structure that nobody thought of may give any ratio from 1 to the number of nodes. Latencies of pairs: base,
an effect of each node on all of its pairs, and a step for each hop; what the hops explain of the rest counts,
less what describing who lies where costs (Rissanen's description length; Schwarz's criterion for the step).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.survey.infer.network.bounds import bounds_of, shortfall, unfairness
from groma.survey.infer.network.shares import WAITS, expected_ratio
from groma.survey.infer.network.undisturbed import undisturbed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.interconnect.base import Interconnect
    from groma.record import Quantity
    from groma.survey.infer.network.bounds import Bounds, Speeds

    Matrix = NDArray[np.float64]

MODEL_ERROR = 0.1
"""Relative: real networks and libraries keep to fair shares about this well."""

EXCHANGE_ERROR = 0.5
"""Where bulk data of both directions share a connection, some libraries halve the bandwidth."""

UNFAIR = 0.5
"""Relative: messages over TCP share a link about that unevenly."""

SINGULAR = 1e-10
"""Relative: smaller singular values are 0, as where pairs never link nodes in a cycle of odd length."""

LEAST_SCATTER = 0.01
"""Relative: smaller differences between latencies are no structure."""


class Ratio(NamedTuple):
    """The measured ratio of a distance; `exchange` where each node sends to the one that it receives from."""

    distance: int
    measured: Quantity
    exchange: bool


def of_ratios(interconnect: Interconnect, ratios: Sequence[Ratio], speeds: Speeds | None = None) -> float:
    """Log likelihood ratio of an interconnect against any ratio at all, and any bandwidths of the ranks.

    With `speeds` its links have to allow the bandwidth of each rank, but for MODEL_ERROR, and to share their
    own fairly, but for UNFAIR.
    """
    of_mean = {waits: _of_means(interconnect, ratios, waits) for waits in WAITS}
    if speeds is None:
        return max(of_mean.values())
    bounds = bounds_of(interconnect, speeds)
    of_ranks = {waits: _of_ranks(interconnect, bounds, speeds, waits) for waits in WAITS}
    return max(of_mean[waits] + of_ranks[waits] for waits in WAITS)


def most_of_ratios(nodes: int, ratios: Sequence[Ratio]) -> float:
    """What `of_ratios` gives an interconnect that predicts every ratio exactly."""
    return sum(_log_of_highest(one) for one in ratios) + len(ratios) * _against_any(nodes)


def _of_means(interconnect: Interconnect, ratios: Sequence[Ratio], waits: str) -> float:
    densities = sum(_density(interconnect, one, waits) for one in ratios)
    return densities + len(ratios) * _against_any(interconnect.nodes)


def _against_any(nodes: int) -> float:
    """Nats for each ratio: it might be anything from 1 to the number of nodes."""
    return math.log(math.log(nodes) + 2 * MODEL_ERROR)


def _of_ranks(interconnect: Interconnect, bounds: Bounds, speeds: Speeds, waits: str) -> float:
    """Nats, at most 0. The ranks of a distance are one observation: one cause may concern all of them."""
    impossible = bounds.overload + shortfall(bounds, speeds, waits)
    unfair = unfairness(interconnect, speeds, waits)
    return -0.5 * float((impossible / MODEL_ERROR**2 + unfair / UNFAIR**2).sum())


def _density(interconnect: Interconnect, ratio: Ratio, waits: str) -> float:
    """Logarithm of the density of the measured ratio, on a logarithmic axis."""
    expected = expected_ratio(interconnect, ratio.distance, waits)
    deviation = math.log(ratio.measured.value / expected) / _scatter(ratio)
    return -0.5 * deviation**2 + _log_of_highest(ratio)


def _scatter(ratio: Ratio) -> float:
    own = math.log(ratio.measured.high / ratio.measured.low) / 4.0
    return math.hypot(EXCHANGE_ERROR if ratio.exchange else MODEL_ERROR, own)


def _log_of_highest(ratio: Ratio) -> float:
    """Logarithm of the density of a ratio that is as expected."""
    return -math.log(_scatter(ratio) * math.sqrt(2 * math.pi))


class PairFit(NamedTuple):
    """Log likelihood ratio against no structure, and the step of a hop in units of the typical latency."""

    gain: float
    step: float


class NodeEffects:
    """The least-squares fit of one effect for each node to values of pairs of nodes.

    A value of a pair is the sum of the effects of its two nodes and a rest. Which pairs there are settles the
    normal equations (the signless Laplacian of their graph), so one factorisation serves all values.
    """

    def __init__(self, latencies: Matrix) -> None:
        """For the pairs of a symmetric matrix that are finite."""
        measured = np.isfinite(latencies) & ~np.eye(len(latencies), dtype=bool)
        self.rows, self.columns = np.nonzero(np.triu(measured))
        self._linked: Matrix = measured.astype(np.float64)

    @cached_property
    def _solution(self) -> Matrix:
        normal = np.diag(self._linked.sum(axis=1)) + self._linked
        return np.asarray(np.linalg.pinv(normal, rcond=SINGULAR, hermitian=True), dtype=np.float64)

    def left_of(self, values: Matrix) -> NDArray[np.float64]:
        """What the effects leave of the values of the pairs (a symmetric matrix): one for each pair."""
        of_pairs = values[self.rows, self.columns]
        effects = self._solution @ self._sums(of_pairs)
        left: NDArray[np.float64] = of_pairs - effects[self.rows] - effects[self.columns]
        return left

    def explained(self, sums: Matrix) -> Matrix:
        """What the effects explain of the products of values with each other.

        `sums` are those of each value over the pairs of every node (nodes by values).
        """
        products: Matrix = sums.T @ self._solution @ sums
        return products

    def as_matrix(self, of_pairs: NDArray[np.float64]) -> Matrix:
        """One value for each pair as a symmetric matrix, 0 where a pair was not measured."""
        found = np.zeros_like(self._linked)
        found[self.rows, self.columns] = found[self.columns, self.rows] = of_pairs
        return found

    def _sums(self, of_pairs: NDArray[np.float64]) -> NDArray[np.float64]:
        nodes = len(self._linked)
        ends = np.concatenate([self.rows, self.columns])
        return np.asarray(np.bincount(ends, np.tile(of_pairs, 2), nodes), dtype=np.float64)


class Latencies:
    """A symmetric matrix of latencies (s), NaN where a pair was not measured; what nodes and hops explain.

    Disturbed pairs count as not measured.
    """

    def __init__(self, measured: Matrix) -> None:
        between = undisturbed(measured)
        self.between = between
        self.effects = NodeEffects(between)
        self.pairs = len(self.effects.rows)
        self.disturbed = (int(np.isfinite(measured).sum()) - int(np.isfinite(between).sum())) // 2
        relative = between / self._typical() if self.pairs else between
        self.of_pairs = relative[self.effects.rows, self.effects.columns]
        """Of each measured pair: latency over the median."""
        self.rest = self.effects.left_of(relative) if self.pairs else np.empty(0)
        """The same less the effects of its two nodes."""

    @property
    def known(self) -> float:
        """Share of all pairs that were measured."""
        return 2 * self.pairs / max(len(self.between) * (len(self.between) - 1), 1)

    def _typical(self) -> float:
        return float(np.median(self.between[self.effects.rows, self.effects.columns]))

    def explained_by(self, hops: Matrix) -> PairFit:
        """What `hops` explain; a gain of 0 where they are all alike, or would make messages faster."""
        if self.pairs - len(hops) < 2:
            return PairFit(0.0, 0.0)
        steps = self.effects.left_of(hops)
        power = float(steps @ steps)
        if power < 1e-9:
            return PairFit(0.0, 0.0)
        step = float(self.rest @ steps) / power
        if step <= 0:
            return PairFit(0.0, step)
        return PairFit(self.gain_of(float(((self.rest - step * steps) ** 2).sum())), step)

    def left_by(self, hops: Matrix, fit: PairFit) -> NDArray[np.float64]:
        """What a fit of these hops leaves of the rest of each pair."""
        left: NDArray[np.float64] = self.rest - fit.step * self.effects.left_of(hops)
        return left

    def gain_of(self, left: float) -> float:
        """The gain of one step for each hop that leaves this sum of squares of the rest.

        Steps of unknown size and noise of unknown size: Student's t, one value less free than without steps.
        """
        freedom = self.pairs - len(self.between)
        if freedom < 2:
            return 0.0
        floor = self.pairs * LEAST_SCATTER**2
        before = float(self.rest @ self.rest) + floor
        return 0.5 * (freedom - 1) * math.log(before / (left + floor)) - 0.5 * math.log(freedom)
