"""Who is near whom: latency between pairs of ranks, of a sample by blocks of neighbouring ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.record.counting import counted
from groma.report.blocks import DataTable, Figure, Option, chosen_from
from groma.report.views.marks import square_map
from groma.report.views.network.pair_blocks import blocks_of, pair_matrix, pairs_in
from groma.report.views.network.registry import network_view
from groma.report.words.network import rank_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.network import NetworkFacts, PairLatencies
    from groma.report.blocks import HeatMap
    from groma.report.views.network.pair_blocks import MeasuredPair
    from groma.report.views.registry import Blocks


@network_view(order=5)
def pairs(network: NetworkFacts) -> Blocks:
    """All pairs, and those of different nodes alone where the others would take most of the colours."""
    facts, measured = network.pairs, pairs_in(network)
    if facts is None or not measured:
        return []
    host_of = dict(zip(facts.ranks, facts.hosts, strict=False))
    apart = [one for one in measured if host_of.get(one.rank) != host_of.get(one.other)]
    options = [Option(label="all pairs", figure=_figure("network-pairs", facts, measured))]
    if 0 < len(apart) < len(measured):
        figure = _figure("network-pairs-apart", facts, apart)
        options.append(Option(label="pairs on different nodes", figure=figure))
    return chosen_from("network-pairs-of", "Latency between ranks:", options)


def _figure(name: str, facts: PairLatencies, pairs: Sequence[MeasuredPair]) -> Figure:
    what, drawing = (_whole_map if facts.design.kind == "all" else _sample_map)(facts, pairs)
    return Figure(
        id=name,
        title="Latency between pairs of ranks",
        what=f"One-way time of a message of {facts.bytes} bytes{what}",
        method=pairs[0].latency.method,
        drawing=drawing,
        table=pair_table("rank", facts.ranks, facts.hosts, pairs),
        data=pair_data(pairs),
    )


def _whole_map(facts: PairLatencies, pairs: Sequence[MeasuredPair]) -> tuple[str, HeatMap]:
    labels, borders = rank_names(facts.ranks, facts.hosts), _host_borders(facts.hosts)
    drawing = square_map("from rank", "to rank", labels, pair_matrix(facts.ranks, pairs), borders)
    return "; heavier lines part the nodes where there is room.", drawing


def _sample_map(facts: PairLatencies, pairs: Sequence[MeasuredPair]) -> tuple[str, HeatMap]:
    found = blocks_of(facts.ranks, pairs)
    median = f"the median of the pairs measured between two blocks of {found.size} ranks"
    cell = median if found.size > 1 else "one pair"
    what = (
        f", of a sample of {counted(len(pairs), 'pair')}: a cell is {cell}, hatched where none was measured."
    )
    return what, square_map("from ranks", "to ranks", found.labels, found.cells)


def pair_table(
    of: str, ranks: Sequence[int], hosts: Sequence[str], pairs: Sequence[MeasuredPair]
) -> DataTable:
    """`of` is what a pair is of."""
    names = dict(zip(ranks, rank_names(ranks, hosts), strict=True))
    return DataTable(
        columns=[of, f"other {of}", "one-way time", "samples"],
        rows=[
            [
                names.get(one.rank, one.rank),
                names.get(one.other, one.other),
                one.latency,
                one.latency.samples.n if one.latency.samples else None,
            ]
            for one in pairs
        ],
    )


def pair_data(pairs: Sequence[MeasuredPair]) -> dict[str, Any]:
    """By column: a tenth of the size of one object for each pair."""
    return {
        "unit": pairs[0].latency.unit,
        "ranks": [[one.rank, one.other] for one in pairs],
        "value": [one.latency.value for one in pairs],
        "low": [one.latency.low for one in pairs],
        "high": [one.latency.high for one in pairs],
    }


def _host_borders(hosts: Sequence[str]) -> list[int]:
    """Where the next host begins; none where each rank has a host of its own."""
    borders = [number for number in range(1, len(hosts)) if hosts[number] != hosts[number - 1]]
    return borders if len(borders) < len(hosts) - 1 else []
