"""Matrices of quantities over places or cores: small ones whole, of large ones the measured entries alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from groma.record.quantity import Quantity, SampleSummary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

MOST_WHOLE = 2048
"""Cells of the largest matrix that is stored whole."""

_DIGITS = 6
"""Of the numbers of a sparse matrix: far below any noise."""


class SparseMatrix(msgspec.Struct, kw_only=True):
    """The measured entries of a large matrix: entry i is in row `row[i]` and column `column[i]`, both counted
    from 0.

    All entries have one unit and one method. `low`, `high` and `confidence` are those of a quantity,
    `samples` is the number of samples.
    """

    unit: str
    method: str
    row: list[int]
    column: list[int]
    value: list[float]
    low: list[float]
    high: list[float]
    confidence: list[float]
    samples: list[int]

    def __post_init__(self) -> None:
        entries = len(self.row)
        for one in (self.column, self.value, self.low, self.high, self.confidence, self.samples):
            if len(one) != entries:
                raise ValueError(f"{len(one)} numbers for {entries} entries of a matrix")


class Entry(NamedTuple):
    """A measured entry, by the indices of its row and column."""

    row: int
    column: int
    quantity: Quantity


Matrix = list[list[Quantity | None]]


class WithMatrices(Protocol):
    @property
    def sparse(self) -> Mapping[str, SparseMatrix]: ...


def entries_of(matrix: Sequence[Sequence[Quantity | None]]) -> list[Entry]:
    """The measured entries of a whole matrix."""
    return [
        Entry(i, j, quantity)
        for i, row in enumerate(matrix)
        for j, quantity in enumerate(row)
        if quantity is not None
    ]


def measured_in(facts: WithMatrices, name: str) -> list[Entry]:
    """The measured entries of the matrix `name` of these facts, however it is stored."""
    found = facts.sparse.get(name)
    return list(sparse_entries(found)) if found is not None else entries_of(getattr(facts, name, ()))


def sparse_entries(sparse: SparseMatrix) -> Iterator[Entry]:
    bounds = zip(sparse.value, sparse.low, sparse.high, sparse.confidence, sparse.samples, strict=True)
    for row, column, (value, low, high, confidence, samples) in zip(
        sparse.row, sparse.column, bounds, strict=True
    ):
        quantity = Quantity(
            value=value,
            unit=sparse.unit,
            low=low,
            high=high,
            confidence=confidence,
            method=sparse.method,
            samples=SampleSummary(n=samples, min=low, p5=low, p50=value, p95=high) if samples else None,
        )
        yield Entry(row, column, quantity)


def is_large(rows: int) -> bool:
    return rows * rows > MOST_WHOLE


def stored(matrix: Matrix) -> tuple[Matrix, SparseMatrix | None]:
    """A whole matrix as facts hold it: itself, or the sparse one in its place."""
    entries = entries_of(matrix) if is_large(len(matrix)) else []
    return ([], sparse_matrix(entries)) if entries else (matrix, None)


def whole_matrix(entries: Iterable[Entry], rows: int) -> Matrix:
    """A square matrix; None where nothing was measured."""
    matrix: Matrix = [[None] * rows for _ in range(rows)]
    for row, column, quantity in entries:
        matrix[row][column] = quantity
    return matrix


def sparse_matrix(entries: Sequence[Entry]) -> SparseMatrix:
    """In the order of rows and columns; ValueError without entries."""
    if not entries:
        raise ValueError("a sparse matrix needs an entry")
    ordered = sorted(entries, key=lambda entry: (entry.row, entry.column))
    quantities = [entry.quantity for entry in ordered]
    return SparseMatrix(
        unit=quantities[0].unit,
        method=quantities[0].method,
        row=[entry.row for entry in ordered],
        column=[entry.column for entry in ordered],
        value=[_short(one.value) for one in quantities],
        low=[_short(one.low) for one in quantities],
        high=[_short(one.high) for one in quantities],
        confidence=[round(one.confidence, 4) for one in quantities],
        samples=[one.samples.n if one.samples else 0 for one in quantities],
    )


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
