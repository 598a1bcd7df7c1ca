"""Nodes that are slower or faster than most, whatever structure is between them.

A slow node reaches less than others with every partner, so the best of its messages tells. That of a sound
node does not suffer from slow partners, nor from links that it shares at some distances only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.interconnect.base import Interconnect, Link

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Values = NDArray[np.float64]

LEAST_FACTOR = 1.25
"""Nodes whose speeds differ by less are alike."""
SHUFFLES = 999
MOST_CHANCE = 0.01
RESAMPLES = 200
CLEAR = 2.0
"""Standard deviations between resampled repetitions that a node has to differ by beyond that."""

Factors = tuple[tuple[Link, float], ...]
"""Links that carry this multiple of what they carry in a sound interconnect."""


class NodeSpeeds(NamedTuple):
    """Speeds over that of most nodes: for each node its own, or 1 for a node of the usual speed.

    `draws` holds the speeds that resampled repetitions give (rows), also of usual nodes.
    """

    of_nodes: tuple[float, ...]
    draws: Values

    @property
    def slow(self) -> list[int]:
        return [node for node, speed in enumerate(self.of_nodes) if speed < 1.0]

    @property
    def is_minority(self) -> bool:
        """Whether fewer than half of the nodes are slow."""
        return 2 * len(self.slow) < len(self.of_nodes)

    @property
    def factors(self) -> Factors:
        """Of the links of nodes of another speed than most, in both directions."""
        return self.factors_but_for(None)

    def factors_but_for(self, node: int | None) -> Factors:
        """Where this node is of the usual speed."""
        return tuple(
            ((direction, one), speed)
            for one, speed in enumerate(self.of_nodes)
            if speed != 1.0 and one != node
            for direction in ("out", "in")
        )

    def interval(self, node: int) -> tuple[float, float, float]:
        """The high end of a 95 % interval of its speed, the speed, the low end."""
        low, high = np.quantile(self.draws[:, node], [0.025, 0.975])
        speed = self.of_nodes[node]
        return max(speed, float(high)), speed, min(speed, float(low))


@dataclass(frozen=True)
class WithFactors(Interconnect):
    """An interconnect some links of which carry a multiple of what they should."""

    sound: Interconnect
    factors: Factors

    @property
    def kind(self) -> str:
        return self.sound.kind

    def path(self, source: int, target: int) -> list[Link]:
        return self.sound.path(source, target)

    def hops(self) -> Values:
        return self.sound.hops()

    def capacity(self, link: Link) -> float:
        return self.sound.capacity(link) * self._factor_of.get(link, 1.0)

    @cached_property
    def _factor_of(self) -> dict[Link, float]:
        return dict(self.factors)


def with_factors(sound: Interconnect, factors: Factors) -> Interconnect:
    """The interconnect itself where all links are sound."""
    return WithFactors(sound.nodes, sound.shape, sound, factors) if factors else sound


def speeds_of_nodes(speeds: Mapping[int, Values]) -> NodeSpeeds | None:
    """From bandwidths by distance, of repetitions (rows) and ranks; None where all nodes are alike.

    A node differs by more than resampled repetitions do, and all together by more than in 99 of 100 cases
    after the ranks of each distance were shuffled.
    """
    if not speeds:
        return None
    distances, typical = list(speeds), _typical(speeds.values())
    of_nodes = _relative(_reached(typical, distances))
    differences = float(np.abs(of_nodes).sum())
    if differences == 0.0 or _by_chance(typical, distances, differences) > MOST_CHANCE:
        return None
    draws = _draws(speeds, of_nodes == 0.0)
    is_clear = np.abs(of_nodes) > math.log(LEAST_FACTOR) + CLEAR * np.log(draws).std(axis=0)
    return NodeSpeeds(tuple(np.exp(of_nodes * is_clear).tolist()), draws) if is_clear.any() else None


def _typical(speeds: Iterable[Values]) -> Values:
    """Logarithms of the median bandwidths, by distance (rows) and rank."""
    return np.log([np.median(one, axis=0) for one in speeds])


def _reached(typical: Values, distances: Sequence[int]) -> Values:
    """The best message of each node (last axis) of all that it receives or sends."""
    received = typical.max(axis=-2)
    sent = [np.roll(typical[..., row, :], -distance, axis=-1) for row, distance in enumerate(distances)]
    best: Values = np.maximum(received, np.max(sent, axis=0))
    return best


def _relative(reached: Values) -> Values:
    """Logarithms over the usual one, 0 for a node (last axis) near it: that of most nodes, or of the faster
    half.
    """
    near = np.zeros(reached.shape, dtype=np.intp)
    for node in range(reached.shape[-1]):  # all pairs of many nodes at once take gigabytes
        near += _are_near(reached, reached[..., node : node + 1])
    centre = np.where(near == near.max(axis=-1, keepdims=True), reached, -np.inf).max(axis=-1, keepdims=True)
    left = reached - _median_of(reached, _are_near(reached, centre))
    return np.where(np.abs(left) > math.log(LEAST_FACTOR), left, 0.0)


def _are_near(one: Values, other: Values) -> NDArray[np.bool_]:
    return np.abs(one - other) <= math.log(LEAST_FACTOR) / 2.0


def _median_of(values: Values, chosen: NDArray[np.bool_]) -> Values:
    """Of those that are chosen along the last axis; NaN of none."""
    ordered = np.sort(np.where(chosen, values, np.nan), axis=-1)
    count = chosen.sum(axis=-1, keepdims=True)
    middle = np.concatenate([(count - 1) // 2, count // 2], axis=-1)
    median: Values = np.take_along_axis(ordered, middle, axis=-1).mean(axis=-1, keepdims=True)
    return median


def _by_chance(typical: Values, distances: Sequence[int], differences: float) -> float:
    """How often nodes differ as much when at every distance the ranks are in a random order."""
    random = np.random.default_rng(1)
    shuffled = random.permuted(np.broadcast_to(typical, (SHUFFLES, *typical.shape)), axis=2)
    of_nodes = _relative(np.ascontiguousarray(_reached(shuffled, distances)))  # sums round by layout
    reached = int((np.abs(of_nodes).sum(axis=1) >= differences).sum())
    return (reached + 1) / (SHUFFLES + 1)


def _draws(speeds: Mapping[int, Values], is_usual: NDArray[np.bool_]) -> Values:
    reached = _reached(np.log(resampled_medians(speeds)), list(speeds))
    draws: Values = np.exp(reached - np.median(reached[:, is_usual], axis=1, keepdims=True))
    return draws


def resampled_medians(speeds: Mapping[int, Values]) -> Values:
    """The median bandwidths of resampled repetitions (first axis), by distance and rank."""
    random = np.random.default_rng(1)
    drawn = [[random.integers(0, len(one), len(one)) for one in speeds.values()] for _ in range(RESAMPLES)]
    by_distance = zip(speeds.values(), zip(*drawn, strict=True), strict=True)
    return np.stack([np.median(one[np.array(rows)], axis=1) for one, rows in by_distance], axis=1)
