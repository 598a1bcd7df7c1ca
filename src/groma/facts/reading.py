"""Read records, with facts of the type that belongs to their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.facts.kinds import kind_named
from groma.record.io import decode, read_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from groma.record import Record


def read_record(path: Path) -> Record[Any]:
    """The record in `path`. Facts of known kinds are typed, those of other kinds are plain values.

    Unknown fields are ignored. Raises GromaError (exit code 2) with the file, the place of the defect and the
    next step.
    """
    return decode_record(read_bytes(path), str(path))


def decode_record(content: bytes, name: str) -> Record[Any]:
    """As `read_record`, from bytes; messages call them `name`."""
    return decode(content, name, _facts_of)


def _facts_of(name: object) -> Any:
    kind = kind_named(name)
    return Any if kind is None else kind.facts
