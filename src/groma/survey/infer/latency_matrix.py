"""Latencies between cores, one for each pair, from what a file holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from groma.errors import GromaError
from groma.record.counting import counted
from groma.record.record import Advice
from groma.stats.directions import ALIKE, of_both_directions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from groma.stats.directions import OfBothDirections

    Matrix = NDArray[np.float64]

Core = int | str

FEWEST_CORES, MOST_CORES = 2, 4096
_OF_FEW = f"name a file with {FEWEST_CORES} to {MOST_CORES:,} of them"
_LATENCY_NS = (1e-3, 1e9)
_OFTEN = 0.05


@dataclass(frozen=True, eq=False)
class LatencyMatrix:
    """Latencies (ns) between `cores`: symmetric, NaN where none is known."""

    cores: list[Core]
    latency: Matrix
    warnings: tuple[Advice, ...] = ()


def refusal(path: Path, what: str, next_step: str) -> GromaError:
    return GromaError(f"{path}: {what}", next_step)


def refuse_too_many(count: int, path: Path, called: str = "core") -> None:
    """Raises GromaError (exit code 2). Readers ask before they fill a matrix of so many rows and columns."""
    if count > MOST_CORES:
        raise refusal(path, f"has {counted(count, called)}", _OF_FEW)


def symmetric_matrix(
    cores: list[Core], found: Matrix, path: Path, limits: tuple[float, float] = _LATENCY_NS
) -> LatencyMatrix:
    """One value for each pair of cores, from both directions where both are known."""
    if len(cores) < FEWEST_CORES:
        raise refusal(path, f"has {counted(len(cores), 'core')}", _OF_FEW)
    refuse_too_many(len(cores), path)
    np.fill_diagonal(found, np.nan)
    unusable = int((found < 0).sum() + (found > limits[1]).sum())
    usable = np.where((found >= limits[0]) & (found <= limits[1]), found, np.nan)
    both = of_both_directions(usable)
    if not np.isfinite(both.latency).any():
        raise refusal(path, "has no positive latency between two cores", "write latencies in ns")
    return LatencyMatrix(cores, both.latency, tuple(_warnings(cores, usable, unusable, both)))


def _warnings(
    cores: Sequence[Core], found: Matrix, unusable: int, both: OfBothDirections
) -> Iterator[Advice]:
    pairs = len(found) * (len(found) - 1) // 2
    known = int(np.isfinite(both.latency).sum()) // 2
    if unusable:
        yield Advice(
            code="matrix.unusable",
            what=f"{_not_latencies(unusable)} between 0.001 ns and 1 s and {_was(unusable)} left out",
            next="check how the matrix was recorded",
        )
    if known < pairs:
        yield Advice(
            code="matrix.missing",
            what=f"{pairs - known} of {pairs} pairs {'has' if pairs - known == 1 else 'have'} no latency",
            next="measure them as well; layers of few pairs may be missed",
        )
    with np.errstate(invalid="ignore"):
        differ = int((np.triu(found, 1) > ALIKE * np.tril(found, -1).T).sum())
        differ += int((np.triu(found, 1) * ALIKE < np.tril(found, -1).T).sum())
    differ -= len(both.doubtful)
    if differ > _OFTEN * pairs:
        yield Advice(
            code="matrix.asymmetric",
            what=f"{differ} of {pairs} pairs {'differs' if differ == 1 else 'differ'} by more than a quarter "
            "between the directions; the lower latency counts",
            next="record the matrix again on a quiet machine",
        )
    if len(both.doubtful):
        named = ", ".join(f"{cores[one]} with {cores[other]}" for one, other in both.doubtful.tolist())
        yield Advice(
            code="matrix.one_direction",
            what=f"no other pair is as fast as one direction of {named}: the other direction counts",
            next="record the matrix again; a layer is as fast again, and in both directions",
        )


def _not_latencies(cells: int) -> str:
    return f"{counted(cells, 'cell')} {'is not a latency' if cells == 1 else 'are not latencies'}"


def _was(count: int) -> str:
    return "was" if count == 1 else "were"
