"""Curves of no machine: noise of many kinds and smooth laws, in which no cache is to be found.

A law maps grid positions to latencies in ns; what is random comes from the generator that it is given.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from groma.survey.infer.curve import Curve, curve_of_samples
from simulated.grids import K, M, article_grid, eighths_grid, power_of_two_grid, quarters_grid

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Law = Callable[[Array, np.random.Generator], Array]

_LEAST_NS = 0.1
_LEVEL_NS = 20.0


# --- noise -------------------------------------------------------------------------------------


def _uniform(low: float, high: float, sizes: Array, random: np.random.Generator) -> Array:
    return random.uniform(low, high, len(sizes))


def _lognormal(sigma: float, sizes: Array, random: np.random.Generator) -> Array:
    return _LEVEL_NS * random.lognormal(0.0, sigma, len(sizes))


def _normal(sizes: Array, random: np.random.Generator) -> Array:
    return random.normal(_LEVEL_NS, 0.2 * _LEVEL_NS, len(sizes))


def _cauchy(sizes: Array, random: np.random.Generator) -> Array:
    return _LEVEL_NS + 0.5 * random.standard_cauchy(len(sizes))


def _autoregressive(phi: float, spread: float, sizes: Array, random: np.random.Generator) -> Array:
    """First-order, stationary, its logarithm normal with standard deviation `spread`."""
    steps = random.normal(0.0, spread * math.sqrt(1.0 - phi * phi), len(sizes))
    state = np.empty(len(sizes))
    last = random.normal(0.0, spread)
    for i, step in enumerate(steps):
        state[i] = last = phi * last + step
    return _LEVEL_NS * np.exp(state)


def _walk(step: float, sizes: Array, random: np.random.Generator) -> Array:
    return _LEVEL_NS * np.exp(np.cumsum(random.normal(0.0, step, len(sizes))))


def _pink(sizes: Array, random: np.random.Generator) -> Array:
    """Noise with a power of 1/f, a standard deviation of half its level."""
    amplitudes = np.fft.rfft(random.normal(size=len(sizes)))
    amplitudes[1:] /= np.sqrt(np.arange(1, len(amplitudes)))
    amplitudes[0] = 0.0
    noise: Array = np.fft.irfft(amplitudes, len(sizes))
    noise /= max(float(noise.std()), 1e-12)
    return np.asarray(_LEVEL_NS * np.exp(0.5 * noise), dtype=np.float64)


def _sine(sizes: Array, random: np.random.Generator) -> Array:
    phase = random.uniform(0.0, 2.0 * math.pi) + np.arange(len(sizes)) * random.uniform(0.1, 2.5)
    return np.asarray(_LEVEL_NS * (1.0 + 0.5 * np.sin(phase)) + random.normal(0.0, 0.2, len(sizes)))


def _sawtooth(sizes: Array, random: np.random.Generator) -> Array:
    phase = (random.uniform() + np.arange(len(sizes)) / random.uniform(3.0, 20.0)) % 1.0
    return _LEVEL_NS * (0.6 + phase) + random.normal(0.0, 0.2, len(sizes))


def _growing(sizes: Array, random: np.random.Generator) -> Array:
    """A flat curve whose noise grows with the size."""
    spread = np.linspace(0.01, 0.8, len(sizes))
    return _LEVEL_NS * np.exp(spread * random.normal(size=len(sizes)))


def _growing_upwards(sizes: Array, random: np.random.Generator) -> Array:
    """As measured on a busy machine: noise adds only, and more where more memory is touched."""
    return _LEVEL_NS * (1.0 + np.linspace(0.0, 4.0, len(sizes)) * random.exponential(size=len(sizes)))


def _whole(sizes: Array, random: np.random.Generator) -> Array:
    """A clock that ticks in whole nanoseconds."""
    return random.integers(1, 8, len(sizes)).astype(np.float64)


def _constant(sizes: Array, random: np.random.Generator) -> Array:
    return np.full(len(sizes), random.uniform(1.0, 100.0))


def _single(factor: float, sizes: Array, random: np.random.Generator) -> Array:
    latency = np.full(len(sizes), _LEVEL_NS)
    latency[random.integers(len(sizes))] *= factor
    return latency


def _outliers(sizes: Array, random: np.random.Generator) -> Array:
    latency = _LEVEL_NS * random.lognormal(0.0, 0.02, len(sizes))
    hit = random.random(len(sizes)) < 0.1
    return np.where(hit, latency * random.uniform(2.0, 20.0, len(sizes)), latency)


def _decreasing(sizes: Array, random: np.random.Generator) -> Array:
    return np.linspace(100.0, 5.0, len(sizes)) * random.lognormal(0.0, 0.1, len(sizes))


def _falling_stairs(sizes: Array, random: np.random.Generator) -> Array:
    stairs = np.repeat([100.0, 30.0, 8.0, 2.0], math.ceil(len(sizes) / 4))[: len(sizes)]
    return np.asarray(stairs * random.lognormal(0.0, 0.02, len(sizes)))


NOISE: dict[str, Law] = {
    "uniform 1 to 100": partial(_uniform, 1.0, 100.0),
    "uniform 4 to 5": partial(_uniform, 4.0, 5.0),
    "normal": _normal,
    **{f"lognormal {sigma:g}": partial(_lognormal, sigma) for sigma in (0.05, 0.2, 0.5, 1.0, 2.0)},
    "Cauchy": _cauchy,
    **{f"autoregressive {phi:g}": partial(_autoregressive, phi, 1.0) for phi in (0.3, 0.6, 0.9, 0.95, 0.99)},
    **{f"random walk {step:g}": partial(_walk, step) for step in (0.05, 0.2, 0.5, 1.0)},
    "1/f": _pink,
    "sine": _sine,
    "sawtooth": _sawtooth,
    "growing with size": _growing,
    "growing upwards": _growing_upwards,
    "whole nanoseconds": _whole,
    "constant": _constant,
    "spike": partial(_single, 10.0),
    "dip": partial(_single, 0.1),
    "flat with outliers": _outliers,
    "decreasing": _decreasing,
    "falling stairs": _falling_stairs,
}
"""By name; the numbers are standard deviations or coefficients of the logarithm of latency."""


# --- smooth laws -------------------------------------------------------------------------------


def _power(exponent: float, octaves: float, sizes: Array) -> Array:
    """A constant and a power of the size that has grown to 2^octaves times that constant at the end."""
    return np.asarray(2.0 + 2.0 ** (octaves + 1.0) * (sizes / sizes[-1]) ** exponent)


def _logarithm(sizes: Array) -> Array:
    return np.asarray(2.0 + 8.0 * np.log2(sizes / sizes[0]))


def _proportional(sizes: Array) -> Array:
    return np.asarray(100.0 * sizes / sizes[-1])


def _linear(sizes: Array) -> Array:
    """From 1 to 100 ns over the index of the size."""
    return np.linspace(1.0, 100.0, len(sizes))


def _saturating(sizes: Array) -> Array:
    return np.asarray(2.0 + 98.0 * (1.0 - np.exp(-sizes / math.sqrt(sizes[0] * sizes[-1]))))


def _saturating_index(sizes: Array) -> Array:
    return np.asarray(2.0 + 98.0 * (1.0 - np.exp(-np.linspace(0.0, 3.0, len(sizes)))))


def _logistic(sizes: Array) -> Array:
    """From a tenth to nine tenths of the rise over four decades."""
    decades = np.log10(sizes / math.sqrt(sizes[0] * sizes[-1]))
    return np.asarray(2.0 + 98.0 / (1.0 + np.exp(-decades * 2.0 * math.log(9.0) / 4.0)))


def _geometric(sizes: Array) -> Array:
    return np.asarray(np.geomspace(1.0, 100.0, len(sizes)))


SMOOTH: dict[str, Callable[[Array], Array]] = {
    "linear": partial(_power, 1.0, 6.0),
    "proportional": _proportional,
    "linear over index": _linear,
    "logarithm": _logarithm,
    "square root": partial(_power, 0.5, 6.0),
    "fifth root": partial(_power, 0.2, 6.0),
    "power 0.75": partial(_power, 0.75, 6.0),
    "quadratic": partial(_power, 2.0, 6.0),
    "geometric": _geometric,
    "saturating": _saturating,
    "saturating over index": _saturating_index,
    "logistic": _logistic,
}


def _geometric_grid(first: int, points: int) -> Array:
    return np.asarray(np.round(np.geomspace(first, 256 * M, points)), dtype=np.float64)


def _linear_grid(last: int, points: int) -> Array:
    return np.asarray(np.round(np.linspace(4 * K, last, points)), dtype=np.float64)


NULL_GRIDS: dict[str, Callable[[], Array]] = {
    "8 powers of two": lambda: power_of_two_grid(4 * K, 512 * K),
    "12 powers of two": lambda: power_of_two_grid(4 * K, 8 * M),
    "20 powers of two": lambda: power_of_two_grid(K, 512 * M),
    "article": article_grid,
    "60 geometric": partial(_geometric_grid, K, 60),
    "quarters": quarters_grid,
    "eighths": eighths_grid,
    "200 geometric": partial(_geometric_grid, 4 * K, 200),
    "60 linear": partial(_linear_grid, 4 * M, 60),
    "1000 linear": partial(_linear_grid, 4000 * K, 1000),
}


def noise_curve(law: Law, sizes: Array, random: np.random.Generator, samples: int = 1) -> Curve:
    """A curve of nothing but noise; of several samples of each size the low quantile counts."""
    drawn = [np.maximum(law(sizes, random), _LEAST_NS) for _ in range(samples)]
    if samples == 1:
        return Curve(size_bytes=sizes, latency=drawn[0])
    return curve_of_samples(sizes.tolist(), np.array(drawn).T.tolist(), "ns")


def smooth_curve(
    law: Callable[[Array], Array], sizes: Array, noise: float, random: np.random.Generator
) -> Curve:
    """A smooth law with relative noise of standard deviation `noise`."""
    return Curve(size_bytes=sizes, latency=law(sizes) * random.lognormal(0.0, noise, len(sizes)))
