"""The paper's figure 1: latencies, bandwidths and their ratios, platforms together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.balance.ratios import MESSAGE_RATIOS
from groma.facts.balance import BalanceFacts
from groma.report.blocks import Figure
from groma.report.views.balance.rows import Column, chart_of, entries_of, platforms_together, table_of
from groma.report.views.balance.statements import notes_beside
from groma.report.views.registry import view

if TYPE_CHECKING:
    from collections.abc import Callable

    from groma.record import Quantity, Record
    from groma.report.views.balance.rows import Entry
    from groma.report.views.registry import Blocks

_MEASURED = (
    ("latency", "ping-pong", "ping_pong_latency_max"),
    ("latency", "random ring", "random_ring_latency"),
    ("bandwidth", "ping-pong", "ping_pong_bandwidth_min"),
    ("bandwidth", "natural ring", "natural_ring_bandwidth"),
    ("bandwidth", "random ring", "random_ring_bandwidth"),
)


def _quantity(name: str) -> Callable[[Entry], Quantity | None]:
    return lambda one: one.system.quantities.get(name)


def _ratio(name: str) -> Callable[[Entry], Quantity | None]:
    return lambda one: one.ratios.messages.get(name)


COLUMNS = (
    *(
        Column(title, _quantity(name), group=band, least=band == "latency", scaled_with=band)
        for band, title, name in _MEASURED
    ),
    Column("HPL", lambda one: one.system.accumulated.get("hpl"), group="speed"),
    *(Column(one.title, _ratio(one.name), group="ratio", scaled_with="ratio") for one in MESSAGE_RATIOS),
)


@view("messages", order=0, of=BalanceFacts)
def messages(record: Record[BalanceFacts]) -> Blocks:
    facts = record.facts
    entries = platforms_together([one for one in entries_of(facts) if _sends(one)])
    if not entries:
        return []
    return [
        Figure(
            id="balance-messages",
            title="Ping-pong and rings",
            what="The paper's figure 1. Systems follow their random ring bandwidth; those of one platform "
            "stand together at its best. The bars of one band share a scale.",
            method="Bandwidths of rings are per process. Ping-pong is the slowest of the pairs.",
            drawing=chart_of(entries, COLUMNS),
            table=table_of(entries, COLUMNS),
        ),
        *notes_beside(facts, (one.name for one in MESSAGE_RATIOS)),
    ]


def _sends(entry: Entry) -> bool:
    return any(column.of(entry) for column in COLUMNS if column.group == "bandwidth")
