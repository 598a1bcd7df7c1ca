"""The sections of a history on the terminal: what changed, then every trend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_quantity
from groma.report.document import Note, Pairs, StyledText, Text
from groma.report.plots import chart, sparkline
from groma.report.terminal import Sections, add_common_sections, table
from groma.report.words.history import (
    TOO_FEW,
    change_line,
    day_of,
    has_news,
    in_order,
    is_open,
    latest_words,
    place_of,
    places_words,
    summary_words,
    trends_of,
    unread_lines,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.history import HistoryFacts, Trend
    from groma.record import Record
    from groma.report.document import Block, Cell, Tone
    from groma.report.terminal import Blocks

    History = Record[HistoryFacts]

SECTIONS = Sections()

MOST_PLOTTED = 4
"""Plots of more trends are longer than a screen."""

MOST_UNREAD = 10
MOST_LINES = 30

_TONES: dict[str, Tone] = {
    "worse": "bad",
    "better": "good",
    "changed": "warn",
    "open": "dim",
    "usual": "plain",
}


@SECTIONS.section("history", "History", "facts")
def history(record: History) -> Blocks:
    facts = record.facts
    items: list[tuple[str, Cell]] = [("places", places_words(facts.places)), ("found", summary_words(facts))]
    return [Pairs(items), *(Note(line, "") for line in unread_lines(facts, MOST_UNREAD))]


@SECTIONS.section("changes", "Changes", "facts", "trends")
def changes(record: History) -> Blocks:
    news = [one for one in in_order(record.facts) if has_news(one)]
    if news:
        return _table(news)
    said = StyledText(TOO_FEW, "warn") if is_open(record.facts) else StyledText("nothing changed", "good")
    return [Text([said])] if trends_of(record.facts) else []


@SECTIONS.section("when", "When", "facts", "trends")
def when(record: History) -> Blocks:
    """A line for each change, with what else changed then."""
    lines: list[Cell] = []
    for trend in in_order(record.facts):
        for change in trend.changes:
            line = f"{trend.name} on {trend.machine}: {change_line(trend, change)}"
            lines.append(StyledText(line, _TONES[change.verdict]))
    left = len(lines) - MOST_LINES
    more = [StyledText(f"and {left} more (--json has them)", "dim")] if left > 0 else []
    return [Text([*lines[:MOST_LINES], *more])] if lines else []


@SECTIONS.section("plots", "Over time", "facts", "trends")
def plots(record: History) -> Blocks:
    """Of a few trends only: choose them with --quantity and --machine."""
    trends = [one for one in trends_of(record.facts) if len(one.points) > 1]
    if len(trends) > MOST_PLOTTED:
        return []
    return [Text([line for one in trends for line in _plot(one)])] if trends else []


def _plot(trend: Trend) -> list[Cell]:
    values = [one.value.value for one in trend.points]
    first, last = day_of(trend.points[0].created), day_of(trend.points[-1].created)
    title = StyledText(f"{trend.name} on {place_of(trend)}, {first} to {last}", "strong")
    return [title, *chart(values, trend.unit, [one.at for one in trend.changes]), ""]


@SECTIONS.section("all", "All trends", "facts", "trends", at_a_glance=False)
def all_(record: History) -> Blocks:
    return _table(in_order(record.facts))


def _table(trends: Sequence[Trend]) -> list[Block]:
    columns = ["quantity", "machine", ">values", "over time", ">latest", "latest is", "last change"]
    return table(columns, [_row(one) for one in trends])


def _row(trend: Trend) -> list[Cell]:
    values = [one.value.value for one in trend.points]
    last = trend.changes[-1] if trend.changes else None
    return [
        trend.name,
        place_of(trend),
        str(len(values)),
        sparkline(values),
        format_quantity(trend.points[-1].value, interval=False),
        StyledText(latest_words(trend), _TONES[trend.latest]),
        StyledText(change_line(trend, last).partition(";")[0], _TONES[last.verdict]) if last else "-",
    ]


add_common_sections(SECTIONS)
