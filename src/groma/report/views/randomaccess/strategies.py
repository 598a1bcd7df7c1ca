"""What each strategy delivers: updates in a second, and relative to others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.facts.randomaccess_errors import ErrorFacts
from groma.report.blocks import DataTable, DotAxis, Figure, Option, Strip, StripChart, chosen_from
from groma.report.views.marks import first_method, quantity_lane
from groma.report.views.randomaccess.errors import BASES
from groma.report.views.registry import view
from groma.report.views.run.sampled import label, series_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from groma.facts.randomaccess_errors import Strategy
    from groma.record import Quantity, Record
    from groma.report.views.randomaccess.errors import Base
    from groma.report.views.registry import Blocks


class _Measure(NamedTuple):
    """`dots` are the runs of a strategy, by its name."""

    id: str
    name: str
    what: str
    unit: str
    of: Callable[[Strategy], Quantity | None]
    dots: Mapping[str, list[float]]
    marks: tuple[float, ...] = ()


@view("results", order=3, of=ErrorFacts)
def strategy_rates(record: Record[ErrorFacts]) -> Blocks:
    strategies = record.facts.strategies
    measures = [_updates(record), *map(_relative, BASES, ("to-serial", "to-unsynchronised"))]
    options = [
        Option(label=one.name.capitalize(), figure=_figure(one, strategies))
        for one in measures
        if any(one.of(strategy) for strategy in strategies)
    ]
    return chosen_from("randomaccess-rates", "Rates of the strategies:", options)


def _updates(record: Record[ErrorFacts]) -> _Measure:
    """The updates of a run over its time, in the order of the rounds."""
    times = {
        label(one.series, "strategy"): one.means
        for one in series_in(record)
        if label(one.series, "series") == "time"
    }
    dots = {
        name: [1e-9 * record.facts.updates / time for time in own if time > 0] for name, own in times.items()
    }
    what = "Each dot is a run, the mark the median, the bar its interval."
    return _Measure("randomaccess-rates", "updates in a second", what, "GUP/s", lambda one: one.gups, dots)


def _relative(base: Base, name: str) -> _Measure:
    what = "Ratios of rates within a round: median with interval. At 1 both are equally fast."
    return _Measure(f"randomaccess-{name}", f"relative to {base.name}", what, "ratio", base.ratio, {}, (1.0,))


def _figure(measure: _Measure, strategies: list[Strategy]) -> Figure:
    found = [(one, measure.of(one), tone) for tone, one in enumerate(strategies)]
    strips = [
        Strip(name=one.name, lanes=[quantity_lane(quantity, tone, dots=measure.dots.get(one.name, []))])
        for one, quantity, tone in found
        if quantity
    ]
    return Figure(
        id=measure.id,
        title=f"Rates: {measure.name}",
        what=measure.what,
        method=first_method(quantity for _, quantity, _ in found),
        drawing=StripChart(
            x=DotAxis(title=measure.name, unit=measure.unit, scale="log10"),
            strips=strips,
            marks=measure.marks,
        ),
        table=DataTable(
            columns=["strategy", "threads", measure.name, "runs"],
            rows=[
                [
                    one.name,
                    one.threads,
                    quantity,
                    quantity.samples.n if quantity and quantity.samples else None,
                ]
                for one, quantity, _ in found
            ],
        ),
    )
