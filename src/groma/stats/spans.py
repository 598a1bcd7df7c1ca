"""Arithmetic with intervals, carried to the worst case; the result is as sure as its least sure part.

A part given as a plain number is exact: a count, or a size that was chosen. Quantities bring their interval.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from groma.record import Quantity


class Span(NamedTuple):
    """A value between `low` and `high` with this confidence, in a unit that only the caller knows."""

    value: float
    low: float
    high: float
    confidence: float

    def quantity(self, unit: str, method: str) -> Quantity:
        return Quantity(
            value=self.value,
            unit=unit,
            low=self.low,
            high=self.high,
            confidence=self.confidence,
            method=method,
        )


Part = Quantity | Span | float


def product(*parts: Part) -> Span:
    """The product of non-negative parts."""
    spans = [_span(part) for part in parts]
    return Span(
        math.prod(span.value for span in spans),
        math.prod(span.low for span in spans),
        math.prod(span.high for span in spans),
        min(span.confidence for span in spans),
    )


def quotient(above: Part, below: Part) -> Span:
    """`above` over `below`, both positive."""
    one, other = _span(above), _span(below)
    sure = min(one.confidence, other.confidence)
    return Span(one.value / other.value, one.low / other.high, one.high / other.low, sure)


def total(one: Part, other: Part) -> Span:
    """The sum of both."""
    one, other = _span(one), _span(other)
    sure = min(one.confidence, other.confidence)
    return Span(one.value + other.value, one.low + other.low, one.high + other.high, sure)


def difference(more: Part, less: Part) -> Span:
    """`more` less `less`."""
    one, other = _span(more), _span(less)
    sure = min(one.confidence, other.confidence)
    return Span(one.value - other.value, one.low - other.high, one.high - other.low, sure)


def combination(*terms: tuple[float, Part]) -> Span:
    """The sum of factor times part over independent parts: deviations add as squares, each side by itself.

    Zou and Donner, "Construction of confidence limits about effect measures", Statistics in Medicine 27
    (2008): the limits of the sum recover the variance at the limits of each part.
    """
    scaled = [_scaled(factor, _span(part)) for factor, part in terms]
    value = sum(span.value for span in scaled)
    return Span(
        value,
        value - math.hypot(*(span.value - span.low for span in scaled)),
        value + math.hypot(*(span.high - span.value for span in scaled)),
        min(span.confidence for span in scaled),
    )


def _scaled(factor: float, span: Span) -> Span:
    low, high = sorted((factor * span.low, factor * span.high))
    return Span(factor * span.value, low, high, span.confidence)


def _span(part: Part) -> Span:
    if isinstance(part, Quantity):
        return Span(part.value, part.low, part.high, part.confidence)
    return part if isinstance(part, Span) else Span(part, part, part, 1.0)
