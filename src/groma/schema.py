"""JSON schemas of what groma writes and reads, for editors and other programs: docs/schema/*.json."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import msgspec

from groma.config.settings import Settings
from groma.record.environment import Environment  # noqa: TC001  (msgspec reads the annotation)
from groma.record.hpcc import HpccFacts
from groma.record.profile import SurveyFacts
from groma.record.randomaccess import ErrorFacts, OwnerFacts, RandomAccessFacts
from groma.record.record import SCHEMA, Record

FOLDER = Path("docs/schema")

REGENERATE = "python -m groma.schema"
"""Renews the files, run from the root of the source tree."""


class ProfileRecord(Record[SurveyFacts], kw_only=True):
    """A record of kind `survey`: the profile of a machine."""

    environment: Environment  # type: ignore[assignment]


class HpccRecord(Record[HpccFacts], kw_only=True):
    """A record of kind `hpcc`: a run of the HPC Challenge suite."""

    environment: Environment  # type: ignore[assignment]


class RandomAccessRecord(Record[RandomAccessFacts], kw_only=True):
    """A record of kind `randomaccess`: updates of a table over all ranks."""

    environment: Environment  # type: ignore[assignment]


class OwnerRecord(Record[OwnerFacts], kw_only=True):
    """A record of kind `randomaccess_owner`: what finding the owner of a word costs."""

    environment: Environment  # type: ignore[assignment]


class ErrorsRecord(Record[ErrorFacts], kw_only=True):
    """A record of kind `randomaccess_errors`: rates and errors of threads that share a table."""

    environment: Environment  # type: ignore[assignment]


class AnyRecord(Record[Any], kw_only=True):
    """Any record; what its facts are depends on its kind."""

    environment: Environment  # type: ignore[assignment]


def schemas() -> dict[str, dict[str, Any]]:
    """The schemas by file name."""
    return {
        "record.schema.json": _record_schema(AnyRecord, "A record of groma", None),
        "profile.schema.json": _record_schema(ProfileRecord, "A profile of groma", "survey"),
        "hpcc.schema.json": _record_schema(HpccRecord, "A run of the HPC Challenge suite", "hpcc"),
        "randomaccess.schema.json": _record_schema(
            RandomAccessRecord, "A run of RandomAccess", "randomaccess"
        ),
        "randomaccess_owner.schema.json": _record_schema(
            OwnerRecord, "Lookups of owners in RandomAccess", "randomaccess_owner"
        ),
        "randomaccess_errors.schema.json": _record_schema(
            ErrorsRecord, "Errors of a shared table in RandomAccess", "randomaccess_errors"
        ),
        "config.schema.json": _closed(_schema(Settings, "Settings of groma (TOML)")),
    }


def _record_schema(of: type, title: str, kind: str | None) -> dict[str, Any]:
    schema = _schema(of, title)
    properties = schema["$defs"][of.__name__]["properties"]
    properties["schema"] = {"const": SCHEMA}
    if kind is not None:
        properties["kind"] = {"const": kind}
    return schema


def _schema(of: type, title: str) -> dict[str, Any]:
    described = _unindented(msgspec.json.schema(of))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **described}


def _unindented(value: Any) -> Any:
    """The same schema with descriptions as a reader wants them: docstrings are indented in the source."""
    if isinstance(value, dict):
        return {
            key: inspect.cleandoc(inner)
            if key == "description" and isinstance(inner, str)
            else _unindented(inner)
            for key, inner in value.items()
        }
    return [_unindented(inner) for inner in value] if isinstance(value, list) else value


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """Settings know no other keys: an editor shall mark a misspelt one, as groma refuses it."""
    for definition in schema["$defs"].values():
        definition["additionalProperties"] = False
    return schema


def document(schema: dict[str, Any]) -> bytes:
    """A schema as it lies on disk."""
    return msgspec.json.format(msgspec.json.encode(schema, order="sorted"), indent=2) + b"\n"


def main(folder: Path = FOLDER) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        (folder / name).write_bytes(document(schema))
        sys.stdout.write(f"{folder / name}\n")


if __name__ == "__main__":
    main()
