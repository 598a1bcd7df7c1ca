"""Layers, groups and structure from recorded latencies of pairs (docs/inference-layers.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from groma.stats.quantities import median_quantity
from groma.survey.infer.latency_layers import METHOD, findings, latency_layers
from groma.survey.infer.matrix_file import matrix_of, read_table
from groma.survey.infer.network.topology import structure_of
from groma.survey.infer.pair_columns import are_pairs
from groma.survey.infer.pair_file import pairs_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from groma.facts.network import NetworkTopology
    from groma.record.quantity import Quantity
    from groma.record.record import Advice
    from groma.survey.infer.latency_matrix import Core, LatencyMatrix
    from groma.survey.infer.pair_file import RecordedPairs

NS = 1e-9


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
    recorded = read_table(path)
    if are_pairs(recorded.rows):
        return pairs_of(recorded.rows, path).matrix
    return matrix_of(recorded, path)


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
    found = latency_layers(matrix.cores, matrix.latency)
    layers = [
        Layer(
            latency=found.latency_of(pairs),
            pairs=found.named(pairs),
            groups=found.named_groups(number),
            curve=list(_curve(pairs, times)),
        )
        for number, pairs in enumerate(found.layers)
    ]
    return PairInference(
        ends=matrix.cores,
        layers=layers,
        disturbed=found.named(found.disturbed),
        clock_step=found.clock_step(),
        structure=structure,
        warnings=[*matrix.warnings, *findings(found)],
    )


def _curve(
    pairs: NDArray[np.intp], times: Mapping[int, Mapping[tuple[int, int], float]]
) -> Iterator[tuple[int, Quantity]]:
    for size in sorted(times):
        values = [times[size][one, other] for one, other in pairs.tolist() if (one, other) in times[size]]
        if values:
            yield size, median_quantity(values, "ns", METHOD)


# ---- as JSON -----------------------------------------------------------------------------------------------


def answer(found: PairInference, ends: str = "cores") -> dict[str, Any]:
    """The inference as JSON-able values; `ends` is what the ends are called."""
    reported: dict[str, Any] = {
        ends: found.ends,
        "layers": [_layer(layer) for layer in found.layers],
        "disturbed": [list(pair) for pair in found.disturbed],
        "clock_step": msgspec.to_builtins(found.clock_step),
        "warnings": [msgspec.to_builtins(warning) for warning in found.warnings],
    }
    if found.structure is not None:
        reported["structure"] = msgspec.to_builtins(found.structure)
    return reported


def _layer(layer: Layer) -> dict[str, Any]:
    reported: dict[str, Any] = {
        "latency": msgspec.to_builtins(layer.latency),
        "pairs": [list(pair) for pair in layer.pairs],
        "groups": layer.groups,
    }
    if layer.curve:
        reported["curve"] = [{"bytes": size, "time": msgspec.to_builtins(time)} for size, time in layer.curve]
    return reported
