"""The history of the records in some places."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from groma.errors import GromaError
from groma.facts.comparison import Thresholds
from groma.facts.history import HistoryFacts, Unread
from groma.facts.opening import records_in
from groma.facts.record_differences import differences
from groma.history.trends import trends_of
from groma.record.naming import is_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.history import ChangePoint, PointInTime, Trend
    from groma.history.index import Entry, Index
    from groma.record import Record


class TrendFilter:
    """Which trends are asked for; an empty list asks for all."""

    def __init__(
        self, names: Sequence[str] = (), machines: Sequence[str] = (), kinds: Sequence[str] = ()
    ) -> None:
        self._names, self._machines, self._kinds = names, machines, kinds

    def has(self, one: Entry) -> bool:
        return (
            _is_one_of(one.name, self._names)
            and _is_one_of(one.machine, self._machines)
            and _is_one_of(one.kind, self._kinds)
        )


def _is_one_of(name: str, wanted: Sequence[str]) -> bool:
    return not wanted or any(is_named(name, one) for one in wanted)


def history_of(
    index: Index, places: Sequence[Path], choice: TrendFilter, limits: Thresholds | None = None
) -> HistoryFacts:
    """Trends of what is chosen in the places, after the index was brought up to date."""
    index.update(places)
    entries = [one for one in index.entries(places) if choice.has(one)]
    trends = trends_of(entries, limits or Thresholds())
    records_by_file: _Cache = {}
    for trend in trends:
        _explain(trend, records_by_file)
    files, records = index.counts(places)
    return HistoryFacts(
        places=[str(place) for place in places],
        files=files,
        records=records,
        trends=trends,
        unread=[Unread(file=file, why=why) for file, why in index.unread(places)],
    )


_Cache = dict[str, "list[Record[Any]]"]


def _explain(trend: Trend, read: _Cache) -> None:
    """What differs between the last record of the old level and the first of the new one."""
    for change in trend.changes:
        change.differences = _between(trend, change, read)


def _between(trend: Trend, change: ChangePoint, read: _Cache) -> list[str]:
    sides = [_record(trend.points[at], read) for at in (change.at - 1, change.at)]
    known = [one for one in sides if one is not None]
    if len(known) < 2:
        return []
    return [f"{one.what}: {one.values[0]} to {one.values[1]}" for one in differences(known)]


def _record(point: PointInTime, read: _Cache) -> Record[Any] | None:
    """None if the file went away or was changed since."""
    if point.file not in read:
        try:
            read[point.file] = records_in(Path(point.file))
        except GromaError:
            read[point.file] = []
    return next((one for one in read[point.file] if one.created == point.created), None)
