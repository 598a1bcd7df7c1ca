"""The calls as a table for tracer and merge."""

from __future__ import annotations

from listed_calls import calls


def table(listed: str) -> str:
    rows = []
    for call in calls(listed):
        fields = " | ".join(f"field_bit(Field::{field})" for field, _ in call.fields()) or "0U"
        rows.append(
            f"GROMA_MPI_CALL({call.name}, {call.value}, {call.family}, {call.state}, {call.kind}, {fields})"
        )
    return "\n".join(rows) + "\n"
