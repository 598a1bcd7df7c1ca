"""Trends of quantities: what changed and when, and a plot of each."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Literal

from groma.facts.history import HistoryFacts
from groma.record.units import format_time
from groma.report.blocks import (
    Axis,
    Banner,
    DataTable,
    Figure,
    LineChart,
    Note,
    Option,
    Point,
    Series,
    XRange,
    chosen_from,
    table_figure,
)
from groma.report.quantities import shown
from groma.report.views.registry import view
from groma.report.words.history import (
    TOO_FEW,
    change_line,
    change_title,
    day_of,
    has_news,
    in_order,
    is_bad,
    is_open,
    latest_words,
    news_words,
    place_of,
    summary_words,
    trends_of,
    unread_lines,
)
from groma.report.words.text import id_of, joined, unbroken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.history import Trend
    from groma.record import Record
    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Blocks

MOST_PLOTS = 120
"""Of more trends those with news come first; the table has all."""

MOST_LINES = 8
"""Of news, and of files that could not be read, above the plots."""

_WHAT = "A point for each record, its interval as a band. Lines mark where a new level begins."
_NEAR = " The vertical axis does not begin at zero, so that small changes show."

_DAY = 86400.0
_SHORT = 3.0
"""Days that are given in hours."""


@view("verdict", order=0, of=HistoryFacts)
def verdict(record: Record[HistoryFacts]) -> Blocks:
    facts = record.facts
    news = [one for one in in_order(facts) if has_news(one)]
    return [
        Banner(outcome=_outcome(facts), title=f"{summary_words(facts)}.", lines=_lines(facts, news)),
        *(Note(text=f"{line}.") for line in unread_lines(facts, MOST_LINES)),
        *_when(news),
    ]


def _outcome(facts: HistoryFacts) -> Literal["good", "warn", "bad"]:
    if any(has_news(one) and is_bad(one) for one in trends_of(facts)):
        return "bad"
    return "warn" if is_open(facts) else "good"


def _lines(facts: HistoryFacts, news: Sequence[Trend]) -> list[str]:
    if is_open(facts):
        return [TOO_FEW] if trends_of(facts) else []
    is_one_place = len({place_of(one) for one in trends_of(facts)}) == 1
    lines = [
        f"{joined(one.name, None if is_one_place else place_of(one))}: {news_words(one)}"
        for one in news[:MOST_LINES]
    ]
    left = len(news) - MOST_LINES
    return [*lines, f"and {left} more, in the table of all trends"] if left > 0 else lines


def _when(news: Sequence[Trend]) -> list[Block]:
    rows: list[list[Cell]] = [
        [
            day_of(trend.points[change.at].created),
            trend.name,
            place_of(trend),
            change.verdict,
            *_change_cells(trend, number),
        ]
        for trend in news
        for number, change in enumerate(trend.changes)
    ]
    return table_figure(
        "history-changes",
        "Changes",
        "Where a new level begins, and what else differs between the records on both sides.",
        DataTable(
            columns=["day", "quantity", "machine", "verdict", "change", "what else changed"],
            rows=sorted(rows, key=lambda row: str(row[0]), reverse=True),
        ),
    )


def _change_cells(trend: Trend, number: int) -> tuple[str, str]:
    change, _, why = change_line(trend, trend.changes[number]).partition(": ")[2].partition("; ")
    return unbroken(change), why


@view("results", order=0, of=HistoryFacts)
def trends(record: Record[HistoryFacts]) -> Blocks:
    ordered = in_order(record.facts)
    plotted = [one for one in ordered if len(one.points) > 1][:MOST_PLOTS]
    options = [Option(label=f"{one.name}, {place_of(one)}", figure=_figure(one)) for one in plotted]
    return [*chosen_from("history-trends", "Trend of", options), *_all(ordered)]


def _figure(trend: Trend) -> Figure:
    since, days = _times(trend)
    points = [
        Point(x=day, y=one.value.value, low=one.value.low, high=one.value.high, note=format_time(one.created))
        for day, one in zip(days, trend.points, strict=True)
    ]
    marks = [
        XRange(name=change_title(trend, change), low=days[change.at], high=days[change.at])
        for change in trend.changes
    ]
    rows: list[list[Cell]] = [[format_time(one.created), shown(one.value), one.file] for one in trend.points]
    close = _is_close(trend)
    return Figure(
        id=id_of("history", trend.name, place_of(trend)),
        title=f"{trend.name} on {place_of(trend)}",
        what=f"{_WHAT}{_NEAR}" if close else _WHAT,
        method=trend.points[-1].value.method,
        drawing=LineChart(
            x=Axis(title=since),
            y=_axis(trend, close=close),
            series=[Series(name=trend.machine, tone=0, points=points, spread="band")],
            ranges=marks,
        ),
        table=DataTable(columns=["measured", "value", "file"], rows=rows),
        data=trend,
    )


def _is_close(trend: Trend) -> bool:
    """Whether the changes are small beside the values, so that an axis from zero would hide them."""
    bounds = [bound for one in trend.points for bound in (one.value.low, one.value.value, one.value.high)]
    return min(bounds) > max(bounds) / 2 > 0


def _axis(trend: Trend, *, close: bool) -> Axis:
    name = " ".join(trend.name.split(".")[-2:])
    return Axis(title=f"{name}, not from zero" if close else name, unit=trend.unit, close=close)


def _times(trend: Trend) -> tuple[str, list[float]]:
    """What the axis tells, and the places of the points on it; records without a date have their number."""
    known = [one for point in trend.points if (one := _moment(point.created)) is not None]
    if len(known) < len(trend.points):
        return "record", [float(number) for number in range(len(trend.points))]
    is_short = known[-1] - known[0] < _SHORT * _DAY
    unit, name = (_DAY / 24, "hours") if is_short else (_DAY, "days")
    return f"{name} since {format_time(trend.points[0].created)}", [(one - known[0]) / unit for one in known]


def _moment(created: str) -> float | None:
    try:
        moment = dt.datetime.fromisoformat(created)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp()


def _all(ordered: Sequence[Trend]) -> list[Block]:
    rows: list[list[Cell]] = [
        [
            one.name,
            place_of(one),
            len(one.points),
            shown(one.points[-1].value),
            latest_words(one),
            len(one.changes),
        ]
        for one in ordered
    ]
    return table_figure(
        "history-all",
        "All trends",
        "One for each quantity of a machine; those with a change first.",
        DataTable(columns=["quantity", "machine", "records", "latest", "latest is", "changes"], rows=rows),
    )
