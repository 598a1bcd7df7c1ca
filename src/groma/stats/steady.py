"""The rate of a process in its steady state, from one run: the warm-up is cut off, then batch means.

Where the warm-up ends is found by the marginal standard error rule: White, "An effective truncation heuristic
for bias reduction in simulation output", Simulation 69 (1997). Batch means: Law, "Simulation modeling and
analysis", section 9.5.3.
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

BATCHES = (20, 10, 5)
"""Numbers of batches, tried in this order until batches that follow each other are no longer alike."""

_MOST_WARM_UP = 0.5
"""Share of the intervals that may be cut off: the rule is not trusted beyond."""

_ALIKE = 0.4
"""Correlation of batches that follow each other up to which no fewer are tried. Batches that are alike count
for fewer: the variance of their mean is that of a first-order autoregression."""

_ROUNDING = 1e-20
"""Share of the squares of all rates that is left by rounding alone."""


class SteadyRate(NamedTuple):
    """Work per time, with its interval; the process is taken as steady from `begin` to `end`.

    `confidence` is 0 where the samples are too few for an interval. `drift` is the rate of the second half of
    the window over that of the first, less 1.
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
    batches = _least_alike(kept)
    begin, end, drift = float(kept[0, 0]), float(kept[-1, 0]), _drift(kept)
    if batches is None:
        return SteadyRate(rate, rate, rate, 0.0, begin, end, len(kept) - 1, drift)
    error = float(np.std(batches, ddof=1)) * math.sqrt(_inflation(batches) / len(batches))
    reach = critical(1.0 - CONFIDENCE, len(batches) - 1) * error
    return SteadyRate(rate, max(rate - reach, 0.0), rate + reach, CONFIDENCE, begin, end, len(batches), drift)


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


def _least_alike(points: Array) -> Array | None:
    """Rates of batches; None where the samples do not make the fewest."""
    found = None
    for number in BATCHES:
        if len(points) <= number:
            continue
        found = _batch_rates(points, number)
        if abs(_correlation(found)) <= _ALIKE:
            return found
    return found


def _batch_rates(points: Array, number: int) -> Array:
    ends = points[np.linspace(0, len(points) - 1, number + 1).round().astype(np.int64)]
    return np.diff(ends[:, 1]) / np.diff(ends[:, 0])


def _correlation(rates: Array) -> float:
    """Of each with the next, less the parabola through all: a drift makes batches alike however long they
    are, and the spread of the fewest would then explain it. 0 where nothing is left.
    """
    apart = _without_trend(rates)
    total = float(np.sum(apart**2))
    if total <= _ROUNDING * float(np.sum(rates**2)):
        return 0.0
    return float(np.sum(apart[1:] * apart[:-1])) / total


def _inflation(rates: Array) -> float:
    """By which alike batches raise the variance of their mean. What the parabola explains is a drift, which
    their spread holds already.
    """
    total = float(np.sum((rates - rates.mean()) ** 2))
    if total <= _ROUNDING * float(np.sum(rates**2)):
        return 1.0
    share = float(np.sum(_without_trend(rates) ** 2)) / total
    alike = min(max(share * _correlation(rates), 0.0), _ALIKE)
    return (1.0 + alike) / (1.0 - alike)


def _without_trend(rates: Array) -> Array:
    places = np.linspace(-1.0, 1.0, len(rates))
    apart: Array = rates - np.polyval(np.polyfit(places, rates, 2), places)
    return apart
