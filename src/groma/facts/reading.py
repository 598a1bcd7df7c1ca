"""Read records, with facts of the type that belongs to their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.errors import GromaError
from groma.facts.kinds import kind_named, known_kinds
from groma.record.io import decode, is_prose, read_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from groma.record import Record


_SHOWN = 40


def read_record(path: Path) -> Record[Any]:
    """The record in `path`. Facts of known kinds are typed, those of other kinds are plain values.

    Unknown fields are ignored. Raises GromaError (exit code 2) with the file, the place of the defect and the
    next step.
    """
    return decode_record(read_bytes(path), str(path))


def decode_record(content: bytes, name: str) -> Record[Any]:
    """As `read_record`, from bytes; messages call them `name`."""
    if is_prose(content):
        raise _neither(content.decode("utf-8-sig"), name)
    return decode(content, name, _facts_of)


def _neither(text: str, name: str) -> GromaError:
    """Of text that is not JSON, and no output of another program either: what was expected."""
    others = [kind.foreign.called for kind in known_kinds() if kind.foreign]
    first = text.strip().splitlines()[0].strip()
    shown = first if len(first) <= _SHOWN else f"{first[:_SHOWN].rstrip()}..."
    expected = " nor ".join(["a record of groma (JSON)", *others])
    return GromaError(
        f"{name} is neither {expected}: it begins with {shown!r}",
        "name a file that groma wrote, or a whole output of hpcc",
    )


def _facts_of(name: object) -> Any:
    kind = kind_named(name)
    return Any if kind is None else kind.facts
