"""A study of the torus simulator: what was simulated beside what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.torus_study import TorusStudyFacts
from groma.record.counting import counted
from groma.report.blocks import (
    Axis,
    DataTable,
    Figure,
    LineChart,
    Point,
    Series,
    Tile,
    lead_and_tiles,
    table_figure,
)
from groma.report.views.registry import view
from groma.report.words.text import sentence
from groma.report.words.torus import parameter_text, source_text
from groma.report.words.torus_study import cells_of, columns_of, heading_of, remarks_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.torus_study import StudyTable
    from groma.record import Record
    from groma.report.views.registry import Blocks

METHOD = "simulated; interval of the steady state where there is one"


@view("verdict", order=0, of=TorusStudyFacts)
def verdict(record: Record[TorusStudyFacts]) -> Blocks:
    facts = record.facts
    tiles = [_tile(one) for one in facts.tables]
    return lead_and_tiles(sentence(facts.title), tiles) if tiles else []


def _tile(one: StudyTable) -> Tile:
    """Of runs that came to their end; what was cut short says nothing of the simulator."""
    judged = [row for row in one.rows if row.agrees is not None and row.finished]
    agree = sum(bool(row.agrees) for row in judged)
    differences = [abs(row.difference) for row in judged if row.difference is not None]
    lines = [f"largest difference {100 * max(differences):.1f} %"] if differences else []
    cut = sum(not row.finished for row in one.rows)
    lines += [f"{counted(cut, 'row')} cut short"] if cut else []
    return Tile(title=one.title, value=f"{agree} of {len(judged)}", unit="rows agree", lines=lines)


@view("results", order=0, of=TorusStudyFacts)
def tables(record: Record[TorusStudyFacts]) -> Blocks:
    return [_figure(one) for one in record.facts.tables]


def _figure(one: StudyTable) -> Figure:
    columns = columns_of(one)
    rows = [[cells_of(one, row)[name] for name in columns] for row in one.rows]
    return Figure(
        id=f"torus-study-{one.name}",
        title=heading_of(one),
        what=" ".join([f"{one.against}: {one.source}.", *map(sentence, remarks_of(one))]),
        method=METHOD,
        drawing=_drawing(one),
        table=DataTable(columns=[name or "verdict" for name in columns], rows=rows),
        data=one,
    )


def _drawing(one: StudyTable) -> LineChart | None:
    """Rows whose names are numbers, as a line over them."""
    rows = [row for row in one.rows if row.case.isdigit() and row.simulated.value > 0]
    if len(rows) < 2:
        return None
    xs = [float(row.case) for row in rows]
    lines = [
        _series(one.against, 0, xs, [row.expected for row in rows]),
        _series("simulated", 1, xs, [row.simulated.value for row in rows]),
        _series("model", 2, xs, [row.model for row in rows]),
    ]
    return LineChart(
        x=Axis(title=one.varied, scale="log2"),
        y=Axis(title=one.quantity, unit=one.unit, scale="log10"),
        series=[line for line in lines if line.points],
    )


def _series(name: str, tone: int, xs: Sequence[float], ys: Sequence[float | None]) -> Series:
    points = [Point(x=x, y=y) for x, y in zip(xs, ys, strict=True) if y]
    return Series(name=name, tone=tone, points=points)


@view("method", order=0, of=TorusStudyFacts)
def assumed(record: Record[TorusStudyFacts]) -> Blocks:
    facts = record.facts
    rows = [[one.name, parameter_text(one), source_text(one)] for one in facts.parameters]
    return table_figure(
        "torus-study-assumed",
        "Assumed parameters",
        " ".join(facts.notes) or "No source gives these.",
        DataTable(columns=["parameter", "value", "source"], rows=rows),
        data=facts.parameters,
    )
