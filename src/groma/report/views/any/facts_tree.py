"""Facts of a kind that the page does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groma.report.blocks import DataTable, table_figure
from groma.report.views.any.tree import leaves_of
from groma.report.views.registry import is_known, view

if TYPE_CHECKING:
    from groma.record import Record
    from groma.report.views.registry import Blocks


@view("facts", order=0, of=object)
def facts_tree(record: Record[Any]) -> Blocks:
    if is_known(record):
        return []
    rows = [[path or "facts", value] for path, value in leaves_of(msgspec.to_builtins(record.facts))]
    return table_figure(
        "facts",
        f"Facts of this record ({record.kind})",
        "All entries with their path in the record.",
        DataTable(columns=["entry", "value"], rows=rows),
        data=record.facts,
    )
