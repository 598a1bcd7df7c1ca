"""What strategies get wrong: against what they deliver, and run by run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from groma.facts.randomaccess_errors import ErrorFacts
from groma.record.units import format_number
from groma.report.blocks import DataTable, DotAxis, Drawing, Figure, Lane, Strip, StripChart
from groma.report.views.marks import first_method
from groma.report.views.registry import view
from groma.report.words.randomaccess import ALLOWED, MILLION, RATE_UNIT, mean_words, rate_words
from groma.report.words.text import quantity_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.facts.randomaccess_errors import Strategy
    from groma.record import Quantity, Record
    from groma.report.blocks import Cell
    from groma.report.views.registry import Blocks


# ---- against the rate: errors are worth something only where they pay --------------------------------------


class BoundedValue(msgspec.Struct, kw_only=True):
    value: float
    low: float
    high: float


class ScatterPoint(msgspec.Struct, kw_only=True):
    name: str
    tone: int
    x: BoundedValue
    y: BoundedValue
    text: str


class ReferenceLines(msgspec.Struct, kw_only=True):
    """Lines across a drawing at these values."""

    x: Sequence[float] = ()
    y: Sequence[float] = ()


class ScatterChart(Drawing, kw_only=True):
    """Labelled points over two axes, with the intervals of both."""

    kind: Literal["scatter"] = "scatter"
    x: DotAxis
    y: DotAxis
    points: Sequence[ScatterPoint]
    marks: ReferenceLines


class Base(NamedTuple):
    """What rates are related to."""

    name: str
    ratio: Callable[[Strategy], Quantity | None]


BASES = (
    Base("one thread", lambda one: one.to_serial),
    Base("threads that do not synchronise", lambda one: one.to_unsynchronised),
)


@view("results", order=1, of=ErrorFacts)
def trade_off(record: Record[ErrorFacts]) -> Blocks:
    """By the first ratio that all have; without one there is nothing to trade."""
    strategies = record.facts.strategies
    base = next((base for base in BASES if all(base.ratio(one) for one in strategies)), None)
    if base is None or len(strategies) < 2:
        return []
    return [
        Figure(
            id="randomaccess-trade-off",
            title="Wrong words against rate",
            what=f"Each strategy at its rate relative to {base.name} and its share of wrong words in "
            "the table: mean, with a line from the smallest to the largest of its runs. "
            "Horizontal lines are intervals of the rate. Zero has a separate place below the "
            "logarithmic axis.",
            method=first_method(base.ratio(one) for one in strategies),
            drawing=ScatterChart(
                x=DotAxis(title=f"rate relative to {base.name}", unit="ratio", scale="log10"),
                y=DotAxis(title="wrong words per million", unit=RATE_UNIT, scale="zero-log10"),
                points=[
                    _point(one, ratio, tone)
                    for tone, one in enumerate(strategies)
                    if (ratio := base.ratio(one))
                ],
                marks=ReferenceLines(x=[1]),
            ),
            table=DataTable(
                columns=["strategy", "relative rate", "wrong words, mean", "min", "max"],
                rows=[_trade_off_row(one, base) for one in strategies],
            ),
        )
    ]


def _point(one: Strategy, ratio: Quantity, tone: int) -> ScatterPoint:
    rate = one.error_rate
    return ScatterPoint(
        name=one.name,
        tone=tone,
        x=BoundedValue(value=ratio.value, low=ratio.low, high=ratio.high),
        y=BoundedValue(value=MILLION * rate.mean, low=MILLION * rate.min, high=MILLION * rate.max),
        text=f"{quantity_text(ratio)}, wrong words {mean_words(one)}",
    )


def _trade_off_row(one: Strategy, base: Base) -> list[Cell]:
    rate = one.error_rate
    return [one.name, base.ratio(one), *map(rate_words, (rate.mean, rate.min, rate.max))]


# ---- run by run: the error rate as the random variable that it is ------------------------------------------

_COLUMNS = (
    *("strategy", "must be exact", "runs", "with wrong words", "wrong words", "mean", "standard deviation"),
    *("deviation / mean", "min", "25th percentile", "median", "75th percentile", "max"),
)


@view("results", order=2, of=ErrorFacts)
def error_rates(record: Record[ErrorFacts]) -> Blocks:
    strategies = record.facts.strategies
    return [
        Figure(
            id="randomaccess-error-rates",
            title="Wrong words, run by run",
            what="Each dot is a run: wrong words per million words of the table. The mark is the "
            "mean, and the bar is one standard deviation to both sides. Zero has a separate "
            "place left of the logarithmic axis. The dashed line is the limit of the rules, 1 % "
            "of the words. The next run can differ as much as these runs differ from each other.",
            method="After each run, one thread applies the updates again. Xor is its own inverse, so a "
            "word that then differs from the start is wrong.",
            drawing=StripChart(
                x=DotAxis(title="wrong words per million", unit=RATE_UNIT, scale="zero-log10"),
                strips=[
                    Strip(name=one.name, lanes=[_lane(one, tone)]) for tone, one in enumerate(strategies)
                ],
                marks=[MILLION * ALLOWED],
            ),
            table=DataTable(columns=_COLUMNS, rows=[_row(one) for one in strategies]),
            data=[{"name": one.name, "exact": one.exact, "error_rate": one.error_rate} for one in strategies],
        )
    ]


def _lane(one: Strategy, tone: int) -> Lane:
    rate = one.error_rate
    mean, deviation = MILLION * rate.mean, MILLION * (rate.standard_deviation or 0.0)
    return Lane(
        tone=tone,
        value=mean,
        low=max(0.0, mean - deviation),
        high=mean + deviation,
        dots=[MILLION * one_rate for one_rate in rate.rates],
        text=f"{mean_words(one)}, in {rate.wrong_runs} of {rate.runs} runs"
        if rate.wrong_runs
        else f"none in {rate.runs} runs",
    )


def _row(one: Strategy) -> list[Cell]:
    rate = one.error_rate
    return [
        one.name,
        one.exact,
        rate.runs,
        rate.wrong_runs,
        rate.wrong_words,
        rate_words(rate.mean),
        rate_words(rate.standard_deviation),
        None if rate.relative is None else format_number(rate.relative),
        *map(rate_words, (rate.min, rate.p25, rate.p50, rate.p75, rate.max)),
    ]
