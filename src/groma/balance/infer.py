"""From systems to the paper's whole analysis of them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.balance.inter_node import inter_node_of
from groma.balance.printed import printed_values
from groma.balance.ratios import HPL, LATENCY, message_ratios, over_hpl, reciprocal
from groma.balance.scaling import PAPER_READING, readings_at
from groma.balance.statements import statements_of
from groma.balance.table1 import row_of
from groma.facts.balance import BalanceFacts, SystemRatios
from groma.stats.quotient import ratio_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.facts.balance import System, Warned
    from groma.record import Quantity


def facts_of(
    systems: Sequence[System], warnings: Sequence[Warned] = (), at: float = PAPER_READING
) -> BalanceFacts:
    """`at` is the speed of HPL (flop/s) at which curves of platforms are read."""
    ratios = ratios_of(systems)
    return BalanceFacts(
        systems=list(systems),
        ratios=ratios,
        table1=[row_of(*one) for one in zip(systems, ratios, strict=True)],
        statements=statements_of(systems, ratios),
        readings=readings_at(systems, at),
        printed=printed_values(systems),
        warnings=list(warnings),
    )


def ratios_of(systems: Sequence[System]) -> list[SystemRatios]:
    found = [
        SystemRatios(
            system=one.name,
            over_hpl=over_hpl(one.accumulated),
            messages=message_ratios(one.quantities),
            inter_node=inter_node_of(one),
        )
        for one in systems
    ]
    columns = [_columns(*one) for one in zip(systems, found, strict=True)]
    best = _best(columns)
    for ratios, own in zip(found, columns, strict=True):
        ratios.relative = {
            name: share for name, one in own.items() if (share := ratio_of(one, best[name])) is not None
        }
    return found


def _columns(system: System, ratios: SystemRatios) -> dict[str, Quantity]:
    """What figures 4 to 6 show: speed itself, each test over HPL, and the latency as more is better."""
    latency = system.quantities.get("random_ring_latency")
    reciprocal_latency = reciprocal(latency) if latency else None
    hpl = system.accumulated.get(HPL)
    return {
        **({HPL: hpl} if hpl else {}),
        **ratios.over_hpl,
        **({LATENCY: reciprocal_latency} if reciprocal_latency else {}),
    }


def _best(columns: Sequence[dict[str, Quantity]]) -> dict[str, Quantity]:
    best: dict[str, Quantity] = {}
    for own in columns:
        for name, one in own.items():
            if name not in best or one.value > best[name].value:
                best[name] = one
    return best
