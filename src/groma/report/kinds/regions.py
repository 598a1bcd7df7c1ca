"""The sections of the regions of a program on the terminal."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groma.record.units import format_number, format_value
from groma.report.document import Note, Pairs, StyledText
from groma.report.terminal import Sections, add_common_sections, table
from groma.report.words.names import short_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.facts.regions import RegionsFacts, RegionTotals
    from groma.record import Record
    from groma.report.document import Cell
    from groma.report.terminal import Blocks

    Regions = Record[RegionsFacts]
    Path = tuple[str, ...]

SECTIONS = Sections()


@dataclass
class _Branch:
    """A region; it has no totals where only regions inside of it have some. `place` is that of the first."""

    place: float = math.inf
    totals: list[RegionTotals] = field(default_factory=list)
    inside: dict[str, _Branch] = field(default_factory=dict)


def by_path(facts: RegionsFacts) -> dict[Path, list[RegionTotals]]:
    """The totals of all threads, each region after the one around it.

    Inside of a region, the one that is first seen comes first; those without a total of their own come last.
    """
    top = _Branch()
    for place, one in enumerate(facts.regions):
        branch = top
        for name in one.path:
            branch = branch.inside.setdefault(name, _Branch())
        branch.place = min(branch.place, place)
        branch.totals.append(one)
    return {tuple(one.totals[0].path): one.totals for one in _nested(top)}


def _nested(top: _Branch) -> Iterator[_Branch]:
    """Those with totals; not recursive, as regions may be nested deeper than calls of Python."""
    left = [top]
    while left:
        branch = left.pop()
        if branch.totals:
            yield branch
        left += sorted(branch.inside.values(), key=lambda one: one.place)[::-1]  # the last one is next


@SECTIONS.section("program", "Regions of a program", "facts")
def program(record: Regions) -> Blocks:
    facts = record.facts
    items: list[tuple[str, Cell]] = [("program", " ".join(record.command)), ("host", facts.host)]
    if facts.rank:
        items.append(("rank", facts.rank))
    return [Pairs(items), *(Note(remark) for remark in facts.remarks)]


@SECTIONS.section("times", "Time in regions", "facts", "regions")
def times(record: Regions) -> Blocks:
    every = by_path(record.facts)
    whole = sum(one.inclusive for path, totals in every.items() if len(path) == 1 for one in totals)
    rows: list[list[Cell]] = []
    for path, totals in every.items():
        inclusive = sum(one.inclusive for one in totals)
        exclusive = sum(one.exclusive for one in totals)
        rows.append(
            [
                _indented(path),
                str(len(totals)),
                f"{sum(one.calls for one in totals):,}",
                format_value(inclusive, "s"),
                format_value(exclusive, "s"),
                f"{100 * exclusive / whole:.1f} %" if whole else "",
                _balance([one.inclusive for one in totals]),
            ]
        )
    columns = ["region", ">threads", ">calls", ">inclusive", ">exclusive", ">share", ">balance"]
    return table(columns, rows)


def _indented(path: Path) -> str:
    return "\N{NO-BREAK SPACE}" * 2 * (len(path) - 1) + short_name("".join(path[-1:]))


def _balance(times: list[float]) -> str:
    """Mean over maximum of the threads, as POP has it."""
    most = max(times)
    return f"{sum(times) / len(times) / most:.2f}" if len(times) > 1 and most > 0 else ""


@SECTIONS.section("counts", "Counts in regions, with the regions inside", "facts", "regions")
def counts(record: Regions) -> Blocks:
    facts = record.facts
    if not facts.events:
        return ()
    rows: list[list[Cell]] = []
    for path, totals in by_path(facts).items():
        counted = [one.counts for one in totals if len(one.counts) == len(facts.events)]
        sums = [f"{sum(column):,}" for column in zip(*counted, strict=True)] or ["-"] * len(facts.events)
        rows.append([_indented(path), *sums])
    return table(["region", *(f">{event}" for event in facts.events)], rows)


@SECTIONS.section("metrics", "Metrics of regions", "facts", "metrics")
def metrics(record: Regions) -> Blocks:
    rows: list[list[Cell]] = [
        [
            " / ".join(map(short_name, one.path)),
            short_name(one.name),
            "-" if one.value is None else f"{format_number(one.value)} {one.unit}".removesuffix(" 1"),
            StyledText(short_name(one.formula), "dim"),
        ]
        for one in record.facts.metrics
    ]
    return table(["region", "metric", ">value", "formula"], rows)


@SECTIONS.section("values", "Values", "facts", "values")
def values(record: Regions) -> Blocks:
    rows: list[list[Cell]] = [
        [
            short_name(one.name),
            str(one.thread),
            f"{one.calls:,}",
            format_number(one.sum / one.calls) if one.calls else "",
            str(one.min),
            str(one.max),
        ]
        for one in record.facts.values
    ]
    return table(["value", ">thread", ">noted", ">mean", ">least", ">most"], rows)


add_common_sections(SECTIONS)
