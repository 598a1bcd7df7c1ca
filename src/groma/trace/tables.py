"""The tables of a trace as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from groma.facts.trace import TraceFacts


def table_csv(facts: TraceFacts, table: str) -> str:
    """One of the tables, with a header. What a rank has in each state and call is left to JSON."""
    rows = msgspec.to_builtins(getattr(facts, table))
    text = io.StringIO()
    columns = [name for name, value in rows[0].items() if not isinstance(value, dict)] if rows else []
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
