"""Several runs of RandomAccess beside each other: rates, what each sends for an update, what differed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.randomaccess import RandomAccessFacts
from groma.report.blocks import DataTable, DotAxis, Figure, Lane, Option, Strip, StripChart, chosen_from
from groma.report.views.comparing import Headline, compared, headline, relative_figures
from groma.report.views.marks import quantity_lane
from groma.report.views.registry import comparison
from groma.report.views.run.differences import differences_figure
from groma.report.words.randomaccess import MESSAGE_FIGURES, MessageFigure, algorithm_words
from groma.report.words.text import id_of
from groma.stats.quotient import ratio_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import Quantity, Record
    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Blocks, Named

_COLUMNS = (
    *("run", "algorithm", "ranks", "rate", "relative to the first", "wrong words", "look-ahead, most"),
    *("messages per update", "bytes per update", "handed on per update"),
)


@comparison(order=4, of=RandomAccessFacts)
def runs(records: Sequence[Named]) -> Blocks:
    every = compared(records, _headlines)
    return [
        _side_by_side(records),
        *relative_figures("randomaccess", "RandomAccess", every, "Lower times are better."),
        *_exchanges(records),
        *differences_figure("randomaccess-differences", records),
    ]


def _headlines(record: Record[RandomAccessFacts]) -> list[Headline]:
    facts = record.facts
    return [*headline("updates in a second", facts.gups), *headline("time of a repetition", facts.seconds)]


def _side_by_side(records: Sequence[Named]) -> Figure:
    rates = [(name, record.facts.gups) for name, record in records]
    strips = [
        Strip(name=name, lanes=[quantity_lane(rate, tone)]) for tone, (name, rate) in enumerate(rates) if rate
    ]
    base = rates[0][1]
    return Figure(
        id="randomaccess-runs",
        title="RandomAccess, run by run",
        what="Updates per second: median with interval. The table also has what each run sends per update.",
        method=base.method if base else "",
        drawing=_bars(strips, "updates in a second", "GUP/s") if strips else None,
        table=DataTable(columns=_COLUMNS, rows=[_row(one, base) for one in records]),
        data=[{"name": name, "facts": record.facts} for name, record in records],
    )


def _bars(strips: Sequence[Strip], title: str, unit: str) -> StripChart:
    return StripChart(x=DotAxis(title=title, unit=unit), strips=strips, bars=True)


def _row(one: Named, base: Quantity | None) -> list[Cell]:
    facts = one.record.facts
    sent = [way.words(facts.exchange) if facts.exchange else None for way in MESSAGE_FIGURES]
    ratio = ratio_of(facts.gups, base) if facts.gups and base else None
    what = [one.name, algorithm_words(facts), facts.ranks]
    return [*what, facts.gups, ratio, facts.errors, facts.look_ahead_max, *sent]


def _exchanges(records: Sequence[Named]) -> list[Block]:
    """One figure for each thing that some run sends."""
    exchanges = [record.facts.exchange for _, record in records]
    options = [
        Option(label=way.name, figure=_exchange_figure(way, records))
        for way in MESSAGE_FIGURES
        if any(one and way.of(one) > 0 for one in exchanges)
    ]
    return chosen_from("randomaccess-exchange", "Sent per update:", options)


def _exchange_figure(way: MessageFigure, records: Sequence[Named]) -> Figure:
    found = [
        (name, tone, record.facts.exchange)
        for tone, (name, record) in enumerate(records)
        if record.facts.exchange
    ]
    strips = []
    for name, tone, exchange in found:
        value = way.of(exchange)
        lane = Lane(tone=tone, value=value, low=value, high=value, text=way.words(exchange))
        strips.append(Strip(name=name, lanes=[lane]))
    return Figure(
        id=id_of("randomaccess sent", way.name),
        title=f"Per update: {way.name}",
        what="Counted over the whole run, so there is no interval. Updates that a rank owns itself "
        "are not sent.",
        drawing=_bars(strips, way.name, way.unit),
        table=DataTable(
            columns=["run", way.name], rows=[[name, way.words(exchange)] for name, _, exchange in found]
        ),
    )
