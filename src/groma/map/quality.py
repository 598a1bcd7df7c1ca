"""How good a mapping is, and the baselines that it is compared with."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from groma.facts.mapping import MappingQuality

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.map.machine import Machine
    from groma.map.matrix import Matrix


class _Pairs(NamedTuple):
    """Messages between ranks as arrays."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    amount: NDArray[np.float64]


def _pairs(matrix: Matrix) -> _Pairs:
    source, target = (np.array([one[end] for one in matrix.traffic], dtype=np.int64) for end in (0, 1))
    return _Pairs(source, target, np.array([one.bytes for one in matrix.traffic]))


def quality_of(machine: Machine, matrix: Matrix, mapping: Sequence[int]) -> MappingQuality:
    """Hop-bytes, dilation, congestion, bytes by layer and modularity of a mapping (docs/map.md)."""
    source, target, amount = _pairs(matrix)
    places = np.array(mapping, dtype=np.int64)
    here, there = places[source], places[target]
    hop_bytes = float(np.sum(amount * machine.distances(here, there)))
    total = float(np.sum(amount))
    loads = machine.link_loads(here, there, amount)
    return MappingQuality(
        hop_bytes=hop_bytes,
        dilation=hop_bytes / total if total else None,
        max_congestion=None if loads is None else float(loads.max(initial=0.0)),
        bytes_by_layer=_by_layer(machine, here, there, amount),
        modularity=_modularity(machine, places, _Pairs(source, target, amount)),
    )


def _by_layer(
    machine: Machine, here: NDArray[np.int64], there: NDArray[np.int64], amount: NDArray[np.float64]
) -> dict[str, float]:
    names, layer = machine.layers(here, there)
    found = np.bincount(layer, amount, len(names))
    return {name: float(value) for name, value in zip(names, found, strict=True) if value > 0}


def _modularity(machine: Machine, places: NDArray[np.int64], pairs: _Pairs) -> float | None:
    """Newman's, weighted by bytes, for the groups of places."""
    of_place, total = machine.groups(), float(np.sum(pairs.amount))
    if of_place is None or total == 0:
        return None
    group = of_place[places]
    inside = float(np.sum(pairs.amount[group[pairs.source] == group[pairs.target]]))
    count = int(of_place.max()) + 1
    ends = sum(np.bincount(group[end], pairs.amount, count) for end in (pairs.source, pairs.target))
    return inside / total - float(np.sum((ends / (2 * total)) ** 2))


# ---- baselines ---------------------------------------------------------------------------------------------


def block(allowed: Sequence[int], ranks: int) -> list[int]:
    """Ranks fill the places in their order."""
    return list(allowed[:ranks])


def cyclic(machine: Machine, allowed: Sequence[int], ranks: int) -> list[int]:
    """One rank to each group in turn; where there are no groups, to each eighth of the places."""
    of_place = machine.groups()
    group = {
        place: int(of_place[place]) if of_place is not None else at * 8 // len(allowed)
        for at, place in enumerate(allowed)
    }
    turn: dict[int, int] = {}
    order = []
    for place in allowed:
        order.append((turn.get(group[place], 0), group[place], place))
        turn[group[place]] = turn.get(group[place], 0) + 1
    return [place for _, _, place in sorted(order)][:ranks]


def drawn(allowed: Sequence[int], ranks: int, seed: int) -> list[int]:
    """Ranks at random."""
    return random.Random(seed).sample(list(allowed), ranks)  # noqa: S311 - a baseline, not a secret
