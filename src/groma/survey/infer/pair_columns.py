"""Which columns of a table hold the two ends of a pair, the time between them and the size of the message.

The name of a time has a quantity (latency, one_way, rtt), and may have a statistic of it (min, mean) and its
unit: `min_latency_us`, `rtt_avg_ms`. Of several times the one nearest to an undisturbed latency counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.survey.infer.tables import Row

_KIND = (
    r"(?:core|cpu|gpu|device|socket|rank|task|thread|proc(?:ess)?|place|pu"
    r"|node|host(?:name)?|server|machine|ip|id)"
)
_ONE, _OTHER = r"(?:from|src|source|sender)", r"(?:to|dst|dest|destination|target|receiver)"
_FIRST = re.compile(rf"a|i|x|p|one|first|{_ONE}|{_KIND}_?(?:a|i|x|0|1|from)?|{_ONE}_?{_KIND}")
_SECOND = re.compile(rf"b|j|y|q|other|second|{_OTHER}|{_KIND}_?(?:b|j|y|1|2|to|other)|{_OTHER}_?{_KIND}")
_BYTES = re.compile(r"(?:.*_)?(?:bytes|size|length|message)(?:_bytes|_b)?")

_COMPOUNDS = (
    (r"half_(?:rtt|round_?trip)", "oneway"),
    (r"round_trip(?:_time)?|rtt_time", "rtt"),
    (r"one_way(?:_time|_latency)?", "oneway"),
)
_QUANTITIES = (r"latency|latencies|lat|oneway|delays?", r"times?|t", r"rtt|roundtrip")
"""The likelier first: a time may be that of day."""
_ROUND_TRIP = 2
_BARE = len(_QUANTITIES)
_STATISTICS = (r"min(?:imum)?|best", r"plain", r"median|med|p50", r"avg|average|mean")
"""The less disturbed first; a name without any of them is at _PLAIN."""
_PLAIN = 1
_NO_LATENCY = re.compile(
    r"max(?:imum)?|worst|std(?:ev|dev)?|sd|dev(?:iation)?|var(?:iance)?|err(?:or)?|jitter"
)
_UNITS = {
    1.0: "ns nsec nsecs nanosec nanosecs nanosecond nanoseconds",
    1e3: "us usec usecs microsec microsecs microsecond microseconds",
    1e6: "ms msec msecs millisec millisecs millisecond milliseconds",
    1e9: "s sec secs second seconds",
}
IN_NS = {name: factor for factor, names in _UNITS.items() for name in names.split()}


class Columns(NamedTuple):
    """Where they are. `factor` makes the time nanoseconds; `has_unit` where the name of the time has one."""

    first: int
    second: int
    time: int
    bytes: int | None
    factor: float
    has_unit: bool


def named_columns(cells: Sequence[str]) -> Columns | None:
    """By the names in these cells; None where they name no two ends, or no time between them.

    Options of a command, `-a`, are no names.
    """
    names = ["" if cell.startswith("-") else _plain(cell) for cell in cells]
    first = _find(names, _FIRST)
    second = _find(names, _SECOND, but=first)
    if first is None or second is None:
        return None
    time = min(_times(names, but=(first, second)), default=None)
    if time is None:
        return None
    sized = _find(names, _BYTES, but=time.column)
    return Columns(first, second, time.column, sized, time.factor, time.has_unit)


def are_pairs(rows: Sequence[Row]) -> bool:
    """Whether the first row names the columns of pairs, and most others hold a time in that column."""
    columns = named_columns(rows[0].cells) if rows else None
    if columns is None:
        return False
    timed = sum(len(row.values) > columns.time and row.values[columns.time] is not None for row in rows[1:])
    return 2 * timed >= len(rows) - 1


def _plain(cell: str) -> str:
    """In small letters, words parted by one underscore; the sign of micro is a u."""
    return re.sub(r"[\s_()\[\]/.-]+", "_", re.sub("[µμ]", "u", cell.casefold())).strip("_")


def _find(names: Sequence[str], wanted: re.Pattern[str], but: int | None = None) -> int | None:
    return next((i for i, name in enumerate(names) if i != but and wanted.fullmatch(name)), None)


# ---- times -------------------------------------------------------------------------------------------------


class _Time(NamedTuple):
    """In the order in which they are preferred."""

    quantity: int
    statistic: int
    column: int
    factor: float
    has_unit: bool


def _times(names: Sequence[str], but: Sequence[int]) -> Iterator[_Time]:
    for column, name in enumerate(names):
        time = None if column in but else _time(column, name)
        if time is not None:
            yield time


def _time(column: int, name: str) -> _Time | None:
    """What the name says of the time; None where it is the name of something else."""
    for compound, word in _COMPOUNDS:
        name = re.sub(rf"(?<![a-z])(?:{compound})(?![a-z])", word, name)
    words = name.split("_")
    if any(map(_NO_LATENCY.fullmatch, words)):
        return None
    unit, statistics = None, []
    while words and (words[-1] in IN_NS or _which(_STATISTICS, words[-1]) is not None):
        word = words.pop()
        unit = IN_NS.get(word, unit)
        statistics.append(_which(_STATISTICS, word))
    quantity = _which(_QUANTITIES, words.pop()) if words else _BARE
    if quantity is None or (quantity == _BARE and unit in {None, IN_NS["s"]}):
        return None
    statistics += [_which(_STATISTICS, word) for word in words[-1:]]
    statistic = next((one for one in statistics if one is not None), _PLAIN)
    factor = (unit or 1.0) / (2.0 if quantity == _ROUND_TRIP else 1.0)
    return _Time(quantity, statistic, column, factor, unit is not None)


def _which(patterns: Sequence[str], word: str) -> int | None:
    return next((i for i, pattern in enumerate(patterns) if re.fullmatch(pattern, word)), None)
