"""How much values that follow each other are alike, as nights of one machine whose clock or neighbours drift.

Noise is taken as autoregressive of the first order. Pure.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from groma.stats.correlation import autoregressive_inflation
from groma.stats.segmentation import change_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

LEAST_NOISE = 0.0025
"""A share: machines that repeat better are rare, and a few equal values prove nothing."""

SHORTEST = 2
"""Values of a level: one alone may be an accident, and is reported as the latest that stands out."""

_CLIPPED = 3.0
"""Standard deviations beyond the neighbours from which a value pulls no more: one bad night is no level."""

_OBVIOUS = 60.0
"""Penalty of a change, in variances of the noise, at which steps of autocorrelated noise are hardly cut."""

_FEWEST_PAIRS = 3
_LARGEST = 0.95
_ERROR = 1.9
"""Standard error of a coefficient times the root of the number of values, of independent ones."""

_BY_CHANCE = 2.5
"""Standard errors that a coefficient of independent values hardly exceeds."""

_NORMAL = 1.4826
"""Standard deviations of normal noise in the median of its absolute values."""


def noise_of(logs: Array) -> float:
    """Standard deviation from one value to the next, which steps between levels hardly touch."""
    steps = np.abs(np.diff(logs))
    return max(LEAST_NOISE, _NORMAL * float(np.median(steps)) / math.sqrt(2.0)) if len(steps) else LEAST_NOISE


def clipped(logs: Array, noise: float) -> Array:
    """Values that are far from the median of their neighbours, brought near to it."""
    padded = np.pad(logs, 2, mode="reflect")  # so that the last value is no neighbour of itself
    middle = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)
    near: Array = np.clip(logs, middle - _CLIPPED * noise, middle + _CLIPPED * noise)
    return near


def drift_coefficients(family: Sequence[Array]) -> list[float]:
    """The autoregressive coefficient of each series, 0 where what there is may be chance.

    A single series is too short to tell. Those of one machine drift for one reason, so that the median of all
    is taken, and more only for a series that shows more by itself.
    """
    found = np.array([_coefficient(logs) for logs in family])
    errors = np.array([_ERROR / math.sqrt(len(logs)) for logs in family])
    known = np.isfinite(found)
    if not known.any():
        return [0.0] * len(family)
    middle = float(np.median(found[known]))
    error = float(np.median(errors[known])) / math.sqrt(known.sum())
    common = middle if middle > _BY_CHANCE * error else 0.0
    own = np.where(known & (found > _BY_CHANCE * errors), found, 0.0)
    coefficients: list[float] = np.clip(np.maximum(own, common), 0.0, _LARGEST).tolist()
    return coefficients


def _coefficient(logs: Array) -> float:
    """From the squares of differences over two steps and over one, which are as 1 + coefficient to 1, beside
    a steady slope: over two steps it is twice as much, and would pass for the largest coefficient.

    Differences across obvious changes do not count, nor those that are far from the others. NaN where too few
    are left. Reference: Chakar et al., "A robust approach for estimating change-points in the mean of an
    AR(1) process", Bernoulli 23 (2017); its medians have twice the error.
    """
    noise = noise_of(logs)
    cuts = change_points(clipped(logs, noise), _OBVIOUS * noise**2, SHORTEST)
    one, two = (_squares_within(logs, cuts, lag) for lag in (1, 2))
    if len(two) < _FEWEST_PAIRS or one.mean() <= 0.0:
        return math.nan
    return min(_LARGEST, float(two.mean() / one.mean()) - 1.0)


def _squares_within(logs: Array, cuts: Sequence[int], lag: int) -> Array:
    """Of differences over `lag` steps on one level, without their median and without outliers."""
    level = np.searchsorted(cuts, np.arange(len(logs)), side="right")
    steps: Array = (logs[lag:] - logs[:-lag])[level[lag:] == level[:-lag]]
    if not len(steps):
        return steps
    apart = np.abs(steps - np.median(steps))
    squares: Array = np.square(apart[apart <= _CLIPPED * _NORMAL * np.median(apart)])
    return squares


def variance_of_mean(count: int, coefficient: float) -> float:
    """That of the mean of `count` values that follow each other, in variances of one value."""
    return autoregressive_inflation(count, coefficient) / count


def long_run_variance(noise: float, coefficient: float) -> float:
    """As if values were independent, from the noise from one value to the next."""
    return noise**2 * (1.0 + coefficient) / (1.0 - coefficient) ** 2


def spread_of(residuals: Array, coefficient: float, levels: int) -> float:
    """Standard deviation of one value, from the innovations of residuals about that many levels."""
    innovations = residuals[1:] - coefficient * residuals[:-1]
    # The first value is an innovation as well, a larger one.
    squares = float((innovations**2).sum()) + (1.0 - coefficient**2) * float(residuals[0]) ** 2
    degrees = max(len(residuals) - levels, 1)
    return max(LEAST_NOISE, math.sqrt(squares / degrees / (1.0 - coefficient**2)))
