"""All records in a file that a user may name: one of a record, every run of another program's output."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from groma.facts.kinds import kind_named, kind_of_file
from groma.facts.reading import decode_record
from groma.facts.unfinished import state_of
from groma.record.io import read_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from groma.record import Record


def records_in(path: Path) -> list[Record[Any]]:
    """Raises what `read_record` raises."""
    return records_of(read_bytes(path), path)


def records_of(content: bytes, path: Path) -> list[Record[Any]]:
    """As `records_in`, of content that was read already."""
    kind = kind_of_file(content)
    if kind is not None and kind.foreign is not None:
        return list(resolve_name(kind.foreign.reader)(content, str(path)))
    return [_as_read(decode_record(content, str(path)), path)]


def _as_read(record: Record[Any], path: Path) -> Record[Any]:
    """A record of a run that was cut short says so, and has the facts that its samples support."""
    kind = kind_named(record.kind)
    if kind is not None and kind.reopened is not None:
        reopened: Record[Any] = resolve_name(kind.reopened)(record, path)
        return reopened
    record.unfinished = state_of(record)
    return record
