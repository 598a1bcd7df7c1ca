"""The sections of a process mapping on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_ids, format_number, format_quantity, format_value
from groma.report.document import Note, Text
from groma.report.terminal import Blocks, Sections, add_common_sections, table
from groma.report.words.mapping import places_of_ranks, proof_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.mapping import MappingFacts, MappingQuality
    from groma.record import Record
    from groma.report.document import Cell

SECTIONS = Sections()

MOST_RANKS = 64
"""That are shown one by one."""


@SECTIONS.section("quality", "Process mapping", "facts", "quality")
def quality(record: Record[MappingFacts]) -> Blocks:
    facts = record.facts
    rows = [_row("this mapping", facts.quality)] if facts.baselines else []
    rows += [_row(name, one) for name, one in facts.baselines.items()]
    columns = ["placement", ">hop-bytes", ">dilation", ">busiest link", ">modularity"]
    return [*table(columns, rows), *(Text([line]) for line in proof_of(facts))]


@SECTIONS.section("remarks", "", "facts", "remarks")
def remarks(record: Record[MappingFacts]) -> Blocks:
    return [Note(text) for text in record.facts.remarks]


def _row(name: str, one: MappingQuality) -> list[Cell]:
    return [
        name,
        format_value(one.hop_bytes, "B"),
        _number(one.dilation),
        "" if one.max_congestion is None else format_value(one.max_congestion, "B"),
        _number(one.modularity),
    ]


def _number(value: float | None) -> str:
    return "" if value is None else format_number(value)


@SECTIONS.section("layers", "Bytes by what two ranks share", "facts", "quality", "bytes_by_layer")
def layers(record: Record[MappingFacts]) -> Blocks:
    every = {"this mapping": record.facts.quality} | record.facts.baselines
    names = _nearest_first(list(every.values()))
    rows: list[list[Cell]] = [
        [name, *(format_value(one.bytes_by_layer.get(name, 0.0), "B") for one in every.values())]
        for name in names
    ]
    return table(["layer", *(f">{name}" for name in every)], rows)


def _nearest_first(placements: Sequence[MappingQuality]) -> list[str]:
    """Layers in the order that each placement has them. Of two that no placement orders, that of the
    placement with shorter ways comes first.
    """
    by_distance = sorted(placements, key=lambda one: one.dilation or 0.0)
    rest = [list(one.bytes_by_layer) for one in by_distance]
    found = []
    while heads := [names[0] for names in rest if names]:
        nearest = next((one for one in heads if all(one not in names[1:] for names in rest)), heads[0])
        found.append(nearest)
        rest = [[name for name in names if name != nearest] for names in rest]
    return found


@SECTIONS.section("ranks", "Places of ranks", "facts", "mapping")
def ranks(record: Record[MappingFacts]) -> Blocks:
    facts, known = record.facts, places_of_ranks(record.facts)
    rows: list[list[Cell]] = [
        [str(rank), str(place), *(values[rank] for values in known.values())]
        for rank, place in enumerate(facts.mapping[:MOST_RANKS])
    ]
    return table([">rank", ">place", *known], rows)


@SECTIONS.section("selections", "Why each core was selected", "facts", "selections")
def selections(record: Record[MappingFacts]) -> Blocks:
    rows: list[list[Cell]] = [
        [str(one.rank), format_number(one.weight), "; ".join(one.reasons) or "no rank before it matters"]
        for one in record.facts.selections[:MOST_RANKS]
    ]
    return table([">rank", ">weight", "how it came about"], rows)


@SECTIONS.section("verification", "Where ranks ran", "facts", "verification")
def verification(record: Record[MappingFacts]) -> Blocks:
    found = record.facts.verification
    if found is None:
        return ()
    rows: list[list[Cell]] = [
        [str(one.rank), one.host, format_ids(one.cpus), "as planned" if one.is_as_planned else "elsewhere"]
        for one in found.ranks[:MOST_RANKS]
    ]
    return table([">rank", "host", "processors", ""], rows)


@SECTIONS.section("gain", "Gain over the launcher's own placement", "facts", "gain")
def gain(record: Record[MappingFacts]) -> Blocks:
    found = record.facts.gain
    if found is None:
        return ()
    rows: list[list[Cell]] = [
        [
            found.kernel,
            format_quantity(found.default),
            format_quantity(found.mapped),
            format_quantity(found.gain),
        ]
    ]
    return table(["kernel", ">by default", ">mapped", ">default / mapped"], rows)


add_common_sections(SECTIONS)
