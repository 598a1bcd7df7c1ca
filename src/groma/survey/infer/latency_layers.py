"""Layers of the latencies between cores, measured by the survey or read from a file
(docs/inference-layers.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from groma.record.quantity import Quantity
from groma.record.record import Advice
from groma.stats.matrix_layers import matrix_layers
from groma.stats.quantities import median_quantity
from groma.stats.resolution import RESOLVED_STEPS
from groma.survey.infer.slow_cores import SlowCores, slow_cores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from groma.survey.infer.latency_matrix import Core

    Matrix = NDArray[np.float64]
    Indexes = NDArray[np.intp]

METHOD = "median over the pairs of the layer"
_COARSE_METHOD = METHOD + "; the interval holds half a step of the clock on either side"
_STEP_METHOD = "largest step of which nearly all latencies are multiples"
_COARSE = 0.1
"""Of the least latency: a finer step hides no layer."""


class LatencyLayers(NamedTuple):
    """The layers in a symmetric matrix of latencies (ns; NaN where none was measured).

    Each of `layers`, and `disturbed`, holds pairs as rows of two indexes into `cores`; `groups` of a layer
    are the cores that reach each other at its latency or faster; `step` (ns) is that of a coarse clock, or 0.
    `disturbed` has the pairs of the `slow` cores as well, if these are not just far away.
    """

    cores: Sequence[Core]
    latency: Matrix
    layers: list[Indexes]
    groups: list[list[list[int]]]
    disturbed: Indexes
    step: float
    slow: SlowCores

    def named(self, pairs: Indexes) -> list[tuple[Core, Core]]:
        """Pairs by the names of their cores."""
        return [(self.cores[one], self.cores[other]) for one, other in pairs.tolist()]

    def named_groups(self, layer: int) -> list[list[Core]]:
        """The groups of a layer by the names of their cores."""
        return [[self.cores[i] for i in group] for group in self.groups[layer]]

    def latency_of(self, pairs: Indexes) -> Quantity:
        """That of a layer, in ns."""
        found = median_quantity(self.latency[tuple(pairs.T)], "ns", METHOD)
        return _widened(found, self.step) if self.step else found

    def clock_step(self) -> Quantity | None:
        """A step of a few multiples is known to a few hundredths of it. None where the clock is fine."""
        if not self.step:
            return None
        low, high = 0.9 * self.step, 1.1 * self.step
        return Quantity(value=self.step, unit="ns", low=low, high=high, confidence=0.0, method=_STEP_METHOD)


def latency_layers(cores: Sequence[Core], latency: Matrix) -> LatencyLayers:
    """The layers of a matrix. ValueError where it holds no latency."""
    slow = slow_cores(latency)
    counted = np.where(slow.cells, np.nan, latency)
    found = matrix_layers(counted)
    ends = np.argwhere(np.triu(np.isfinite(counted), 1))
    coarse = found.step >= _COARSE * float(np.nanmin(latency))
    return LatencyLayers(
        cores=cores,
        latency=latency,
        layers=[ends[layer] for layer in found.layers],
        groups=found.groups,
        disturbed=np.concatenate([ends[found.disturbed], np.argwhere(np.triu(slow.cells, 1))]),
        step=found.step if coarse else 0.0,
        slow=slow,
    )


def _widened(found: Quantity, step: float) -> Quantity:
    return msgspec.structs.replace(
        found, low=max(found.low - step / 2, 0.0), high=found.high + step / 2, method=_COARSE_METHOD
    )


# ---- findings ----------------------------------------------------------------------------------------------


def findings(found: LatencyLayers) -> Iterator[Advice]:
    """What a reader must know before the layers are used."""
    single = len(found.disturbed) - np.count_nonzero(found.slow.cells) // 2
    if single:
        pairs = len(found.disturbed) + sum(map(len, found.layers))
        are = "is" if single == 1 else "are"
        yield Advice(
            code="core_to_core.disturbed",
            what=f"{single} of {pairs} pairs {are} far slower than their neighbourhood "
            f"and {are} in no layer: something else ran on these cores meanwhile",
            next="measure again on a quiet machine; in a guest, pin the virtual cores",
        )
    if found.step:
        yield Advice(
            code="core_to_core.coarse_clock",
            what=f"the latencies are multiples of about {found.step:.2g} ns: "
            f"smaller differences than {RESOLVED_STEPS * found.step:.2g} ns are not resolved",
            next="measure more round trips for each sample, or use a clock with a finer step",
        )
    yield from _slow_cores(found.cores, found.slow)


def _slow_cores(cores: Sequence[Core], slow: SlowCores) -> Iterator[Advice]:
    found = {
        "slow with every other core": slow.everywhere,
        "slow with every core but the nearest one": slow.beyond_nearest,
    }
    for what, those in found.items():
        if those.any():
            without = " (these pairs are in no layer)" if (slow.cells & those).any() else ""
            yield Advice(
                code="core_to_core.slow_core",
                what=f"{what}{without}: " + ", ".join(str(cores[i]) for i in np.flatnonzero(those).tolist()),
                next="check whether something else runs there, and its clock frequency",
            )
