"""Numbers are printed with unit, prefix and interval."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.record.quantity import Quantity, SampleSummary
from groma.record.units import (
    format_beside,
    format_ids,
    format_number,
    format_quantity,
    format_share,
    format_time,
    format_value,
)


def quantity(value: float, unit: str, low: float, high: float, confidence: float = 0.95) -> Quantity:
    return Quantity(value=value, unit=unit, low=low, high=high, confidence=confidence, method="test")


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (1.3e-9, "s", "1.30 ns"),
        (9.9999e-7, "s", "1.00 µs"),
        (0.0, "s", "0 s"),
        (0.0, "B/s", "0 B/s"),
        (3 * 1e-8, "s", "30 ns"),
        (2.5, "s", "2.50 s"),
        (32768, "B", "32 KiB"),
        (1.5 * 2**20, "B", "1.50 MiB"),
        (64, "B", "64 B"),
        (10.8e9, "B/s", "10.8 GB/s"),
        (2.6e9, "Hz", "2.60 GHz"),
        (4.0, "cycles", "4 cycles"),
        (12.345, "cycles", "12.3 cycles"),
        (1.07, "1", "1.07 x"),
        (1.2e-7, "s/page", "120 ns/page"),
        (5e-13, "s", "0.500 ps"),
        (3e20, "B/s", "300000 PB/s"),
    ],
)
def test_values_carry_the_prefix_that_reads_best(value: float, unit: str, shown: str) -> None:
    assert format_value(value, unit) == shown


def test_interval_shares_the_unit_of_the_value() -> None:
    assert format_quantity(quantity(1.3e-9, "s", 1.29e-9, 1.31e-9)) == "1.30 ns [1.29, 1.31]"
    assert format_quantity(quantity(32768, "B", 30720, 36864)) == "32 KiB [30, 36]"


def test_narrow_interval_is_still_resolved() -> None:
    assert format_quantity(quantity(2.6e9, "Hz", 2.5999e9, 2.6002e9)) == "2.6000 GHz [2.5999, 2.6002]"


def test_interval_can_be_left_out_or_absent() -> None:
    assert format_quantity(quantity(1.3e-9, "s", 1.2e-9, 1.4e-9), interval=False) == "1.30 ns"
    assert format_quantity(quantity(64, "B", 64, 64)) == "64 B"


def test_zero_confidence_is_not_a_number() -> None:
    assert format_quantity(quantity(8, "ways", 8, 8, confidence=0)) == "not determined"


def test_a_single_sample_is_shown_and_called_one() -> None:
    samples = SampleSummary(n=1, min=1.3e-9, p5=1.3e-9, p50=1.3e-9, p95=1.3e-9)
    one = msgspec.structs.replace(quantity(1.3e-9, "s", 1.3e-9, 1.3e-9, confidence=0), samples=samples)
    assert format_quantity(one) == "1.30 ns, one sample"
    assert format_quantity(one, interval=False) == "1.30 ns"


def test_missing_quantity_is_a_dash() -> None:
    assert format_quantity(None) == "-"


def test_a_value_beside_a_quantity_has_its_digits() -> None:
    """The median of 81.74 ns stood beside a percentile of 81.7 ns."""
    median = Quantity(value=81.74e-9, unit="s", low=81.73e-9, high=81.75e-9, confidence=0.95, method="m")
    assert format_quantity(median).startswith("81.740 ns")
    assert format_beside(81.741e-9, median) == "81.741 ns"
    assert format_beside(1.25e-6, median) == "1.2500 µs"
    assert format_beside(0.0, median) == "0 s"


def test_ids_are_joined_to_ranges() -> None:
    assert format_ids([3, 0, 1, 2, 8]) == "0-3,8"
    assert format_ids([]) == ""


@given(
    st.floats(allow_nan=True, allow_infinity=True), st.sampled_from(["s", "B", "B/s", "Hz", "cycles", "1"])
)
def test_any_float_is_printed_with_a_unit(value: float, unit: str) -> None:
    number, _, printed_unit = format_value(value, unit).partition(" ")
    assert number
    assert printed_unit


@given(st.floats(min_value=1e-3, max_value=1e6))
def test_three_digits_are_kept(number: float) -> None:
    assert math.isclose(float(format_number(number)), number, rel_tol=0.006)


def test_moments_are_shown_in_utc() -> None:
    assert format_time("2026-01-02T05:04:05+02:00") == "2026-01-02 03:04:05 UTC"
    assert format_time("2026-01-02T05:04:05") == "2026-01-02T05:04:05"
    assert format_time("yesterday") == "yesterday"


@pytest.mark.parametrize("stamp", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_a_moment_that_has_no_date_in_utc_is_shown_as_it_is(stamp: str) -> None:
    assert format_time(stamp) == stamp


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.95, "95\u00a0%"), (0.3125, "31.3\u00a0%"), (1e308, "unknown"), (math.nan, "unknown")],
)
def test_a_share_is_in_per_cent_whatever_the_record_holds(share: float, shown: str) -> None:
    assert format_share(share) == shown
