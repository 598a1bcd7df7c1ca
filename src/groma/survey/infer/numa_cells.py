"""Quantities of the NUMA experiments by pair of places; the pieces that facts and findings are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from groma.facts.matrices import Entry, is_large, sparse_matrix
from groma.record import Quantity
from groma.stats.quantities import quantile_quantities
from groma.survey.infer.selection import matching

if TYPE_CHECKING:
    from groma.facts.matrices import SparseMatrix
    from groma.record import ProbeSamples

Cell = tuple[int, int]
"""Owner and reader, by the ids of their places."""

Cells = Mapping[Cell, Quantity]
Matrix = list[list[Quantity | None]]

READ_METHOD = "median over the rounds of the time to read every 16th integer of a block"
RATIO_METHOD = "time over that of the reader's own block"


def cells_of(samples: ProbeSamples | None, ends: tuple[str, str], **labels: object) -> dict[Cell, Quantity]:
    """The matching cases that have samples; `ends` are the labels that name the owner and the other place."""
    if samples is None:
        return {}
    owner, other = ends
    found = [((case[owner], case[other]), values) for case, values in matching(samples, **labels) if values]
    times = quantile_quantities([values for _, values in found], "s", READ_METHOD, 0.5)
    return {cell: time for (cell, _), time in zip(found, times, strict=True)}


class Touching(NamedTuple):
    """A way to allocate: its cases have these labels. `together`: all cores at once."""

    measure: str
    pages: str
    together: bool

    @property
    def method(self) -> str:
        cores = "all cores at once" if self.together else "one core alone"
        return f"median over the rounds, {self.measure.replace('_', ' ')}, {self.pages} pages, {cores}"


def touched(samples: ProbeSamples | None, places: Sequence[int], touching: Touching) -> list[Quantity | None]:
    """The cases of a way in the order of `places`; empty where none was sampled."""
    if samples is None:
        return []
    cases = matching(samples, **touching._asdict())
    sampled = [(case["place"], values) for case, values in cases if values]
    times = quantile_quantities([values for _, values in sampled], "s", touching.method, 0.5)
    found = {place: time for (place, _), time in zip(sampled, times, strict=True)}
    return [found.get(place) for place in places] if found else []


def matrix_of(cells: Cells, places: Sequence[int]) -> Matrix:
    """Rows are owners; empty where nothing was measured, and where there are too many places."""
    if not cells or is_large(len(places)):
        return []
    return [[cells.get((owner, reader)) for reader in places] for owner in places]


def sparse_of(cells: Mapping[str, Cells], places: Sequence[int]) -> dict[str, SparseMatrix]:
    """The matrices of many places by their names; none where these are few."""
    if not is_large(len(places)):
        return {}
    index = {place: i for i, place in enumerate(places)}
    return {
        name: sparse_matrix([Entry(index[o], index[r], time) for (o, r), time in some.items()])
        for name, some in cells.items()
        if some
    }


def ratio_of(time: Quantity, reference: Quantity) -> Quantity:
    """Both intervals hold at once with at least the sum of their confidences less one (Bonferroni)."""
    return Quantity(
        value=time.value / reference.value,
        unit="ratio",
        low=time.low / reference.high,
        high=time.high / reference.low,
        confidence=max(0.0, time.confidence + reference.confidence - 1.0),
        method=RATIO_METHOD,
    )
