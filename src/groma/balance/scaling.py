"""Curves of platforms: how what a system does of a test grows with what it does of HPL."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from groma.balance.ratios import HPL, RATIOS
from groma.facts.balance import Reading
from groma.stats.quotient import one_sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groma.facts.balance import System

PAPER_READING = 3e12
"""The speed of HPL (flop/s) at which section 4 of the paper compares platforms."""


def platforms_of(systems: Iterable[System]) -> dict[str, list[System]]:
    """Those with HPL, by platform, slowest first; platforms in the order in which they are first named."""
    found: dict[str, list[System]] = {}
    for one in systems:
        if HPL in one.accumulated:
            found.setdefault(one.platform, []).append(one)
    return {name: sorted(own, key=_speed) for name, own in found.items()}


def _speed(system: System) -> float:
    return system.accumulated[HPL].value


def readings_at(systems: Sequence[System], speed: float) -> list[Reading]:
    """The ratios of every platform whose curve reaches over `speed` (flop/s of HPL)."""
    return [
        reading
        for platform, own in platforms_of(systems).items()
        for ratio in RATIOS
        for reading in _reading(platform, ratio.name, own, speed)
    ]


def _reading(platform: str, name: str, systems: Sequence[System], speed: float) -> Iterator[Reading]:
    curve = _curve([one for one in systems if name in one.accumulated])
    at = one_sample(speed, "flop/s", "as asked for")
    for one in curve:
        if math.isclose(_speed(one), speed, rel_tol=1e-9):
            own = 1000 * one.accumulated[name].value / _speed(one)
            value = one_sample(own, _unit(name), one.accumulated[name].method)
            yield Reading(platform=platform, ratio=name, at=at, value=value, between=[one.name])
            return
    for one, other in pairwise(curve):
        if _speed(one) < speed < _speed(other):
            value = one_sample(_between(one, other, name, speed), _unit(name), METHOD)
            yield Reading(platform=platform, ratio=name, at=at, value=value, between=[one.name, other.name])
            return


def _curve(systems: Iterable[System]) -> list[System]:
    """Of those with the same speed the first: a curve has one value at each."""
    first: dict[float, System] = {}
    for one in systems:
        first.setdefault(_speed(one), one)
    return list(first.values())


METHOD = "between the two systems beside it, straight on logarithmic axes"


def _unit(name: str) -> str:
    return next(one.unit for one in RATIOS if one.name == name)


def _between(one: System, other: System, name: str, speed: float) -> float:
    """A straight line between two points of the accumulated curve on logarithmic axes, per 1,000 flop."""
    x0, x1, y0, y1 = (
        math.log(system.accumulated[key].value) for key in (HPL, name) for system in (one, other)
    )
    share = (math.log(speed) - x0) / (x1 - x0)
    return 1000 * math.exp(y0 + share * (y1 - y0)) / speed
