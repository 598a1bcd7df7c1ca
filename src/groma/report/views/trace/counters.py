"""What counters of a traced program counted: in all, and on each rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from groma.facts.trace import TraceFacts
from groma.record.units import format_number, format_value
from groma.report.blocks import (
    COUNT,
    DataTable,
    Figure,
    SystemCell,
    SystemChart,
    SystemColumn,
    SystemRow,
    table_figure,
)
from groma.report.views.registry import view
from groma.report.views.trace.blocks_of_ranks import rank_blocks
from groma.report.words.names import short_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groma.facts.trace import TraceRank
    from groma.record import Record
    from groma.report.views.registry import Blocks
    from groma.report.views.trace.blocks_of_ranks import RankBlock

INSTRUCTIONS = ("instructions", "instr completed", "papi_tot_ins")
CYCLES = ("cycles", "total cycles", "papi_tot_cyc")
"""Names of groma and of PAPI; traces of other tracers have one of these in front of, or within brackets."""


@view("results", order=5, of=TraceFacts)
def counters(record: Record[TraceFacts]) -> Blocks:
    return table_figure(
        "trace-counters",
        "Counters",
        "What was counted in all, and outside of MPI.",
        DataTable(
            columns=["counter", "region", "total", "outside of MPI"],
            units=["", "", COUNT, COUNT],
            rows=[
                [short_name(one.counter), short_name(one.place) or "all", one.total, one.outside_mpi]
                for one in record.facts.counters
            ],
        ),
    )


@view("results", order=6, of=TraceFacts)
def rank_counters(record: Record[TraceFacts]) -> Blocks:
    blocks, names = rank_blocks(record.facts), _counters_of(record.facts.ranks)
    if not names or len(blocks) < 2:
        return []
    columns = [*(_rates(name, blocks) for name in names), *_instructions_per_cycle(names, blocks)]
    grouped = any(len(one.ranks) > 1 for one in blocks)
    mean = " A row is the mean of neighbouring ranks." if grouped else ""
    return [
        Figure(
            id="trace-rank-counters",
            title="Counters of ranks",
            what="What each counter counted on a rank, over the time that the rank was there. The longest "
            f"bar of a column is its largest value.{mean}",
            method="totals of each rank, from one trace",
            drawing=SystemChart(
                of="rank",
                columns=[SystemColumn(title=one.title) for one in columns],
                rows=[
                    SystemRow(name=block.name, cells=[one.cells[i] for one in columns])
                    for i, block in enumerate(blocks)
                ],
            ),
            table=DataTable(
                columns=["rank", *map(short_name, names)],
                units=["", *(COUNT for _ in names)],
                rows=[
                    [one.name, *(one.counters.get(name) for name in names)]
                    for one in record.facts.ranks
                    if one.present
                ],
            ),
            data=[{"rank": one.name, "counters": one.counters} for one in record.facts.ranks if one.present],
        )
    ]


class _Column(NamedTuple):
    """A cell for each block of ranks, None where nothing was counted."""

    title: str
    cells: list[SystemCell | None]


def _counters_of(ranks: Iterable[TraceRank]) -> list[str]:
    return list(dict.fromkeys(name for one in ranks for name in one.counters))


def _rates(name: str, blocks: Sequence[RankBlock]) -> _Column:
    rates = [_quotient(_total(block, name), sum(one.lifetime for one in block.ranks)) for block in blocks]
    return _Column(short_name(name), _cells(rates, [_rate_text(one) for one in rates]))


def _instructions_per_cycle(names: Sequence[str], blocks: Sequence[RankBlock]) -> list[_Column]:
    instructions, cycles = (_named(names, some) for some in (INSTRUCTIONS, CYCLES))
    if instructions is None or cycles is None:
        return []
    found = [_quotient(_total(block, instructions), _total(block, cycles)) for block in blocks]
    texts = ["" if one is None else format_number(one) for one in found]
    return [_Column("instructions per cycle", _cells(found, texts))]


def _named(names: Sequence[str], usual: Sequence[str]) -> str | None:
    return next((name for name in names if any(one in _words(name) for one in usual)), None)


def _words(name: str) -> set[str]:
    """The name, and its parts before and within brackets, in small letters."""
    front, _, rest = name.casefold().replace("(", "[").partition("[")
    return {name.casefold().strip(), front.strip(), rest.rstrip("])").strip()}


def _total(block: RankBlock, name: str) -> int | None:
    """None where a rank of the block did not count it: then the others are no mean of all."""
    totals = [one.counters.get(name) for one in block.ranks]
    known = [one for one in totals if one is not None]
    return sum(known) if len(known) == len(totals) else None


def _quotient(value: int | None, by: float | None) -> float | None:
    return value / by if value is not None and by else None


def _rate_text(rate: float | None) -> str:
    return "" if rate is None else format_value(rate, "/s")


def _cells(values: Sequence[float | None], texts: Sequence[str]) -> list[SystemCell | None]:
    largest = max((one for one in values if one is not None), default=0.0)
    return [
        None if one is None else SystemCell(text=text, value=one, share=_quotient_of(one, largest))
        for one, text in zip(values, texts, strict=True)
    ]


def _quotient_of(value: float, largest: float) -> float | None:
    return round(max(0.0, value) / largest, 4) if largest > 0 else None
