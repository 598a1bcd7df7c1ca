"""Read records, with facts of the type that belongs to their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from groma.errors import GromaError
from groma.facts.kinds import kind_named, known_kinds
from groma.record.io import decode, decode_facts, is_prose, read_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from groma.record import Record


_SHOWN = 40

P = TypeVar("P")


def read_record(path: Path) -> Record[Any]:
    """The record in `path`. Facts of known kinds are typed, those of other kinds are plain values.

    Unknown fields are ignored. Raises GromaError (exit code 2) with the file, the place of the defect and the
    next step.
    """
    return decode_record(read_bytes(path), str(path))


def read_parts(path: Path, of: type, parts: type[P]) -> P | None:
    """Some of the facts of a record whose kind has facts `of`; None for one of another kind.

    What `parts` does not name may be missing or damaged. Raises what `read_record` raises.
    """
    content, name = read_bytes(path), str(path)
    _refuse_prose(content, name)
    found = decode_facts(content, name, lambda kind: parts if _facts_of(kind) is of else Any)
    return found if isinstance(found, parts) else None


def decode_record(content: bytes, name: str) -> Record[Any]:
    """As `read_record`, from bytes; messages call them `name`."""
    _refuse_prose(content, name)
    return decode(content, name, _facts_of)


def _refuse_prose(content: bytes, name: str) -> None:
    if is_prose(content):
        raise _neither(content.decode("utf-8-sig"), name)


def _neither(text: str, name: str) -> GromaError:
    """Of text that is not JSON, and no output of another program either: what was expected."""
    others = [kind.foreign.called for kind in known_kinds() if kind.foreign]
    first = text.strip().splitlines()[0].strip()
    shown = first if len(first) <= _SHOWN else f"{first[:_SHOWN].rstrip()}..."
    expected = " nor ".join(["a record of groma (JSON)", *others])
    return GromaError(
        f"{name} is neither {expected}: it begins with {shown!r}",
        "name a file that groma wrote, or the whole output of another program",
    )


def _facts_of(name: object) -> Any:
    kind = kind_named(name)
    return Any if kind is None else kind.facts
