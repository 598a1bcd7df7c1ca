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
    """Logarithms over the usual one, 0 for a node near it: that of most nodes, or of the faster half."""
    near = (np.abs(reached[:, None] - reached[None, :]) <= math.log(LEAST_FACTOR) / 2.0).sum(axis=1)
    centre = reached[near == near.max()].max()
    usual = np.median(reached[np.abs(reached - centre) <= math.log(LEAST_FACTOR) / 2.0])
    left = reached - usual
    return np.where(np.abs(left) > math.log(LEAST_FACTOR), left, 0.0)


def _by_chance(typical: Values, distances: Sequence[int], differences: float) -> float:
    """How often nodes differ as much when at every distance the ranks are in a random order."""
    random = np.random.default_rng(1)
    shuffled = random.permuted(np.broadcast_to(typical, (SHUFFLES, *typical.shape)), axis=2)
    reached = sum(float(np.abs(_relative(one)).sum()) >= differences for one in _reached(shuffled, distances))
    return (reached + 1) / (SHUFFLES + 1)


def _draws(speeds: Mapping[int, Values], is_usual: NDArray[np.bool_]) -> Values:
    random = np.random.default_rng(1)
    drawn = []
    for _ in range(RESAMPLES):
        resampled = _typical(one[random.integers(0, len(one), len(one))] for one in speeds.values())
        reached = _reached(resampled, list(speeds))
        drawn.append(np.exp(reached - np.median(reached[is_usual])))
    return np.array(drawn)
