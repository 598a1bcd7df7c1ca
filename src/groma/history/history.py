"""The history of the records in some places."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from groma.errors import GromaError
from groma.facts.comparison import Thresholds
from groma.facts.history import HistoryFacts, Unread
from groma.facts.kinds import known_kinds
from groma.facts.record_differences import differences
from groma.history.index import DERIVED_KINDS
from groma.history.trends import trends_of
from groma.record.naming import is_named
from groma.spelling import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from groma.facts.history import Trend
    from groma.history.index import Entry, Index
    from groma.record import Record


class TrendFilter:
    """Which trends are asked for; an empty list asks for all."""

    def __init__(
        self, names: Sequence[str] = (), machines: Sequence[str] = (), kinds: Sequence[str] = ()
    ) -> None:
        self._wanted = {"name": names, "machine": machines, "kind": kinds}

    @property
    def is_given(self) -> bool:
        return any(self._wanted.values())

    def has(self, one: Entry | Trend) -> bool:
        return all(_is_one_of(getattr(one, field), wanted) for field, wanted in self._wanted.items())

    def is_beside(self, one: Entry) -> bool:
        """Whether it is of a machine and a kind that are asked for, whatever the quantity."""
        return all(_is_one_of(getattr(one, field), self._wanted[field]) for field in ("machine", "kind"))

    def unmatched(self, entries: Sequence[Entry]) -> list[str]:
        """What is asked for in vain, with what there is; nothing where there are no entries at all."""
        asked = [(field, word) for field, words in self._wanted.items() for word in words]
        known = {field: list(dict.fromkeys(getattr(one, field) for one in entries)) for field in self._wanted}
        alone = [
            f"nothing matches {_OPTIONS[field]} {word}; there are: {_nearest(word, known[field])}"
            for field, word in asked
            if entries and not _is_any(known[field], word)
        ]
        if alone or not entries or any(map(self.has, entries)):
            return alone
        return [f"nothing matches all of {', '.join(f'{_OPTIONS[field]} {word}' for field, word in asked)}"]


_OPTIONS = {"name": "--quantity", "machine": "--machine", "kind": "--kind"}

_MOST_NAMED = 6


def _is_one_of(name: str, wanted: Sequence[str]) -> bool:
    return not wanted or any(is_named(name, one) for one in wanted)


def _is_any(known: Sequence[str], wanted: str) -> bool:
    return any(is_named(one, wanted) for one in known)


def _nearest(word: str, known: Sequence[str]) -> str:
    """The names that are there, those like the word first."""
    near = difflib.get_close_matches(word, known, n=_MOST_NAMED)
    names = list(dict.fromkeys([*near, *known]))
    left = len(names) - _MOST_NAMED
    return ", ".join([*names[:_MOST_NAMED], *([f"{left} more"] if left > 0 else [])])


def refuse_unknown_kinds(wanted: Sequence[str]) -> None:
    """Raises GromaError (exit code 2) for a name or pattern that no kind of record has."""
    known = [kind.name for kind in known_kinds() if kind.name not in DERIVED_KINDS]
    for word in wanted:
        if not _is_any(known, word):
            what = f"there is no kind of record named {word!r}"
            raise GromaError(what, f"{did_you_mean(word, known)}kinds: {', '.join(known)}")


def unmatched(index: Index, places: Sequence[Path], choice: TrendFilter) -> list[str]:
    """As `TrendFilter.unmatched`, of an index that is up to date."""
    return choice.unmatched(index.entries(places))


def history_of(
    index: Index,
    places: Sequence[Path],
    choice: TrendFilter,
    limits: Thresholds | None = None,
    on_read: Callable[[int, int], None] | None = None,
) -> HistoryFacts:
    """Trends of what is chosen in the places, after the index was brought up to date; `on_read` as of it.

    A quantity is judged among all of its machine, so that the verdict does not depend on what is shown.
    """
    index.update(places, on_read)
    entries = [one for one in index.entries(places) if choice.is_beside(one)]
    found = trends_of(entries, limits or Thresholds())
    chosen = [both for both in zip(found.trends, found.entries, strict=True) if choice.has(both[0])]
    asked = {one.path for one in entries if choice.has(one)}
    records_by_file: _Cache = {}
    for trend, made_of in chosen:
        for change in trend.changes:
            sides = [made_of[at] for at in (change.at - 1, change.at)]
            change.differences = _between([index.record_of(one, records_by_file) for one in sides])
    files, records = index.counts(places)
    return HistoryFacts(
        places=[str(place) for place in places],
        files=files,
        records=records,
        trends=[trend for trend, _ in chosen],
        unread=[
            *(Unread(file=file, why=why) for file, why in index.unread(places)),
            *(Unread(file=file, why=f"{file} {_UNDATED}") for file in found.undated if file in asked),
        ],
    )


_UNDATED = "does not say when it ran, so it is in no trend with runs of other files"


_Cache = dict[str, "list[Record[Any]]"]


def _between(sides: Sequence[Record[Any] | None]) -> list[str]:
    """What differs between the last record of the old level and the first of the new one."""
    known = [one for one in sides if one is not None]
    if len(known) < 2:
        return []
    return [f"{one.what}: {one.values[0]} to {one.values[1]}" for one in differences(known)]
