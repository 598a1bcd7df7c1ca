"""Student's distribution, for samples too few to be ranked."""

from __future__ import annotations

import math
from statistics import NormalDist

_STEPS = 200
_SMALL = 1e-300


def two_sided(t: float, degrees: float) -> float:
    """Probability that |T| is at least |t|."""
    if math.isinf(degrees):
        return 2.0 * NormalDist().cdf(-abs(t))
    return _incomplete_beta(degrees / 2.0, 0.5, degrees / (degrees + t * t))


def critical(probability: float, degrees: float) -> float:
    """The t at which `two_sided` is `probability`, by bisection."""
    low, high = 0.0, 1.0
    while two_sided(high, degrees) > probability:
        high *= 2.0
    for _ in range(80):
        middle = (low + high) / 2.0
        low, high = (middle, high) if two_sided(middle, degrees) > probability else (low, middle)
    return high


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function (Abramowitz and Stegun, 26.5.8)."""
    if x <= 0.0 or x >= 1.0:
        return min(1.0, max(0.0, x))
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1.0) / (a + b + 2.0):  # where the fraction converges fast
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, 1.0 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction, from the front (Lentz)."""
    c, d = 1.0, 1.0 / _apart(1.0 - (a + b) * x / (a + 1.0))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1.0 / _apart(1.0 + term * d)
            c = _apart(1.0 + term / c)
            value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return value


def _apart(value: float) -> float:
    """From zero, by which it would be divided."""
    return value if abs(value) > _SMALL else _SMALL
