"""Time and bandwidth of a layer over message size, with the switch of protocol (docs/network/layers.md)."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.facts.network import CurvePoint, ProtocolSwitch
from groma.record import Quantity
from groma.stats.piecewise import linear_segments
from groma.stats.quantiles import LOW_QUANTILE, quantiles
from groma.stats.quantities import low_quantile_quantity
from groma.stats.resampling import answer_shares, certainty
from groma.stats.spans import quotient
from groma.stats.spread import typical, typical_error
from groma.survey.infer.network.names import CURVE
from groma.survey.infer.selection import matching, times_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from groma.facts.network import CommunicationLayer
    from groma.record import ProbeSamples
    from groma.stats.piecewise import Segment
    from groma.survey.infer.registry import Evidence


TIME_METHOD = "5th percentile of half a round trip"
PAIRS_METHOD = "median over pairs of the 5th percentile of half a round trip"
BANDWIDTH_METHOD = "bytes over time of the longest message"
SWITCH_METHOD = "jump between two segments of a piecewise linear fit; agreement of resamples"
JUMP_METHOD = "time of the size over the extrapolation of the segment below it"

LEAST_NOISE = 0.02
"""Real curves are not quite straight, however little their samples scatter."""
LEAST_JUMP = 1.1
RESAMPLES = 100
SURE = 0.6
"""A switch that fewer resamples show is noise."""


class Jump(NamedTuple):
    """Index of the first size above a switch, and the factor by which the time jumps there."""

    at: int
    factor: float


def add_curve(evidence: Evidence, layer: CommunicationLayer) -> None:
    """Fill curve, bandwidth and switches of a layer, and its latency where no pairs show it."""
    samples = evidence.samples.get(CURVE)
    if samples is None:
        return
    layer.curve = curve_of(samples, layer=layer.name)
    if not layer.curve:
        return
    layer.bandwidth = layer.curve[-1].bandwidth
    layer.switches = switches_of(samples, layer.curve, layer.name)
    if layer.latency is None:
        layer.latency = layer.curve[0].time


def curve_of(samples: ProbeSamples, **labels: object) -> list[CurvePoint]:
    """The points of the matching cases by size; several pairs are represented by their median."""
    by_size: dict[int, list[Quantity]] = {}
    for case, values in matching(samples, **labels):
        times = times_in(values)
        if times:
            of_pair = low_quantile_quantity(times, "s", TIME_METHOD)
            by_size.setdefault(int(case["bytes"]), []).append(of_pair)
    return [_point(size, typical(times, PAIRS_METHOD)) for size, times in sorted(by_size.items())]


def _point(size: int, time: Quantity) -> CurvePoint:
    bandwidth = quotient(size, time).quantity("B/s", BANDWIDTH_METHOD) if size else None
    return CurvePoint(bytes=size, time=time, bandwidth=bandwidth)


def switches_of(samples: ProbeSamples, curve: Sequence[CurvePoint], layer: str) -> list[ProtocolSwitch]:
    """Where the curve jumps up, with the sizes between which it does and how many resamples agree."""
    sizes = [point.bytes for point in curve]
    noise = _noise(curve)
    jumps = _jumps(sizes, np.array([point.time.value for point in curve]), noise)
    if not jumps:
        return []
    groups: dict[int, list[float]] = {}
    for case, values in matching(samples, layer=layer):
        groups.setdefault(int(case["bytes"]), []).extend(times_in(values))
    of_curve = {size: groups[size] for size in sizes}
    shares = _shares_of_jumps(of_curve, noise)
    fewest = min(map(len, of_curve.values()))
    sure = [(one, certainty(shares.get(one.at, 0.0), fewest)) for one in jumps]
    return [_switch(sizes, one, noise, confidence) for one, confidence in sure if confidence >= SURE]


def _noise(curve: Sequence[CurvePoint]) -> float:
    """Relative: what the intervals tell (two standard errors on each side), or the roughness of the curve.

    Neighbouring sizes may differ by more than the samples of each: a buffer that lies badly does not move.
    """
    times = np.array([point.time.value for point in curve])
    bends = np.abs(np.diff(np.log(times), 2)) / math.sqrt(6.0)
    roughness = 1.4826 * float(np.median(bends)) if len(bends) else 0.0
    return max(LEAST_NOISE, typical_error([point.time for point in curve]), roughness)


def _jumps(sizes: Sequence[int], times: NDArray[np.float64], noise: float) -> list[Jump]:
    segments = linear_segments(sizes, times, noise)
    least = max(LEAST_JUMP, 1 + 4 * noise)
    return [
        Jump(above.first, float(times[above.first]) / below.at(sizes[above.first]))
        for below, above in pairwise(segments)
        if _step(below, above, sizes) >= least
    ]


def _step(below: Segment, above: Segment, sizes: Sequence[int]) -> float:
    """By how much the upper segment lies above the lower one, at both of the sizes that it lies between."""
    lower, upper = (
        above.at(size) / below.at(size) if below.at(size) > 0 else 0.0
        for size in (sizes[below.last - 1], sizes[above.first])
    )
    return min(lower, upper)


def _shares_of_jumps(groups: Mapping[int, Sequence[float]], noise: float) -> dict[int, float]:
    """By index of the size: the share of resamples whose curve jumps there."""
    sizes = list(groups)

    def answer(drawn: Mapping[int, NDArray[np.float64]]) -> tuple[int, ...]:
        times = quantiles([drawn[size] for size in sizes], LOW_QUANTILE)
        return tuple(jump.at for jump in _jumps(sizes, times, noise))

    shares: dict[int, float] = {}
    for found, share in answer_shares(groups, answer, rounds=RESAMPLES).items():
        for at in found:
            shares[at] = shares.get(at, 0.0) + share
    return shares


def _switch(sizes: Sequence[int], jump: Jump, noise: float, confidence: float) -> ProtocolSwitch:
    first = float(sizes[jump.at])
    return ProtocolSwitch(
        bytes=Quantity(
            value=first,
            unit="B",
            low=float(sizes[jump.at - 1]),
            high=first,
            confidence=confidence,
            method=SWITCH_METHOD,
        ),
        jump=Quantity(
            value=jump.factor,
            unit="ratio",
            low=jump.factor * (1 - 2 * noise),
            high=jump.factor * (1 + 2 * noise),
            confidence=confidence,
            method=JUMP_METHOD,
        ),
    )
