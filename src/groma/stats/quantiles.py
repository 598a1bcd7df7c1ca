"""Quantiles of samples and the summary every quantity carries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groma.record.quantity import SampleSummary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

LOW_QUANTILE = 0.05
"""Estimates a latency where noise only adds; the minimum itself is bimodal over physical pages."""


def quantile(samples: Sequence[float] | NDArray[np.float64], q: float) -> float:
    """The `q` quantile (0 to 1) by linear interpolation between order statistics; ValueError when empty."""
    if len(samples) == 0:
        raise ValueError("a quantile needs at least one sample")
    return float(np.quantile(np.asarray(samples, dtype=np.float64), q))


def summarize(samples: Sequence[float] | NDArray[np.float64]) -> SampleSummary:
    """Count, minimum, 5th, 50th and 95th percentile in the samples' own unit; ValueError when empty."""
    if len(samples) == 0:
        raise ValueError("a summary needs at least one sample")
    values = np.asarray(samples, dtype=np.float64)
    p5, p50, p95 = np.quantile(values, [0.05, 0.5, 0.95])
    return SampleSummary(n=len(values), min=float(values.min()), p5=float(p5), p50=float(p50), p95=float(p95))


def quantiles(groups: Sequence[Sequence[float] | NDArray[np.float64]], q: float) -> NDArray[np.float64]:
    """The `q` quantile of each group; ValueError where one is empty."""
    found = np.empty(len(groups))
    for indexes, rows in by_size(groups):
        if rows.shape[1] == 0:
            raise ValueError("a quantile needs at least one sample")
        found[indexes] = np.quantile(rows, q, axis=1)
    return found


def by_size(
    groups: Sequence[Sequence[float] | NDArray[np.float64]],
) -> Iterator[tuple[list[int], NDArray[np.float64]]]:
    """The groups of each size as rows of one array, with their indexes: one operation for many small ones."""
    indexes: dict[int, list[int]] = {}
    for index, group in enumerate(groups):
        indexes.setdefault(len(group), []).append(index)
    for same in indexes.values():
        yield same, np.array([groups[index] for index in same], dtype=np.float64)
