"""Rates are read as they are written, and buckets follow what was measured of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.errors import ExitCode, GromaError
from groma.testbed.rates import FASTEST, SLOWEST, burst_of, discipline, format_rate, parse_rate, queue_of

KIB = 1024


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("400mbit", 400e6),
        ("1gbit", 1e9),
        ("100kbit", 1e5),
        ("2.5Gbit", 2.5e9),
        ("1Mbit/s", 1e6),
    ],
)
def test_rates_have_decimal_units_of_bits(text: str, rate: float) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text", ["", "fast", "400", "400MB", "-1mbit", "1 000mbit", "mbit"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(GromaError, match="is not a rate") as refused:
        parse_rate(text)
    assert refused.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize("text", ["0mbit", "1kbit", "101gbit"])
def test_rates_that_no_bucket_holds_are_refused(text: str) -> None:
    with pytest.raises(GromaError, match="cannot have"):
        parse_rate(text)


@given(st.integers(SLOWEST, FASTEST))
def test_a_rate_is_spoken_as_it_is_read(rate: int) -> None:
    assert parse_rate(format_rate(rate)) == rate


@pytest.mark.parametrize(
    ("text", "burst", "queue"),
    [
        ("100kbit", 64 * KIB, 64 * KIB),
        ("100mbit", 64 * KIB, 250_000),
        ("400mbit", 128 * KIB, 1_000_000),
        ("1600mbit", 256 * KIB, 4_000_000),
        ("10gbit", 256 * KIB, 4096 * KIB),
    ],
)
def test_buckets_hold_a_segment_and_queues_twenty_milliseconds(text: str, burst: int, queue: int) -> None:
    assert burst_of(parse_rate(text)) == burst
    assert queue_of(parse_rate(text)) == queue


def test_a_cable_without_a_rate_has_no_bucket() -> None:
    assert "tbf" not in discipline(None)
