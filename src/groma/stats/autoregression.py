"""How well residuals are explained as autocorrelated noise whose spread is not known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_SCALES = np.geomspace(0.01, 3.0, 18)
"""Spreads of relative noise, from what rounding leaves to a factor of twenty."""

_COEFFICIENTS = (0.0, 0.4, 0.7, 0.9, 1.0)
"""From independent noise to a random walk."""

_DRIFTING = 0.8
"""Coefficient from which noise drifts rather than scatters. Outliers of independent noise are common, so its
tails are heavy (Student's t with three degrees of freedom). A drift with heavy tails would be a staircase."""

_LEAST_START = 0.15
"""The first point of a walk may lie anywhere; this much of it counts, so that a walk pays for where it is."""

_SIDE = 3
"""Fewest points on either side of a change of the spread."""

_CHANGE_COST = 2.0
"""Log-likelihood that a change of the spread must win beside its place, which is chosen from all points."""

_T_CONSTANT = math.lgamma(2.0) - math.lgamma(1.5) - 0.5 * math.log(3.0 * math.pi)
_NORMAL_CONSTANT = -0.5 * math.log(2.0 * math.pi)


@dataclass(frozen=True)
class NoiseEvidence:
    """`log_evidence` and the autoregressive `coefficient` that reaches it, one of each per row."""

    log_evidence: Array
    coefficient: Array


def noise_evidence(residuals: Array, weight: Array) -> NoiseEvidence:
    """Log-probability of each row of `residuals` as first-order autoregressive noise.

    The spread is marginalised over its logarithm and may change once along the row, as timings of small and
    large working sets scatter differently. `weight` (0 to 1) says how much evidence each point is.
    """
    by_coefficient = np.array([_log_evidence(residuals, weight, phi) for phi in _COEFFICIENTS])
    best = by_coefficient.argmax(axis=0)
    return NoiseEvidence(by_coefficient.max(axis=0), np.array(_COEFFICIENTS)[best])


def _log_evidence(residuals: Array, weight: Array, coefficient: float) -> Array:
    innovations = residuals.copy()
    innovations[:, 1:] -= coefficient * residuals[:, :-1]
    innovations[:, 0] *= max(math.sqrt(1.0 - coefficient**2), _LEAST_START)
    density = _log_normal if coefficient >= _DRIFTING else _log_student
    scaled = innovations[:, None, :] / _SCALES[:, None]
    until = np.cumsum(weight * (density(scaled) - np.log(_SCALES)[:, None]), axis=2)
    return _with_one_change(until, weight)


def _with_one_change(until: Array, weight: Array) -> Array:
    """The better of one spread for all points and two, from log-likelihoods summed up to each point."""
    whole = until[:, :, -1:]
    one = _marginal(whole)[:, 0]
    first = until[:, :, _SIDE - 1 : -_SIDE]
    if first.shape[2] == 0:
        return one
    two = (_marginal(first) + _marginal(whole - first)).max(axis=1)
    changed = two - _CHANGE_COST - 0.5 * math.log(float(weight.sum()))
    return np.asarray(np.maximum(one, changed), dtype=np.float64)


def _marginal(by_scale: Array) -> Array:
    """Mean likelihood over the scales (axis 1), as a logarithm."""
    highest = by_scale.max(axis=1, keepdims=True)
    mean: Array = np.log(np.exp(by_scale - highest).mean(axis=1)) + highest[:, 0]
    return mean


def _log_student(t: Array) -> Array:
    return np.asarray(_T_CONSTANT - 2.0 * np.log1p(t * t / 3.0), dtype=np.float64)


def _log_normal(t: Array) -> Array:
    return np.asarray(_NORMAL_CONSTANT - 0.5 * t * t, dtype=np.float64)
