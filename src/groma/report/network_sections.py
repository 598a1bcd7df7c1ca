"""The network part of a profile on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.record.units import format_quantity, format_value
from groma.report.document import Block, Note, Text, Toned
from groma.report.progress import counted
from groma.report.terminal import table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groma.record import NetworkFacts, Quantity, Record, SurveyFacts
    from groma.record.network import Access, Distance, SlowPart
    from groma.report.document import Cell
    from groma.report.terminal import Blocks

_STATISTICS = (">times as long", ">mean bandwidth", ">slowest rank", ">harmonic mean")


def distance_blocks(network: NetworkFacts) -> list[Block]:
    facts = network.distance
    if facts is None:
        return []
    columns = [">distance", *_STATISTICS, "", *_load_columns(facts)]
    rows = [_distance_row(facts, d) for d in _entries(facts.ratio)]
    size = format_value(facts.message, "B")
    caption = f"{counted(facts.nodes, 'node')}, one process on each, messages of {size}"
    return [*table(columns, rows, caption), *map(_slow_note, facts.slow), *_notes(facts.notes)]


def _distance_row(facts: Distance, distance: int) -> list[Cell]:
    remark = "exchange" if facts.exchange[distance - 1] else ""
    return [str(distance), *_statistics(facts, distance - 1), remark, *_load_cells(facts, distance)]


def _entries(ratio: Sequence[Quantity | None]) -> list[int]:
    return [number for number, one in enumerate(ratio, start=1) if one is not None]


def _statistics(facts: Distance | Access, index: int) -> list[Cell]:
    return [
        format_quantity(facts.ratio[index]),
        _bandwidth(facts.bandwidth, index),
        *(_bandwidth(one.bandwidth if one else [], index) for one in (facts.slowest, facts.harmonic)),
    ]


def _bandwidth(some: Sequence[Quantity | None], index: int) -> str:
    return format_quantity(some[index] if index < len(some) else None, interval=False)


def _load_columns(facts: Distance) -> list[str]:
    return [">hops", ">by link shares"] if facts.loads else []


def _load_cells(facts: Distance, distance: int) -> list[Cell]:
    load = facts.loads[distance - 1] if distance <= len(facts.loads) else None
    if load is None:
        return ["-", "-"] if facts.loads else []
    return [f"{load.hops:.2f}", f"{load.ratio:.2f} x"]


def _slow_note(part: SlowPart) -> Note:
    names = [host or f"rank {rank}" for host, rank in zip(part.hosts, part.ranks, strict=True)]
    where = f"{part.kind} {' - '.join(names)}"
    return Note(
        f"messages over the {where} take {format_quantity(part.factor)} as long as others",
        "look at that cable, adapter or switch port",
    )


def _notes(notes: Sequence[str]) -> list[Block]:
    return [Text([Toned(note, "dim") for note in notes])] if notes else []


def access_blocks(network: NetworkFacts) -> list[Block]:
    facts = network.access
    if facts is None:
        return []
    columns = [">processes on a node", *_STATISTICS]
    rows = [[str(i), *_statistics(facts, i - 1)] for i in _entries(facts.ratio)]
    size = format_value(facts.message, "B")
    caption = f"{facts.processes} processes in all, each sends {size} to the next node"
    return [*table(columns, rows, caption), *_notes(facts.notes)]


class NetworkSection(NamedTuple):
    """A section of a profile; `fact` is where its JSON lies in the network part."""

    name: str
    title: str
    fact: tuple[str, ...]
    build: Callable[[Record[SurveyFacts]], Blocks]
    at_a_glance: bool = True


def _of_network(
    blocks: Callable[[NetworkFacts], Sequence[Block]],
) -> Callable[[Record[SurveyFacts]], Blocks]:
    def build(record: Record[SurveyFacts]) -> Blocks:
        return blocks(record.facts.network) if record.facts.network else []

    return build


NETWORK_SECTIONS = (
    NetworkSection("network-distance", "Network by distance", ("distance",), _of_network(distance_blocks)),
    NetworkSection("network-access", "Network by processes", ("access",), _of_network(access_blocks)),
)
"""In the order in which they are read."""
