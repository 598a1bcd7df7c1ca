"""Distance classes of places: which reads cost alike, relative to reading one's own memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.survey import DistanceClass
from groma.record import Quantity
from groma.stats.layers import layers_of
from groma.stats.quantities import median_quantity
from groma.survey.infer.numa_cells import Cell, Cells, ratio_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_GAP = 1.15
"""Neighbouring classes differ by less than layers of latency do: prefetching hides a part of the distance."""

_FEWEST_FOR_AN_INTERVAL = 6
LINE_BYTES = 64
"""Every 16th integer of four bytes is read."""


def distance_classes(
    times: Cells,
    declared: Mapping[Cell, float],
    block_bytes: int | None = None,
    *,
    node_of: Mapping[int, int],
) -> list[DistanceClass]:
    """Classes of cells, the nearest first; empty where no place's own read was timed. `node_of` tells which
    places have one memory.
    """
    found = ratios_of(times)
    if not found:
        return []
    cells, ratios = list(found), list(found.values())
    classes = layers_of(cells, ratios, gap=_GAP)
    names = _names([[node_of[cells[i][0]] == node_of[cells[i][1]] for i in members] for members in classes])
    return [
        DistanceClass(
            name=name,
            ratio=over_pairs([ratios[i] for i in members], "ratio"),
            pairs=sorted(cells[i] for i in members),
            time=(time := over_pairs([times[cells[i]] for i in members], "s")),
            time_per_line=_per_line(time, block_bytes),
            declared_distance=sorted({declared[cells[i]] for i in members if cells[i] in declared}),
        )
        for name, members in zip(names, classes, strict=True)
    ]


def ratios_of(times: Cells) -> dict[Cell, Quantity]:
    """Time of each cell over the reader's own; empty where no place's own read was timed."""
    local = {owner: time for (owner, reader), time in times.items() if owner == reader}
    if not local:
        return {}
    typical = _typical(list(local.values()))
    # A place's own read is compared with the others' own reads, or all of them would be 1 by definition.
    return {
        cell: ratio_of(time, typical if is_own(cell) else local.get(cell[1], typical))
        for cell, time in times.items()
    }


def is_own(cell: Cell) -> bool:
    return cell[0] == cell[1]


def _typical(times: Sequence[Quantity]) -> Quantity:
    """The entry in the middle, so that its interval stays true."""
    ordered = sorted(times, key=lambda time: time.value)
    return ordered[(len(ordered) - 1) // 2]


def over_pairs(quantities: Sequence[Quantity], unit: str) -> Quantity:
    """The median over the pairs; of a few pairs the middle one, whose own interval says more."""
    if len(quantities) < _FEWEST_FOR_AN_INTERVAL:
        return _typical(quantities)
    return median_quantity([one.value for one in quantities], unit, "median over the pairs of the class")


def _names(classes: Sequence[Sequence[bool]]) -> list[str]:
    """By whether each cell is within one memory: local ones are. Remote ones are numbered where there are
    several, and so are those that hold both.
    """
    remote = sum(not any(within) for within in classes)
    both = len(classes) - remote - sum(all(within) for within in classes)
    names: list[str] = []
    for within in classes:
        if all(within):
            names.append("local" if "local" not in names else f"local {len(names) + 1}")
        elif any(within):
            number = 1 + sum(name.startswith("local and") for name in names)
            names.append("local and remote" if both == 1 else f"local and remote {number}")
        else:
            number = 1 + sum(name.startswith("remote") for name in names)
            names.append("remote" if remote == 1 else f"remote {number}")
    return names


def _per_line(time: Quantity, block_bytes: int | None) -> Quantity | None:
    if not block_bytes:
        return None
    lines = block_bytes / LINE_BYTES
    return Quantity(
        value=time.value / lines,
        unit="s",
        low=time.low / lines,
        high=time.high / lines,
        confidence=time.confidence,
        method="time of the block over its lines",
    )
