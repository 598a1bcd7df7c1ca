"""Whether caches explain a latency curve, or something simpler does: noise, or a smooth law.

Caches, and every smooth law, say what each point should be. What they leave over is compared as noise of one
and the same kind, in logarithms, on the curve as it was recorded. Each side pays for the numbers that it
fitted, so that a staircase does not win by having many stairs. Caches are claimed only where they explain the
curve better than the best of their rivals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from groma.stats.autoregression import noise_evidence
from groma.survey.infer.brackets import crossing
from groma.survey.infer.knees import KNEE_COST, TOLERANCE, point_evidence
from groma.survey.infer.smooth import smooth_laws

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.survey.infer.cleaning import CleanCurve
    from groma.survey.infer.knees import Decomposition
    from groma.survey.infer.levels import Interpretation
    from groma.survey.infer.smooth import SmoothLaw

    Array = NDArray[np.float64]

Kind = Literal["caches", "flat", "smooth", "noise"]

_ODDS = 7.0
_FEWEST = 8.0
"""Log-odds of caches before the curve is seen: 0 with `_FEWEST` points, one more with each, at most `_ODDS`.

Set with simulated curves: without them one in a hundred machines, on grids of powers of two where plateaus
melt, is taken for a smooth law. Eight points of noise rise like stairs too often to be given any."""

_CLIMB = math.log(1.25)
"""Rise of a smooth law below which the curve is as good as flat: that of a TLB step."""

_CLEAR = 4.0
"""How many times its usual deviation a smooth law must climb to be distinguished from noise."""

LEAST = 0.5
"""Probability below which a level is not reported."""

_FOOT = 0.1
"""Part of its rise that a level has climbed where the plateau before it ends."""

_FINEST = 8
"""Sizes per octave beyond which neighbours are taken together. A random walk has a step at each size, so on a
fine grid it would follow the stairs of any caches."""

_ROUNDING = 1e-6  # of a size on the border of a cell

_SIGMA = 1.4826  # standard deviation over median absolute deviation of normal noise


@dataclass(frozen=True)
class Verdict:
    """What explains the curve best, and for each interpreted level the probability that it is there."""

    kind: Kind
    of_levels: tuple[float, ...]


def verdict(seen: CleanCurve, interpretation: Interpretation, decomposition: Decomposition) -> Verdict:
    """What explains a curve whose likeliest interpretation is that of `decomposition`.

    Small working sets are often measured well where large ones scatter, so the curve is judged up to the end
    of the plateau behind each level as well as in whole. A level is there as surely as in the part that says
    most for it.
    """
    points = _Points.of(seen)
    whole, rival = _judged(points, seen, interpretation, decomposition, math.inf)
    inner = [
        -math.inf if end is None else _judged(points, seen, interpretation, decomposition, end)[0]
        for end in _inner_ends(seen, interpretation, points)
    ]
    choice = math.log(1 + len(inner))  # of a part pays for its being one of several
    of_parts = [*(_probability(margin - choice) for margin in inner), _probability(whole)]
    of_levels = tuple(max(of_parts[level:]) for level in range(len(interpretation.levels)))
    if of_levels and of_levels[0] >= LEAST:
        return Verdict("caches", of_levels)
    return Verdict(_rival_kind(points, rival), of_levels)


def _inner_ends(seen: CleanCurve, interpretation: Interpretation, points: _Points) -> list[float | None]:
    """Where (log2 bytes) the part for each level but the last ends: as the next one begins to rise.

    None for a part of too few points.
    """
    ends = [crossing(seen.log2_size, seen.relative, level, _FOOT) for level in interpretation.levels[1:]]
    return [end if (points.log2_size < end).sum() >= _FEWEST else None for end in ends]


def _judged(
    points: _Points,
    seen: CleanCurve,
    interpretation: Interpretation,
    decomposition: Decomposition,
    end: float,
) -> tuple[float, SmoothLaw]:
    """Log-odds of caches against the best of their rivals up to `end` (log2 bytes), and that rival."""
    points = points.up_to(end)
    rivals = smooth_laws(points.log2_size, points.log_latency, points.weight)
    left_over = [points.log_latency - law.log_latency for law in rivals]
    found = noise_evidence(np.array([points.beside_caches(seen, decomposition), *left_over]), points.weight)
    evidence = found.log_evidence - points.cost_of_number * np.array([1, *(law.parameters for law in rivals)])
    best = int(np.argmax(evidence[1:]))
    knees = sum(knee.log2_size < end for knee in decomposition.knees)
    plausibility = interpretation.score + decomposition.cost
    odds = min(max(float(points.weight.sum()) - _FEWEST, 0.0), _ODDS)
    margin = float(evidence[0] - evidence[1 + best]) + plausibility + odds - KNEE_COST * knees
    return margin, rivals[best]


def _probability(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(log_odds, -500.0)))


@dataclass(frozen=True)
class _Points:
    """The curve as it was recorded, on a grid of at most `_FINEST` sizes per octave."""

    log2_size: Array
    log_latency: Array
    weight: Array

    @classmethod
    def of(cls, seen: CleanCurve) -> _Points:
        log2_size = np.log2(seen.curve.size_bytes)
        log_latency = np.log((seen.curve.latency + seen.curve.baseline) / seen.scale)
        near = np.floor(log2_size * _FINEST + _ROUNDING)
        cells = np.split(np.arange(len(near)), np.flatnonzero(np.diff(near)) + 1)
        log2_size = np.array([log2_size[cell].mean() for cell in cells])
        log_latency = np.array([np.median(log_latency[cell]) for cell in cells])
        return cls(log2_size, log_latency, point_evidence(log2_size))

    def up_to(self, end: float) -> _Points:
        """Those below `end` (log2 bytes)."""
        kept = self.log2_size < end
        return _Points(self.log2_size[kept], self.log_latency[kept], self.weight[kept])

    @property
    def cost_of_number(self) -> float:
        """Of each number fitted (Bayesian information criterion)."""
        return 0.5 * math.log(float(self.weight.sum()))

    def beside_caches(self, seen: CleanCurve, decomposition: Decomposition) -> Array:
        """What a decomposition leaves over; it was fitted below the noise, so its level is free."""
        fitted = np.interp(self.log2_size, seen.log2_size, decomposition.fitted)
        left_over = self.log_latency - np.log(fitted)
        return np.asarray(left_over - np.median(left_over))


def _rival_kind(points: _Points, law: SmoothLaw) -> Kind:
    deviation = _SIGMA * float(np.median(np.abs(points.log_latency - law.log_latency)))
    if law.rise > max(_CLIMB, _CLEAR * deviation):
        return "smooth"
    around = points.log_latency - np.median(points.log_latency)
    return "flat" if _SIGMA * float(np.median(np.abs(around))) <= TOLERANCE else "noise"
