from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from groma.profile.curves import Point, bandwidth_of, interpolated, time_of_message
from groma.record import Quantity

SIZES = st.integers(min_value=0, max_value=1 << 30)
TIMES = st.floats(min_value=1e-9, max_value=1e3)


def measured(value: float, unit: str = "s") -> Quantity:
    return Quantity(value=value, unit=unit, low=0.9 * value, high=1.1 * value, confidence=0.9, method="given")


CURVES = st.dictionaries(SIZES, TIMES, min_size=1, max_size=8).map(
    lambda times: [Point(size, measured(times[size])) for size in sorted(times)]
)


@given(CURVES)
def test_measured_points_are_reported_as_they_are(curve: list[Point]) -> None:
    for point in curve:
        assert interpolated(curve, point.at) is point.quantity
        assert time_of_message(curve, None, point.at) is point.quantity


@given(CURVES, SIZES)
def test_a_value_between_points_lies_between_them(curve: list[Point], at: int) -> None:
    found = interpolated(curve, at)
    if found is None:
        assert not curve[0].at <= at <= curve[-1].at
        return
    before = max((point for point in curve if point.at <= at), key=lambda point: point.at).quantity
    after = min((point for point in curve if point.at >= at), key=lambda point: point.at).quantity
    tolerance = 1e-12 * max(before.high, after.high)
    for part in ("value", "low", "high"):
        bounds = sorted((getattr(before, part), getattr(after, part)))
        assert bounds[0] - tolerance <= getattr(found, part) <= bounds[1] + tolerance
    assert found.low <= found.value <= found.high


@given(CURVES, st.floats(min_value=1.0, max_value=1e12), st.integers(min_value=1, max_value=1 << 40))
def test_a_longer_message_takes_longer_by_the_bandwidth(curve: list[Point], rate: float, more: int) -> None:
    last = curve[-1]
    found = time_of_message(curve, measured(rate, "B/s"), last.at + more)
    assert found is not None
    assert found.value == last.quantity.value + more / rate
    assert found.low <= found.value <= found.high
    assert "extrapolated" in found.method


@given(CURVES, st.floats(min_value=0.0, max_value=1.0))
def test_a_long_message_is_no_surer_than_the_bandwidth_it_comes_from(
    curve: list[Point], confidence: float
) -> None:
    last = curve[-1]
    rate = msgspec.structs.replace(measured(1e9, "B/s"), confidence=confidence)
    found = time_of_message(curve, rate, last.at + 1)
    assert found is not None
    assert found.confidence == min(confidence, last.quantity.confidence)


@given(CURVES, st.integers(min_value=1, max_value=1 << 40))
def test_without_a_bandwidth_time_grows_in_proportion(curve: list[Point], more: int) -> None:
    last = curve[-1]
    found = time_of_message(curve, None, last.at + more)
    assert found is not None
    assert found.value >= last.quantity.value


@given(st.integers(min_value=1, max_value=1 << 40), TIMES)
def test_a_bandwidth_has_its_interval_the_right_way_round(size: int, time: float) -> None:
    found = bandwidth_of(size, measured(time))
    assert found.low < found.value < found.high
    assert found.unit == "B/s"


def test_no_curve_has_no_time() -> None:
    assert time_of_message([], measured(1e9, "B/s"), 8) is None
