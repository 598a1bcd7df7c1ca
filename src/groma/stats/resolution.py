"""The step of the clock with which times were taken, and what times differ visibly in spite of it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Values = NDArray[np.float64]

STEPS_APART = 10.0
"""Times below this multiple of the step are as uncertain as those at it: two steps are a factor of 1.2."""

RESOLVED_STEPS = 1.8
"""Steps by which two groups of times must differ to be distinguished: a factor of 1.2 at STEPS_APART."""

_FINEST, _COARSEST = 8.0, 1.3
"""Steps of interest over the least time: averages of a few readings begin at about one step."""

_BINS_PER_LEAST = 96
_FARTHEST = 24.0
_FEWEST_VALUES = 12
_FEWEST_MULTIPLES = 4
_FEWEST_OF_EXACT = 3
"""Multiples of a clock whose readings repeat themselves to the last digit."""
_FEWEST_NEIGHBOURS = 2
_REPEATED, _ON_ONE = 0.5, 4
_ON_STEP = 0.9
_ONE_STEP = 1.4  # beside the true period, others fit a few of its multiples nearly as well
_INSIDE = 0.95
_HALF_WIDTH = 0.2
"""Of a step, around a multiple: averages of a few readings lie a little beside it."""


def clock_step(values: Sequence[float] | Values) -> float:
    """The step of which positive `values` are near multiples (up to a constant), or 0 where there is none.

    The largest one counts. Four multiples must occur, and two of them beside another, so that a few tight
    groups of times do not look like readings of a coarse clock.
    """
    data = np.asarray(values, dtype=np.float64)
    near = data[data <= _FARTHEST * data.min()] if len(data) else data
    if len(near) < _FEWEST_VALUES:
        return 0.0
    found = [step for step in _steps(near) if _is_lattice(near, step)]
    alike = [step for step in found if step >= found[0] / _ONE_STEP]
    return max(alike, key=lambda step: _concentration(near, step), default=0.0)


def _concentration(values: Values, step: float) -> float:
    """Rayleigh's statistic: 1 where all values are multiples of the step, up to a constant."""
    return float(np.abs(np.exp(2j * np.pi * values / step).mean()))


def _steps(values: Values) -> list[float]:
    """Periods at which Rayleigh's statistic peaks, the largest first."""
    width = float(values.min()) / _BINS_PER_LEAST
    histogram = np.bincount(np.floor((values - values.min()) / width).astype(np.intp))
    size = 8 * 2 ** int(np.ceil(np.log2(len(histogram) + 1)))
    spectrum = np.abs(np.fft.rfft(histogram, size)) / len(values)
    frequencies = np.arange(len(spectrum)) / (size * width)
    least = values.min()
    sensible = (frequencies <= _FINEST / least) & (frequencies >= 1.0 / (_COARSEST * least))
    inner = spectrum[1:-1]
    peaks = (inner >= _ON_STEP) & (inner >= spectrum[:-2]) & (inner >= spectrum[2:]) & sensible[1:-1]
    return [float(1.0 / frequencies[at + 1]) for at in np.flatnonzero(peaks)]


def _is_lattice(values: Values, step: float) -> bool:
    phase = np.angle(np.exp(2j * np.pi * values / step).mean()) / (2.0 * np.pi)
    position = values / step - phase
    multiples = np.round(position)
    inside = np.abs(position - multiples) <= _HALF_WIDTH
    occupied, counts = np.unique(multiples[inside], return_counts=True)
    # One tight group fits any step: the others have to fit as well.
    others = inside[multiples != occupied[counts.argmax()]] if len(occupied) else inside[:0]
    beside = sum(upper - lower == 1.0 for lower, upper in pairwise(occupied))
    exact = len(np.unique(values.round(6))) <= min(_REPEATED * len(values), _ON_ONE * len(occupied))
    fewest = _FEWEST_OF_EXACT if exact else _FEWEST_MULTIPLES
    fits = all(some.mean() >= _INSIDE for some in (inside, others) if len(some))
    return bool(fits and len(occupied) >= fewest and beside >= _FEWEST_NEIGHBOURS)


def resolved(values: Values, step: float) -> Values:
    """Positive values in whose ratios only differences show that a clock of this step resolves.

    Far above the step they are proportional to the values; below, they grow by a factor for each step.
    """
    if step <= 0.0:
        return values
    unit = STEPS_APART * step
    return np.where(values < unit, unit * np.exp(np.minimum(values, unit) / unit - 1.0), values)
