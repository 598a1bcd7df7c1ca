"""Which columns of a table hold the size of a working set and the latency of a load, by their names.

`size_kb`, `Working set (KiB)`, `log2(bytes)`, `latency_ns`, `cycles per load`: a name is taken apart into
words. Of several latencies the one nearest to an undisturbed load at random counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from groma.survey.infer.pair_columns import IN_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGES = ("pages", "page_bytes", "page_size", "page")

LOG2 = 0.0
"""Stands for the factor of sizes that are logarithms to the base of 2."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_UNITS = {
    0: "b byte bytes",
    10: "k kb kib kbyte kbytes kilobyte kilobytes kibibyte kibibytes",
    20: "m mb mib mbyte mbytes megabyte megabytes mebibyte mebibytes",
    30: "g gb gib gbyte gbytes gigabyte gigabytes gibibyte gibibytes",
}
_BYTES = {name: 2.0**power for power, names in _UNITS.items() for name in names.split()}
"""1 KB is 1024 B in every tool that measures caches."""

_CYCLES = _set("cycle cycles cyc cy clk clks clock clocks tick ticks tsc")
_NS = {**IN_NS, "ps": 1e-3, "psec": 1e-3}
_NS_AND_LESS = {name for name, factor in _NS.items() if factor <= 1.0}

_SIZED = _set(
    "size sizes region set wss footprint array buffer buf block memory mem dataset data range "
    "allocated capacity"
)
_NO_SIZE = _set(
    "per s sec second bandwidth throughput rate line stride page pages element elements entries nodes lines "
    "accesses loads iterations count samples core cores cpu n num number elems items ints doubles words "
    "length"
)
_LATENCY = _set("latency latencies lat")
_LOAD = _set("access load read loads accesses hop")
_TIME = _set("time t")
_NO_LATENCY = _set(
    "max maximum worst std stdev stddev sd dev deviation var variance err error jitter total sum elapsed "
    "p75 p90 p95 p99 high dual parallel bandwidth throughput write writes store stores"
)
_STATISTICS = {"min": 0, "minimum": 0, "best": 0, "p5": 0, "median": 2, "med": 2, "p50": 2} | dict.fromkeys(
    ("avg", "average", "mean"), 3
)
_PLAIN = 1
_PATTERNS = {"random": 0, "rand": 0} | dict.fromkeys(("sequential", "seq", "linear", "forward", "strided"), 2)

_APART = _set(
    "core cpu thread node numa socket machine host processor arch pattern stride mode type kind test "
    "benchmark method operation op"
)
"""Words in the name of a column whose values tell curves apart."""


class SizeColumn(NamedTuple):
    """`factor` makes the size bytes; `LOG2` for logarithms, None where the name has no unit."""

    column: int
    factor: float | None


class LatencyColumn(NamedTuple):
    """`unit` is "ns" or "cycles", None where the name has none; `factor` makes the latency that unit."""

    column: int
    unit: str | None
    factor: float


class _Ranked(NamedTuple):
    """Lower ranks promise more."""

    rank: tuple[int, ...]
    column: LatencyColumn


def size_column(names: Sequence[str]) -> SizeColumn | None:
    """The one that holds sizes; of several that with the finest unit."""
    found = [one for i, name in enumerate(names) if (one := _size(i, name))]
    return min(found, key=lambda one: (one.factor is None, one.factor or 0.0, one.column), default=None)


def latency_columns(names: Sequence[str]) -> list[LatencyColumn]:
    """Those whose names promise most: several where nothing in their names tells them apart."""
    ranked = [one for i, name in enumerate(names) if (one := _latency(i, name))]
    best = min((one.rank for one in ranked), default=())
    return [one.column for one in ranked if one.rank == best]


def pages_column(names: Sequence[str]) -> int | None:
    plain = ["_".join(_words(name)) for name in names]
    return next((plain.index(name) for name in PAGES if name in plain), None)


def columns_apart(names: Sequence[str]) -> list[int]:
    """Those whose values tell curves of several cores, machines or patterns apart."""
    return [
        i
        for i, name in enumerate(names)
        if _APART & set(_words(name)) and not _size(i, name) and not _latency(i, name)
    ]


def is_something_else(name: str) -> bool:
    """Whether a name says that its column holds neither sizes nor latencies."""
    return bool(set(_words(name)) & (_NO_SIZE | _NO_LATENCY | _APART | set(_BYTES)))


def _words(name: str) -> list[str]:
    """In small letters; `latencyNs` has two."""
    apart = re.sub(r"(?<=[a-z])(?<![KMGkmg]i)(?=[A-Z])", " ", re.sub("[µμ]", "u", name))
    return re.findall(r"[a-z]+\d*", apart.casefold())


def _size(column: int, name: str) -> SizeColumn | None:
    words = set(_words(name))
    units = [_BYTES[word] for word in _words(name) if word in _BYTES]
    if words & (_NO_SIZE | _LATENCY | _TIME | _CYCLES | set(_NS)):
        return None
    if not words & _SIZED and not any(len(word) > 1 for word in words & set(_BYTES)):
        return None
    if words & {"log2", "lg"}:
        return SizeColumn(column, LOG2)
    if any(word.startswith(("log", "ln")) for word in words):
        return None
    return SizeColumn(column, units[0] if units else None)


def _latency(column: int, name: str) -> _Ranked | None:
    words = set(_words(name))
    if words & (_NO_LATENCY | set(_BYTES)):
        return None
    in_ns = next((_NS[word] for word in _words(name) if word in _NS), None)
    unit = "ns" if in_ns is not None else ("cycles" if _CYCLES & words else None)
    quantity = _quantity(words, unit)
    if quantity is None:
        return None
    statistic = min((_STATISTICS[word] for word in words & set(_STATISTICS)), default=_PLAIN)
    pattern = min((_PATTERNS[word] for word in words & set(_PATTERNS)), default=_PLAIN)
    units = ("ns", "cycles", None).index(unit)
    return _Ranked((quantity, pattern, statistic, units), LatencyColumn(column, unit, in_ns or 1.0))


def _quantity(words: set[str], unit: str | None) -> int | None:
    """The likelier first: a time may be that of a pass over the set, one in ns rarely."""
    if words & _LATENCY:
        return 0
    if unit is None:
        return 3 if words & _TIME else None
    if words & _LOAD or not words & _TIME:
        bare_cycles = unit == "cycles" and not words & _LOAD
        return None if words <= {"s", "t"} else 1 + bare_cycles
    return 2 if words & _NS_AND_LESS else 3
