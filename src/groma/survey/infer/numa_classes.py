"""Distance classes of places: which reads cost alike, relative to reading one's own memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groma.record import Quantity
from groma.stats.layers import layers_of
from groma.stats.quantities import median_quantity
from groma.survey.infer.numa_cells import Cell, Cells, ratio_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_GAP = 1.15
"""Neighbouring classes differ by less than layers of latency do: prefetching hides a part of the distance."""

_FEWEST_FOR_AN_INTERVAL = 6
_INTEGERS_PER_READ = 16
_INTEGER_BYTES = 4


@dataclass(frozen=True)
class DistanceClass:
    """`ratio` is time over that of local reads. `declared` are the distances that the system gives them."""

    ratio: Quantity
    time: Quantity
    cells: tuple[Cell, ...]
    declared: tuple[float, ...]

    @property
    def is_local(self) -> bool:
        return all(owner == reader for owner, reader in self.cells)

    @property
    def holds_local(self) -> bool:
        return any(owner == reader for owner, reader in self.cells)


def distance_classes(times: Cells, declared: Mapping[Cell, float]) -> list[DistanceClass]:
    """Classes of cells, the nearest first; empty where no place's own read was timed."""
    local = {owner: time for (owner, reader), time in times.items() if owner == reader}
    if not local:
        return []
    typical = _typical(list(local.values()))
    cells = list(times)
    # A place's own read is compared with the others' own reads, or all of them would be 1 by definition.
    ratios = [
        ratio_of(times[cell], typical if cell[0] == cell[1] else local.get(cell[1], typical))
        for cell in cells
    ]
    return [
        _class([cells[i] for i in members], [ratios[i] for i in members], times, declared)
        for members in layers_of(cells, ratios, gap=_GAP)
    ]


def class_facts(classes: Sequence[DistanceClass], block_bytes: int | None) -> list[dict[str, Any]]:
    """As they stand in the profile."""
    names = _names(classes)
    return [
        {
            "name": name,
            "ratio": one.ratio,
            "time": one.time,
            **_per_line(one.time, block_bytes),
            "declared_distance": list(one.declared),
            "pairs": [list(cell) for cell in one.cells],
        }
        for name, one in zip(names, classes, strict=True)
    ]


def _typical(times: Sequence[Quantity]) -> Quantity:
    """The entry in the middle, so that its interval stays true."""
    ordered = sorted(times, key=lambda time: time.value)
    return ordered[(len(ordered) - 1) // 2]


def _class(
    cells: Sequence[Cell], ratios: Sequence[Quantity], times: Cells, declared: Mapping[Cell, float]
) -> DistanceClass:
    return DistanceClass(
        ratio=_over(ratios, "ratio"),
        time=_over([times[cell] for cell in cells], "s"),
        cells=tuple(sorted(cells)),
        declared=tuple(sorted({declared[cell] for cell in cells if cell in declared})),
    )


def _over(quantities: Sequence[Quantity], unit: str) -> Quantity:
    """The median over the pairs; of a few pairs the middle one, whose own interval says more."""
    if len(quantities) < _FEWEST_FOR_AN_INTERVAL:
        return _typical(quantities)
    return median_quantity([one.value for one in quantities], unit, "median over the pairs of the class")


def _names(classes: Sequence[DistanceClass]) -> list[str]:
    remote = sum(not one.holds_local for one in classes)
    names: list[str] = []
    for one in classes:
        if one.holds_local:
            names.append("local" if one.is_local else "local and remote")
        else:
            number = sum(name.startswith("remote") for name in names) + 1
            names.append("remote" if remote == 1 else f"remote {number}")
    return names


def _per_line(time: Quantity, block_bytes: int | None) -> dict[str, Quantity]:
    if not block_bytes:
        return {}
    lines = block_bytes / (_INTEGERS_PER_READ * _INTEGER_BYTES)
    return {
        "time_per_line": Quantity(
            value=time.value / lines,
            unit="s",
            low=time.low / lines,
            high=time.high / lines,
            confidence=time.confidence,
            method="time of the block over its lines",
        )
    }
