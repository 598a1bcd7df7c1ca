"""Reading and writing records: strict about what is wrong, whole files or none."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import ExitCode, GromaError
from groma.record.hpcc import HpccFacts
from groma.record.profile import SurveyFacts
from groma.record.randomaccess import ErrorFacts, OwnerFacts, RandomAccessFacts
from groma.record.record import SCHEMA, Record

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

_CURES = {
    errno.ENOSPC: "free some space or write to another place with -o",
    errno.EDQUOT: "your quota is used up: free some space or write to another place with -o",
    errno.EROFS: "write to another place with -o",
    errno.EACCES: "write to a folder that is yours with -o",
    errno.EPERM: "write to a folder that is yours with -o",
    errno.ENOENT: "create the folder first, or write to another place with -o",
    errno.ENOTDIR: "a part of the path is a file: write to another place with -o",
    errno.EISDIR: "that is a folder: name a file with -o",
}


class _Header(msgspec.Struct):
    schema: Any = None
    kind: Any = None


def write_record(path: Path, record: Record[Any]) -> None:
    """Write `record` to `path` as a whole or not at all; an older file stays until the new one is on disk.

    Raises GromaError (exit code 4) with the system's cause where the place cannot be written, ValueError
    where the record could not be read again (a number that is not finite, a wrong type).
    """
    document = msgspec.json.encode(record)
    try:
        decode_record(document, str(path))
    except GromaError as error:
        raise ValueError(error.what) from error
    write_atomically(path, msgspec.json.format(document, indent=1) + b"\n")


def write_atomically(path: Path, content: bytes) -> None:
    """Replace `path` by `content` in one step. Raises GromaError (exit code 4)."""
    try:
        if _is_special(path):
            path.write_bytes(content)
        else:
            _replace(path.resolve() if path.is_symlink() else path, content)
    except OSError as error:
        raise _not_written(path, error) from error


def _is_special(path: Path) -> bool:
    """Whether `path` is a device, pipe or folder: a rename would destroy it or put a file in its place."""
    return path.exists() and not path.is_file()


def _replace(target: Path, content: bytes) -> None:
    temporary = target.with_name(f".groma-{secrets.token_hex(6)}.tmp")
    try:
        _create(temporary, content, _mode_of(target))
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _create(path: Path, content: bytes, mode: int | None) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
        if mode is not None:
            os.fchmod(stream.fileno(), mode)


def _mode_of(target: Path) -> int | None:
    """The mode of the file that is to be replaced, None where there is none."""
    try:
        return target.stat().st_mode & 0o777
    except FileNotFoundError:
        return None


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable; file systems that cannot sync a folder are left alone."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _not_written(path: Path, error: OSError) -> GromaError:
    cause = os.strerror(error.errno).lower() if error.errno else str(error)
    cure = _CURES.get(error.errno or 0, "write to another place with -o")
    return GromaError(f"cannot write {path}: {cause}", cure, ExitCode.ENVIRONMENT)


def read_record(path: Path) -> Record[Any]:
    """The record in `path`; facts are typed for the kinds in FACTS, plain values for any other kind.

    Fields this version does not know are no error. Raises GromaError (exit code 2) that names the file,
    the place in it and what to do.
    """
    return decode_record(read_bytes(path), str(path))


def read_bytes(path: Path) -> bytes:
    """The content of `path`. Raises GromaError (exit code 2)."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise GromaError(f"{path}: no such file", "check the path, or measure with: groma survey") from None
    except IsADirectoryError:
        raise GromaError(f"{path} is a folder", "name the file in it, e.g. groma-profile.json") from None
    except OSError as error:
        cause = os.strerror(error.errno).lower() if error.errno else str(error)
        raise GromaError(f"{path}: {cause}", "make the file readable for you") from error


def decode_record(content: bytes, name: str) -> Record[Any]:
    """As `read_record`, from bytes; `name` is how the messages call them."""
    _refuse_non_text(content, name)
    header = _header_of(content, name)
    _refuse_other_schemas(header.schema, name)
    facts = FACTS.get(header.kind, Any) if isinstance(header.kind, str) else Any
    return _decode(content, Record[facts], name)  # type: ignore[valid-type]


def _refuse_non_text(content: bytes, name: str) -> None:
    if not content.strip():
        raise GromaError(f"{name} is empty", "the command that wrote it was cut short: run it again")
    for magic, tool in _COMPRESSED.items():
        if content.startswith(magic):
            raise GromaError(f"{name} is compressed", f"unpack it first: {tool} {name}")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise GromaError(
            f"{name} is not UTF-8 text (byte {error.start})", "give a record written by groma"
        ) from None


def _header_of(content: bytes, name: str) -> _Header:
    try:
        return msgspec.json.decode(content, type=_Header)
    except msgspec.ValidationError:
        return _Header()
    except msgspec.DecodeError as error:
        raise _malformed(content, name, str(error)) from None
    except RecursionError:
        raise GromaError(f"{name}: JSON nested too deep", "give a file that groma wrote") from None


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
    except json.JSONDecodeError as error:
        place, cause = f" at line {error.lineno}, column {error.colno}", error.msg
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
            what = f"{name} is cut short{place}"
            return GromaError(what, "its writer was interrupted or the disk was full: run that command again")
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
    return record
