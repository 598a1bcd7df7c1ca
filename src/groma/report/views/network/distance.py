"""How bandwidth falls with the logical distance when all nodes send at once, and the slow parts by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_share, format_value
from groma.report.blocks import (
    Axis,
    DataTable,
    Figure,
    HeatMap,
    LineChart,
    Note,
    Option,
    XRange,
    chosen_from,
    table_figure,
)
from groma.report.views.marks import expected_line, first_method, labelled_line, line_from_one, method_of
from groma.report.views.network.registry import network_view
from groma.report.words.network import in_pieces, rank_names
from groma.report.words.text import DASH, sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groma.facts.network import Access, Degradation, Distance, DistanceLoad, NetworkFacts, SlowPart
    from groma.record import Quantity
    from groma.report.blocks import Block, Cell, Series
    from groma.report.views.registry import Blocks


@network_view(order=7)
def distance(network: NetworkFacts) -> Blocks:
    facts = network.distance
    if facts is None:
        return []
    options = [Option(label="all ranks", figure=_ratio_figure(facts))]
    if facts.per_rank:
        options.append(Option(label="rank by rank", figure=_rank_figure(facts)))
    return [
        *_bandwidth_figure(facts),
        *chosen_from("network-distance-by", "Bandwidth over distance:", options),
        *(Note(text=sentence(note)) for note in facts.notes),
        *_slow_parts(facts.slow),
    ]


# ---- bandwidth, as in figure 3 of the paper ----------------------------------------------------------------


def _bandwidth_figure(facts: Distance) -> list[Block]:
    if not any(facts.bandwidth):
        return []
    by_shares = [
        (number, load.bandwidth)
        for number, load in enumerate(facts.loads, start=1)
        if load and load.bandwidth is not None
    ]
    return [
        Figure(
            id="network-distance-bandwidth",
            title="Bandwidth over distance",
            what=f"Bandwidth of each of {facts.nodes} nodes that send {format_value(facts.message, 'B')} at "
            "once to the node at distance d. In parentheses: bandwidth at distance 1 over that at d, ratDist "
            "of Servet. Bars or shades are intervals.",
            method=first_method(facts.bandwidth) or facts.reference.method,
            drawing=LineChart(
                x=Axis(title="distance between ranks"),
                y=Axis(title="bandwidth of a rank", unit="B/s"),
                series=[
                    labelled_line("mean (ratDist)", 0, facts.bandwidth, facts.ratio),
                    *statistic_lines(facts),
                    *([expected_line("by link rate", 3, by_shares)] if by_shares else []),
                ],
            ),
            table=DataTable(
                columns=["distance", "mean", "ratDist", "slowest rank", "harmonic mean", "exchange"],
                rows=[_bandwidth_row(facts, number) for number, one in enumerate(facts.bandwidth, 1) if one],
            ),
            data=facts.bandwidth,
        )
    ]


def statistic_lines(facts: Distance | Access) -> list[Series]:
    """The slowest rank and the harmonic mean of all, where they are known."""
    named = (("slowest rank", 1, facts.slowest), ("harmonic mean", 2, facts.harmonic))
    return [line_from_one(name, tone, one.bandwidth) for name, tone, one in named if one]


def _bandwidth_row(facts: Distance, number: int) -> list[Cell]:
    exchange = number <= len(facts.exchange) and facts.exchange[number - 1]
    return [
        number,
        entry(facts.bandwidth, number),
        entry(facts.ratio, number),
        statistic(facts.slowest, number),
        statistic(facts.harmonic, number),
        "yes" if exchange else "",
    ]


# ---- all ranks ---------------------------------------------------------------------------------------------


def _ratio_figure(facts: Distance) -> Figure:
    exchanges = [number for number, exchange in enumerate(facts.exchange, start=1) if exchange]
    return Figure(
        id="network-distance",
        title="Loss of bandwidth over distance",
        what=f"Factor by which the bandwidth of each of {facts.nodes} nodes falls at distance d, "
        f"relative to distance 1. All send {format_value(facts.message, 'B')} at "
        f"once{in_pieces([facts.piece])}. Bars or shades are intervals. The mean is ratDist of Servet.",
        method=first_method(facts.ratio[1:2]) or facts.reference.method,
        drawing=LineChart(
            x=Axis(title="distance between ranks"),
            y=Axis(title="bandwidth loss", unit="ratio"),
            series=_ratio_lines(facts),
            ranges=[XRange(name="exchange", low=at, high=at, kind="declared") for at in exchanges],
        ),
        table=_ratio_table(facts),
        data=facts,
    )


def _ratio_lines(facts: Distance) -> list[Series]:
    shares = [(number, load.ratio) for number, load in enumerate(facts.loads, start=1) if load]
    by_shares = f"by link shares ({facts.loads_of or 'known'} {facts.structure})"
    return [
        line_from_one("mean (ratDist)", 0, facts.ratio),
        *([line_from_one("slowest rank", 1, facts.slowest.ratio)] if facts.slowest else []),
        *([line_from_one("harmonic mean", 2, facts.harmonic.ratio)] if facts.harmonic else []),
        *([expected_line(by_shares, 3, shares)] if shares else []),
        expected_line("no contention", 4, [(number, 1) for number in range(1, len(facts.ratio) + 1)]),
    ]


_LOADS: dict[str, Callable[[DistanceLoad], Cell]] = {
    "hops": lambda load: load.hops,
    "messages on the busiest link": lambda load: load.busiest,
    "by link shares": lambda load: load.ratio,
    "by link rate": lambda load: None if load.bandwidth is None else format_value(load.bandwidth, "B/s"),
}


def _ratio_table(facts: Distance) -> DataTable:
    """With what a structure makes of the distances, where one is known."""
    loads = _LOADS if facts.loads else {}
    rows: list[list[Cell]] = [
        [
            number,
            ratio,
            entry(facts.bandwidth, number),
            statistic(facts.slowest, number),
            statistic(facts.harmonic, number),
            *(_load_cell(facts, number, of) for of in loads.values()),
        ]
        for number, ratio in enumerate(facts.ratio, start=1)
    ]
    return DataTable(
        columns=["distance", "ratio", "mean", "slowest rank", "harmonic mean", *loads], rows=rows
    )


def _load_cell(facts: Distance, number: int, of: Callable[[DistanceLoad], Cell]) -> Cell:
    load = facts.loads[number - 1] if number <= len(facts.loads) else None
    return of(load) if load else None


def entry(some: Sequence[Quantity | None], number: int) -> Quantity | None:
    """Entry `number` of a list that begins with 1; a part that was not measured has none."""
    return some[number - 1] if number <= len(some) else None


def statistic(of_ranks: Degradation | None, number: int) -> Quantity | None:
    return entry(of_ranks.bandwidth, number) if of_ranks else None


# ---- rank by rank ------------------------------------------------------------------------------------------


def _rank_figure(facts: Distance) -> Figure:
    ranks = range(len(facts.per_rank[0]))
    return Figure(
        id="network-distance-ranks",
        title="Bandwidth rank by rank",
        what="Bandwidth of each rank at each distance. A slow link or node affects the ranks whose "
        "messages use it.",
        method=method_of(facts.per_rank),
        drawing=HeatMap(
            row_title="distance",
            column_title="rank",
            rows=[str(number) for number in range(1, len(facts.per_rank) + 1)],
            columns=rank_names(ranks, facts.hosts),
            cells=facts.per_rank,
        ),
    )


def _slow_parts(parts: Sequence[SlowPart]) -> list[Block]:
    """What administrators look at first."""
    rows: list[list[Cell]] = [
        [
            part.kind,
            f" {DASH} ".join(rank_names(part.ranks, part.hosts)),
            part.factor,
            format_share(part.explained),
            part.structure or None,
            part.otherwise or None,
        ]
        for part in parts
    ]
    columns = [
        "part",
        "where",
        "times as long as others",
        "differences explained",
        "if it is a",
        "sound in a",
    ]
    if not any(part.otherwise for part in parts):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return table_figure(
        "network-slow",
        "Slow parts",
        "Parts of the network that ranks whose messages take longer than others at the same distance have in "
        "common, if it has the structure named: look at their cables, adapters and switch ports.",
        DataTable(columns=columns, rows=rows),
        method=first_method(part.factor for part in parts),
        data=parts,
    )
