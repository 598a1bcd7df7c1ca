"""Student's distribution, for samples too few to be ranked."""

from __future__ import annotations

import math

_STEPS = 200
_SMALL = 1e-300
_LAST_STEP = 1e-8
"""Of t. The digits that are right double with each step, so that this one makes all of them right."""


def two_sided(t: float, degrees: float) -> float:
    """Probability that |T| is at least |t|."""
    if math.isinf(degrees):
        return math.erfc(abs(t) / math.sqrt(2.0))
    return _incomplete_beta(degrees / 2.0, 0.5, degrees / (degrees + t * t))


def critical(probability: float, degrees: float) -> float:
    """The t at which `two_sided` is `probability`, by Newton's method within a bracket."""
    low, high = 0.0, 1.0
    while two_sided(high, degrees) > probability:
        low, high = high, 2.0 * high
    t = (low + high) / 2.0
    for _ in range(_STEPS):
        excess = two_sided(t, degrees) - probability
        low, high = (t, high) if excess > 0.0 else (low, t)
        step = excess / (2.0 * _density(t, degrees))
        if not low <= t + step <= high:
            t = (low + high) / 2.0
            continue
        t += step
        if abs(step) <= _LAST_STEP * t:
            break
    return t


def _density(t: float, degrees: float) -> float:
    if math.isinf(degrees):
        return math.exp(-t * t / 2.0) / math.sqrt(2.0 * math.pi)
    front = math.lgamma((degrees + 1.0) / 2.0) - math.lgamma(degrees / 2.0)
    power = (degrees + 1.0) / 2.0 * math.log1p(t * t / degrees)
    return math.exp(front - power) / math.sqrt(degrees * math.pi)


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
