"""The messages of a traced program: sizes, who sent whom, how fast they came."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from groma.facts.trace import TraceFacts
from groma.record import Quantity
from groma.record.counting import counted
from groma.record.units import format_value
from groma.report.blocks import (
    COUNT,
    DataTable,
    DotAxis,
    Figure,
    HeatMap,
    Lane,
    Option,
    Strip,
    StripChart,
    chosen_from,
)
from groma.report.trace_statistics import size_text
from groma.report.views.registry import view
from groma.report.views.trace.blocks_of_ranks import rank_blocks
from groma.report.words.names import short_name
from groma.report.words.text import id_of
from groma.trace.bandwidths import counts_of_rank, histogram, receiving_calls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.trace import TraceBandwidth
    from groma.record import Record
    from groma.report.views.registry import Blocks
    from groma.report.views.trace.blocks_of_ranks import RankBlock

COUNTED = "counted over all messages of one trace"


@view("messages", order=0, of=TraceFacts)
def sizes(record: Record[TraceFacts]) -> Blocks:
    found = record.facts.sizes
    if not found:
        return []
    table = DataTable(
        columns=["size", "messages", "bytes"],
        units=["", COUNT, "B"],
        rows=[[size_text(one), one.count, one.bytes] for one in found],
    )
    ways = {"bytes": "B", "messages": ""}
    numbers = {"bytes": [one.bytes for one in found], "messages": [one.count for one in found]}
    names = [size_text(one) for one in found]
    options = [
        Option(
            label=what,
            figure=Figure(
                id=id_of("trace-sizes", what),
                title="Sizes of messages",
                what=f"How many {what} are in messages of each size, in powers of two.",
                method=COUNTED,
                drawing=_bars(what, unit, names, numbers[what]),
                table=table,
            ),
        )
        for what, unit in ways.items()
    ]
    return chosen_from("trace-sizes-by", "Show:", options)


def _bars(title: str, unit: str, names: Sequence[str], values: Sequence[float]) -> StripChart:
    strips = [
        Strip(
            name=name,
            lanes=[
                Lane(
                    value=value,
                    low=value,
                    high=value,
                    text=format_value(float(value), unit) if unit else f"{value:,}",
                )
            ],
        )
        for name, value in zip(names, values, strict=True)
    ]
    return StripChart(x=DotAxis(title=title, unit=unit), strips=strips, bars=True)


@view("messages", order=1, of=TraceFacts)
def pairs(record: Record[TraceFacts]) -> Blocks:
    facts = record.facts
    blocks = rank_blocks(facts)
    if not facts.pairs or len(blocks) < 2:
        return []
    place = {rank.name: at for at, block in enumerate(blocks) for rank in block.ranks}
    sums: defaultdict[tuple[int, int], int] = defaultdict(int)
    for one in facts.pairs:
        if one.sender in place and one.receiver in place:
            sums[place[one.sender], place[one.receiver]] += one.bytes
    names = [one.name for one in blocks]
    grouped = any(len(one.ranks) > 1 for one in blocks)
    every = range(len(blocks))
    return [
        Figure(
            id="trace-pairs",
            title="Bytes between ranks",
            what="What each sent to each." + (" Neighbouring ranks stand together." if grouped else ""),
            method=COUNTED,
            drawing=HeatMap(
                row_title="from rank",
                column_title="to rank",
                rows=names,
                columns=names,
                cells=[[_bytes(sums.get((row, column))) for column in every] for row in every],
                absent="no message",
            ),
            table=DataTable(
                columns=["from", "to", "messages", "bytes"],
                units=["", "", COUNT, "B"],
                rows=[[one.sender, one.receiver, one.count, one.bytes] for one in facts.pairs],
            ),
        )
    ]


def _bytes(size: int | None) -> Quantity | None:
    """An exact number."""
    if size is None:
        return None
    return Quantity(value=size, unit="B", low=size, high=size, confidence=1.0, method=COUNTED)


@view("messages", order=2, of=TraceFacts)
def bandwidths(record: Record[TraceFacts]) -> Blocks:
    options = [
        Option(label=short_name(bins[0].label), figure=_histogram(bins))
        for key in receiving_calls(record.facts)
        if (bins := histogram(record.facts, *key))
    ]
    return chosen_from("trace-bandwidths-of", "Calls of:", options)


def _histogram(bins: Sequence[TraceBandwidth]) -> Figure:
    label = short_name(bins[0].label)
    names = [_bounds(one) for one in bins]
    return Figure(
        id=id_of("trace-bandwidth", label),
        title=f"Bandwidth of {label}",
        what=f"{counted(sum(one.count for one in bins), 'call')} that received data, by what arrived in the "
        "call over its duration. A call that waited for its data is slow.",
        method=COUNTED,
        drawing=_bars("calls", "", names, [one.count for one in bins]),
        table=DataTable(
            columns=["received", "calls", "time"],
            units=["", COUNT, "s"],
            rows=[[name, one.count, one.seconds] for name, one in zip(names, bins, strict=True)],
        ),
    )


@view("messages", order=3, of=TraceFacts)
def bandwidths_of_ranks(record: Record[TraceFacts]) -> Blocks:
    """Figure 10 (b) of Martorell et al."""
    blocks = rank_blocks(record.facts)
    options = [
        Option(label=short_name(bins[0].label), figure=_map_of_ranks(bins, blocks))
        for key in receiving_calls(record.facts)
        if (bins := histogram(record.facts, *key)) and _receive(blocks, *key) > 1
    ]
    return chosen_from("trace-rank-bandwidths-of", "Calls of:", options)


def _receive(blocks: Sequence[RankBlock], type_: int, value: int) -> int:
    """How many blocks of ranks have bandwidths of a call."""
    return sum(any(f"{type_}:{value}" in rank.bandwidths for rank in one.ranks) for one in blocks)


def _map_of_ranks(bins: Sequence[TraceBandwidth], blocks: Sequence[RankBlock]) -> Figure:
    label = short_name(bins[0].label)
    counts = [
        [sum(each) for each in zip(*(counts_of_rank(rank, bins) for rank in one.ranks), strict=True)]
        for one in blocks
    ]
    return Figure(
        id=id_of("trace-rank-bandwidth", label),
        title=f"Bandwidth of {label} on each rank",
        what="How many calls of each rank received data with each bandwidth. Where the calls of a rank are "
        "slower than those of others, it waits longer for its data or has a worse place.",
        method=COUNTED,
        drawing=HeatMap(
            row_title="rank",
            column_title="received",
            rows=[one.name for one in blocks],
            columns=[_bounds(one) for one in bins],
            cells=[[_calls(count) for count in row] for row in counts],
            absent="no call",
        ),
    )


def _calls(count: int) -> Quantity | None:
    if count == 0:
        return None
    return Quantity(value=count, unit="calls", low=count, high=count, confidence=1.0, method=COUNTED)


def _bounds(one: TraceBandwidth) -> str:
    least = f"{one.min / 1e6:,.0f}"
    return f"{least} MB/s and more" if one.max is None else f"{least}-{one.max / 1e6:,.0f} MB/s"
