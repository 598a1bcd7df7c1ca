"""Trends: where a quantity came to another level, and whether the last value stands out. Pure."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np

from groma.facts.history import MOST_ZEROS, ChangePoint, PointInTime, Trend
from groma.stats.change import change_of_samples
from groma.stats.segmentation import change_points
from groma.stats.student import two_sided

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from groma.facts.comparison import Thresholds
    from groma.history.index import Entry
    from groma.record.naming import Better

PENALTY = 14.0
"""Of a change, in variances of the noise: of thirty values without one, three sets in a hundred show one;
then the levels must also differ by a test."""

SHORTEST = 2
"""Values of a level: one alone may be an accident, and is reported as the latest that stands out."""

FEWEST = 4
"""Values from which on a level can be distinguished from another, or a value from a level."""

_LEAST_NOISE = 0.0025
"""A share: machines that repeat better are rare, and a few equal values prove nothing."""

_CLIPPED = 3.0
"""Standard deviations beyond the neighbours from which a value pulls no more: one bad night is no level."""


class FoundTrends(NamedTuple):
    """`undated` are files with runs that have no place in any trend, in their order."""

    trends: list[Trend]
    undated: list[str]


def trends_of(entries: Iterable[Entry], limits: Thresholds) -> FoundTrends:
    """One for each machine, kind, shape and quantity."""
    groups: dict[tuple[str, ...], list[Entry]] = {}
    for one in entries:
        key = (one.machine, one.kind, one.shape, one.name, one.value.unit)
        groups.setdefault(key, []).append(one)
    found, undated = [], set[str]()
    for _, group in sorted(groups.items()):
        ordered = _in_order(group)
        if ordered:
            found.append(_trend(ordered, limits))
        if len(ordered) < len(group):
            undated |= {one.path for one in group if not is_dated(one.created)}
    return FoundTrends(found, sorted(undated))


def _in_order(group: Sequence[Entry]) -> Sequence[Entry]:
    """Those whose order in time is known: by their dates, else that of the runs in one file."""
    dated = [one for one in group if is_dated(one.created)]
    return group if not dated and len({one.path for one in group}) == 1 else dated


def is_dated(created: str) -> bool:
    """Whether a record says when it was measured; an output of another program may say it in words or not."""
    return created[:1].isdigit()


def _trend(group: Sequence[Entry], limits: Thresholds) -> Trend:
    one = group[0]
    trend = Trend(
        machine=one.machine,
        kind=one.kind,
        shape=one.shape,
        name=one.name,
        unit=one.value.unit,
        better=one.better,
        points=[PointInTime(created=each.created, file=each.path, value=each.value) for each in group],
    )
    values = np.array([each.value.value for each in group])
    judged = np.flatnonzero(values > 0)
    if len(judged) >= FEWEST and len(values) - len(judged) <= MOST_ZEROS * len(values):
        trend.changes = _at(judged, changes_in(values[judged], trend.better, limits))
        start = trend.changes[-1].at if trend.changes else 0
        level = values[start:]
        _judge_latest(trend, np.log(level[level > 0]), limits)
        if values[-1] <= 0:
            trend.latest, trend.latest_ratio = _direction(0.0, trend.better), 0.0
    return trend


def _at(places: NDArray[np.intp], changes: Sequence[ChangePoint]) -> list[ChangePoint]:
    """Changes among the values in these places, where they are among all."""
    return [msgspec.structs.replace(one, at=int(places[one.at])) for one in changes]


def changes_in(values: NDArray[np.float64], better: Better, limits: Thresholds) -> list[ChangePoint]:
    """Where positive values come to another level that matters, the first to the last."""
    logs = np.log(values)
    noise = noise_of(logs)
    cuts = [0, *change_points(_clipped(logs, noise), PENALTY * noise**2, SHORTEST), len(values)]
    found: list[ChangePoint] = []
    start = 0
    for cut, end in pairwise(cuts[1:]):
        change = _change(values[start:cut], values[cut:end], cut, better, limits)
        if change is not None:
            found.append(change)
            start = cut
    return found


def _change(
    before: NDArray[np.float64], after: NDArray[np.float64], at: int, better: Better, limits: Thresholds
) -> ChangePoint | None:
    """Levels that a test cannot tell apart, or that differ too little to matter, are one."""
    change = change_of_samples(before, after)
    certain = change.probability is not None and change.probability <= 5 * limits.false_changes
    if not certain or abs(math.log(change.ratio.value)) < math.log1p(limits.min_change):
        return None
    return ChangePoint(at=at, verdict=_direction(change.ratio.value, better), ratio=change.ratio)


def _direction(ratio: float, better: Better) -> Literal["better", "worse", "changed"]:
    if better == "neither":
        return "changed"
    return "better" if (ratio > 1) == (better == "higher") else "worse"


def noise_of(logs: NDArray[np.float64]) -> float:
    """Standard deviation from one value to the next, which steps between levels hardly touch."""
    steps = np.abs(np.diff(logs))
    return (
        max(_LEAST_NOISE, 1.4826 * float(np.median(steps)) / math.sqrt(2.0)) if len(steps) else _LEAST_NOISE
    )


def _clipped(logs: NDArray[np.float64], noise: float) -> NDArray[np.float64]:
    padded = np.pad(logs, 2, mode="edge")
    middle = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5), axis=1)
    clipped: NDArray[np.float64] = np.clip(logs, middle - _CLIPPED * noise, middle + _CLIPPED * noise)
    return clipped


def _judge_latest(trend: Trend, level: NDArray[np.float64], limits: Thresholds) -> None:
    """The last value against the others of its level, as a further sample of them (Student).

    Where noise has a tail, a level of many values has had some as far out, which the test does not expect.
    """
    earlier = level[:-1]
    if len(earlier) < FEWEST - 1:
        return
    usual = float(np.median(earlier))
    apart = float(level[-1]) - usual
    spread = max(float(earlier.std(ddof=1)), _LEAST_NOISE) * math.sqrt(1.0 + 1.0 / len(earlier))
    trend.latest_ratio = math.exp(apart)
    is_farthest = bool(np.all(np.sign(apart) * (earlier - usual) < abs(apart)))
    stands_out = is_farthest and two_sided(apart / spread, len(earlier) - 1) <= limits.false_changes
    matters = abs(apart) >= math.log1p(limits.min_change)
    trend.latest = _direction(trend.latest_ratio, trend.better) if stands_out and matters else "usual"
