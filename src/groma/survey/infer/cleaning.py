"""What is left of a latency curve when disturbance is taken off: latency cannot fall as the size grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.survey.infer.curve import Curve

    Array = NDArray[np.float64]

_LAST_OCTAVES = 0.5
_DISTURBED = 1.2
"""Recorded latency over what a larger size allows, beyond which a point was disturbed and not just noisy."""


@dataclass(frozen=True)
class CleanCurve:
    """Points of a curve whose latencies never fall.

    `kept` are their indexes in the curve, `relative` is latency (with its baseline) over that of the smallest
    size, `scale`; `cut` points were left out at the end.
    """

    curve: Curve
    kept: NDArray[np.intp]
    log2_size: Array
    relative: Array
    scale: float
    cut: int

    @classmethod
    def of(cls, curve: Curve) -> CleanCurve:
        """Noise mostly adds, so each point is lowered to the least latency of any larger size.

        That cannot repair the end of the curve, where points that jump up are dropped, and it would let one
        point that is too low (a wrong reading) flatten the plateau before it, so it is dropped as well.
        """
        absolute = curve.latency + curve.baseline
        kept = np.flatnonzero(~_too_low(absolute))
        sensible = _end_of_sense(np.log2(curve.size_bytes[kept]), absolute[kept])
        kept, cut = kept[:sensible], len(kept) - sensible
        latency = np.minimum.accumulate(absolute[kept][::-1])[::-1]
        return cls(curve, kept, np.log2(curve.size_bytes[kept]), latency / latency[0], float(latency[0]), cut)

    @property
    def lowered(self) -> NDArray[np.bool_]:
        """Points that were disturbed: of their true latency, only an upper bound is known."""
        absolute = self.curve.latency[self.kept] + self.curve.baseline
        disturbed: NDArray[np.bool_] = absolute > _DISTURBED * self.scale * self.relative
        return disturbed

    def recorded(self, relative: float) -> float:
        """A relative latency as the recording tool would have given it."""
        return max(relative * self.scale - self.curve.baseline, 0.0)

    def points_between(self, low: float, high: float) -> NDArray[np.intp]:
        """Indexes into the kept points whose log2 size lies within the two bounds."""
        return np.flatnonzero((self.log2_size >= low - 1e-9) & (self.log2_size <= high + 1e-9))


def _end_of_sense(log2_size: Array, latency: Array) -> int:
    """Number of points before a jump up from a plateau within the last half octave, or all of them.

    Another level would need more room to be seen; it is a disturbance that no larger size contradicts.
    """
    for i in range(len(latency) - 1, 7, -1):
        if log2_size[i] < log2_size[-1] - _LAST_OCTAVES:
            break
        if latency[i:].min() > 1.3 * latency[i - 1] and latency[i - 1] < 1.1 * latency[i - 2]:
            return i
    return len(latency)


def _too_low(latency: Array) -> NDArray[np.bool_]:
    """Points a quarter below both neighbours on either side."""
    low = np.zeros(len(latency), dtype=bool)
    for i in range(2, len(latency) - 2):
        around = min(latency[i - 2], latency[i - 1], latency[i + 1], latency[i + 2])
        low[i] = latency[i] < 0.75 * around
    return low
