"""What differs between the surveys that became one profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.survey import SurveyFacts
from groma.record.units import format_share, format_value
from groma.report.blocks import DataTable, table_figure
from groma.report.views.registry import view

if TYPE_CHECKING:
    from groma.facts.merged import Merged, QuantitySpread
    from groma.record import Record
    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Blocks


@view("machine", order=5, of=SurveyFacts)
def merged(record: Record[SurveyFacts]) -> Blocks:
    facts = record.facts.merged
    return [] if facts is None else [*_facts(facts), *_quantities(facts)]


def _facts(facts: Merged) -> list[Block]:
    rows: list[list[Cell]] = [
        [one.name, "agree" if one.agrees else "differ", *one.values] for one in facts.facts
    ]
    return table_figure(
        "merged-facts",
        "Facts of each survey",
        "What is no quantity, as each survey found it. The profile has what the latest says.",
        DataTable(columns=["fact", "surveys", *_names(facts)], rows=rows),
    )


def _quantities(facts: Merged) -> list[Block]:
    ordered = sorted(facts.quantities, key=lambda one: (one.agrees, -one.spread))
    return table_figure(
        "merged-quantities",
        "Spread between the surveys",
        "Median over the surveys, largest less smallest value over it, and the value of each survey. Surveys "
        "agree where their intervals meet or their values lie within 5 % of each other.",
        DataTable(
            columns=["quantity", "median", "spread", "standard deviation", "surveys", *_names(facts)],
            rows=[_row(one) for one in ordered],
        ),
        method="Each survey was inferred by itself; no sample of one counts in another.",
        data=facts,
    )


def _names(facts: Merged) -> list[str]:
    """By time: files may have one name in several folders."""
    return [f"{number}: {one.name}" for number, one in enumerate(facts.surveys, start=1)]


def _row(one: QuantitySpread) -> list[Cell]:
    return [
        one.name,
        format_value(one.median, one.unit),
        format_share(one.spread),
        format_value(one.deviation, one.unit),
        "agree" if one.agrees else "differ",
        *(None if value is None else format_value(value, one.unit) for value in one.values),
    ]
