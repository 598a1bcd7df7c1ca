"""What links allow to messages under an interconnect, however unfairly messages share them.

The mean bandwidth over the ranks says little of an interconnect whose nodes are in another order: messages of
all distances then share links by chance. Every ratio is near 1, as under a crossbar or wide uplinks. But some
messages are then several times slower than others between the same nodes, though their links would be theirs
alone, and some links would carry more than they can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.interconnect.sharing import link_loads, shifted
from groma.survey.infer.network.shares import share_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from groma.interconnect.base import Interconnect
    from groma.survey.infer.network.sweeps import Pattern

    Values = NDArray[np.float64]

FULL = 1.0 - 1e-9
"""Of the link of a node: a message with this share has all links on its way for itself."""
LEAST = 0.3
"""Shares of less say nothing: a library may leave links idle for so long."""
_MEDIAN = 1.57
"""The variance of a median over that of a mean of normal values."""
_TO_DEVIATION = 1.4826


class Speeds(NamedTuple):
    """By distance (rows) and rank: logarithms of typical bandwidths, and the variances of these.

    Distance 1 is the first.
    """

    distances: list[int]
    typical: Values
    variance: Values


def speeds_of_ranks(found: Mapping[int, Pattern], nodes: int, chosen: frozenset[int]) -> Speeds | None:
    """At distance 1 and those in `chosen`, where they name every rank; None without distance 1."""
    known = {
        d: np.log(one.speeds)
        for d, one in found.items()
        if (d == 1 or d in chosen) and one.speeds is not None and one.ranks == list(range(nodes))
    }
    if 1 not in known:
        return None
    return Speeds(
        list(known),
        np.array([np.median(one, axis=0) for one in known.values()]),
        np.array([_variance(one) for one in known.values()]),
    )


def _variance(logarithms: Values) -> Values:
    """Of the median of each column."""
    deviations = np.abs(logarithms - np.median(logarithms, axis=0))
    spread: Values = _TO_DEVIATION * np.median(deviations, axis=0)
    return _MEDIAN * spread**2 / len(logarithms)


class Bounds(NamedTuple):
    """By distance (rows): what is left to each message (by sender) where all others on its links get the
    whole of a node's link, and the mean square by which links carry more than they can.
    """

    left: Values
    overload: Values


def bounds_of(interconnect: Interconnect, speeds: Speeds) -> Bounds:
    """Squares are of natural logarithms."""
    unit = float(np.exp(speeds.typical[0]).mean()) / float(share_at(interconnect, 1).sent.mean())
    found = [
        _at_distance(interconnect, d, np.roll(np.exp(typical) / unit, -d))
        for d, typical in zip(speeds.distances, speeds.typical, strict=True)
    ]
    return Bounds(np.array([left for left, _ in found]), np.array([overload for _, overload in found]))


def _at_distance(interconnect: Interconnect, distance: int, sent: Values) -> tuple[Values, float]:
    flows = [interconnect.route(*pair) for pair in shifted(interconnect.nodes, distance)]
    loads = link_loads(flows)
    shared = [link for link, load in loads.items() if load > 1]
    left = [min(interconnect.capacity(link) - loads[link] + 1 for link in flow) for flow in flows]
    carried = dict.fromkeys(shared, 0.0)
    for flow, speed in zip(flows, sent.tolist(), strict=True):
        for link in flow:
            if link in carried:
                carried[link] += speed
    over = [max(0.0, float(np.log(carried[link] / interconnect.capacity(link)))) for link in shared]
    return np.maximum(np.array(left, dtype=np.float64), 0.0), float(np.mean(np.square(over))) if over else 0.0


def shortfall(bounds: Bounds, speeds: Speeds, waits: str) -> Values:
    """By distance: the mean square by which messages fall below what is left to them.

    It is relative to what their nodes reach at any distance; what repetitions scatter by is subtracted.
    """
    shares = _of_ranks(bounds.left, speeds.distances, waits)
    is_known, is_alone = shares >= LEAST, shares >= FULL
    counts = is_known.sum(axis=1)
    below = speeds.typical - _reached(speeds, is_known, waits)
    if is_alone.any():
        below -= np.median(below[is_alone])
    below -= np.log(np.maximum(shares, LEAST))
    squares = np.where(is_known & (is_alone | (below < 0.0)), below**2 - speeds.variance, 0.0)
    found: Values = np.maximum(squares.sum(axis=1) / np.maximum(counts, 1), 0.0)
    return found


def unfairness(interconnect: Interconnect, speeds: Speeds, waits: str) -> Values:
    """By distance: the mean square by which the ranks are apart from max-min fair shares, as above."""
    fair = np.log([share_at(interconnect, d).of_ranks(waits) for d in speeds.distances])
    left = speeds.typical - fair
    left -= left.mean(axis=1, keepdims=True)
    found: Values = np.maximum((left**2 - speeds.variance).mean(axis=1), 0.0)
    return found


def _of_ranks(sent: Values, distances: list[int], waits: str) -> Values:
    received = np.array([np.roll(one, d) for one, d in zip(sent, distances, strict=True)])
    return received if waits == "receive" else np.minimum(sent, received)


def _reached(speeds: Speeds, is_known: NDArray[np.bool_], waits: str) -> Values:
    """For each known message what its slowest node reaches with some other of them; 0 for the rest."""
    nodes = speeds.typical.shape[1]
    ranks, distances = np.arange(nodes)[None, :], np.array(speeds.distances)[:, None]
    known = np.where(is_known, speeds.typical, -np.inf)
    reached = np.full_like(known, np.inf)
    for step in (0, -1) if waits == "receive" else (0, -1, 1):
        node = (ranks + step * distances) % nodes
        best = np.full(nodes, -np.inf)
        np.maximum.at(best, node, known)
        reached = np.minimum(reached, best[node])
    return np.where(is_known, reached, 0.0)
