"""What the system does of each test for 1,000 flop of HPL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.balance.ratios import balance_of
from groma.facts.hpcc import HpccFacts
from groma.report.blocks import DataTable, DotAxis, Figure, Strip, StripChart
from groma.report.quantities import shown
from groma.report.views.marks import quantity_lane
from groma.report.views.registry import view

if TYPE_CHECKING:
    from groma.record import Record
    from groma.report.views.registry import Blocks


@view("balance", order=0, of=HpccFacts)
def balance(record: Record[HpccFacts]) -> Blocks:
    ratios = balance_of(record.facts)
    if not ratios:
        return []
    return [
        Figure(
            id="hpcc-balance",
            title="Balance: each test over HPL",
            what="The work of all ranks in each test during 1,000 flop of HPL. Figures of one rank "
            f"are multiplied by the number of ranks. {_network(record.facts)}",
            method="Ratios after Rabenseifner, Balance of HPC Systems Based on HPCC Benchmark Results "
            "(2005), sections 4 and 5. Intervals contain every quotient of the two intervals.",
            drawing=StripChart(
                x=DotAxis(title="per 1,000 flop of HPL", scale="log10"),
                strips=[Strip(name=one.name, lanes=[quantity_lane(one.quantity)]) for one in ratios],
            ),
            table=DataTable(
                columns=["test", "counts", "ratio to HPL"],
                rows=[[one.name, one.what, shown(one.quantity)] for one in ratios],
            ),
        )
    ]


def _network(facts: HpccFacts) -> str:
    """The paper's Table 1 holds inter-node figures: on one machine the rings measure its memory."""
    if facts.launch and not facts.launch.inter_node:
        return "All ranks ran on one machine, so the rings show memory and caches, not a network."
    return (
        "For random rings between nodes, the paper reports 1.8 (IBM Colony) to 220 B/kflop (SGI "
        "Altix 3700 Bx2) in 2005."
    )
