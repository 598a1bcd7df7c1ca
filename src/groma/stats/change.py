"""By which factor a quantity changed from one measurement to the next, and how sure that is."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from groma.record.naming import better_by_unit
from groma.record.quantity import Quantity
from groma.record.units import is_one_sample
from groma.stats.correlation import autoregressive_inflation, variance_inflation
from groma.stats.mann_whitney import rank_test
from groma.stats.quotient import one_sample
from groma.stats.ratios import ratio_quantity
from groma.stats.student import critical, two_sided

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Samples = Sequence[float] | NDArray[np.float64]

FEWEST_RANKED = 10
"""Of fewer samples on both sides a rank test cannot tell any difference from chance once there are many
quantities: of five and five its least probability is 0.8 %.
"""

_FEWEST_ORDERS = math.comb(2 * FEWEST_RANKED, FEWEST_RANKED)
"""Of the ranks of both sides; the inverse is half of the least probability."""

COARSE = 0.005
"""Least standard error (a share) of times and rates of which the samples are not known."""

_LARGEST = 690.0
"""Logarithm of the largest factor that is reported, so that every number stays finite."""

CONFIDENCE = 0.95

RANKS = "ratio of medians, interval of Hodges and Lehmann; rank test of Mann and Whitney"
STUDENT = "ratio of medians, interval and test of Welch on logarithms: too few independent samples to rank"
INTERVALS = "ratio of the values, interval and test from both intervals, taken as normal on a log scale"
SINGLE = "ratio of the values; a single sample has no interval"


class Change(NamedTuple):
    """`ratio` is new over old. `probability` is that of such a ratio by chance; None if nobody can tell.

    `counts` are the samples of both sides, None where they are not known.
    """

    ratio: Quantity
    probability: float | None
    counts: tuple[int, int] | None = None


def change_of_samples(old: Samples, new: Samples, coefficient: float = 0.0) -> Change:
    """From positive samples in the order in which they were taken. ValueError when a side has none.

    Samples that follow each other may be alike, as when a clock drifts: they count for fewer then. How alike
    they are, at least, is the autoregressive `coefficient` of first order.
    """
    sides, counts = (np.asarray(old), np.asarray(new)), (len(old), len(new))
    inflations = [
        max(variance_inflation(one), autoregressive_inflation(len(one), coefficient)) for one in sides
    ]
    independent = [int(count / inflation) for count, inflation in zip(counts, inflations, strict=True)]
    if not _can_be_ranked(*independent):
        return _by_student([np.log(one) for one in sides], inflations)._replace(counts=counts)
    inflation = sum(inflations) / 2.0
    with np.errstate(all="ignore"):  # ratios beyond all numbers become the largest that is reported
        ratio = ratio_quantity(new, old, RANKS, CONFIDENCE, inflation=inflation)
    finite = msgspec.structs.replace(
        ratio, value=_finite(ratio.value), low=_finite(ratio.low), high=_finite(ratio.high), samples=None
    )
    return Change(finite, rank_test(new, old, inflation=inflation), counts)


def _can_be_ranked(one: int, other: int) -> bool:
    """As well as `FEWEST_RANKED` and as many, of independent samples: few against many, too.

    The test of Welch would take the few for normal, and finds 4 to 6 % of changes at a level of 1 % where
    noise has a tail.
    """
    few = min(one, other)
    return few >= FEWEST_RANKED or math.comb(one + other, few) >= _FEWEST_ORDERS


def _finite(ratio: float) -> float:
    return min(math.exp(_LARGEST), max(math.exp(-_LARGEST), ratio))


def _by_student(sides: Sequence[NDArray[np.float64]], inflations: Sequence[float]) -> Change:
    """`sides` are logarithms, old and new."""
    old, new = sides
    apart, middle = float(new.mean() - old.mean()), _log_of_median(new) - _log_of_median(old)
    if min(len(old), len(new)) < 2:
        return Change(one_sample(factor(middle), "ratio", SINGLE), None)
    errors = [
        inflation * float(side.var(ddof=1)) / len(side)
        for side, inflation in zip(sides, inflations, strict=True)
    ]
    error = math.sqrt(sum(errors))
    if error == 0.0:
        return exact_change(apart, STUDENT)
    own = sum(one**2 / (len(side) - 1) for one, side in zip(errors, sides, strict=True))
    degrees = max(1.0, sum(errors) ** 2 / own / max(inflations))
    reach = critical(1.0 - CONFIDENCE, degrees) * error
    below, above = max(0.0, middle - apart + reach), max(0.0, apart - middle + reach)
    return Change(log_ratio(middle, below, above, STUDENT), two_sided(apart / error, degrees))


def _log_of_median(logarithms: NDArray[np.float64]) -> float:
    """Of the values behind them: the median of an even number is a mean of two values, not of logarithms."""
    ordered = np.sort(logarithms)
    below, above = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return float(below + math.log1p(math.expm1(min(above - below, _LARGEST)) / 2.0))


def change_of_values(old: Quantity, new: Quantity) -> Change | None:
    """From two quantities of positive values without their samples; None if a ratio is not known."""
    if not (old.value > 0 and new.value > 0 and old.unit == new.unit):
        return None
    apart = math.log(new.value) - math.log(old.value)
    if is_one_sample(old) or is_one_sample(new):
        return Change(one_sample(factor(apart), "ratio", SINGLE), None)
    if min(old.confidence, new.confidence) <= 0 or min(old.low, old.high, new.low, new.high) <= 0:
        return None
    below = math.hypot(log_error(new, new.low), log_error(old, old.high))
    above = math.hypot(log_error(new, new.high), log_error(old, old.low))
    towards_one = below if apart > 0 else above
    if towards_one == 0.0:
        return exact_change(apart, INTERVALS)
    reach = NormalDist().inv_cdf((1.0 + CONFIDENCE) / 2.0)
    probability = two_sided(apart / towards_one, math.inf)
    return Change(log_ratio(apart, reach * below, reach * above, INTERVALS), probability, _counts(old, new))


def _counts(old: Quantity, new: Quantity) -> tuple[int, int] | None:
    return (old.samples.n, new.samples.n) if old.samples and new.samples else None


def least_error(unit: str) -> float:
    """A time or rate without any spread was read off a coarse timer: its error is not zero but unknown."""
    return 0.0 if better_by_unit(unit) == "neither" else COARSE


def log_error(quantity: Quantity, bound: float) -> float:
    """Standard error of the logarithm towards one bound, if its interval were that of a normal variable.

    An interval in which nobody has any confidence tells nothing: its error is the largest that is reported.
    """
    least = least_error(quantity.unit)
    reach = NormalDist().inv_cdf((1.0 + min(quantity.confidence, 0.9999)) / 2.0)
    apart = abs(math.log(bound) - math.log(quantity.value))
    return max(least, min(_LARGEST, apart / reach) if reach > 0 else _LARGEST)


def log_ratio(apart: float, below: float, above: float, method: str) -> Quantity:
    """The factor of a logarithm, with the reach of its interval to both sides."""
    return Quantity(
        value=factor(apart),
        unit="ratio",
        low=factor(apart - below),
        high=factor(apart + above),
        confidence=CONFIDENCE,
        method=method,
    )


def factor(logarithm: float) -> float:
    """Of a logarithm, however damaged the values were that it is from."""
    return math.exp(min(_LARGEST, max(-_LARGEST, logarithm)))


def exact_change(apart: float, method: str) -> Change:
    """Of values without any spread: a difference is one, however small."""
    return Change(log_ratio(apart, 0.0, 0.0, method), 1.0 if apart == 0.0 else 0.0)
