"""The node that is slow at every distance, where nodes are too few to tell why (docs/network/distance.md).

Distances of few nodes are few: that their slow ranks have one node in common may be chance, so no part is
named. But a user who knows the network can tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.survey.infer.network.node_speeds import LEAST_FACTOR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Values = NDArray[np.float64]

FEWEST_DISTANCES = 2
FEWEST_NODES, MOST_NODES = 4, 8
"""Of more nodes, a part that is slow does not go unnamed by want of distances."""
USUAL = 0.75
"""Quantile of the ranks."""


class Suspect(NamedTuple):
    """What a node sends, receives or both (`does`), over what is usual at a distance: the best of them."""

    node: int
    does: str
    speed: float


def suspect_of(speeds: Mapping[int, Values]) -> Suspect | None:
    """From bandwidths by distance, of repetitions (rows) and ranks; None without one single suspect."""
    nodes = min((one.shape[1] for one in speeds.values()), default=0)
    if len(speeds) < FEWEST_DISTANCES or not FEWEST_NODES <= nodes <= MOST_NODES:
        return None
    received = np.array([_relative(one) for one in speeds.values()])
    sent = np.array([np.roll(row, -d) for d, row in zip(speeds, received, strict=True)])
    slow = {"receives": _always_slow(received), "sends": _always_slow(sent)}
    (node, *others) = sorted({one for some in slow.values() for one in some}) or [-1]
    if node < 0 or others:
        return None
    does = [name for name, some in slow.items() if node in some]
    best = max(float((received if name == "receives" else sent)[:, node].max()) for name in does)
    return Suspect(node, " and ".join(does), best)


def _relative(speeds: Values) -> Values:
    """Typical bandwidths over the usual one; a slow node slows half of the ranks, where they are four."""
    typical = np.median(speeds, axis=0)
    found: Values = typical / np.quantile(typical, USUAL)
    return found


def _always_slow(relative: Values) -> set[int]:
    return set(np.flatnonzero((relative < 1.0 / LEAST_FACTOR).all(axis=0)).tolist())
