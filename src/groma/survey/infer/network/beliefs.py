"""How well a structure explains what was measured, in natural logarithms of likelihood.

Bandwidth over distance: ratios deviate from the expected ones by MODEL_ERROR and by their own intervals; a
structure that nobody thought of may give any ratio from 1 to the number of nodes. Latencies of pairs: base,
an effect of each node on all of its pairs, and a step for each hop; what the hops explain of the rest counts,
less what describing who lies where costs (Rissanen's description length; Schwarz's criterion for the step).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.survey.infer.network.structures import WAITS, expected_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.record import Quantity
    from groma.survey.infer.network.structures import Structure

    Matrix = NDArray[np.float64]

MODEL_ERROR = 0.1
"""Relative: real networks and libraries keep to fair shares about this well."""

EXCHANGE_ERROR = 0.5
"""Where bulk data of both directions share a connection, some libraries halve the bandwidth."""

LEAST_SCATTER = 0.01
"""Relative: smaller differences between latencies are no structure."""


class Ratio(NamedTuple):
    """The measured ratio of a distance; `exchange` where each node sends to the one that it receives from."""

    distance: int
    measured: Quantity
    exchange: bool


def of_ratios(structure: Structure, ratios: Sequence[Ratio]) -> float:
    """Log likelihood ratio of a structure against any ratio at all."""
    anything = math.log(structure.nodes) + 2 * MODEL_ERROR
    return max(sum(_density(structure, one, waits) + math.log(anything) for one in ratios) for waits in WAITS)


def _density(structure: Structure, ratio: Ratio, waits: str) -> float:
    """Logarithm of the density of the measured ratio, on a logarithmic axis."""
    measured = ratio.measured
    own = math.log(measured.high / measured.low) / 4.0
    scatter = math.hypot(EXCHANGE_ERROR if ratio.exchange else MODEL_ERROR, own)
    deviation = math.log(measured.value / expected_ratio(structure, ratio.distance, waits)) / scatter
    return -0.5 * deviation**2 - math.log(scatter * math.sqrt(2 * math.pi))


class PairFit(NamedTuple):
    """Log likelihood ratio against no structure, and the step of a hop in units of the typical latency."""

    gain: float
    step: float


def of_latencies(hops: Matrix, latencies: Matrix) -> PairFit:
    """What `hops` explain of a symmetric matrix of latencies (s), NaN where a pair was not measured.

    A gain of 0 for hops that are all alike, or that would make messages faster.
    """
    pairs = _measured(latencies)
    rest = without_nodes(latencies)
    steps = _less_node_effects(pairs, hops[pairs[:, 0], pairs[:, 1]], len(hops))
    freedom = len(pairs) - len(hops)
    power = float(steps @ steps)
    if freedom < 2 or power < 1e-9:
        return PairFit(0.0, 0.0)
    step = float(rest @ steps) / power
    if step <= 0:
        return PairFit(0.0, step)
    floor = len(pairs) * LEAST_SCATTER**2
    before, after = float(rest @ rest) + floor, float(((rest - step * steps) ** 2).sum()) + floor
    return PairFit(0.5 * freedom * math.log(before / after) - 0.5 * math.log(freedom), step)


def without_nodes(latencies: Matrix) -> NDArray[np.float64]:
    """Of each measured pair: latency over the median, less the effects of its two nodes on all of theirs."""
    pairs = _measured(latencies)
    times = latencies[pairs[:, 0], pairs[:, 1]]
    return _less_node_effects(pairs, times / np.median(times), len(latencies)) if len(times) else times


def _measured(latencies: Matrix) -> NDArray[np.intp]:
    pairs: NDArray[np.intp] = np.argwhere(np.triu(np.isfinite(latencies), 1))
    return pairs


def _less_node_effects(
    pairs: NDArray[np.intp], values: NDArray[np.float64], nodes: int
) -> NDArray[np.float64]:
    """What a least-squares fit of one effect for each node leaves of values of pairs."""
    design = np.zeros((len(pairs), nodes))
    rows = np.arange(len(pairs))
    design[rows, pairs[:, 0]] = design[rows, pairs[:, 1]] = 1.0
    effects, *_ = np.linalg.lstsq(design, values, rcond=None)
    left: NDArray[np.float64] = values - design @ effects
    return left
