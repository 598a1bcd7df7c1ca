"""Laws that a latency curve may follow where there is no cache: flat, a line, a power, a slow saturation.

A cache ends abruptly and has a plateau on either side. What grows at an even pace, in the size, in its
logarithm or from point to point, is described by one of these laws with two to four numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_POWERS = (0.15, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
_PACES = (1.0, 2.0, 3.0, 5.0)
_PLACES_PER_OCTAVE = 2
_WIDTHS = (1.44, 2.5, 4.0)
"""Octaves of a logistic rise of latency; the first is 1 / (1 + capacity / size), and a tenth to nine tenths
take four times as many. Caches rise within two octaves."""

_LOG_WIDTHS = (1.0, 1.5, 2.5, 4.0)
"""The same for the logarithm of latency, in which a high rise looks steeper at its foot."""

_REWEIGHTINGS = 4
_ROBUST_FLOOR = 1e-4
_RIDGE = 1e-9
_TOLERANCE = 0.05  # relative deviation beyond which a point counts as one that another law may meet better


@dataclass(frozen=True)
class SmoothLaw:
    """The best member of a family, at every point of a curve.

    `parameters` is how many numbers were chosen to fit it.
    """

    name: str
    parameters: int
    log_latency: Array

    @property
    def rise(self) -> float:
        """Climb from the first to the last point, as a natural logarithm."""
        return float(self.log_latency[-1] - self.log_latency[0])


@dataclass(frozen=True)
class _Family:
    """Members are rows of `columns` (members, points, columns), linear in latency or in its logarithm."""

    name: str
    parameters: int
    columns: Array
    logarithmic: bool


def smooth_laws(log2_size: Array, log_latency: Array, weight: Array) -> list[SmoothLaw]:
    """The best member of every family; `weight` says how much evidence each point is."""
    found = (_best(family, log_latency, weight) for family in _families(log2_size))
    return [law for law in found if law is not None]


def _families(log2_size: Array) -> Iterator[_Family]:
    octaves = log2_size - log2_size[-1]
    index = np.linspace(0.0, 1.0, len(log2_size))
    yield from _polynomials(log2_size)
    # A first point that stands alone is no plateau.
    yield _family("first apart", 2, [(index == 0.0).astype(np.float64)], logarithmic=True)
    yield _family("logarithm", 3, [octaves])
    yield _family("power", 3, [2.0 ** (power * octaves) for power in _POWERS])
    yield _family("line over points", 3, [index])
    yield _family("saturation over points", 3, [np.exp(-pace * index) for pace in _PACES])
    places = np.arange(log2_size[0], log2_size[-1] + 2.0, 1.0 / _PLACES_PER_OCTAVE)
    yield _family("saturation", 3, [-np.expm1(-(2.0 ** (log2_size - at))) for at in places])
    for width in _WIDTHS:
        yield _family("logistic", 3, [_logistic(log2_size, at, width) for at in places])
    for width in _LOG_WIDTHS:
        yield _family(
            "logistic of logarithm", 4, [_logistic(log2_size, at, width) for at in places], logarithmic=True
        )


def _polynomials(log2_size: Array) -> Iterator[_Family]:
    """Of the logarithms; the first two are flat and a power of the size."""
    centred = 2.0 * (log2_size - log2_size[0]) / (log2_size[-1] - log2_size[0]) - 1.0
    for degree in range(4):
        columns = np.stack([centred**k for k in range(degree + 1)], axis=1)[None]
        yield _Family(f"polynomial {degree}", degree + 1, columns, logarithmic=True)


def _logistic(log2_size: Array, at: float, width: float) -> Array:
    return np.asarray(1.0 / (1.0 + np.exp(-(log2_size - at) / width)))


def _family(name: str, parameters: int, shapes: list[Array], *, logarithmic: bool = False) -> _Family:
    """A constant and a multiple of one of the shapes."""
    rows = np.array(shapes)
    return _Family(name, parameters, np.stack([np.ones_like(rows), rows], axis=2), logarithmic)


def _best(family: _Family, log_latency: Array, weight: Array) -> SmoothLaw | None:
    """The member that meets most points; None where every one falls below zero."""
    if family.logarithmic:
        fitted = _fitted(family.columns, log_latency, weight)
    else:
        fitted = _log_of(_relative_fit(family.columns, log_latency, weight))
    deviation = np.log1p(((fitted - log_latency) / _TOLERANCE) ** 2) @ weight
    best = int(np.argmin(np.where(np.isfinite(deviation), deviation, np.inf)))
    if not np.isfinite(deviation[best]):
        return None
    return SmoothLaw(family.name, family.parameters, fitted[best])


def _relative_fit(columns: Array, log_latency: Array, weight: Array) -> Array:
    """Latency of each member, fitted to the least relative deviation."""
    latency = np.exp(log_latency)
    return _fitted(columns / latency[:, None], np.ones(len(latency)), weight) * latency


def _log_of(latency: Array) -> Array:
    positive = (latency > 0.0).all(axis=1, keepdims=True)
    return np.where(positive, np.log(np.where(latency > 0.0, latency, 1.0)), np.nan)


def _fitted(columns: Array, target: Array, weight: Array) -> Array:
    """Every member at its points: least squares, reweighted so that outliers hardly count."""
    fitted = np.empty(columns.shape[:2])
    robust = np.broadcast_to(weight, columns.shape[:2])
    for _ in range(_REWEIGHTINGS):
        weighted = columns * robust[:, :, None]
        normal = np.einsum("mni,mnj->mij", weighted, columns)
        normal += _RIDGE * np.trace(normal, axis1=1, axis2=2)[:, None, None] * np.eye(columns.shape[2])
        heights = np.linalg.solve(normal, np.einsum("mni,n->mi", weighted, target)[:, :, None])
        fitted = (columns @ heights)[:, :, 0]
        robust = weight * _robustness(target - fitted)
    return fitted


def _robustness(deviation: Array) -> Array:
    """Weights of Student's t with three degrees of freedom around the usual deviation."""
    scale = 1.5 * np.median(np.abs(deviation), axis=1, keepdims=True) + _ROBUST_FLOOR
    return np.asarray(1.0 / (1.0 + (deviation / scale) ** 2 / 3.0))
