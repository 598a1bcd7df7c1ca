"""Layers, groups and structure from recorded latencies of pairs (docs/inference-layers.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from groma.record.quantity import Quantity
from groma.record.record import Advice
from groma.stats.matrix_layers import matrix_layers
from groma.stats.quantities import median_quantity
from groma.stats.resolution import RESOLVED_STEPS
from groma.survey.infer.matrix_file import matrix_of, read_rows
from groma.survey.infer.network.topology import structure_of
from groma.survey.infer.pair_file import are_pairs, pairs_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from groma.facts.network import NetworkTopology
    from groma.survey.infer.matrix_file import Core, LatencyMatrix
    from groma.survey.infer.pair_file import RecordedPairs

    Matrix = NDArray[np.float64]

METHOD = "median over the pairs of the layer"
COARSE = "; the interval holds half a step of the clock on either side"
STEP_METHOD = "largest step of which nearly all latencies are multiples"
CURVE_METHOD = "median over the pairs of the layer"
NS = 1e-9
_COARSE = 0.1
"""Of the least latency: a finer step hides no layer."""
_SLOW_CORE = 1.5
_FEWEST_CORES = 6


@dataclass(frozen=True)
class Layer:
    """`pairs` of ends that cost alike; `groups` are the ends that reach each other at this latency or faster.

    `curve` are times (ns) by bytes, where more than one size was recorded.
    """

    latency: Quantity
    pairs: list[tuple[Core, Core]]
    groups: list[list[Core]]
    curve: list[tuple[int, Quantity]]


@dataclass(frozen=True)
class PairInference:
    """`disturbed` pairs are in no layer; `clock_step` is that of a coarse clock."""

    ends: list[Core]
    layers: list[Layer]
    disturbed: list[tuple[Core, Core]]
    clock_step: Quantity | None
    structure: NetworkTopology | None
    warnings: list[Advice]


def read_latencies(path: Path) -> LatencyMatrix:
    """The matrix in a file that holds a matrix, or a row for each pair of cores."""
    rows = read_rows(path)
    return pairs_of(rows, path).matrix if are_pairs(rows) else matrix_of(rows, path)


def infer_matrix(matrix: LatencyMatrix) -> PairInference:
    """Layers and groups of the cores of a matrix."""
    return _inferred(matrix, {}, None)


def infer_pairs(recorded: RecordedPairs) -> PairInference:
    """Layers of the smallest messages with their curves, groups, and the likely structure of all ends."""
    names = [str(end) for end in recorded.matrix.cores]
    times = recorded.times if len(recorded.times) > 1 else {}
    return _inferred(recorded.matrix, times, structure_of(names, recorded.matrix.latency * NS))


def _inferred(
    matrix: LatencyMatrix,
    times: Mapping[int, Mapping[tuple[int, int], float]],
    structure: NetworkTopology | None,
) -> PairInference:
    found = matrix_layers(matrix.latency)
    coarse = found.step if found.step >= _COARSE * float(np.nanmin(matrix.latency)) else 0.0
    ends = np.argwhere(np.triu(np.isfinite(matrix.latency), 1))
    cores = matrix.cores

    def named(pairs: NDArray[np.intp]) -> list[tuple[Core, Core]]:
        return [(cores[one], cores[other]) for one, other in ends[pairs].tolist()]

    layers = [
        Layer(
            latency=_latency(matrix.latency[tuple(ends[pairs].T)], coarse),
            pairs=named(pairs),
            groups=[[cores[i] for i in group] for group in groups],
            curve=list(_curve(ends[pairs], times)),
        )
        for pairs, groups in zip(found.layers, found.groups, strict=True)
    ]
    step = _step(coarse)
    warnings = [*matrix.warnings, *_findings(matrix, len(found.disturbed), len(ends), step)]
    return PairInference(cores, layers, named(found.disturbed), step, structure, warnings)


def _latency(values: Matrix, step: float) -> Quantity:
    found = median_quantity(values, "ns", METHOD)
    if not step:
        return found
    return msgspec.structs.replace(
        found, low=max(found.low - step / 2, 0.0), high=found.high + step / 2, method=METHOD + COARSE
    )


def _step(step: float) -> Quantity | None:
    """A step of a few multiples is known to a few hundredths of it."""
    if not step:
        return None
    return Quantity(
        value=step, unit="ns", low=0.9 * step, high=1.1 * step, confidence=0.0, method=STEP_METHOD
    )


def _curve(
    pairs: NDArray[np.intp], times: Mapping[int, Mapping[tuple[int, int], float]]
) -> Iterator[tuple[int, Quantity]]:
    for size in sorted(times):
        values = [times[size][one, other] for one, other in pairs.tolist() if (one, other) in times[size]]
        if values:
            yield size, median_quantity(values, "ns", CURVE_METHOD)


# ---- findings ----------------------------------------------------------------------------------------------


def _findings(matrix: LatencyMatrix, disturbed: int, pairs: int, step: Quantity | None) -> Iterator[Advice]:
    if disturbed:
        yield Advice(
            code="core_to_core.disturbed",
            what=f"{disturbed} of {pairs} pairs are far slower than their neighbourhood and are in no layer: "
            "something else ran on these cores meanwhile",
            next="record the matrix again on a quiet machine; in a guest, pin the virtual cores",
        )
    if step is not None:
        yield Advice(
            code="core_to_core.coarse_clock",
            what=f"the latencies are multiples of about {step.value:.2g} ns: "
            f"smaller differences than {RESOLVED_STEPS * step.value:.2g} ns are not resolved",
            next="record more round trips for each sample, or use a clock with a finer step",
        )
    yield from _slow_cores(matrix)


def _slow_cores(matrix: LatencyMatrix) -> Iterator[Advice]:
    """Cores that are slow with everybody, few enough to be an oddity."""
    if len(matrix.cores) < _FEWEST_CORES:
        return
    fastest = np.nanmin(matrix.latency, axis=1, initial=np.inf)
    usual = _SLOW_CORE * float(np.nanmedian(matrix.latency))
    slow = [
        core
        for core, least in zip(matrix.cores, fastest, strict=True)
        if np.isfinite(least) and least > usual
    ]
    if slow and len(slow) <= max(1, len(matrix.cores) // 10):
        yield Advice(
            code="core_to_core.slow_core",
            what="slow with every other core: " + ", ".join(map(str, slow)),
            next="check whether something else runs there, and its clock frequency",
        )


# ---- as JSON -----------------------------------------------------------------------------------------------


def answer(found: PairInference, ends: str = "cores") -> dict[str, Any]:
    """The inference as JSON-able values; `ends` is what the ends are called."""
    told: dict[str, Any] = {
        ends: found.ends,
        "layers": [_layer(layer) for layer in found.layers],
        "disturbed": [list(pair) for pair in found.disturbed],
        "clock_step": msgspec.to_builtins(found.clock_step),
        "warnings": [msgspec.to_builtins(warning) for warning in found.warnings],
    }
    if found.structure is not None:
        told["structure"] = msgspec.to_builtins(found.structure)
    return told


def _layer(layer: Layer) -> dict[str, Any]:
    told: dict[str, Any] = {
        "latency": msgspec.to_builtins(layer.latency),
        "pairs": [list(pair) for pair in layer.pairs],
        "groups": layer.groups,
    }
    if layer.curve:
        told["curve"] = [{"bytes": size, "time": msgspec.to_builtins(time)} for size, time in layer.curve]
    return told
