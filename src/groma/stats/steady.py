"""The rate of a process in its steady state, from one run: the warm-up is cut off, the rest has a spectrum.

Where the warm-up ends is found by the marginal standard error rule: White, "An effective truncation heuristic
for bias reduction in simulation output", Simulation 69 (1997).

The interval is that of Heidelberger and Welch, "A spectral method for confidence interval generation and run
length control in simulations", Communications of the ACM 24 (1981): the variance of a mean is the spectral
density at frequency zero over the number of batches. This holds for batches that are alike, and for batches
that make up for each other, as they do where work is only put off.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.stats.student import critical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

CONFIDENCE = 0.95

_MOST_WARM_UP = 0.5
"""Share of the intervals that may be cut off: the rule is not trusted beyond."""

_MOST_PAIRS = 25
"""Pairs of frequencies to which the spectrum is fitted: those that Heidelberger and Welch choose."""

_PAIRS_OF_A_PARABOLA = 10
"""Fewer are fitted by a line."""

_FEWEST_PAIRS = 5

_LOG_BIAS = -0.2704
_LOG_VARIANCE = math.pi**2 / 6.0 - 1.0
"""Of the logarithm of a pair's mean, digamma(2) - log(2) and trigamma(2): the mean over its expectation has a
gamma distribution.
"""

_ROUNDING = 1e-20
"""Share of the squares of all rates that is left by rounding alone."""


class SteadyRate(NamedTuple):
    """Work per time, with its interval; the process is taken as steady from `begin` to `end`.

    `batches` are what lies between samples in that time. `confidence` is 0 where they are too few for an
    interval. `drift` is the rate of the second half of the window over that of the first, less 1.
    """

    value: float
    low: float
    high: float
    confidence: float
    begin: float
    end: float
    batches: int
    drift: float


def steady_rate(samples: Sequence[tuple[float, float]]) -> SteadyRate | None:
    """From times with the work that was done by then, both from zero on; None below two samples.

    Intervals between samples need not be equally long.
    """
    points = np.array(samples, dtype=np.float64).reshape(-1, 2)
    points = points[np.concatenate([[True], np.diff(points[:, 0]) > 0])] if len(points) else points
    if len(points) < 2 or points[-1, 1] <= points[0, 1]:
        return None
    kept = points[_warm_up(np.diff(points[:, 1]) / np.diff(points[:, 0])) :]
    rate = float((kept[-1, 1] - kept[0, 1]) / (kept[-1, 0] - kept[0, 0]))
    begin, end, drift, batches = float(kept[0, 0]), float(kept[-1, 0]), _drift(kept), len(kept) - 1
    reach = _reach(kept, rate)
    if reach is None:
        return SteadyRate(rate, rate, rate, 0.0, begin, end, batches, drift)
    return SteadyRate(rate, max(rate - reach, 0.0), rate + reach, CONFIDENCE, begin, end, batches, drift)


def _drift(points: Array) -> float:
    if len(points) < 3:
        return 0.0
    first, second = _batch_rates(points, 2)
    return float(second / first - 1) if first > 0 else 0.0


def _warm_up(rates: Array) -> int:
    """Intervals to cut off: those without which the standard error of the mean of the rest is least."""
    most = int(len(rates) * _MOST_WARM_UP)
    errors = [float(np.var(rates[cut:])) / (len(rates) - cut) for cut in range(most + 1)]
    return int(np.argmin(errors))


def _batch_rates(points: Array, number: int) -> Array:
    ends = points[np.linspace(0, len(points) - 1, number + 1).round().astype(np.int64)]
    return np.diff(ends[:, 1]) / np.diff(ends[:, 0])


def _reach(points: Array, rate: float) -> float | None:
    """Half of the interval of the rate; None where the batches are too few."""
    times, work = np.diff(points[:, 0]), np.diff(points[:, 1])
    # Of uneven batches each counts for its time: these sum to zero as the work less that of the rate does.
    apart = (work - rate * times) / times.mean()
    pairs = min((len(apart) - 1) // 4, _MOST_PAIRS)
    if pairs < _FEWEST_PAIRS:
        return None
    if float(np.sum(apart**2)) <= _ROUNDING * len(apart) * rate**2:
        return 0.0
    density, degrees = _density_at_zero(apart, pairs)
    return critical(1.0 - CONFIDENCE, degrees) * math.sqrt(density / len(apart))


def _density_at_zero(apart: Array, pairs: int) -> tuple[float, float]:
    """The spectral density at frequency zero, and the degrees of freedom of this estimate.

    The logarithms of the lowest pairs of the periodogram are fitted: they scatter alike at all frequencies.
    """
    periodogram = np.abs(np.fft.rfft(apart)[1 : 2 * pairs + 1]) ** 2 / len(apart)
    least = _ROUNDING * float(np.mean(apart**2))
    logarithms = np.log(np.maximum(periodogram.reshape(-1, 2).mean(axis=1), least)) - _LOG_BIAS
    places = (np.arange(pairs) + 0.75) / pairs  # of the middles of the pairs, from frequency zero on
    degree = 2 if pairs >= _PAIRS_OF_A_PARABOLA else 1
    powers = np.vander(places, degree + 1, increasing=True)
    weights = np.linalg.pinv(powers)[0]  # of the logarithms in the value of the fit at frequency zero
    variance = _LOG_VARIANCE * float(np.sum(weights**2))
    # The exponential of a value that errs is too large in the mean.
    return math.exp(float(weights @ logarithms) - variance / 2.0), 2.0 / math.expm1(variance)
