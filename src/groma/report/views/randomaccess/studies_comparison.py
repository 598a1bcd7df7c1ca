"""Several studies of errors beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.facts.randomaccess_errors import ErrorFacts
from groma.record.units import format_number
from groma.report.blocks import Axis, DataTable, Figure, LineChart, Point
from groma.report.views.comparing import Headline, compared, relative_figures
from groma.report.views.marks import measured_line
from groma.report.views.registry import comparison
from groma.report.words.randomaccess import MILLION, RATE_UNIT, rate_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.randomaccess_errors import Strategy
    from groma.record import Record
    from groma.report.blocks import Block, Cell, Series
    from groma.report.views.registry import Blocks, Named

_COLUMNS = (
    *("record", "strategy", "threads", "words of the table", "updates per word", "runs", "mean"),
    *("standard deviation", "deviation / mean", "min", "max"),
)


@comparison(order=5, of=ErrorFacts)
def studies(records: Sequence[Named]) -> Blocks:
    every = compared(records, _rates)
    return [
        *_errors_over_updates(records),
        *relative_figures("randomaccess-studies", "Strategies", every, "Higher rates are better."),
    ]


def _rates(record: Record[ErrorFacts]) -> list[Headline]:
    return [Headline(f"{one.name}, updates in a second", one.gups) for one in record.facts.strategies]


class _StrategyOfRecord(NamedTuple):
    """One strategy of one record."""

    record: str
    strategy: Strategy
    facts: ErrorFacts

    @property
    def updates(self) -> float:
        """For each word."""
        return self.facts.updates / self.facts.table_words


def _errors_over_updates(records: Sequence[Named]) -> list[Block]:
    """Of the strategies that left wrong words somewhere; nothing where none did."""
    every = [
        _StrategyOfRecord(name, strategy, record.facts)
        for name, record in records
        for strategy in record.facts.strategies
    ]
    wrong = dict.fromkeys(one.strategy.name for one in every if one.strategy.error_rate.wrong_words)
    shown = [one for one in every if one.strategy.name in wrong]
    if not shown:
        return []
    return [
        Figure(
            id="randomaccess-errors-over-updates",
            title="Wrong words over the updates of a run",
            what="Mean over the runs of each record, with bars from the smallest to the largest of "
            "its runs. The table behind the figure lists the tables and threads of the records; "
            "compare equal ones.",
            method="After Aggarwal et al., HPCC RandomAccess Benchmark for Next Generation Supercomputers, "
            "table 2(a).",
            drawing=LineChart(
                x=Axis(title="updates per word", scale="log10"),
                y=Axis(title="wrong words per million", unit=RATE_UNIT),
                series=[_line(name, tone, shown) for tone, name in enumerate(wrong)],
            ),
            table=DataTable(columns=_COLUMNS, rows=[_row(one) for one in shown]),
            data=[{"record": one.record, "strategy": one.strategy} for one in shown],
        )
    ]


def _line(name: str, tone: int, shown: Sequence[_StrategyOfRecord]) -> Series:
    own = sorted((one for one in shown if one.strategy.name == name), key=lambda one: one.updates)
    return measured_line(name, tone, [_point(one) for one in own])


def _point(one: _StrategyOfRecord) -> Point:
    rate = one.strategy.error_rate
    mean, low, high = MILLION * rate.mean, MILLION * rate.min, MILLION * rate.max
    return Point(x=one.updates, y=mean, low=low, high=high, note=one.record)


def _row(one: _StrategyOfRecord) -> list[Cell]:
    strategy, rate = one.strategy, one.strategy.error_rate
    return [
        *(one.record, strategy.name, strategy.threads, one.facts.table_words),
        *(format_number(one.updates), rate.runs, rate_words(rate.mean), rate_words(rate.standard_deviation)),
        None if rate.relative is None else format_number(rate.relative),
        *(rate_words(rate.min), rate_words(rate.max)),
    ]
