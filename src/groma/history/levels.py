"""Levels of one series of values: where new ones may begin, and how certain each is. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from groma.history.drift import (
    SHORTEST,
    clipped,
    long_run_variance,
    noise_of,
    spread_of,
    variance_of_mean,
)
from groma.stats.change import CONFIDENCE, factor, log_ratio
from groma.stats.segmentation import change_points
from groma.stats.student import critical, two_sided

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.history.tails import Tail
    from groma.record import Quantity

    Array = NDArray[np.float64]

PENALTY = 14.0
"""Of a change, in variances of the noise: what costs less is not looked at."""

CANDIDATE = 0.05
"""Probability of a change by chance, in one series alone, up to which it is compared with all others."""

_LEAST_LEFT = 0.01
"""Degrees of freedom left where one value is all of the noise."""

METHOD = "ratio of medians; interval of Student, with the noise about all levels and its autocorrelation"


@dataclass(frozen=True)
class Levels:
    """`logs` are logarithms of the values, `cuts` where new levels begin."""

    logs: Array
    coefficient: float
    cuts: tuple[int, ...]

    @property
    def degrees(self) -> int:
        return max(1, len(self.logs) - len(self.cuts) - 1)

    def probabilities(self, tail: Tail | None = None) -> list[float]:
        """That of each change by chance; it is chosen among all places, so there are as many tries.

        Noise is normal where its tail is not known yet.
        """
        places = max(1, len(self.logs) - 2 * SHORTEST + 1)
        apart_in_errors = np.divide(self._apart(), self._errors()).tolist()
        shorter = [min(len(before), len(after)) for before, after in self._sides()]
        chances = [
            two_sided(t, self.degrees) if tail is None else tail.probability(t, self.degrees, count)
            for t, count in zip(apart_in_errors, shorter, strict=True)
        ]
        return [min(1.0, places * one) for one in chances]

    def ratios(self) -> list[float]:
        """The median of each level over that of the one before it."""
        return [factor(float(np.median(after) - np.median(before))) for before, after in self._sides()]

    def ratio_quantities(self) -> list[Quantity]:
        """As `ratios`, with intervals."""
        reach = critical(1.0 - CONFIDENCE, self.degrees)
        found = []
        for ratio, apart, error in zip(self.ratios(), self._apart(), self._errors(), strict=True):
            middle = math.log(ratio)
            below = max(0.0, middle - apart + reach * error)
            above = max(0.0, apart - middle + reach * error)
            found.append(log_ratio(middle, below, above, METHOD))
        return found

    def only(self, cuts: Sequence[int]) -> Levels:
        return Levels(self.logs, self.coefficient, tuple(cuts))

    def earlier_residuals(self) -> Array:
        """Those of all values but the latest, which is to be judged by them; externally studentised.

        So each is as far out as it would have been as a latest value.
        """
        earlier = Levels(self.logs[:-1], self.coefficient, self.cuts)
        counts = np.concatenate([np.full(end - start, end - start) for start, end in earlier._ranges()])
        several = counts > 1
        residuals = earlier._residuals(earlier.logs)[several] / np.sqrt(1.0 - 1.0 / counts[several])
        internal = residuals / earlier.spread(earlier.logs)
        left = np.maximum(earlier.degrees - internal**2, _LEAST_LEFT)
        external: Array = internal * np.sqrt(max(earlier.degrees - 1, 1) / left)
        return external

    def spread(self, values: Array) -> float:
        """Standard deviation of one of the values about its level."""
        return spread_of(self._residuals(values), self.coefficient, len(self.cuts) + 1)

    def _residuals(self, values: Array) -> Array:
        return np.concatenate([values[a:b] - values[a:b].mean() for a, b in self._ranges()])

    def _ranges(self) -> list[tuple[int, int]]:
        return list(pairwise((0, *self.cuts, len(self.logs))))

    def _sides(self) -> list[tuple[Array, Array]]:
        return [(self.logs[a:b], self.logs[c:d]) for (a, b), (c, d) in pairwise(self._ranges())]

    def _apart(self) -> list[float]:
        values = self._clipped()
        return [float(values[c:d].mean() - values[a:b].mean()) for (a, b), (c, d) in pairwise(self._ranges())]

    def _errors(self) -> list[float]:
        """Standard errors of the difference of neighbouring levels."""
        spread = self.spread(self._clipped())
        variances = [variance_of_mean(end - start, self.coefficient) for start, end in self._ranges()]
        return [spread * math.sqrt(before + after) for before, after in pairwise(variances)]

    def _clipped(self) -> Array:
        return clipped(self.logs, noise_of(self.logs) / math.sqrt(1.0 - self.coefficient))


def candidate_levels(logs: Array, coefficient: float, least: float) -> Levels:
    """Those that the series alone shows, each at least the share `least` away from the one before."""
    noise = noise_of(logs)
    penalty = PENALTY * long_run_variance(noise, coefficient)
    values = clipped(logs, noise / math.sqrt(1.0 - coefficient))
    levels = Levels(logs, coefficient, tuple(change_points(values, penalty, SHORTEST)))
    while levels.cuts:
        small = [abs(math.log(ratio)) < math.log1p(least) for ratio in levels.ratios()]
        doubts = [1.0 if one else p for one, p in zip(small, levels.probabilities(), strict=True)]
        most = int(np.argmax(doubts))
        if doubts[most] <= CANDIDATE:
            break
        levels = levels.only([cut for index, cut in enumerate(levels.cuts) if index != most])
    return levels
