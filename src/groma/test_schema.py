"""The schemas in docs/ are those of the code, and what groma writes follows them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.host.capture import capture_environment
from groma.schema import FOLDER, REGENERATE, document, main, schemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.facts.survey import SurveyFacts
    from groma.record import Record

SCHEMAS = schemas()
PROFILE = "profile.schema.json"
COMMITTED = Path(__file__).parents[2] / FOLDER


@pytest.mark.parametrize("name", SCHEMAS)
def test_committed_schema_is_current(name: str) -> None:
    assert (COMMITTED / name).read_bytes() == document(SCHEMAS[name]), f"renew with: {REGENERATE}"


def test_no_schema_is_left_over() -> None:
    assert {path.name for path in COMMITTED.glob("*.json")} == set(SCHEMAS)


def test_the_command_writes_them_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(tmp_path / "schema")
    assert {path.name for path in (tmp_path / "schema").iterdir()} == set(SCHEMAS)
    assert "profile.schema.json" in capsys.readouterr().out


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from [schema["$ref"]] if "$ref" in schema else []
        schema = list(schema.values())
    if isinstance(schema, list):
        for inner in schema:
            yield from references(inner)


def referred(reference: str, file: str) -> tuple[dict[str, Any], str]:
    """The definition, and the file that it is in."""
    other, _, path = reference.partition("#/$defs/")
    file = other or file
    return SCHEMAS[file]["$defs"][path], file


@pytest.mark.parametrize("file", SCHEMAS)
def test_every_reference_leads_to_a_definition(file: str) -> None:
    assert all(referred(one, file) for one in references(SCHEMAS[file]))


def test_what_kinds_of_record_share_is_described_once() -> None:
    definitions = [name for schema in SCHEMAS.values() for name in schema["$defs"]]
    assert len(definitions) == len(set(definitions))


def missing_fields(value: Any, schema: dict[str, Any], file: str) -> list[str]:
    """Required fields that `value` lacks and fields that the schema does not know, by name."""
    if "$ref" in schema:
        schema, file = referred(schema["$ref"], file)
    if isinstance(value, list):
        return [name for inner in value for name in missing_fields(inner, schema.get("items", {}), file)]
    if not isinstance(value, dict) or "properties" not in schema:
        return []
    known = schema["properties"]
    wrong = [name for name in schema.get("required", []) if name not in value]
    wrong += [name for name in value if name not in known]
    return wrong + [
        n for name in value if name in known for n in missing_fields(value[name], known[name], file)
    ]


def test_a_profile_has_the_fields_of_its_schema(survey: Record[SurveyFacts]) -> None:
    survey.environment = msgspec.to_builtins(capture_environment())
    assert missing_fields(msgspec.to_builtins(survey), SCHEMAS[PROFILE], PROFILE) == []


def test_a_profile_of_another_schema_would_be_seen(survey: Record[SurveyFacts]) -> None:
    schema = SCHEMAS[PROFILE]
    values = msgspec.to_builtins(survey)
    del values["created"]
    values["facts"]["nodes"] = []
    assert set(missing_fields(values, schema, PROFILE)) >= {"created", "nodes"}
    assert schema["$defs"]["SurveyRecord"]["properties"]["kind"] == {"const": "survey"}


def test_settings_schema_refuses_unknown_keys() -> None:
    definitions = SCHEMAS["config.schema.json"]["$defs"]
    assert all(one["additionalProperties"] is False for one in definitions.values())
    assert definitions["SurveySettings"]["properties"]["depth"]["description"]
