"""How far a run came that was interrupted and cannot be resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.facts.kinds import kind_named
from groma.record.unfinished import command_line, unfinished

if TYPE_CHECKING:
    from groma.record import Record, Unfinished


def state_of(record: Record[Any]) -> Unfinished | None:
    """None if the run completed, was imported, or is of a kind without steps."""
    kind = kind_named(record.kind)
    steps = kind.steps(record) if kind is not None and kind.steps is not None else None
    return None if steps is None else unfinished(steps, _again(record))


def _again(record: Record[Any]) -> str:
    program, *words = record.command or ["groma"]
    del program  # its path on that machine, or __main__.py
    is_limited = any(word.startswith("--time-limit") for word in words)
    how = ", perhaps with a longer --time-limit" if is_limited else " with"
    return f"this run cannot be resumed; start it again{how}: {command_line('groma', *words)}"
