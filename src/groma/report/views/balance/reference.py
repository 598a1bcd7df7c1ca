"""How far the paper's own arithmetic can be repeated, and where each reference is from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.balance.printed import REPRODUCED
from groma.facts.balance import BalanceFacts
from groma.record.counting import counted
from groma.report.blocks import DataTable, table_figure
from groma.report.views.registry import view

if TYPE_CHECKING:
    from groma.record import Record
    from groma.report.views.registry import Blocks


@view("reference", order=0, of=BalanceFacts)
def reference(record: Record[BalanceFacts]) -> Blocks:
    facts = record.facts
    sources = [[one.name, one.source, one.note] for one in facts.systems if one.reference]
    return [
        *_printed(facts),
        *table_figure(
            "balance-sources",
            "Sources of the reference data",
            "Where each system to compare with is from.",
            DataTable(columns=["system", "source", "note"], rows=sources),
        ),
    ]


def _printed(facts: BalanceFacts) -> Blocks:
    same = sum(one.verdict == REPRODUCED for one in facts.printed)
    rows = [
        [one.system, one.what, one.printed, one.computed, one.unit, one.verdict, one.source]
        for one in sorted(facts.printed, key=lambda one: one.verdict == REPRODUCED)
    ]
    return table_figure(
        "balance-printed",
        "The paper's arithmetic again",
        f"{same} of {counted(len(facts.printed), 'printed value')} follow from the printed inputs to the "
        "last digit. Rounded inputs: the value lies within what the inputs were before they were rounded. "
        "Inconsistent: it does not.",
        DataTable(columns=["system", "value", "printed", "computed", "unit", "verdict", "source"], rows=rows),
    )
