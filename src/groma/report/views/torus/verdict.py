"""A simulated run in headline figures: what it reached, how busy its links were."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.torus import TorusFacts
from groma.record.counting import counted
from groma.record.units import format_number, format_value
from groma.report.blocks import DataTable, Tile, lead_and_tiles, table_figure
from groma.report.views.marks import quantity_tile
from groma.report.views.registry import view
from groma.report.words.text import sentence
from groma.report.words.torus import (
    parameter_text,
    run_title,
    share_text,
    source_text,
    value_rows,
    whole_source,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from groma.facts.torus import SimulatedWith
    from groma.record import Record
    from groma.report.blocks import Block
    from groma.report.views.registry import Blocks


@view("verdict", order=0, of=TorusFacts)
def verdict(record: Record[TorusFacts]) -> Blocks:
    lead = sentence(f"Simulated: {run_title(record.facts)}")
    return lead_and_tiles(lead, list(_tiles(record.facts)))


def _tiles(facts: TorusFacts) -> Iterator[Tile]:
    if facts.gups is not None:
        lines = [counted(facts.updates, "update"), *([f"buckets of {facts.bucket}"] if facts.bucket else [])]
        yield quantity_tile("RandomAccess", facts.gups, lines)
    if facts.bandwidth is not None:
        yield quantity_tile("Bandwidth", facts.bandwidth, [f"{format_value(facts.bytes, 'B')} arrived"])
    yield quantity_tile("Simulated time", facts.time, [counted(facts.packets, "packet")])
    if facts.links is not None:
        busy = facts.links
        lines = [f"from {share_text(busy.min)} to {share_text(busy.max)}"]
        yield Tile(title="Links busy", value=format_number(100 * busy.mean), unit="%", lines=lines)
    stalled = [f"{format_value(facts.stalls.cycles, 'cycles')} over all links"]
    yield Tile(title="Token stalls", value=format_number(100 * facts.stalls.share), unit="%", lines=stalled)


@view("method", order=0, of=TorusFacts)
def parameters(record: Record[TorusFacts]) -> Blocks:
    """What no source gives first: a reader has to know it."""
    facts = record.facts
    return [
        *_listed(
            "torus-assumed",
            "Assumed parameters",
            "No source gives these; --set NAME=VALUE changes them.",
            facts.assumed,
            source_text,
        ),
        *_listed(
            "torus-parameters",
            "All parameters",
            "Each with the source of its value.",
            facts.parameters,
            whole_source,
        ),
    ]


def _listed(
    name: str, title: str, what: str, some: list[SimulatedWith], source: Callable[[SimulatedWith], str]
) -> list[Block]:
    rows = [[one.name, parameter_text(one), source(one)] for one in some]
    return table_figure(
        name, title, what, DataTable(columns=["parameter", "value", "source"], rows=rows), data=some
    )


@view("results", order=5, of=TorusFacts)
def values(record: Record[TorusFacts]) -> Blocks:
    table = DataTable(columns=["name", "value", "unit", "meaning"], rows=value_rows(record.facts.values))
    return table_figure(
        "torus-values", "Further numbers", "What the workload reports.", table, data=record.facts.values
    )
