"""Rows of the paper's table 1, from the quantities of each system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.facts.balance import TableRow
from groma.stats.quotient import scaled

if TYPE_CHECKING:
    from groma.facts.balance import System, SystemRatios
    from groma.record import Quantity


def row_of(system: System, ratios: SystemRatios) -> TableRow:
    found, hpl = system.quantities, system.accumulated.get("hpl")
    return TableRow(
        system=system.name,
        switch=system.switch,
        cpu=system.cpu,
        clock=system.clock,
        ranks=system.ranks,
        threads=system.threads,
        random_ring_bandwidth=found.get("random_ring_bandwidth"),
        ping_pong_bandwidth=found.get("ping_pong_bandwidth_min"),
        random_ring_latency=found.get("random_ring_latency"),
        ping_pong_latency=found.get("ping_pong_latency_max"),
        hpl=hpl,
        hpl_per_rank=_per_rank(hpl, system.ranks),
        balance=ratios.over_hpl.get("random_ring"),
        note=system.note,
    )


def _per_rank(quantity: Quantity | None, ranks: int | None) -> Quantity | None:
    return scaled(quantity, 1 / ranks, quantity.unit) if quantity and ranks else None
