"""Messages over their size, as time and as bandwidth."""

from __future__ import annotations

import math
from typing import NamedTuple

from groma.report.blocks import Axis
from groma.report.views.run.sampled import Spread


class MessageKind(NamedTuple):
    name: str
    title: str
    y: Axis
    x: Axis = Axis(title="message", unit="B", scale="log2")


MESSAGE_KINDS = (
    MessageKind(
        "time", "Time of a message over its size", Axis(title="one-way time", unit="s", scale="log10")
    ),
    MessageKind(
        "bandwidth", "Bandwidth over message size", Axis(title="bandwidth", unit="B/s", scale="log10")
    ),
)


def bandwidth_over(size: float, time: float) -> float | None:
    """Bytes over a time; None where a damaged record has none, or one of zero."""
    rate = size / time if time > 0 else math.nan
    return rate if math.isfinite(rate) else None


def bandwidths_over(size: float, times: Spread) -> Spread | None:
    """The longest time gives the lowest; None where any of them is not known."""
    low, median, high = (bandwidth_over(size, time) for time in (times.high, times.median, times.low))
    return Spread(low, median, high) if low is not None and median is not None and high is not None else None
