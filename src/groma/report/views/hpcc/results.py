"""Every figure of the suite with its interval and the spread over the ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.hpcc import HpccFacts
from groma.hpccoutf.headlines import headlines_of
from groma.report.blocks import DataTable, table_figure
from groma.report.quantities import shown
from groma.report.views.registry import view
from groma.report.words.suite import MODES, figure_name, in_suite_order, name_of_test
from groma.report.words.text import value_text

if TYPE_CHECKING:
    from groma.facts.hpcc import Figure, HpccTest, RankSpread
    from groma.record import Record
    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Blocks

_COLUMNS = ("test", "figure", "mode", "value", "samples", "slowest to fastest rank")


@view("results", order=1, of=HpccFacts)
def results(record: Record[HpccFacts]) -> Blocks:
    return [*_figures_table(record.facts), *_summary_table(record.facts)]


def _figures_table(facts: HpccFacts) -> list[Block]:
    tests = in_suite_order(facts.tests, lambda test: test.name)
    figures = [figure for test in facts.tests for figure in test.figures]
    return table_figure(
        "hpcc-figures",
        "All figures",
        f"Star is {MODES['star']} (the mean over them), single {MODES['single']}, mpi {MODES['mpi']}. "
        "Star figures have the slowest and the fastest rank.",
        DataTable(columns=_COLUMNS, rows=[row for test in tests for row in _rows(test)]),
        method=figures[0].value.method if figures else "",
        data=facts.tests,
    )


def _rows(test: HpccTest) -> list[list[Cell]]:
    """Sizes of curves have a figure of their own."""
    name = name_of_test(test.name) + ("" if test.done else " (cut short)")
    rows = [_row(name, figure) for figure in test.figures if "purpose" not in figure.labels]
    return rows or [[name, None, None, None, 0, None]]


def _row(test: str, figure: Figure) -> list[Cell]:
    value, spread = figure.value, figure.spread
    return [
        test,
        figure_name(figure),
        figure.mode,
        shown(value),
        value.samples.n if value.samples else None,
        _ranks(spread) if spread else None,
    ]


def _ranks(spread: RankSpread) -> str:
    lowest = f"{value_text(spread.min)} (rank {spread.min_rank})"
    return f"{lowest} to {value_text(spread.max)} (rank {spread.max_rank})"


def _summary_table(facts: HpccFacts) -> list[Block]:
    """An old output has its summary alone: one value of each figure."""
    rows = [
        [
            one.definition.name,
            MODES[one.definition.mode],
            shown(one.quantity),
            one.definition.key,
        ]
        for one in headlines_of(facts).values()
        if one.figure is None
    ]
    return table_figure(
        "hpcc-summary",
        "Values of the summary",
        "This record has one value of each figure and no samples, so the variation is unknown.",
        DataTable(
            columns=["figure", "mode", "value", "key of hpccoutf.txt"], rows=[] if facts.tests else rows
        ),
        method="As reported by the program that wrote the summary.",
        data=facts.summary,
    )
