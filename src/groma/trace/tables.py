"""The tables of a trace as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, get_origin, get_type_hints

import msgspec

if TYPE_CHECKING:
    from groma.facts.trace import TraceFacts


def table_csv(facts: TraceFacts, table: str) -> str:
    """One of the tables, with a header. What a rank has in each state and call is left to JSON."""
    rows = msgspec.to_builtins(getattr(facts, table))
    text = io.StringIO()
    columns = _columns(type(facts), table)
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _columns(facts: type[TraceFacts], table: str) -> list[str]:
    """Fields of a row, also where there is none."""
    (row,) = get_type_hints(facts)[table].__args__
    return [name for name, hint in get_type_hints(row).items() if get_origin(hint) is not dict]
