"""Where quantities of one machine came to other levels, and which latest values stand out. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from groma.facts.history import MOST_ZEROS, ChangePoint
from groma.history.drift import drift_coefficients, spread_of, variance_of_mean
from groma.history.levels import candidate_levels
from groma.history.tails import tails_of
from groma.stats.change import factor
from groma.stats.discoveries import adjusted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.facts.comparison import Thresholds
    from groma.facts.history import Trend
    from groma.history.levels import Levels
    from groma.history.tails import Tail
    from groma.record.naming import Better

FEWEST = 4
"""Values from which on a level can be distinguished from another, or a value from a level."""


def judge(family: Sequence[Trend], limits: Thresholds) -> None:
    """Enter the changes and the verdict on the latest value into the trends of one machine, kind and shape.

    However many trends there are, the share of chance among all changes that are entered, and among all
    latest values that stand out, is held at `limits.false_changes` (Benjamini and Hochberg).
    """
    judged = [
        _JudgedTrend(trend, places) for trend in family if (places := _judged_places(trend)) is not None
    ]
    if not judged:
        return
    coefficients = drift_coefficients([one.logs for one in judged])
    candidates = [
        candidate_levels(one.logs, coefficient, limits.min_change)
        for one, coefficient in zip(judged, coefficients, strict=True)
    ]
    tails = tails_of([levels.earlier_residuals() for levels in candidates])
    for one, levels, tail in zip(judged, _certain(candidates, tails, limits), tails, strict=True):
        one.enter_changes(levels)
        one.judge_latest(levels, tail)
    _enter_latest(judged, limits)


def _judged_places(trend: Trend) -> NDArray[np.intp] | None:
    """Where the values are that have a logarithm; None where too few do."""
    values = np.array([one.value.value for one in trend.points])
    places = np.flatnonzero(values > 0)
    if len(places) < FEWEST or len(values) - len(places) > MOST_ZEROS * len(values):
        return None
    return places


def _certain(candidates: Sequence[Levels], tails: Sequence[Tail], limits: Thresholds) -> list[Levels]:
    """The levels without the changes that may be chance among all; a series without any is a test, too."""
    found = [levels.probabilities(tail) for levels, tail in zip(candidates, tails, strict=True)]
    rates = iter(adjusted([one for each in found for one in each or [1.0]]))
    certain = []
    for levels, each in zip(candidates, found, strict=True):
        own = [next(rates) for _ in each or [1.0]]
        kept = [cut for cut, rate in zip(levels.cuts, own, strict=False) if rate <= limits.false_changes]
        certain.append(levels.only(kept))
    return certain


class _JudgedTrend:
    """`places` are those of the values that are judged, `logs` their logarithms."""

    def __init__(self, trend: Trend, places: NDArray[np.intp]) -> None:
        self.trend = trend
        self.places = places
        self.logs = np.log([trend.points[place].value.value for place in places])
        self.probability: float | None = None

    def enter_changes(self, levels: Levels) -> None:
        self.trend.changes = [
            ChangePoint(
                at=int(self.places[cut]), verdict=_direction(ratio.value, self.trend.better), ratio=ratio
            )
            for cut, ratio in zip(levels.cuts, levels.ratio_quantities(), strict=True)
        ]

    def judge_latest(self, levels: Levels, tail: Tail) -> None:
        """The last value against the others of its level, as a further one of them.

        Where noise has a tail, a level of many values has had some as far out: those are usual.
        """
        level = self.logs[levels.cuts[-1] if levels.cuts else 0 :]
        earlier = level[:-1]
        if len(earlier) < FEWEST - 1:
            return
        usual = float(np.median(earlier))
        apart = float(level[-1]) - usual
        spread = spread_of(earlier - earlier.mean(), levels.coefficient, 1)
        error = spread * math.sqrt(1.0 + variance_of_mean(len(earlier), levels.coefficient))
        is_farthest = bool(np.all(np.sign(apart) * (earlier - usual) < abs(apart)))
        self.trend.latest_ratio = factor(apart)
        self.probability = tail.probability(apart / error, len(earlier) - 1) if is_farthest else 1.0


def _enter_latest(judged: Sequence[_JudgedTrend], limits: Thresholds) -> None:
    """Which of the latest values stand out among all; one of zero always does."""
    known = [one for one in judged if one.probability is not None]
    rates = adjusted([one.probability for one in known if one.probability is not None])
    for one, rate in zip(known, rates, strict=True):
        ratio = one.trend.latest_ratio or 1.0
        matters = abs(math.log(ratio)) >= math.log1p(limits.min_change)
        stands_out = matters and rate <= limits.false_changes
        one.trend.latest = _direction(ratio, one.trend.better) if stands_out else "usual"
    for trend in (one.trend for one in judged):
        if trend.points[-1].value.value <= 0:
            trend.latest, trend.latest_ratio = _direction(0.0, trend.better), 0.0


def _direction(ratio: float, better: Better) -> Literal["better", "worse", "changed"]:
    if better == "neither":
        return "changed"
    return "better" if (ratio > 1) == (better == "higher") else "worse"
