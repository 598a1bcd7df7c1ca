"""Ping-pong and rings of the suite: pairs and orders of the ranks behind its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.hpcc import HpccFacts
from groma.record import Quantity
from groma.record.units import format_value
from groma.report.blocks import Axis, DataTable, Figure, LineChart, Option, Point, Series, chosen_from
from groma.report.views.marks import square_map
from groma.report.views.messages import bandwidth_over, bandwidths_over
from groma.report.views.registry import view
from groma.report.views.run.sampled import label, series_in, spreads_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.record import Record
    from groma.report.blocks import Cell, HeatMap
    from groma.report.series import PageSeries
    from groma.report.views.registry import Blocks
    from groma.report.views.run.sampled import Spread


def _defining_series(record: Record[HpccFacts], over: str, name: str = "time") -> list[PageSeries]:
    """Samples behind the values of the definition, in the buffers that it takes, short messages first."""
    meant = {"series": name, "purpose": "definition", "buffers": "reused"}
    found = [series for _, series in series_in(record)]
    return sorted(
        (
            one
            for one in found
            if one.over[:1] == [over] and all(label(one, key) == value for key, value in meant.items())
        ),
        key=_size,
    )


def _size(series: PageSeries) -> int:
    return int(series.labels["bytes"])


def _time_cells(series: PageSeries, spread: Spread) -> list[Cell]:
    """Times of a member and the bandwidth at the median."""
    bandwidth = bandwidth_over(_size(series), spread.median)
    return [*spread.words("s"), None if bandwidth is None else format_value(bandwidth, "B/s")]


# ---- pairs -------------------------------------------------------------------------------------------------

MOST_IN_MATRIX = 64
"""Above this number of ranks a matrix of pairs has more gaps than cells."""

LONG = 1000
"""Longer messages are for bandwidth."""

_PAIR_METHOD = (
    "Half a round trip by the clock of the client, one pair at a time. Buffers are reused, as in the suite."
)


@view("messages", order=0, of=HpccFacts)
def pairs(record: Record[HpccFacts]) -> Blocks:
    options = [
        Option(label=_measure(series).capitalize(), figure=_pair_figure(series))
        for series in _defining_series(record, "client")
    ]
    return chosen_from("hpcc-pairs", "Pairs of ranks:", options)


def _measure(series: PageSeries) -> str:
    return "bandwidth" if _size(series) > LONG else "latency"


def _pair_figure(series: PageSeries) -> Figure:
    ranks = sorted({rank for pair in series.members for rank in pair})
    many = len(ranks) > MOST_IN_MATRIX
    sorted_ = f" {len(series.members)} pairs were measured, sorted in ascending order."
    return Figure(
        id=f"hpcc-pairs-{_measure(series)}",
        title=f"Ping-pong {_measure(series)} by pair of ranks",
        what=f"{_size(series)} bytes: median over all samples of the pair, from the best to the worst."
        f"{sorted_ if many else ''}",
        method=_PAIR_METHOD,
        drawing=_sorted_pairs(series) if many else _pair_matrix(series, ranks),
        table=DataTable(
            columns=["client", "server", "median time", "shortest", "longest", "bandwidth"],
            rows=[
                [*pair, *_time_cells(series, spread)]
                for pair, spread in zip(series.members, spreads_of(series), strict=True)
            ],
        ),
    )


def _pair_matrix(series: PageSeries, ranks: Sequence[int]) -> HeatMap:
    found = dict(zip(map(tuple, series.members), _pair_cells(series), strict=True))
    cells = [[found.get((client, server)) for server in ranks] for client in ranks]
    return square_map("client rank", "server rank", [str(rank) for rank in ranks], cells)


def _pair_cells(series: PageSeries) -> list[Quantity | None]:
    return [_pair_cell(series, spread) for spread in spreads_of(series)]


def _pair_cell(series: PageSeries, spread: Spread) -> Quantity | None:
    """The median with the range of all samples, as time or as bytes over it."""
    found = spread if _unit(series) == "s" else bandwidths_over(_size(series), spread)
    if found is None:
        return None
    return Quantity(
        value=found.median,
        low=found.low,
        high=found.high,
        unit=_unit(series),
        confidence=1.0,
        method=_PAIR_METHOD,
    )


def _unit(series: PageSeries) -> str:
    return "s" if _measure(series) == "latency" else "B/s"


def _sorted_pairs(series: PageSeries) -> LineChart:
    every = zip(_pair_cells(series), series.members, strict=True)
    cells = sorted(
        ((cell, pair) for cell, pair in every if cell is not None), key=lambda one: (one[0].value, one[1])
    )
    points = [
        Point(x=place, y=cell.value, low=cell.low, high=cell.high, note=f"ranks {client} and {server}")
        for place, (cell, (client, server)) in enumerate(cells, start=1)
    ]
    name = _measure(series)
    return LineChart(
        x=Axis(title="pairs"),
        y=Axis(title=name, unit=_unit(series)),
        series=[Series(name=name, spread="band", tone=0, points=points)],
    )


# ---- rings -------------------------------------------------------------------------------------------------

_RING_METHOD = (
    "Half an iteration of exchanging messages with both neighbours, on the slowest rank. Buffers "
    "are reused, as in the suite."
)


@view("messages", order=1, of=HpccFacts)
def rings(record: Record[HpccFacts]) -> Blocks:
    times = _defining_series(record, "ring")
    warm_ups = _defining_series(record, "ring", "warm_up")
    options = [
        Option(
            label=f"{size} bytes",
            figure=_ring_figure(
                size,
                [one for one in times if _size(one) == size],
                [one for one in warm_ups if _size(one) == size],
            ),
        )
        for size in dict.fromkeys(map(_size, times))
    ]
    return chosen_from("hpcc-rings", "Rings, messages of", options)


def _ring_figure(size: int, times: Sequence[PageSeries], warm_ups: Sequence[PageSeries]) -> Figure:
    return Figure(
        id=f"hpcc-rings-{size}",
        title=f"Rings of all ranks, {size} bytes",
        what="Time of a message by order of the ring. Ring 0 has the natural order, the others are "
        "random. Median over all samples, with bars from the shortest to the longest. Dashed "
        "lines are the warm-ups, which do not count.",
        method=_RING_METHOD,
        drawing=LineChart(
            x=Axis(title="ring"),
            y=Axis(title="time of a message", unit="s", scale="log10"),
            series=[*_ring_lines(times, dashed=False), *_ring_lines(warm_ups, dashed=True)],
        ),
        table=DataTable(
            columns=["way", "ring", "median time", "shortest", "longest", "bandwidth of a rank"],
            rows=[row for series in (*times, *warm_ups) for row in _ring_rows(series)],
        ),
    )


def _ring_lines(every: Sequence[PageSeries], *, dashed: bool) -> list[Series]:
    """Natural and random rings of one way of exchanging are one line."""
    ways: dict[str, list[Point]] = {}
    for one in every:
        ways.setdefault(_way(one), []).extend(_ring_points(one))
    return [
        Series(
            name=way,
            spread="none" if dashed else "bars",
            tone=tone,
            dashed=dashed,
            points=sorted(points, key=lambda point: point.x),
        )
        for tone, (way, points) in enumerate(ways.items())
    ]


def _ring_points(series: PageSeries) -> list[Point]:
    return [
        Point(x=ring, y=median, low=low, high=high)
        for (ring,), (low, median, high) in zip(series.members, spreads_of(series), strict=True)
    ]


def _way(series: PageSeries) -> str:
    name = label(series, "exchange").replace("_", " ")
    return f"{name}, warm-up" if label(series, "series") == "warm_up" else name


def _ring_rows(series: PageSeries) -> list[list[Cell]]:
    return [
        [_way(series), f"random {ring}" if ring else "natural", *_time_cells(series, spread)]
        for (ring,), spread in zip(series.members, spreads_of(series), strict=True)
    ]
