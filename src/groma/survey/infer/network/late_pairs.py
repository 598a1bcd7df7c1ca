"""Pairs that are far later than the structure says which explains latencies best.

Before there is a structure, a pair that takes half as long again hides among those of many hops; there, it
shifts fits or makes a group of its own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from groma.survey.infer.network.misfit import fitted
from groma.survey.infer.network.undisturbed import are_late

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.survey.infer.network.likelihoods import Latencies

    Matrix = NDArray[np.float64]

MUCH = 0.05
"""Of the sum of squares that a fit leaves: pairs with less of it decide nothing."""
LATEST = 0.5
"""Of the latest: what is less late may be so because the latest ones shift the fit."""
CLEAR = 3.5
"""Standard deviations."""
FEW = 3.0
"""So many pairs of late pairs meet at a node by chance where none are expected."""


def without_late_pairs(latencies: Latencies, hops: Matrix) -> Latencies | None:
    """The latencies without pairs that are far later than a fit of these hops says; None where no pair is, or
    where they are no disturbances, and where they decide nothing.

    A disturbance strikes any pair. What strikes pairs of the same nodes is a structure.
    """
    if latencies.pairs <= len(latencies.between):
        return None
    rests = fitted(latencies, hops).of_pairs
    late = are_late(rests) & (rests > LATEST * float(rests.max()))
    decides = float((rests[late] ** 2).sum()) > MUCH * float((rests**2).sum())
    return latencies.without(late) if decides and not _are_of_the_same_nodes(latencies, late) else None


def _are_of_the_same_nodes(latencies: Latencies, late: NDArray[np.bool_]) -> bool:
    """Whether late pairs meet at nodes more often than those of any pairs would."""
    nodes, ends = len(latencies.between), (latencies.effects.rows[late], latencies.effects.columns[late])
    of_nodes = np.bincount(np.concatenate(ends), minlength=nodes)
    met = float((of_nodes * (of_nodes - 1)).sum()) / 2.0
    expected = nodes * float(of_nodes.mean()) ** 2 / 2.0
    return met > expected + CLEAR * math.sqrt(expected) + FEW
