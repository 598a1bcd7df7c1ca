"""Quantity: the only form in which a measured number leaves groma."""

from __future__ import annotations

from typing import Any

import msgspec


class SampleSummary(msgspec.Struct, frozen=True):
    """What the raw samples behind a quantity looked like, in the quantity's unit."""

    n: int
    min: float
    p5: float
    p50: float
    p95: float


class Quantity(msgspec.Struct, frozen=True, kw_only=True):
    """A value with its unit, its interval and how it was obtained.

    `low` and `high` bound the true value with probability `confidence` (0 to 1; 0 means "not determined").
    `os_value` is what the operating system declares for the same thing, in the same unit, and `agrees`
    says whether it lies inside the interval; both are None where the system declares nothing.
    """

    value: float
    unit: str
    low: float
    high: float
    confidence: float
    method: str
    samples: SampleSummary | None = None
    os_value: float | None = None
    agrees: bool | None = None

    def beside_os(self, declared: float | None) -> Quantity:
        """The same quantity with the system's value beside it; None leaves it as it is."""
        if declared is None:
            return self
        return msgspec.structs.replace(self, os_value=declared, agrees=self.low <= declared <= self.high)


_FIELDS = {"value", "unit", "low", "high", "confidence", "method"}


def as_quantity(value: Any) -> Quantity | None:
    """The quantity that a value is, or that a JSON object spells in full; None where it is something else."""
    if isinstance(value, Quantity):
        return value
    if not isinstance(value, dict) or not value.keys() >= _FIELDS:
        return None
    try:
        return msgspec.convert(value, Quantity)
    except msgspec.ValidationError:
        return None
