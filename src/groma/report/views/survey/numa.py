"""Five experiments on memory that another place owns, first and second touch apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.survey import SurveyFacts
from groma.report.blocks import Choice, DataTable, Figure, Option, not_measured, table_figure
from groma.report.views.marks import first_method, method_of, square_map
from groma.report.views.registry import view
from groma.report.words.node import experiments_of, place_name, touches_of
from groma.report.words.text import id_of

if TYPE_CHECKING:
    from groma.facts.survey import Numa
    from groma.record import Record
    from groma.report.blocks import Block
    from groma.report.views.registry import Blocks
    from groma.report.words.node import Experiment


@view("numa", order=1, of=SurveyFacts)
def numa(record: Record[SurveyFacts]) -> Blocks:
    facts = record.facts.node.numa
    options = [_option(facts, one) for one in experiments_of(facts)] if facts else []
    if facts is None or not options:
        return [not_measured("Access to memory of other places")]
    return [Choice(id="numa", label="Experiment", options=options), *_touches(facts)]


def _option(facts: Numa, one: Experiment) -> Option:
    title = one.name[0].upper() + one.name[1:]
    place = place_name(facts)
    aside = "" if facts.over == "numa" else " This machine has one NUMA node, so places are cores."
    figure = Figure(
        id=id_of("numa", one.name),
        title=title,
        what=f"{one.what} Time of a whole block.{aside}",
        method=method_of(one.cells),
        drawing=square_map(
            f"owner ({place})", f"reader ({place})", [str(name) for name in facts.places], one.cells
        ),
    )
    return Option(label=title, figure=figure)


def _touches(facts: Numa) -> list[Block]:
    ways = touches_of(facts)
    if not ways:
        return []
    place = place_name(facts)
    rows = [
        [name, *(cells[number] if number < len(cells) else None for cells in ways.values())]
        for number, name in enumerate(facts.places)
    ]
    return table_figure(
        "numa-allocation",
        "Allocation and first touch",
        f"Parallel allocation, then the first write to each page, by {place}. All places run at "
        "once unless noted.",
        DataTable(columns=[place, *ways], rows=rows),
        method=first_method(cell for cells in ways.values() for cell in cells),
        data={"places": facts.places, **ways},
    )
