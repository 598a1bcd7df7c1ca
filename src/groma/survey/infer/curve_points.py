"""Points of recorded latency curves, however their file is written."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from groma.errors import GromaError
from groma.survey.infer.tables import number_in

if TYPE_CHECKING:
    from groma.record.record import Advice

Refuse = Callable[[str, str], GromaError]
"""Makes an error of what is wrong with a file and what to do next."""


class Pages(NamedTuple):
    """Huge, small or an empty name (not known), and their size in bytes or 0."""

    name: str
    size: float = 0.0


UNKNOWN_PAGES = Pages("")


class Point(NamedTuple):
    """Size in bytes, latency in the unit of the table; NaN for what is missing."""

    pages: Pages
    size: float
    latency: float


@dataclass
class CurveTable:
    """`unit` is that of all latencies, "ns" or "cycles"; `subtracted` where the tool is known to take the
    latency of the first level from all, `predictable` where it visits memory in an order that some
    prefetchers follow.
    """

    points: list[Point]
    unit: str = "ns"
    subtracted: bool = False
    predictable: bool = False
    remarks: list[Advice] = field(default_factory=list)


def roundest(cell: str, factor: float) -> float:
    """The bytes that a rounded size stands for: `0.00098` MiB is 1024 B, not 1027.6 B.

    Of all sizes that round to these digits, the one that is a multiple of the largest power of two.
    """
    value = number_in(cell) or 0.0
    _, point, decimals = cell.partition(".")
    size = value * factor
    if not point or not decimals.isdecimal() or size <= 0:
        return size
    error = 0.5 * 10.0 ** -len(decimals) * factor
    for power in range(math.floor(math.log2(size + error)), -1, -1):
        nearest = round(size / 2.0**power) * 2.0**power
        if nearest > 0 and abs(nearest - size) <= error:
            return nearest
    return size
