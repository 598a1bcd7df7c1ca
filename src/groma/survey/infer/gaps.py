"""Caches that may end between two neighbouring sizes of a sparse curve, where nothing shows how many do.

A decomposition has one knee between two sizes: a second one would explain no further point. A second one
contradicts no point either, wherever it lies in the gap and whatever part of the rise it takes. So each way
to split the knee in two is a hypothesis beside the likeliest interpretation. It is scored as every
interpretation is, for each octave and each natural logarithm of latency in which the split may lie. Where a
grid has one size per octave, no gap is wide enough for the ends of two levels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from groma.survey.infer.brackets import CLIMBED, crossing
from groma.survey.infer.knees import Knee
from groma.survey.infer.levels import Level, interpretations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.survey.infer.cleaning import CleanCurve
    from groma.survey.infer.knees import Decomposition
    from groma.survey.infer.levels import Interpretation, Translation

_NARROWEST = 1.3
"""Octaves between two sizes from which the ends of two levels may lie between them."""

_LEAST_RISE = math.log(2.0)
"""Natural logarithm of the latency ratio from which a rise may be that of two levels."""

_CELLS_PER_OCTAVE = 3
_CELLS_OF_LATENCY = 3  # per natural logarithm


@dataclass(frozen=True)
class Gap:
    """Two neighbouring sizes (log2 bytes) and their latencies, relative to that of the smallest size."""

    low: float
    high: float
    near: float
    far: float


@dataclass(frozen=True)
class Split:
    """What the curve shows if two levels end where the decomposition has one knee.

    `weight` is relative to the likeliest interpretation.
    """

    gap: Gap
    interpretation: Interpretation
    weight: float


def splits(
    seen: CleanCurve, best: Interpretation, decomposition: Decomposition, translation: Translation
) -> list[Split]:
    """All ways to split a knee that rises in a gap; `best` is the likeliest interpretation."""
    return [
        Split(gap, one, share * math.exp(one.score - best.score))
        for gap in _gaps(seen)
        for split, knees, share in _decompositions(seen, decomposition, gap)
        for one in interpretations(split, translation)
        if set(knees) <= {level.knees[0] for level in one.levels}
    ]


def weight_outside(found: Sequence[Split], i: int, level: Level, low: float, high: float) -> float:
    """Weight of the splits whose level `i` is not `level` and ends outside of `low` to `high` (bytes)."""
    levels = [(one.interpretation.levels[i], one.weight) for one in found if _has(one, i)]
    return sum(
        weight
        for other, weight in levels
        if other.knees != level.knees and not low <= 2.0**other.left_at <= high
    )


def _has(split: Split, i: int) -> bool:
    return i < len(split.interpretation.levels)


def _gaps(seen: CleanCurve) -> Iterator[Gap]:
    """Those wide and high enough for the ends of two levels."""
    points = zip(seen.log2_size.tolist(), seen.relative.tolist(), strict=True)
    for (low, near), (high, far) in pairwise(points):
        if high - low > _NARROWEST and math.log(far / near) > _LEAST_RISE:
            yield Gap(low, high, near, far)


def _decompositions(
    seen: CleanCurve, decomposition: Decomposition, gap: Gap
) -> Iterator[tuple[Decomposition, tuple[Knee, Knee], float]]:
    """With a knee split in two, those two, and the octaves times logarithms that the split stands for."""
    knees = decomposition.knees
    cells, width = _cells(gap.low, gap.high, _CELLS_PER_OCTAVE)
    for i, (below, above) in enumerate(pairwise(decomposition.plateaus())):
        near, far = max(below, gap.near), min(above, gap.far)
        if far <= near or math.log(far / near) <= _LEAST_RISE:
            continue
        middles, height = _cells(math.log(near), math.log(far), _CELLS_OF_LATENCY)
        for middle in np.exp(middles).tolist():
            risen = Level((Knee(knees[i].log2_size, middle - below),), below, middle, first=i == 0)
            left_at = crossing(seen.log2_size, seen.relative, risen, CLIMBED)
            inners = [left_at] if left_at <= gap.low else cells
            for inner, outer in product(inners, cells):
                two = (Knee(inner, middle - below), Knee(outer, above - middle))
                if inner < outer:
                    split = replace(decomposition, knees=(*knees[:i], *two, *knees[i + 1 :]))
                    yield split, two, width / len(inners) * height


def _cells(low: float, high: float, fineness: int) -> tuple[list[float], float]:
    """The middles of equal cells between two numbers, and the width of one."""
    count = max(math.ceil((high - low) * fineness), 1)
    width = (high - low) / count
    return [low + (i + 0.5) * width for i in range(count)], width
