"""The paper's table 1, and what of the random ring goes between nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.balance import BalanceFacts
from groma.record.units import format_share
from groma.report.blocks import DataTable, Figure, SystemCell, SystemChart, SystemColumn, table_figure
from groma.report.quantities import shown
from groma.report.views.balance.rows import Column, Entry, chart_of, entries_of, processes, table_of
from groma.report.views.balance.statements import notes_beside
from groma.report.views.registry import view
from groma.stats.quotient import scaled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groma.record import Quantity, Record
    from groma.report.blocks import Block
    from groma.report.views.registry import Blocks


def _measured(name: str) -> Callable[[Entry], Quantity | None]:
    return lambda one: one.system.quantities.get(name)


def _balance(entry: Entry) -> Quantity | None:
    return entry.ratios.over_hpl.get("random_ring")


def _per_rank(entry: Entry) -> Quantity | None:
    hpl, ranks = entry.system.accumulated.get("hpl"), entry.system.ranks
    return scaled(hpl, 1 / ranks, hpl.unit) if hpl and ranks else None


COLUMNS = (
    Column("random ring bandwidth", _measured("random_ring_bandwidth")),
    Column("ping-pong bandwidth", _measured("ping_pong_bandwidth_min")),
    Column("random ring latency", _measured("random_ring_latency"), least=True, bars=False),
    Column("ping-pong latency", _measured("ping_pong_latency_max"), least=True, bars=False),
    Column("HPL", lambda one: one.system.accumulated.get("hpl"), bars=False),
    Column("HPL per process", _per_rank),
    Column("balance", _balance),
)


@view("systems", order=0, of=BalanceFacts)
def table1(record: Record[BalanceFacts]) -> Blocks:
    facts = record.facts
    entries = sorted(entries_of(facts), key=lambda one: -(value.value if (value := _balance(one)) else -1))
    return [
        Figure(
            id="balance-table1",
            title="Communication and computation",
            what="The paper's table 1, best balance first. Bandwidths of rings are per process. Balance is "
            "the random ring over HPL per process, in bytes for 1,000 flop. Yours stand out. Choose a title "
            "to sort, a name for details.",
            method="Ping-pong is the slowest of the pairs. Values of hpcc are single samples.",
            drawing=_with_processes(entries),
            table=table_of(entries, COLUMNS),
        ),
        *notes_beside(facts, ["random_ring"]),
        *_inter_node(entries),
    ]


def _with_processes(entries: Sequence[Entry]) -> SystemChart:
    chart = chart_of(entries, COLUMNS)
    chart.columns = [SystemColumn(title="processes x threads"), *chart.columns]
    for row, entry in zip(chart.rows, entries, strict=True):
        ranks = entry.system.ranks
        cell = SystemCell(text=processes(entry.system), value=ranks) if ranks else None
        row.cells = [cell, *row.cells]
    return chart


def _inter_node(entries: Sequence[Entry]) -> list[Block]:
    rows = [
        [
            system.name,
            one.ranks_per_node,
            format_share(one.inner_share),
            *map(shown, (one.per_rank, one.per_node, one.over_hpl)),
        ]
        for system, ratios, _ in entries
        if (one := ratios.inter_node)
    ]
    return table_figure(
        "balance-inter-node",
        "Random ring between nodes",
        "In a random order, (p - 1) / (P - 1) of the neighbours of a rank are on its own node (p ranks on a "
        "node, P in all). The rest of the bandwidth is that between nodes.",
        DataTable(
            columns=["system", "ranks per node", "within nodes", "per process", "per node", "balance"],
            rows=rows,
        ),
        method="Section 4 of the paper, which takes p / P: 25 % instead of 22.6 % on the NEC SX-6+.",
    )
