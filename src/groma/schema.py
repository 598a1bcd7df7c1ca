"""JSON schemas of what groma writes and reads, for editors and other programs: docs/schema/*.json.

What several kinds of record hold is described once, in record.schema.json, to which the others refer.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from types import new_class
from typing import Any

import msgspec

from groma.config.settings import Settings
from groma.facts.kinds import Kind, known_kinds
from groma.record.environment import Environment
from groma.record.record import SCHEMA, Record

FOLDER = Path("docs/schema")

REGENERATE = "python -m groma.schema"
"""Renews the files, run from the root of the source tree."""


class AnyRecord(Record[Any], kw_only=True):
    """Any record; what its facts are depends on its kind."""

    environment: Environment  # type: ignore[assignment]


BASE = "record.schema.json"


def schemas() -> dict[str, dict[str, Any]]:
    """The schemas by file name."""
    base = _record_schema(AnyRecord, "A record of groma", None)
    kinds = _kinds()
    shared = base["$defs"] | _shared_definitions(list(kinds.values()))
    return {
        BASE: base | {"$defs": shared},
        **{name: _referring(schema, shared) for name, schema in kinds.items()},
        "config.schema.json": _closed(_schema(Settings, "Settings of groma (TOML)")),
    }


def _kinds() -> dict[str, dict[str, Any]]:
    """The schemas of the kinds of record, each complete."""
    return {
        f"{kind.schema}.schema.json": _record_schema(
            record_type(kind), f"{kind.what[0].upper()}{kind.what[1:]}", kind.name
        )
        for kind in known_kinds()
    }


def record_type(kind: Kind[Any]) -> type:
    """The type of records of a kind, with what surrounds it typed as well."""
    name = f"{kind.facts.__name__.removesuffix('Facts')}Record"
    body = {
        "__doc__": f"A record of kind `{kind.name}`: {kind.what}.",
        "__annotations__": {"environment": Environment},
    }
    bases = (Record[kind.facts],)  # type: ignore[name-defined]
    return new_class(name, bases, {"kw_only": True}, lambda namespace: namespace.update(body))


def _shared_definitions(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """Definitions that more than one schema has, each time the same."""
    definitions = [item for schema in schemas for item in schema["$defs"].items()]
    return {name: one for name, one in definitions if definitions.count((name, one)) > 1}


def _referring(schema: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    """The schema without the shared definitions, to which it refers in their file."""
    own = {name: one for name, one in schema["$defs"].items() if shared.get(name) != one}

    def referred(value: Any) -> Any:
        if isinstance(value, list):
            return [referred(inner) for inner in value]
        if not isinstance(value, dict):
            return value
        return {key: target(inner) if key == "$ref" else referred(inner) for key, inner in value.items()}

    def target(reference: str) -> str:
        return reference if reference.rpartition("/")[2] in own else f"{BASE}{reference}"

    referring: dict[str, Any] = referred({**schema, "$defs": own})
    return referring


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
