"""Reading and writing records: strict about what is wrong, whole files or none."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import GromaError
from groma.record import reading
from groma.record.hpcc import HpccFacts
from groma.record.profile import SurveyFacts
from groma.record.randomaccess import ErrorFacts, OwnerFacts, RandomAccessFacts
from groma.record.record import SCHEMA, Record
from groma.record.writing import write_atomically

if TYPE_CHECKING:
    from pathlib import Path

# What the facts of each kind of record are typed as; other kinds are read as plain JSON values.
FACTS: dict[str, type] = {
    "survey": SurveyFacts,
    "hpcc": HpccFacts,
    "randomaccess": RandomAccessFacts,
    "randomaccess_owner": OwnerFacts,
    "randomaccess_errors": ErrorFacts,
}

_COMPRESSED = {b"\x1f\x8b": "gunzip", b"\x28\xb5\x2f\xfd": "unzstd", b"BZh": "bunzip2", b"\xfd7zXZ": "unxz"}

MOST_JSON = 256 << 20
"""Bytes of the largest record that is read: some ten million samples."""

MOST_TEXT = 64 << 20
"""Bytes of the largest text that is searched for runs of the original suite."""

DEEPEST = 64
"""Values within values; records of groma have about ten."""


class _Header(msgspec.Struct):
    schema: Any = None
    kind: Any = None


def write_record(path: Path, record: Record[Any]) -> None:
    """Write `record` to `path` as a whole or not at all; an older file stays until the new one is on disk.

    Raises GromaError (exit code 4) with the system's cause where the place cannot be written, and what
    `encoded_record` raises.
    """
    write_atomically(path, encoded_record(record))


def encoded_record(record: Record[Any]) -> bytes:
    """The content of its file.

    Raises ValueError where it could not be read again (a number that is not finite, a wrong type).
    """
    document = encoded(record)
    try:
        decode_record(document, "the record")
    except GromaError as error:
        raise ValueError(error.what) from error
    return msgspec.json.format(document, indent=1) + b"\n"


def encoded(value: Any) -> bytes:
    """JSON of any value; bytes of names that are no UTF-8 are spelled, since JSON cannot hold them."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_spelled(msgspec.to_builtins(value)))


def _spelled(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_spelled(key): _spelled(inner) for key, inner in value.items()}
    return [_spelled(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def read_record(path: Path) -> Record[Any]:
    """The record in `path`; facts are typed for the kinds in FACTS, plain values for any other kind.

    Fields this version does not know are no error. Raises GromaError (exit code 2) that names the file,
    the place in it and what to do.
    """
    return decode_record(read_bytes(path), str(path))


def read_bytes(path: Path) -> bytes:
    """The content of a record, or of a text that may tell runs. Raises GromaError (exit code 2)."""
    return reading.read_bytes(
        path, lambda start: _worth_reading(start, str(path)), "check the path, or measure with: groma survey"
    )


def _worth_reading(start: bytes, name: str) -> int:
    """Bytes, by the first of them. Raises GromaError for what is neither a record nor text."""
    _refuse_compressed(start, name)
    if b"\0" in start:
        _refuse_non_text(start, name)
        raise GromaError(f"{name} is no text (a zero byte)", "give a record written by groma")
    return MOST_JSON if start.removeprefix(BOM_UTF8).lstrip().startswith(b"{") else MOST_TEXT


def decode_record(content: bytes, name: str) -> Record[Any]:
    """As `read_record`, from bytes; `name` is how the messages call them."""
    content = content.removeprefix(BOM_UTF8)
    _refuse_non_text(content, name)
    header = _header_of(content, name)
    _refuse_other_schemas(header.schema, name)
    facts = FACTS.get(header.kind, Any) if isinstance(header.kind, str) else Any
    return _decode(content, Record[facts], name)  # type: ignore[valid-type]


def _refuse_non_text(content: bytes, name: str) -> None:
    if not content.strip():
        raise GromaError(f"{name} is empty", "the command that wrote it was cut short: run it again")
    _refuse_compressed(content, name)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise GromaError(
            f"{name} is not UTF-8 text (byte {error.start})", "give a record written by groma"
        ) from None


def _refuse_compressed(content: bytes, name: str) -> None:
    for magic, tool in _COMPRESSED.items():
        if content.startswith(magic):
            raise GromaError(f"{name} is compressed", f"unpack it first: {tool} {name}")


def _header_of(content: bytes, name: str) -> _Header:
    try:
        return msgspec.json.decode(content, type=_Header)
    except msgspec.ValidationError:
        return _Header()
    except msgspec.DecodeError as error:
        raise _malformed(content, name, str(error)) from None
    except RecursionError:
        raise _too_deep(name) from None


def _too_deep(name: str) -> GromaError:
    return GromaError(f"{name}: JSON nested too deep", "give a file that groma wrote")


def _refuse_other_schemas(schema: object, name: str) -> None:
    if schema == SCHEMA:
        return
    if not isinstance(schema, str) or not schema.startswith("groma."):
        raise GromaError(f"{name} is not a groma record (no schema of groma)", "give a file that groma wrote")
    raise GromaError(
        f"{name} has schema {schema}, this groma reads {SCHEMA}",
        "read it with the version of groma that wrote it, or measure again",
    )


def _malformed(content: bytes, name: str, cause: str) -> GromaError:
    place, text = "", content.decode("utf-8")
    try:
        json.loads(text)
    except RecursionError:
        return _too_deep(name)
    except json.JSONDecodeError as error:
        place, cause = f" at line {error.lineno}, column {error.colno}", error.msg
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
            what = f"{name} is cut short{place}"
            return GromaError(what, "its writer was interrupted or the disk was full: run that command again")
    except ValueError as error:  # a whole number of more digits than Python reads
        cause = str(error).partition(":")[0]
    return GromaError(f"{name} is not JSON: {cause}{place}", "give a file that groma wrote")


def _decode(content: bytes, as_type: Any, name: str) -> Record[Any]:
    try:
        record: Record[Any] = msgspec.json.decode(content, type=as_type)
    except msgspec.ValidationError as error:
        what, _, field = str(error).partition(" - at ")
        where = f" at {field.strip('`')}" if field else ""
        raise GromaError(
            f"{name}: {what}{where}", "the file was edited or damaged: restore it or measure again"
        ) from None
    except msgspec.DecodeError as error:
        raise GromaError(f"{name}: {error}", "the file was damaged: restore it or measure again") from None
    except RecursionError:
        raise _too_deep(name) from None
    _refuse_deep(record, name)
    return record


def _refuse_deep(record: Record[Any], name: str) -> None:
    """Of the values that have no type: whoever shows them goes down as deep as they are."""
    level: list[Any] = [record.environment, record.parameters, record.facts]
    level += [case for samples in record.samples.values() for case in samples.cases]
    for _ in range(DEEPEST):
        level = [inner for value in level for inner in _inside(value)]
        if not level:
            return
    raise _too_deep(name)


def _inside(value: Any) -> list[Any]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [inner for inner in inside if isinstance(inner, (dict, list))]
