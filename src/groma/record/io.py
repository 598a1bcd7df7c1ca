"""Decode and write records. Reading names each defect, writing is atomic."""

from __future__ import annotations

import json
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from groma.errors import ExitCode, GromaError
from groma.record import reading
from groma.record.former_names import with_present_names
from groma.record.record import SCHEMA, Record
from groma.record.unfinished import command_line
from groma.record.writing import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

F = TypeVar("F")

_COMPRESSED = {b"\x1f\x8b": "gunzip", b"\x28\xb5\x2f\xfd": "unzstd", b"BZh": "bunzip2", b"\xfd7zXZ": "unxz"}

_TRACES = (b"#Paraver", b"gromatrc")
"""How a .prv and its store begin."""

MOST_JSON = 256 << 20
"""Bytes of the largest record that is read and written: some ten million samples."""

MOST_INDENTED = 4 << 20
"""Bytes of the largest record that is written for people to read."""

MOST_TEXT = 64 << 20
"""Bytes of the largest text that is searched for runs of the original suite."""

DEEPEST = 64
"""Values within values; records of groma have about ten."""


class _Header(msgspec.Struct):
    schema: Any = None
    kind: Any = None


class _FactsAlone(msgspec.Struct, Generic[F]):
    facts: F


def write_record(path: Path, record: Record[Any]) -> None:
    """Write `record` to `path` atomically: an older file stays until the new one is on disk.

    Raises GromaError (exit code 4) with the system's cause if the place cannot be written, and what
    `encoded_record` raises.
    """
    write_atomically(path, encoded_record(record))


def encoded_record(record: Record[Any]) -> bytes:
    """The content of the record's file.

    Raises ValueError if it could not be read again (a number that is not finite, a wrong type), and
    GromaError (exit code 4) if it is too large to be read.
    """
    document = encoded(record)
    _refuse_large(document)
    try:
        decode(document, "the record", lambda _kind: type(record.facts))
    except GromaError as error:
        raise ValueError(error.what) from error
    # Every number has a line of its own otherwise, and half of a large file is indentation.
    return msgspec.json.format(document, indent=1 if len(document) <= MOST_INDENTED else -1) + b"\n"


def _refuse_large(document: bytes) -> None:
    if len(document) < MOST_JSON:  # a newline follows
        return
    size = f"{len(document) / (1 << 20):.4g} MiB, more than the {MOST_JSON >> 20} MiB that groma reads"
    step = "measure in parts, with fewer tests, processes or repetitions in each"
    raise GromaError(f"the record is too large: {size}", step, ExitCode.ENVIRONMENT)


def encoded(value: Any) -> bytes:
    """JSON of any value. Bytes that are not valid UTF-8 are escaped, since JSON cannot hold them."""
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


def read_bytes(path: Path) -> bytes:
    """The content of a record, or of a text that may hold foreign runs, as UTF-8.

    Raises GromaError (exit code 2).
    """
    content = reading.read_bytes(
        path, lambda start: _worth_reading(start, str(path)), "check the path, or measure with: groma survey"
    )
    return _in_utf8(content)


def _in_utf8(content: bytes) -> bytes:
    """Shells of Windows redirect in UTF-16; a file that breaks off may end within a letter."""
    is_wide = content.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    return content.decode("utf-16", errors="replace").encode() if is_wide else content


def _worth_reading(start: bytes, name: str) -> int:
    """How many bytes to read, by the first of them. Raises GromaError for what is neither a record nor
    text.
    """
    _refuse_compressed(start, name)
    if start.startswith(_TRACES):
        raise GromaError(f"{name} is a trace, not a record", "groma stat prints it, and -o makes its record")
    start = _in_utf8(start)
    if b"\0" in start:
        _refuse_non_text(start, name)
        raise GromaError(f"{name} is not text (a zero byte)", "name a record written by groma")
    return MOST_JSON if start.removeprefix(BOM_UTF8).lstrip().startswith(b"{") else MOST_TEXT


def is_prose(content: bytes) -> bool:
    """Whether it is text that nobody meant to be JSON."""
    try:
        start = content.removeprefix(BOM_UTF8).decode("utf-8").lstrip()[:1]
    except UnicodeDecodeError:
        return False
    return start not in ("", "{", "[", '"')


def decode(content: bytes, name: str, facts_of: Callable[[object], Any]) -> Record[Any]:
    """The record in `content`, with facts of the type that `facts_of` gives for its kind.

    Unknown fields are ignored. Raises GromaError (exit code 2), which calls the content `name`, with the
    place of the defect and the next step.
    """
    content, kind = _checked(content, name)
    record: Record[Any] = _decode(content, Record[facts_of(kind)], name)  # type: ignore[misc]
    _refuse_deep(record, name)
    return record


def decode_facts(content: bytes, name: str, facts_of: Callable[[object], Any]) -> Any:
    """As `decode`, the facts alone: the rest of the record may lack anything, as libgroma reads profiles."""
    content, kind = _checked(content, name)
    return _decode(content, _FactsAlone[facts_of(kind)], name).facts  # type: ignore[misc]


def _checked(content: bytes, name: str) -> tuple[bytes, object]:
    """The JSON of a record of this schema, and its kind."""
    content = content.removeprefix(BOM_UTF8)
    _refuse_non_text(content, name)
    header = _header_of(content, name)
    _refuse_other_schemas(header.schema, name)
    return with_present_names(content), header.kind


def _refuse_non_text(content: bytes, name: str) -> None:
    if not content.strip():
        raise GromaError(
            f"{name} is empty", "the command that wrote it was cut short; run that command again"
        )
    _refuse_compressed(content, name)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise GromaError(
            f"{name} is not UTF-8 text (byte {error.start})", "name a record written by groma"
        ) from None


def _refuse_compressed(content: bytes, name: str) -> None:
    for magic, tool in _COMPRESSED.items():
        if content.startswith(magic):
            raise GromaError(f"{name} is compressed", f"unpack it first: {command_line(tool, name)}")


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
    return GromaError(f"{name}: the JSON is nested too deep", "name a file that groma wrote")


def _refuse_other_schemas(schema: object, name: str) -> None:
    if schema == SCHEMA:
        return
    if not isinstance(schema, str) or not schema.startswith("groma."):
        raise GromaError(f"{name} is not a groma record (no schema of groma)", "name a file that groma wrote")
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
            return GromaError(
                what,
                "the command that wrote it was interrupted, or the disk was full; run that command again",
            )
    except ValueError as error:  # a whole number of more digits than Python reads
        cause = str(error).partition(":")[0]
    return GromaError(f"{name} is not JSON: {cause}{place}", "name a file that groma wrote")


def _decode(content: bytes, as_type: Any, name: str) -> Any:
    try:
        return msgspec.json.decode(content, type=as_type)
    except msgspec.ValidationError as error:
        what, _, field = str(error).partition(" - at ")
        where = f" at {field.strip('`')}" if field else ""
        raise GromaError(
            f"{name}: {what}{where}", "the file was edited or damaged; restore it or measure again"
        ) from None
    except msgspec.DecodeError as error:
        raise GromaError(f"{name}: {error}", "the file was damaged; restore it or measure again") from None
    except RecursionError:
        raise _too_deep(name) from None


def _refuse_deep(record: Record[Any], name: str) -> None:
    """Refuse untyped values that nest too deep for the functions that show them."""
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
