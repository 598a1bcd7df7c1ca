"""A NUMA node that is slower than its like, found in the times of all that read it and that it reads."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

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
"""More slow nodes than this are a kind of node and no defect."""

_SPREADS = 6.0
"""Standard deviations of the usual nodes from which one stands out."""

METHOD = "median of the times of its reads over those of like pairs of other nodes"


class _Effect(NamedTuple):
    """How slow a node is (ratios to like pairs): as memory, as reader, and to itself."""

    memory: list[float]
    reader: list[float]
    own: float | None


def slow_places(times: Cells, node_of: Mapping[int, int], declared: Mapping[Cell, float]) -> list[SlowPlace]:
    """The slow nodes, by `node_of` each place; none where there are too few nodes, or too many slow ones.

    Each read is compared with the median of those of the same declared distance. A node stands out if its own
    reads and most of those of one role are slower than those of the other nodes, beyond their spread; if only
    the reads to and from others are, its link is slow.
    """
    nodes = sorted({node_of[place] for cell in times for place in cell})
    if len(nodes) < _FEWEST:
        return []
    effects = _effects(times, node_of, declared, nodes)
    parts = {
        "memory": _standing_out({node: _typical(one.memory) for node, one in effects.items()}),
        "cores": _standing_out({node: _typical(one.reader) for node, one in effects.items()}),
    }
    own = _standing_out({node: one.own for node, one in effects.items()})
    found = [_slow(node, effects[node], _part_of(node, parts, own), node_of) for node in nodes]
    slow = [one for one in found if one is not None]
    return slow if len(slow) <= _MOST_SHARE * len(nodes) else []


def without(times: Cells, slow: Sequence[SlowPlace]) -> Cells:
    """The cells that touch no slow node."""
    left_out = {place for one in slow for place in one.places}
    return {cell: time for cell, time in times.items() if left_out.isdisjoint(cell)}


def _effects(
    times: Cells, node_of: Mapping[int, int], declared: Mapping[Cell, float], nodes: Sequence[int]
) -> dict[int, _Effect]:
    usual = _usual(times, node_of, declared)
    as_memory: dict[int, list[float]] = {node: [] for node in nodes}
    as_reader: dict[int, list[float]] = {node: [] for node in nodes}
    to_itself: dict[int, list[float]] = {node: [] for node in nodes}
    for cell, time in times.items():
        owner, reader = node_of[cell[0]], node_of[cell[1]]
        ratio = time.value / usual[_kind(cell, node_of, declared)]
        if owner == reader:
            to_itself[owner].append(ratio)
        else:
            as_memory[owner].append(ratio)
            as_reader[reader].append(ratio)
    return {node: _Effect(as_memory[node], as_reader[node], _typical(to_itself[node])) for node in nodes}


def _kind(cell: Cell, node_of: Mapping[int, int], declared: Mapping[Cell, float]) -> tuple[int, float]:
    """Pairs that the system declares alike: a core's own block, those of its node, those of other nodes."""
    far = 0 if cell[0] == cell[1] else 1 if node_of[cell[0]] == node_of[cell[1]] else 2
    return far, declared.get(cell, 0.0)


def _usual(
    times: Cells, node_of: Mapping[int, int], declared: Mapping[Cell, float]
) -> dict[tuple[int, float], float]:
    by_kind: dict[tuple[int, float], list[float]] = {}
    for cell, time in times.items():
        by_kind.setdefault(_kind(cell, node_of, declared), []).append(time.value)
    return {kind: median(values) for kind, values in by_kind.items()}


def _typical(ratios: Sequence[float]) -> float | None:
    return median(ratios) if ratios else None


def _standing_out(effects: Mapping[int, float | None]) -> set[int]:
    """Those above the middle one by the factor and by the spread of the others."""
    logs = {node: math.log(effect) for node, effect in effects.items() if effect}
    if len(logs) < _FEWEST:
        return set()
    middle = median(logs.values())
    # 1.4826: the median absolute deviation of a normal distribution is that part of its standard deviation.
    spread = 1.4826 * median(abs(one - middle) for one in logs.values())
    least = max(math.log(_SLOW), _SPREADS * spread)
    return {node for node, one in logs.items() if one - middle > least}


def _part_of(node: int, parts: Mapping[str, set[int]], own: set[int]) -> str | None:
    roles = [part for part, nodes in parts.items() if node in nodes]
    if node in own:
        return roles[0] if roles else None
    return "link" if len(roles) == len(parts) else None


def _slow(node: int, effect: _Effect, part: str | None, node_of: Mapping[int, int]) -> SlowPlace | None:
    if part is None:
        return None
    ratios = {"memory": effect.memory, "cores": effect.reader, "link": [*effect.memory, *effect.reader]}[part]
    places = sorted(place for place, at in node_of.items() if at == node)
    return SlowPlace(number=node, part=part, ratio=_ratio(ratios), places=places)


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
