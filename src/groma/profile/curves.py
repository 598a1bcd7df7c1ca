"""Values between measured points, as in native/profile/interpolation.cpp."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from groma.record import Quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERPOLATED = "interpolated linearly between measured points"
_EXTRAPOLATED = "extrapolated beyond the largest measured message"


class Point(NamedTuple):
    """`at` is a number of cores, bytes of a message, or B/s of load."""

    at: float
    quantity: Quantity


def interpolated(curve: Sequence[Point], at: float) -> Quantity | None:
    """Linear between the points around `at`; None outside of the curve, which is sorted."""
    index = bisect_left(curve, at, key=lambda point: point.at)
    if index == len(curve):
        return None
    if curve[index].at == at:
        return curve[index].quantity
    return None if index == 0 else _between(curve[index - 1], curve[index], at)


def time_of_message(curve: Sequence[Point], bandwidth: Quantity | None, size: float) -> Quantity | None:
    if not curve:
        return None
    if size <= curve[0].at:
        return curve[0].quantity
    return _beyond(curve[-1], bandwidth, size) if size > curve[-1].at else interpolated(curve, size)


def bandwidth_of(size: int, time: Quantity) -> Quantity:
    return Quantity(
        value=size / time.value,
        unit="B/s",
        low=size / time.high,
        high=size / time.low,
        confidence=time.confidence,
        method=time.method,
    )


def _between(one: Point, other: Point, at: float) -> Quantity:
    share = (at - one.at) / (other.at - one.at)
    before, after = one.quantity, other.quantity
    return Quantity(
        value=before.value + share * (after.value - before.value),
        unit=before.unit,
        low=before.low + share * (after.low - before.low),
        high=before.high + share * (after.high - before.high),
        confidence=min(before.confidence, after.confidence),
        method=_INTERPOLATED,
    )


def _beyond(last: Point, bandwidth: Quantity | None, size: float) -> Quantity:
    """By the bandwidth of the layer, else in proportion."""
    time, more = last.quantity, size - last.at
    spans, confidence = (time.value, time.low, time.high), time.confidence
    if bandwidth is not None and bandwidth.low > 0:
        rates = (bandwidth.value, bandwidth.high, bandwidth.low)
        value, low, high = (span + more / rate for span, rate in zip(spans, rates, strict=True))
        confidence = min(confidence, bandwidth.confidence)
    else:
        factor = size / last.at if last.at else 1.0
        value, low, high = (span * factor for span in spans)
    return Quantity(
        value=value, unit=time.unit, low=low, high=high, confidence=confidence, method=_EXTRAPOLATED
    )
