"""Quantities over each other, with intervals that hold."""

from __future__ import annotations

import math

import msgspec

from groma.record import Quantity, SampleSummary
from groma.record.units import is_one_sample


def one_sample(value: float, unit: str, method: str) -> Quantity:
    """A quantity of a single sample, as old outputs have them."""
    samples = SampleSummary(n=1, min=value, p5=value, p50=value, p95=value)
    return Quantity(
        value=value, unit=unit, low=value, high=value, confidence=0.0, method=method, samples=samples
    )


def scaled(quantity: Quantity, factor: float, unit: str) -> Quantity:
    """The quantity in another unit, `factor` times as large."""
    one = quantity.samples
    samples = one and SampleSummary(
        n=one.n, min=one.min * factor, p5=one.p5 * factor, p50=one.p50 * factor, p95=one.p95 * factor
    )
    return msgspec.structs.replace(
        quantity,
        unit=unit,
        value=quantity.value * factor,
        low=quantity.low * factor,
        high=quantity.high * factor,
        samples=samples,
    )


def quotient_of(one: Quantity, other: Quantity, unit: str) -> Quantity | None:
    """`one` over `other`; the interval holds every quotient of values from both intervals.

    Where either is a single sample, so is the quotient: it has no confidence, but the bounds that the other
    one leaves it. None where it is not known: `other` may be zero, or a damaged record has values of which
    the quotient is not finite.
    """
    if min(other.low, other.value, other.high) <= 0:
        return None
    value, method = one.value / other.value, "quotient of the two values"
    ends = [end / divisor for end in (one.low, one.high) for divisor in (other.low, other.high)]
    if not all(map(math.isfinite, (value, *ends))):
        return None
    if is_one_sample(one) or is_one_sample(other):
        single = one_sample(value, unit, method)
        return msgspec.structs.replace(single, low=min(ends), high=max(ends))
    confidence = min(one.confidence, other.confidence)
    if confidence <= 0:
        return None
    return Quantity(
        value=value, unit=unit, low=min(ends), high=max(ends), confidence=confidence, method=method
    )


def ratio_of(other: Quantity, base: Quantity) -> Quantity | None:
    """How many times `other` is `base`; None of different units."""
    return quotient_of(other, base, "ratio") if other.unit == base.unit else None
