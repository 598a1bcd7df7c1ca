"""What the history of a quantity says, in words: on the terminal and on the page alike."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from groma.facts.history import MOST_ZEROS
from groma.record.amounts import change_text, percent
from groma.record.counting import counted
from groma.report.words.text import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.history import ChangePoint, HistoryFacts, Trend

_NEWS = ("worse", "changed", "better", "usual", "open")
"""In the order in which they are read."""

_FEW_PLACES = 3


def day_of(created: str) -> str:
    """`2026-01-05`; a time that nobody knows is words."""
    return created[:10] if created[:1].isdigit() else "undated"


def place_of(trend: Trend) -> str:
    """`node17, 2 ranks`."""
    return joined(trend.machine, trend.shape)


def places_words(places: Sequence[str]) -> str:
    """`nights other`; of many files, as a shell expands a pattern, `160 places in nights`."""
    if len(places) <= _FEW_PLACES:
        return " ".join(places)
    folders = {str(PurePath(place).parent) for place in places}
    if len(folders) == 1 and folders != {"."}:
        return f"{len(places)} places in {folders.pop()}"
    return f"{places[0]} and {len(places) - 1} more places"


def unread_lines(facts: HistoryFacts, most: int) -> list[str]:
    """Why files could not be read or are in no trend; how many more there are, where `most` do not do."""
    lines = [one.why for one in facts.unread[:most]]
    left = len(facts.unread) - most
    return [*lines, f"and {left} more such files (--json has them)"] if left > 0 else lines


def trends_of(facts: HistoryFacts) -> list[Trend]:
    """Those with a value; a file that was edited may have others."""
    return [
        one
        for one in facts.trends
        if one.points and all(0 <= change.at < len(one.points) for change in one.changes)
    ]


TOO_FEW = "too few values to tell a change from chance"


def is_open(facts: HistoryFacts) -> bool:
    """Whether no trend has enough values to say that it changed, or did not."""
    return not any(has_news(one) or one.latest == "usual" for one in trends_of(facts))


def latest_words(trend: Trend) -> str:
    """`worse: -12.0 %`, or `usual`."""
    if trend.latest in {"usual", "open"} or trend.latest_ratio is None:
        return trend.latest if trend.latest == "usual" else _open_words(trend)
    return f"{trend.latest}: {percent(trend.latest_ratio)}"


def _open_words(trend: Trend) -> str:
    without_ratio = sum(one.value.value <= 0 for one in trend.points)
    if without_ratio > MOST_ZEROS * len(trend.points):
        return f"{without_ratio} of {len(trend.points)} not above zero"
    return "too few values"


def change_line(trend: Trend, change: ChangePoint) -> str:
    """`2026-01-05 worse: -12.0 % [-13, -11]; kernel: 6.1 to 6.2`."""
    point = trend.points[change.at]
    why = "; ".join(change.differences) or "nothing else that is recorded changed"
    return f"{day_of(point.created)} {change.verdict}: {change_text(change.ratio)}; {why}"


def change_title(trend: Trend, change: ChangePoint) -> str:
    """`worse -12.0 %, 2026-01-05`, beside its mark."""
    return f"{change.verdict} {percent(change.ratio.value)}, {day_of(trend.points[change.at].created)}"


def news_words(trend: Trend) -> str:
    """The last thing that happened: a value that stands out, else the last change."""
    if trend.latest in {"usual", "open"} and trend.changes:
        return change_line(trend, trend.changes[-1]).partition("; ")[0]
    return f"latest {latest_words(trend)}"


def has_news(trend: Trend) -> bool:
    return bool(trend.changes) or trend.latest in {"worse", "better", "changed"}


def is_bad(trend: Trend) -> bool:
    """Whether the last thing that happened made it worse."""
    return _most_severe(trend) == "worse"


def in_order(facts: HistoryFacts) -> list[Trend]:
    """Those with news first, the bad ones before the good ones."""
    return sorted(trends_of(facts), key=lambda one: (not has_news(one), _NEWS.index(_most_severe(one))))


def _most_severe(trend: Trend) -> str:
    said = [trend.latest, *(one.verdict for one in trend.changes[-1:])]
    return min(said, key=_NEWS.index)


def summary_words(facts: HistoryFacts) -> str:
    machines = len({one.machine for one in trends_of(facts)})
    news = sum(map(has_news, trends_of(facts)))
    return (
        f"{counted(facts.records, 'record')} of {counted(machines, 'machine')}, "
        f"{counted(len(trends_of(facts)), 'trend')}, {news} with a change"
    )
