"""Line sizes of caches from pairs of loads, checked against the granularity of contended writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groma.record import Quantity
from groma.stats.resampling import answer_shares, certainty, low_decile
from groma.survey.infer.selection import by_label, matching, values_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from groma.record import ProbeSamples

    Resample = Mapping[tuple[str, int], NDArray[np.float64]]

PAIRS = "twice the largest distance at which the second load of a pair hits the line of the first"
CONTENTION = "granularity at which the writes of two cores contend"

_SAME_LINE = 0.4
"""Cost of the second load between a first-level hit (0) and a pair that shares nothing (1)."""

_CONTRAST = 1.5
_CONTENDED = 2.5
_CONTRADICTION = 0.5
_BY_CONTENTION = 0.9
_LIKELY = 0.05
_FEWEST_SAMPLES = 3


def line_size(samples: ProbeSamples, level: int) -> Quantity | None:
    """Line size in bytes of a level of cache (1 is the first), None where it is not determined.

    Beyond the first level a prefetcher that fetches lines in pairs looks like a line of twice the size, so
    an answer is only given where loads or contended writes agree with the first level, or with each other.
    """
    first = _paired_line(samples, "inner")
    if first is None:
        return None
    outer, contended = _paired_line(samples, "outer"), contended_line(samples)
    larger_outside = outer is not None and first.value < outer.value == contended
    if level == 1:
        return _of_outer_levels(first, contended) if larger_outside else _beside_contention(first, contended)
    if outer is not None and (outer.value == first.value or larger_outside):
        return _beside_contention(outer, contended)
    if contended == first.value:
        return _lines(first.value, first.value, first.value, _BY_CONTENTION, CONTENTION)
    return None


def _paired_line(samples: ProbeSamples, which_set: str) -> Quantity | None:
    """The line as loads of one set of nodes tell it."""
    groups = _load_groups(samples, which_set)
    if groups is None:
        return None
    shares = answer_shares(groups, _line_of_loads)
    line = next(iter(shares))
    if line is None:
        return None
    likely = [found for found, share in shares.items() if found is not None and share >= _LIKELY]
    confidence = certainty(shares[line], min(len(values) for values in groups.values()))
    return _lines(line, min(likely), max(likely), confidence, PAIRS)


def _lines(value: float, low: float, high: float, confidence: float, method: str) -> Quantity:
    return Quantity(value=value, unit="B", low=low, high=high, confidence=confidence, method=method)


def _load_groups(samples: ProbeSamples, which_set: str) -> dict[tuple[str, int], list[float]] | None:
    """Times by order and distance, with those of first-level hits; None where a distance was not sampled
    in both orders.
    """
    groups: dict[tuple[str, int], list[float]] = {}
    for case, values in matching(samples, measure="load", set=which_set):
        groups[case["order"], case["distance_bytes"]] = values
    groups["hit", 0] = values_of(samples, measure="load", set="first_level")
    enough = all(len(values) >= _FEWEST_SAMPLES for values in groups.values())
    single, paired = (
        {distance for order, distance in groups if order == wanted} for wanted in ("single", "paired")
    )
    return groups if enough and paired and single == paired else None


def _line_of_loads(groups: Resample) -> int | None:
    """Twice the largest distance of a pair in one line; None where times do not tell."""
    hit = low_decile(groups["hit", 0])
    distances = sorted({distance for order, distance in groups if order == "paired"})
    alone = max(low_decile(groups["single", distance]) for distance in distances)
    second = [2.0 * low_decile(groups["paired", distance]) - alone for distance in distances]
    # Large distances share a page, and a prefetcher may know the page: what they cost is the other end.
    apart = float(np.median(second[-3:]))
    if apart < _CONTRAST * hit:
        return None
    return _boundary(distances, [(cost - hit) / (apart - hit) < _SAME_LINE for cost in second])


def _boundary(distances: Sequence[int], together: Sequence[bool]) -> int | None:
    """Twice the last distance together; None unless all up to it and none beyond are."""
    count = sum(together)
    if count in {0, len(together)} or not all(together[:count]):
        return None
    return 2 * distances[count - 1]


def contended_line(samples: ProbeSamples) -> int | None:
    """Granularity in bytes at which two cores take a line from each other, None where it is not clear.

    A core that pauses makes the other one faster, so here the median decides.
    """
    times = by_label(samples, "distance_bytes", measure="write")
    distances = sorted(distance for distance, values in times.items() if len(values) >= _FEWEST_SAMPLES)
    if not distances:
        return None
    median = [float(np.median(times[distance])) for distance in distances]
    slow, fast = max(median), min(median)
    if slow < _CONTENDED * fast:
        return None
    return _boundary(distances, [time > (slow * fast) ** 0.5 for time in median])


def _of_outer_levels(line: Quantity, contended: int | None) -> Quantity:
    """The line of the first level where cores contend for the larger ones beyond it."""
    method = f"{line.method}; cores contend for lines of the outer levels, {contended} B"
    return _lines(line.value, line.low, line.high, line.confidence, method)


def _beside_contention(line: Quantity, contended: int | None) -> Quantity:
    if contended is None:
        return line
    if contended == line.value:
        return _lines(
            line.value, line.low, line.high, line.confidence, f"{line.method}; contended writes agree"
        )
    return _lines(
        line.value,
        min(line.low, contended),
        max(line.high, contended),
        line.confidence * _CONTRADICTION,
        f"{line.method}; contended writes give {contended} B",
    )
