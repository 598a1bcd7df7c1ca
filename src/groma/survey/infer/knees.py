"""A latency curve taken apart into knees: the sizes beyond which loads start to cost more.

Every knee adds `rise * m(size / knee)` to the latency of the innermost level, where the miss ratio `m` goes
from 0 to 1. What is known about random chases is that m starts near the capacity, smeared to both sides where
pages or hashes spread unevenly over the sets, and then approaches 1 at a pace that the replacement policy
sets: at once under LRU, 1 - exp(-x) under random replacement, 1 - 1/x where a part of the data stays
resident (thrash-resistant policies, TLBs). A dictionary holds these shapes for every knee position;
orthogonal matching pursuit that re-optimises all positions finds the few knees that explain the curve.

A tool that draws each address anew instead of following one cycle sees 1 - capacity / size at every level.
Such a curve is recognised by being explained with that shape alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

TOLERANCE = 0.05
"""Relative misfit of a model without prefetchers, slices and banks; noise is usually smaller."""

KNEE_COST = 6.0
"""Log-likelihood a further knee must win: position, height and shape, each to be chosen from many."""

_INDEPENDENT_KNEE_COST = 3.7  # there is no shape to choose
_INDEPENDENT_COST = 4.0  # most tools follow a cycle

_POINTS_PER_OCTAVE = 4.0  # finer grids repeat the same misfit and are no further evidence
_KNEES_PER_OCTAVE = 6
_MOST_KNEES = 7
_RESIDENT = -1.0  # pace of 1 - 1/x
_INDEPENDENT = ((0.0, _RESIDENT),)
_CYCLIC = (
    *((0.0, 0.06), (0.0, 0.3), (0.0, 0.8), (0.0, _RESIDENT)),
    *((0.12, 0.06), (0.12, 0.3)),
    *((0.25, 0.06), (0.25, 0.5), (0.25, _RESIDENT)),
    (0.45, 0.5),
)


@dataclass(frozen=True)
class Knee:
    """`log2_size` is where the rise is centred, `rise` the latency it adds in the end."""

    log2_size: float
    rise: float


@dataclass(frozen=True)
class Decomposition:
    """`base` latency of the innermost level, knees by ascending size, `cost` a negative log-likelihood.

    `misfit` is the relative error of a typical point (root mean square), `independent` says that the loads
    went to addresses drawn anew each time. `fitted` is the latency that it gives every point.
    """

    base: float
    knees: tuple[Knee, ...]
    cost: float
    misfit: float
    independent: bool
    fitted: Array = field(default_factory=lambda: np.empty(0), compare=False, repr=False)

    def plateaus(self) -> list[float]:
        """Latency before the first knee, between the knees, and after the last."""
        levels = [self.base]
        for knee in self.knees:
            levels.append(levels[-1] + knee.rise)
        return levels


def decompositions(log2_size: Array, latency: Array) -> list[Decomposition]:
    """The best decompositions for each number of knees, latencies positive and never falling."""
    return [*_pursue(log2_size, latency, independent=False), *_pursue(log2_size, latency, independent=True)]


def _pursue(log2_size: Array, latency: Array, *, independent: bool) -> list[Decomposition]:
    positions = np.arange(np.floor(log2_size[0]), log2_size[-1], 1.0 / _KNEES_PER_OCTAVE)
    dictionary = _dictionary(log2_size, positions, _INDEPENDENT if independent else _CYCLIC)
    pursuit = _Pursuit(dictionary, latency, _evidence(log2_size))
    found = []
    chosen: list[int] = [0]
    while True:
        found.append(pursuit.decomposition(chosen, positions, independent=independent))
        further, gain = pursuit.best_addition(chosen)
        if gain <= 0.0 or len(chosen) > _MOST_KNEES:
            return found
        chosen = pursuit.settled([*chosen, further])


def _evidence(log2_size: Array) -> Array:
    return point_evidence(log2_size, most=1.5)


def point_evidence(log2_size: Array, most: float = 1.0) -> Array:
    """Weight of each point: as much as its share of an octave, `most` at most."""
    return np.minimum(np.gradient(log2_size) * _POINTS_PER_OCTAVE, most)


def _dictionary(log2_size: Array, positions: Array, shapes: tuple[tuple[float, float], ...]) -> Array:
    """One row per shape and position, after a first row of ones for the base."""
    ratio = 2.0 ** (log2_size[None, :] - positions[:, None])
    return np.concatenate([np.ones((1, len(log2_size))), *(_miss_ratio(ratio, *shape) for shape in shapes)])


def _miss_ratio(ratio: Array, smear: float, pace: float) -> Array:
    """Miss ratio at `ratio` times the capacity, averaged over capacities spread by `smear` (natural log)."""
    if smear == 0.0:
        return _sharp_miss_ratio(ratio, pace)
    nodes, weights = _gauss_hermite()
    spread = [
        w * _sharp_miss_ratio(ratio * np.exp(smear * x), pace) for x, w in zip(nodes, weights, strict=True)
    ]
    mean: Array = np.sum(spread, axis=0)
    return mean


def _sharp_miss_ratio(ratio: Array, pace: float) -> Array:
    beyond = np.maximum(ratio - 1.0, 0.0)
    if pace == _RESIDENT:
        return beyond / np.maximum(ratio, 1.0)
    return 1.0 - np.exp(-beyond / pace)


@lru_cache(maxsize=1)
def _gauss_hermite() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.hermite_e.hermegauss(7)
    return nodes, weights / weights.sum()


class _Pursuit:
    """Non-negative least squares over few columns of a large dictionary, by its Gram matrix alone."""

    def __init__(self, dictionary: Array, latency: Array, evidence: Array) -> None:
        weight = evidence / (TOLERANCE * latency) ** 2
        self._dictionary = dictionary
        self._gram = (dictionary * weight) @ dictionary.T
        self._projection = (dictionary * weight) @ latency
        self._total = float((weight * latency**2).sum())
        self._evidence = float(evidence.sum())
        self._norms = np.diag(self._gram).copy()

    def best_addition(self, chosen: list[int]) -> tuple[int, float]:
        """The column that lowers the squared misfit most while all heights stay positive, and by how much."""
        inverse = np.linalg.inv(self._regular(chosen))
        heights = inverse @ self._projection[chosen]
        overlap = self._gram[:, chosen] @ inverse
        own = self._norms - np.einsum("ij,ij->i", overlap, self._gram[:, chosen])
        usable = own > 1e-6 * self._norms + 1e-12
        height = (self._projection - self._gram[:, chosen] @ heights) / np.where(usable, own, 1.0)
        lowered = heights[None, :] - overlap * height[:, None]
        usable &= (height > 0.0) & (lowered >= 0.0).all(axis=1)
        gain = np.where(usable, height**2 * own, -1.0)
        best = int(np.argmax(gain))
        return best, float(gain[best])

    def settled(self, chosen: list[int]) -> list[int]:
        """Each column in turn exchanged for the best one beside the others, until nothing improves."""
        for _ in range(3):
            before = list(chosen)
            for i in range(1, len(chosen)):
                chosen = self._exchanged(chosen, i)
            if chosen == before:
                break
        return chosen

    def _exchanged(self, chosen: list[int], i: int) -> list[int]:
        others = chosen[:i] + chosen[i + 1 :]
        best, gain = self.best_addition(others)
        candidate = [*chosen[:i], best, *chosen[i + 1 :]]
        if gain <= 0.0 or best == chosen[i] or self._misfit(candidate) >= self._misfit(chosen) - 1e-9:
            return chosen
        return candidate

    def decomposition(self, chosen: list[int], positions: Array, *, independent: bool) -> Decomposition:
        heights = self._heights(chosen)
        knees = [
            Knee(float(positions[(column - 1) % len(positions)]), float(height))
            for column, height in zip(chosen[1:], heights[1:], strict=True)
        ]
        knees.sort(key=lambda knee: knee.log2_size)
        squared = max(self._misfit(chosen), 0.0)
        cost = KNEE_COST * len(knees)
        if independent:
            cost = _INDEPENDENT_KNEE_COST * len(knees) + _INDEPENDENT_COST
        return Decomposition(
            base=float(heights[0]),
            knees=tuple(knees),
            cost=squared / 2.0 + cost,
            misfit=TOLERANCE * float(np.sqrt(squared / self._evidence)),
            independent=independent,
            fitted=heights @ self._dictionary[chosen],
        )

    def _regular(self, chosen: list[int]) -> Array:
        """A breath of ridge keeps two nearly equal columns solvable."""
        block: Array = self._gram[np.ix_(chosen, chosen)] + 1e-9 * np.diag(self._norms[chosen])
        return block

    def _heights(self, chosen: list[int]) -> Array:
        return np.asarray(np.linalg.solve(self._regular(chosen), self._projection[chosen]), dtype=np.float64)

    def _misfit(self, chosen: list[int]) -> float:
        return self._total - float(self._projection[chosen] @ self._heights(chosen))
