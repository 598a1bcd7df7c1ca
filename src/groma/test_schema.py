"""The schemas in docs/ are those of the code, and what groma writes follows them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.record.capture import capture_environment
from groma.schema import FOLDER, REGENERATE, document, main, schemas

if TYPE_CHECKING:
    from groma.record import Record, SurveyFacts

COMMITTED = Path(__file__).parents[2] / FOLDER


@pytest.mark.parametrize("name", schemas())
def test_committed_schema_is_current(name: str) -> None:
    assert (COMMITTED / name).read_bytes() == document(schemas()[name]), f"renew with: {REGENERATE}"


def test_no_schema_is_left_over() -> None:
    assert {path.name for path in COMMITTED.glob("*.json")} == set(schemas())


def test_the_command_writes_them_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(tmp_path / "schema")
    assert {path.name for path in (tmp_path / "schema").iterdir()} == set(schemas())
    assert "profile.schema.json" in capsys.readouterr().out


def missing_fields(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> list[str]:
    """Required fields that `value` lacks and fields that the schema does not know, by name."""
    schema = root["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if isinstance(value, list):
        return [name for inner in value for name in missing_fields(inner, schema.get("items", {}), root)]
    if not isinstance(value, dict) or "properties" not in schema:
        return []
    known = schema["properties"]
    wrong = [name for name in schema.get("required", []) if name not in value]
    wrong += [name for name in value if name not in known]
    return wrong + [
        n for name in value if name in known for n in missing_fields(value[name], known[name], root)
    ]


def test_a_profile_has_the_fields_of_its_schema(survey: Record[SurveyFacts]) -> None:
    survey.environment = msgspec.to_builtins(capture_environment())
    schema = schemas()["profile.schema.json"]
    assert missing_fields(msgspec.to_builtins(survey), schema, schema) == []


def test_a_profile_of_another_schema_would_be_seen(survey: Record[SurveyFacts]) -> None:
    schema = schemas()["profile.schema.json"]
    values = msgspec.to_builtins(survey)
    del values["created"]
    values["facts"]["nodes"] = []
    assert set(missing_fields(values, schema, schema)) >= {"created", "nodes"}
    assert schema["$defs"]["ProfileRecord"]["properties"]["kind"] == {"const": "survey"}


def test_settings_schema_refuses_unknown_keys() -> None:
    definitions = schemas()["config.schema.json"]["$defs"]
    assert all(one["additionalProperties"] is False for one in definitions.values())
    assert definitions["SurveySettings"]["properties"]["depth"]["description"]
