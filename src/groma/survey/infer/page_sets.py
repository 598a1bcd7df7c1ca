"""Whether the latency of a level depends on which pages are used: other pages against the same ones again."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.stats.mann_whitney import rank_test
from groma.survey.infer.selection import matching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import ProbeSamples
    from groma.survey.infer.indexing import Step

_FEWEST = 8
"""Samples of each kind at a size, below which their spreads say nothing."""

_SIGNIFICANT = 0.001
_EXCESS = 0.02
"""Part of the step to the next level by which other pages must scatter more than the same ones."""

_FILLED = (0.4, 1.0)
"""Parts of the capacity between which colours overflow by chance, and hold by chance."""


class _Spread(NamedTuple):
    """Distances from the median of the same size, in parts of the level's step."""

    other: list[float]
    same: list[float]


def pages_differ(samples: ProbeSamples | None, steps: Sequence[Step]) -> list[bool | None]:
    """For each level True or False, or None where the samples do not tell."""
    if samples is None:
        return []
    by_size = _by_size(samples)
    return [_differ(_spread(by_size, step)) for step in steps]


def _by_size(samples: ProbeSamples) -> dict[float, dict[str, list[float]]]:
    found: dict[float, dict[str, list[float]]] = defaultdict(dict)
    for case, values in matching(samples, pages="small"):
        if len(values) >= _FEWEST:
            found[float(case["size_bytes"])][str(case.get("set"))] = values
    return {size: kinds for size, kinds in found.items() if {"other", "same"} <= kinds.keys()}


def _spread(by_size: dict[float, dict[str, list[float]]], step: Step) -> _Spread:
    spread = _Spread([], [])
    climb = max(step.after - step.before, 1e-300)
    for size, kinds in by_size.items():
        if _FILLED[0] * step.size <= size <= _FILLED[1] * step.size:
            for kind, into in (("other", spread.other), ("same", spread.same)):
                values = np.asarray(kinds[kind])
                into.extend((np.abs(values - np.median(values)) / climb).tolist())
    return spread


def _differ(spread: _Spread) -> bool | None:
    if len(spread.other) < _FEWEST or len(spread.same) < _FEWEST:
        return None
    other, same = float(np.median(spread.other)), float(np.median(spread.same))
    if rank_test(spread.other, spread.same) < _SIGNIFICANT:
        return True if other > same + _EXCESS else None
    return False if other <= same + _EXCESS / 2.0 and same <= _EXCESS else None
