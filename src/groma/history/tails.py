"""How often noise is far out: a mixture of Student's distributions, as the values themselves say. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from groma.stats.student import two_sided

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_DEGREES = (3.0, 5.0, 10.0, 30.0)
"""From noise with a heavy tail to normal noise."""

_BEFOREHAND = 0.3 / len(_DEGREES)
"""Series that are taken to have each tail before any is looked at."""

_ROUNDS = 30


class Tail:
    """Of the noise of one series: how probable each number of degrees of freedom is."""

    def __init__(self, weights: Sequence[float]) -> None:
        self._weights = weights

    def probability(self, t: float, degrees: float, count: int = 1) -> float:
        """That of a mean of `count` values at least |t| standard errors away, of `degrees` of freedom.

        The mean of several values has a lighter tail. By the root of their number both false changes and
        missed ones were few in simulated nights.
        """
        return sum(
            weight * two_sided(t, min(own * math.sqrt(count), degrees))
            for weight, own in zip(self._weights, _DEGREES, strict=True)
        )


def tails_of(family: Sequence[Array]) -> list[Tail]:
    """From residuals of each series in standard deviations.

    A series alone has too few values to know its tail. How common each tail is follows from all of them
    (empirical Bayes, by expectation maximisation), and the values of a series choose among them.
    """
    logarithms = np.array([[_log_likelihood(series, degrees) for degrees in _DEGREES] for series in family])
    likelihood = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
    common = np.full(len(_DEGREES), 1.0 / len(_DEGREES))
    for _ in range(_ROUNDS):
        common = _shares(likelihood * common).sum(axis=0) + _BEFOREHAND
        common /= common.sum()
    return [Tail(weights) for weights in _shares(likelihood * common).tolist()]


def _shares(rows: Array) -> Array:
    shares: Array = rows / rows.sum(axis=1, keepdims=True)
    return shares


def _log_likelihood(residuals: Array, degrees: float) -> float:
    power = (degrees + 1.0) / 2.0
    front = math.lgamma(power) - math.lgamma(degrees / 2.0) - 0.5 * math.log(degrees * math.pi)
    return len(residuals) * front - power * float(np.log1p(residuals**2 / degrees).sum())
