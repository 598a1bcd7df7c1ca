"""A NUMA node or a core that is slower than its like, found in the times of all that read it and that it
reads.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from groma.facts.survey import SlowPlace
from groma.record import Quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groma.survey.infer.numa_cells import Cell, Cells

_SLOW = 1.3
"""Times the usual time; distance classes are distinguished from 1.15 on."""

_FEWEST = 4
"""Of three nodes nobody knows which one is usual."""

_MOST_SHARE = 0.25
"""More slow nodes than this are a kind of node and no defect; more slow cores are a kind of core."""

_SPREADS = 6.0
"""Standard deviations of the usual nodes from which one stands out."""

METHOD = "median of the times of its reads over those of like pairs of others"


class _Effect(NamedTuple):
    """How slow a node is (ratios to like pairs): as memory, as reader, and to itself."""

    memory: list[float]
    reader: list[float]
    own: list[float]


def slow_places(
    times: Cells,
    node_of: Mapping[int, int],
    declared: Mapping[Cell, float],
    unit_of: Mapping[int, int] | None = None,
) -> list[SlowPlace]:
    """The slow nodes, by `node_of` each place, or with `unit_of` the slow ones of these units; none where
    there are too few, or too many slow ones.

    Each read is compared with the median of those of the same declared distance. A node stands out if its own
    reads and most of those of one role are slower than those of the other nodes, beyond their spread; if only
    the reads to and from others are, its link is slow.
    """
    unit_of = unit_of or node_of
    units = sorted({unit_of[place] for cell in times for place in cell})
    if len(units) < _FEWEST:
        return []
    effects = _effects(times, unit_of, _usual(times, node_of, declared))
    parts = {
        "memory": _standing_out({unit: _typical(one.memory) for unit, one in effects.items()}),
        "cores": _standing_out({unit: _typical(one.reader) for unit, one in effects.items()}),
    }
    own = _standing_out({unit: _typical(one.own) for unit, one in effects.items()})
    found = [_slow(unit, effects[unit], _part_of(unit, parts, own), unit_of) for unit in units]
    slow = [one for one in found if one is not None]
    return slow if len(slow) <= _MOST_SHARE * len(units) else []


def slow_cores(times: Cells, node_of: Mapping[int, int], declared: Mapping[Cell, float]) -> list[SlowPlace]:
    """Single places that are slow, where several are of one node; those of a slow node are to be left out."""
    if len(set(node_of.values())) == len(node_of):
        return []
    return as_cores(slow_places(times, node_of, declared, {place: place for place in node_of}))


def as_cores(slow: Sequence[SlowPlace]) -> list[SlowPlace]:
    return [replace(one, kind="core") for one in slow]


def without(times: Cells, slow: Sequence[SlowPlace]) -> Cells:
    """The cells that touch no slow place."""
    left_out = {place for one in slow for place in one.places}
    return {cell: time for cell, time in times.items() if left_out.isdisjoint(cell)}


def _effects(times: Cells, unit_of: Mapping[int, int], usual: Mapping[Cell, float]) -> dict[int, _Effect]:
    effects = {unit_of[place]: _Effect([], [], []) for cell in times for place in cell}
    for cell, time in times.items():
        owner, reader = unit_of[cell[0]], unit_of[cell[1]]
        ratio = time.value / usual[cell]
        if owner == reader:
            effects[owner].own.append(ratio)
        else:
            effects[owner].memory.append(ratio)
            effects[reader].reader.append(ratio)
    return effects


def _kind(cell: Cell, node_of: Mapping[int, int], declared: Mapping[Cell, float]) -> tuple[int, float]:
    """Pairs that the system declares alike: a core's own block, those of its node, those of other nodes."""
    far = 0 if cell[0] == cell[1] else 1 if node_of[cell[0]] == node_of[cell[1]] else 2
    return far, declared.get(cell, 0.0)


def _usual(times: Cells, node_of: Mapping[int, int], declared: Mapping[Cell, float]) -> dict[Cell, float]:
    """The median time of the pairs that each pair is like."""
    kind_of = {cell: _kind(cell, node_of, declared) for cell in times}
    by_kind: dict[tuple[int, float], list[float]] = {}
    for cell, time in times.items():
        by_kind.setdefault(kind_of[cell], []).append(time.value)
    medians = {kind: median(values) for kind, values in by_kind.items()}
    return {cell: medians[kind] for cell, kind in kind_of.items()}


def _typical(ratios: Sequence[float]) -> float | None:
    return median(ratios) if ratios else None


def _standing_out(effects: Mapping[int, float | None]) -> set[int]:
    """Those above the middle one by the factor and by the spread of the others."""
    logs = {unit: math.log(effect) for unit, effect in effects.items() if effect}
    if len(logs) < _FEWEST:
        return set()
    middle = median(logs.values())
    # 1.4826: the median absolute deviation of a normal distribution is that part of its standard deviation.
    spread = 1.4826 * median(abs(one - middle) for one in logs.values())
    least = max(math.log(_SLOW), _SPREADS * spread)
    return {unit for unit, one in logs.items() if one - middle > least}


def _part_of(unit: int, parts: Mapping[str, set[int]], own: set[int]) -> str | None:
    roles = [part for part, units in parts.items() if unit in units]
    if unit in own:
        return roles[0] if roles else None
    return "link" if len(roles) == len(parts) else None


def _slow(unit: int, effect: _Effect, part: str | None, unit_of: Mapping[int, int]) -> SlowPlace | None:
    if part is None:
        return None
    ratios = {"memory": effect.memory, "cores": effect.reader, "link": [*effect.memory, *effect.reader]}[part]
    places = sorted(place for place, at in unit_of.items() if at == unit)
    return SlowPlace(number=unit, part=part, ratio=_ratio(ratios), places=places)


def _ratio(ratios: Iterable[float]) -> Quantity:
    """With the quartiles of its pairs as bounds."""
    ordered = sorted(ratios)
    quarter = len(ordered) // 4
    return Quantity(
        value=median(ordered),
        unit="ratio",
        low=ordered[quarter],
        high=ordered[-1 - quarter],
        confidence=0.5,
        method=METHOD,
    )
