"""Rises of a curve that may be caches as well as something else, and how sure they leave levels behind."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from groma.survey.infer.levels import Step, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from groma.survey.infer.levels import Interpretation, Level

    Array = NDArray[np.float64]

BEHIND = 1.25
"""Ratio from which a step behind the last level counts; page tables that leave the caches make lower ones."""

_LEAST_STEP = 1.04
HIGH_STEP = 1.75
"""Ratio from which a step between levels is a cache as often as a TLB, over the simulated machines."""

_MOST_PART = 2.0  # a higher first part says itself where its level ends
_SMALLEST = 13.5  # octaves; smaller working sets show how the list is made
_SHARES = 0.9
"""Octaves between the parts of one rise from which the first may be a cache of its own."""

_ROOM = 5.0
"""Octaves between the rises of two levels that leave room for a cache unseen. In curves of ramlat from 40
kinds of cores, the second level was right in 138 of 144 with less room and no step, in 55 of 105 others."""

_AS_OFTEN_AS_NOT = 0.5

_LARGEST_FIRST = math.log2(192 * 1024)
"""Largest first cache (Apple's cores); those of some machines of the nineties, of 512 KiB, are left out."""

_SMALLEST_FIRST = math.log2(16 * 1024)


def doubtful_steps(interpretation: Interpretation) -> list[Step]:
    """Steps that may be caches, by size: those apart from the levels, and first parts of a level's rise."""
    found = (*_steps_apart(interpretation), *_first_parts(interpretation))
    return sorted(found, key=lambda step: step.log2_size)


def _steps_apart(interpretation: Interpretation) -> Iterator[Step]:
    ends = [level.log2_size for level in interpretation.levels]
    for step in whole(interpretation.steps):
        least = _LEAST_STEP if step.log2_size <= ends[-1] else BEHIND
        apart = min(abs(step.log2_size - end) for end in ends)
        if step.log2_size >= _SMALLEST and step.ratio >= least and apart >= _SHARES:
            yield step


def _first_parts(interpretation: Interpretation) -> Iterator[Step]:
    for level in interpretation.levels[1:]:
        height = level.before
        for inner, outer in pairwise(level.knees):
            part = Step(inner.log2_size, (height + inner.rise) / height, height)
            apart = outer.log2_size - inner.log2_size
            if apart >= _SHARES and _LEAST_STEP <= part.ratio <= _MOST_PART and inner.log2_size >= _SMALLEST:
                yield part
            height += inner.rise


def hidden_before(interpretation: Interpretation, doubtful: Sequence[Step]) -> Level | None:
    """The first level before which a prefetcher may hide a cache: behind a step, or far out."""
    for inner, outer in pairwise(interpretation.levels):
        start, end = inner.knees[-1].log2_size, outer.knees[0].log2_size
        if end - start >= _ROOM or any(start < step.log2_size < end for step in doubtful):
            return outer
    return None


def begins_late(interpretation: Interpretation, smallest: float) -> bool:
    """Whether a curve from `smallest` on (log2 bytes) may begin behind the first cache: one that ends before
    does not show.
    """
    return smallest > _SMALLEST_FIRST and interpretation.levels[0].left_at > _LARGEST_FIRST


def in_place(
    interpretation: Interpretation, doubtful: Sequence[Step], hidden: Level | None, *, late: bool
) -> Array:
    """For each level, the probability that no cache lies unseen before it: it would be one further out.

    A curve that begins `late` counts its levels from the second, but that one may not show either.
    """
    if late:
        return np.full(len(interpretation.levels), _AS_OFTEN_AS_NOT)
    high = [step.log2_size for step in doubtful if step.ratio >= HIGH_STEP]
    unsure = (
        i
        for i, level in enumerate(interpretation.levels)
        if level is hidden or any(at < level.knees[0].log2_size for at in high)
    )
    every = np.arange(len(interpretation.levels))
    return np.where(every < next(unsure, len(every)), 1.0, _AS_OFTEN_AS_NOT)
