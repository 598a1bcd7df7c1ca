"""What processes of one node leave each other of its way to the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_value
from groma.report.blocks import Axis, DataTable, Figure, LineChart, Note, XRange
from groma.report.views.marks import expected_line, first_method, labelled_line, line_from_one
from groma.report.views.network.distance import entry, statistic, statistic_lines
from groma.report.views.network.registry import network_view
from groma.report.words.network import in_pieces
from groma.report.words.text import sentence

if TYPE_CHECKING:
    from groma.facts.network import Access, NetworkFacts
    from groma.report.blocks import Block, Cell
    from groma.report.views.registry import Blocks


@network_view(order=8)
def access(network: NetworkFacts) -> Blocks:
    facts = network.access
    if facts is None:
        return []
    return [*_bandwidth_figure(facts), _figure(facts), *(Note(text=sentence(note)) for note in facts.notes)]


def _bandwidth_figure(facts: Access) -> list[Block]:
    """Figure 4 of the paper."""
    if not any(facts.bandwidth):
        return []
    return [
        Figure(
            id="network-access-bandwidth",
            title="Bandwidth over processes per node",
            what=f"Bandwidth of each of {facts.processes} processes that send "
            f"{format_value(facts.message, 'B')} at once to the next node. In parentheses: bandwidth with "
            "one process per node over that with this many, ratNC of Servet. Bars are intervals.",
            method=first_method(facts.bandwidth) or facts.reference.method,
            drawing=LineChart(
                x=Axis(title="processes per node"),
                y=Axis(title="bandwidth of a process", unit="B/s"),
                series=[
                    labelled_line("mean (ratNC)", 0, facts.bandwidth, facts.ratio),
                    *statistic_lines(facts),
                ],
            ),
            table=DataTable(
                columns=[
                    "processes per node",
                    "mean",
                    "ratNC",
                    "of all on a node",
                    "slowest rank",
                    "harmonic mean",
                ],
                rows=[_bandwidth_row(facts, number) for number, one in enumerate(facts.bandwidth, 1) if one],
            ),
            data=facts.bandwidth,
        )
    ]


def _bandwidth_row(facts: Access, number: int) -> list[Cell]:
    mean = entry(facts.bandwidth, number)
    return [
        number,
        mean,
        entry(facts.ratio, number),
        None if mean is None else format_value(mean.value * number, mean.unit),
        statistic(facts.slowest, number),
        statistic(facts.harmonic, number),
    ]


def _figure(facts: Access) -> Figure:
    most = len(facts.ratio)
    exchanges = [number for number, exchange in enumerate(facts.exchange, start=1) if exchange]
    return Figure(
        id="network-access",
        title="Loss of bandwidth over processes per node",
        what=f"Factor by which the bandwidth of each of {facts.processes} processes falls with this "
        f"many per node, relative to one per node. Each sends {format_value(facts.message, 'B')} "
        f"to the next node{in_pieces(facts.pieces)}. Bars are intervals. The mean is ratNC of Servet.",
        method=first_method(facts.ratio[1:]) or facts.reference.method,
        drawing=LineChart(
            x=Axis(title="processes per node"),
            y=Axis(title="bandwidth loss", unit="ratio"),
            series=[
                line_from_one("mean (ratNC)", 0, facts.ratio),
                *([line_from_one("slowest rank", 1, facts.slowest.ratio)] if facts.slowest else []),
                *([line_from_one("harmonic mean", 2, facts.harmonic.ratio)] if facts.harmonic else []),
                expected_line("all share one link", 3, [(1, 1), (most, most)]),
            ],
            ranges=[XRange(name="exchange", low=at, high=at, kind="declared") for at in exchanges],
        ),
        table=DataTable(
            columns=["processes per node", "ratio", "mean", "slowest rank", "harmonic mean"],
            rows=[_row(facts, number) for number, ratio in enumerate(facts.ratio, start=1) if ratio],
        ),
        data=facts,
    )


def _row(facts: Access, number: int) -> list[Cell]:
    return [
        number,
        entry(facts.ratio, number),
        entry(facts.bandwidth, number),
        statistic(facts.slowest, number),
        statistic(facts.harmonic, number),
    ]
