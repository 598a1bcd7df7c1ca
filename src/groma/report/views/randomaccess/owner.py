"""Division against prediction of the owner of a word, lookup by lookup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.randomaccess_owner import OwnerFacts
from groma.record.counting import counted
from groma.report.blocks import (
    Axis,
    DataTable,
    DotAxis,
    Figure,
    LineChart,
    Note,
    Strip,
    StripChart,
    lead_and_tiles,
)
from groma.report.views.comparing import Headline, compared, headline, relative_figures
from groma.report.views.marks import measured_line, point_at, quantity_lane, sampled_tile
from groma.report.views.registry import comparison, view
from groma.report.words.environment import on_processor
from groma.report.words.randomaccess import OWNER_METHODS, method_without_division
from groma.report.words.text import quantity_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.randomaccess_owner import OwnerLookup
    from groma.record import Quantity, Record
    from groma.report.blocks import Block, Series, Tile
    from groma.report.views.registry import Blocks, Named
    from groma.report.words.randomaccess import OwnerMethod


@view("verdict", order=0, of=OwnerFacts)
def verdict(record: Record[OwnerFacts]) -> Blocks:
    lookups = record.facts.lookups
    if not lookups:
        return [Note(text="No lookup was timed in both ways.")]
    return lead_and_tiles(_lead(record), _tiles(_related(lookups)))


Related = list[tuple["OwnerLookup", "Quantity"]]


def _related(lookups: Sequence[OwnerLookup]) -> Related:
    """Lookups with their ratio."""
    return [(one, one.ratio) for one in lookups if one.ratio]


def _lead(record: Record[OwnerFacts]) -> str:
    lookups = record.facts.lookups
    slower = sum(ratio.low > 1 for _, ratio in _related(lookups))
    return (
        f"Finding the owner of a word{on_processor(record)}: with {slower} of "
        f"{counted(len(lookups), 'number')} of parts a division is slower than going without one."
    )


def _tiles(related: Related) -> list[Tile]:
    ordered = sorted(related, key=lambda one: one[1].value)
    titles = ["Division, least", "Division, most"]
    ends = [ordered[0], ordered[-1]] if len(ordered) > 1 else ordered
    return [_ratio_tile(title, *one) for title, one in zip(titles, ends, strict=False)]


def _ratio_tile(title: str, lookup: OwnerLookup, ratio: Quantity) -> Tile:
    way, without = method_without_division(lookup), lookup.predicted or lookup.searched
    lines = [
        f"as long as {way}, with {counted(lookup.parts, 'part')}",
        f"{quantity_text(lookup.divided)} by division",
        *([f"{quantity_text(without)} by {way}"] if without else []),
    ]
    return sampled_tile(title, ratio, lines)


@view("results", order=1, of=OwnerFacts)
def results(record: Record[OwnerFacts]) -> Blocks:
    lookups = record.facts.lookups
    return [*_ratio_figure(_related(lookups)), _cost_figure(lookups)] if lookups else []


def _ratio_figure(related: Related) -> list[Block]:
    if not related:
        return []
    tones = [way.name for way in OWNER_METHODS]
    strips = [
        Strip(
            name=f"{counted(lookup.parts, 'part')}, {method_without_division(lookup)}",
            lanes=[quantity_lane(ratio, tones.index(method_without_division(lookup)))],
        )
        for lookup, ratio in related
    ]
    return [
        Figure(
            id="randomaccess-owner-ratios",
            title="Division against prediction or search",
            what="Time by division over time by prediction, or by search where there are too many "
            "parts for one correction. If a bar touches 1, it is open which way is faster.",
            method=related[0][1].method,
            drawing=StripChart(
                x=DotAxis(title="division / without", unit="ratio"), strips=strips, marks=[1], bars=True
            ),
            table=DataTable(
                columns=["parts", "without division by", "division / without", "rounds"],
                rows=[
                    [
                        lookup.parts,
                        method_without_division(lookup),
                        ratio,
                        ratio.samples.n if ratio.samples else None,
                    ]
                    for lookup, ratio in related
                ],
            ),
        )
    ]


def _cost_figure(lookups: Sequence[OwnerLookup]) -> Block:
    lines = [_line(way, tone, lookups) for tone, way in enumerate(OWNER_METHODS)]
    return Figure(
        id="randomaccess-lookups",
        title="Time of a lookup over the number of parts",
        what="Independent lookups of random words, both ways in alternation. Bars are intervals.",
        method=lookups[0].divided.method,
        drawing=LineChart(
            x=Axis(title="parts of the table", scale="log10"),
            y=Axis(title="time of a lookup", unit="s"),
            series=[line for line in lines if line.points],
        ),
        table=DataTable(
            columns=[
                "parts",
                "words of the table",
                *(f"by {way.name}" for way in OWNER_METHODS),
                "division / without",
            ],
            rows=[
                [one.parts, one.table_words, *(way.of(one) for way in OWNER_METHODS), one.ratio]
                for one in lookups
            ],
        ),
        data=lookups,
    )


def _line(way: OwnerMethod, tone: int, lookups: Sequence[OwnerLookup]) -> Series:
    points = [point for one in lookups for point in point_at(one.parts, way.of(one))]
    return measured_line(way.name, tone, points)


@comparison(order=6, of=OwnerFacts)
def owners(records: Sequence[Named]) -> Blocks:
    """Several measurements of finding owners beside each other."""
    every = compared(records, _costs)
    return relative_figures("randomaccess-owners", "Finding owners", every, "Lower is better.")


def _costs(record: Record[OwnerFacts]) -> list[Headline]:
    return [
        one
        for lookup in record.facts.lookups
        for way in OWNER_METHODS
        for one in headline(f"{counted(lookup.parts, 'part')}, by {way.name}", way.of(lookup))
    ]
