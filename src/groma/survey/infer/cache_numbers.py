"""The numbers of the levels of cache, by what the system declares: it does not count every cache."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from groma.record.record import Advice
from groma.record.units import format_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.record.quantity import Quantity


@dataclass(frozen=True)
class CacheLevel:
    """One level: capacity in bytes and load-to-use latency in the curve's unit."""

    level: int
    size: Quantity
    latency: Quantity


def numbered(
    levels: Sequence[CacheLevel], declared: Mapping[int, float], first: int = 1
) -> tuple[tuple[CacheLevel, ...], tuple[CacheLevel, ...]]:
    """The levels beside what is declared of them, and those between them that the system does not count: a
    level is one if its number is declared with the size of the next one. These have the number of the level
    behind them. `first` is the number of the first one that the curve shows.
    """
    counted: list[CacheLevel] = []
    uncounted: list[CacheLevel] = []
    for i, one in enumerate(levels):
        number = len(counted) + first
        size = declared.get(number)
        following = levels[i + 1] if i + 1 < len(levels) else None
        if following is not None and not _holds(one, size) and _holds(following, size):
            uncounted.append(replace(one, level=number))
        else:
            counted.append(replace(one, level=number, size=one.size.beside_os(size)))
    return tuple(counted), tuple(uncounted)


def _holds(level: CacheLevel, size: float | None) -> bool:
    return size is not None and level.size.low <= size <= level.size.high


def undeclared_advice(levels: Sequence[CacheLevel]) -> Iterator[Advice]:
    for one in levels:
        size, latency = format_value(one.size.value, "B"), format_value(one.latency.value, one.latency.unit)
        place = f"between level {one.level - 1} and level {one.level}" if one.level > 1 else "before level 1"
        yield Advice(
            code="cache.undeclared",
            what=f"a level of about {size} ({latency}) that the system does not declare lies {place}: a "
            "cache, or the reach of a TLB where pages are small",
            next="compare it with the data sheet; other levels keep the numbers that the system gives them",
        )
