"""Quotients of quantities hold what their intervals allow, and tell no more."""

from __future__ import annotations

from typing import Any

import pytest

from groma.record import Quantity
from groma.record.units import is_one_sample
from groma.stats.quotient import one_sample, quotient_of, ratio_of, scaled


def quantity(value: float, low: float, high: float, **changes: Any) -> Quantity:
    whole = {"value": value, "unit": "s", "low": low, "high": high, "confidence": 0.95, "method": "test"}
    return Quantity(**{**whole, **changes})


def test_the_interval_of_a_ratio_holds_every_ratio_of_the_two_intervals() -> None:
    ratio = ratio_of(quantity(4, 3, 6), quantity(2, 1, 3))
    assert ratio is not None
    assert (ratio.value, ratio.low, ratio.high) == (2, 1, 6)


def test_a_ratio_is_not_reported_of_other_units_undetermined_or_zero_bases() -> None:
    one = quantity(1, 1, 1)
    assert ratio_of(one, quantity(1, 1, 1, unit="B")) is None
    assert ratio_of(one, quantity(1, 1, 1, confidence=0.0)) is None
    assert ratio_of(one, quantity(0, 0, 0)) is None
    assert quotient_of(one, one_sample(0, "s", ""), "ratio") is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (quantity(1, 1, 1), quantity(0, 1, 2)),
        (quantity(1, 1, 1), quantity(-1, 1, 2)),
        (quantity(1, 1, 1), quantity(1, 1, 0)),
        (quantity(1, 1, 1, confidence=-1.0), quantity(0, 1, 2)),
        (quantity(1e308, 1e308, 1e308), quantity(1e-308, 1e-308, 1e-308)),
        (one_sample(1e308, "s", ""), one_sample(1e-308, "s", "")),
    ],
)
def test_a_quotient_of_damaged_quantities_is_not_known(one: Quantity, other: Quantity) -> None:
    assert quotient_of(one, other, "ratio") is None


def test_the_interval_of_a_quotient_holds_values_below_zero() -> None:
    quotient = quotient_of(quantity(-4, -6, 2), quantity(2, 1, 4), "ratio")
    assert quotient is not None
    assert (quotient.low, quotient.value, quotient.high) == (-6, -2, 2)


def test_a_quotient_with_a_single_sample_is_a_single_sample() -> None:
    quotient = quotient_of(quantity(4, 3, 5, unit="B/s"), one_sample(2, "flop/s", ""), "B/flop")
    assert quotient is not None
    assert is_one_sample(quotient)
    assert (quotient.value, quotient.unit) == (2, "B/flop")


@pytest.mark.parametrize("is_above", [True, False])
def test_a_single_sample_leaves_the_other_side_its_interval(*, is_above: bool) -> None:
    """How far the one sample is from the truth nobody knows; how far the other side is, its interval says."""
    sure, single = quantity(4, 2, 8), one_sample(8, "s", "")
    quotient = quotient_of(sure, single, "ratio") if is_above else quotient_of(single, sure, "ratio")
    assert quotient is not None
    assert is_one_sample(quotient)
    assert (quotient.low, quotient.high) == ((0.25, 1) if is_above else (1, 4))


def test_scaling_keeps_interval_and_samples_beside_the_value() -> None:
    one = scaled(one_sample(2, "B/s", ""), 1000, "B/ks")
    assert (one.value, one.low, one.high, one.unit) == (2000, 2000, 2000, "B/ks")
    assert one.samples is not None
    assert one.samples.n == 1
    assert one.samples.p50 == pytest.approx(2000)
