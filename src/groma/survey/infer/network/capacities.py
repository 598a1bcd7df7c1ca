"""Capacities of links between groups other than those that networks are usually built with."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from groma.interconnect.switched import Grouped
from groma.survey.infer.network.candidates import ALIKE
from groma.survey.infer.network.likelihoods import of_ratios

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from groma.interconnect.base import Interconnect
    from groma.survey.infer.network.likelihoods import Ratio

ROUNDS = 2
"""Each halves the step, on a logarithmic axis: the last one is an eighth."""


def finer(
    interconnects: Sequence[Interconnect],
    ratios: Sequence[Ratio],
    as_measured: Callable[[Interconnect], Interconnect],
) -> list[Interconnect]:
    """The same groups with capacities between those that suit the ratios best and their neighbours.

    Where the capacity of the right groups is a quarter off, groups of a wrong size may suit better.
    `as_measured` gives the interconnect between nodes of the speeds that they have.
    """

    def fit(one: Interconnect) -> float:
        return of_ratios(as_measured(one), ratios)

    found: list[Interconnect] = []
    for _ in range(ROUNDS if ratios else 0):
        by_groups: dict[tuple[str, tuple[int, ...]], list[Grouped]] = {}
        for one in (*interconnects, *found):
            if isinstance(one, Grouped):
                by_groups.setdefault((one.kind, one.group_of), []).append(one)
        found += [one for same in by_groups.values() for one in _beside_best(same, fit)]
    return found


def _beside_best(same: Sequence[Grouped], fit: Callable[[Interconnect], float]) -> Iterator[Interconnect]:
    """Halfway from the best capacity to the next ones; nearly one link for each node limits nobody."""
    best = max(same, key=fit).uplink
    others = [*(one.uplink for one in same), max(same[0].shape) / ALIKE]
    below, above = [one for one in others if one < best], [one for one in others if one > best]
    for neighbour in (*([max(below)] if below else []), *([min(above)] if above else [])):
        yield dataclasses.replace(same[0], uplink=math.sqrt(best * neighbour))
