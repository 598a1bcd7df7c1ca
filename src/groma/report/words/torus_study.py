"""Words for studies of the torus simulator, on the terminal and on the page alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.record.units import format_number

if TYPE_CHECKING:
    from groma.facts.torus_study import StudyRow, StudyTable

VERDICTS = {True: "agrees", False: "differs", None: ""}


def columns_of(table: StudyTable) -> list[str]:
    """Names of the columns; those that no row fills are left out."""
    optional = {
        "bucket": any(row.bucket for row in table.rows),
        "model": any(row.model is not None for row in table.rows),
        "drift": any(row.drift is not None for row in table.rows),
        "difference": any(row.difference is not None for row in table.rows),
    }
    names = [table.varied, "torus", "bucket", table.against, "simulated", "difference", "model", "drift", ""]
    return [name for name in names if optional.get(name, True)]


def cells_of(table: StudyTable, row: StudyRow) -> dict[str, str]:
    """The texts of a row by column."""
    low, high = row.simulated.low, row.simulated.high
    interval = f" [{format_number(low)}, {format_number(high)}]" if low < high else ""
    return {
        table.varied: row.case,
        "torus": "x".join(map(str, row.shape)),
        "bucket": str(row.bucket or ""),
        table.against: row.wanted or _number(row.expected),
        "simulated": f"{format_number(row.simulated.value)}{interval}",
        "difference": _percent(row.difference),
        "model": _number(row.model),
        "drift": _percent(row.drift),
        "": _verdict(row),
    }


def _number(value: float | None) -> str:
    return "" if value is None else format_number(value)


def _percent(share: float | None) -> str:
    """Signed, and 0 only for nothing at all."""
    if share is None:
        return ""
    return "0 %" if share == 0 else f"{100 * share:+.1f} %"


def _verdict(row: StudyRow) -> str:
    if row.stuck:
        return "stuck"
    if not row.finished:
        return "cut short"
    return VERDICTS[row.agrees]


def heading_of(table: StudyTable) -> str:
    return f"{table.title}: {table.quantity}, {table.unit}"


def remarks_of(table: StudyTable) -> list[str]:
    """What is to be known of single rows."""
    return [f"{row.case}: {row.note}" for row in table.rows if row.note]
