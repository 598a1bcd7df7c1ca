"""Records come back as they were written; whatever else lies in the file is named clearly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.errors import ExitCode, GromaError
from groma.facts.reading import read_record
from groma.facts.survey import Cache, NodeFacts, SurveyFacts
from groma.record import Build, ProbeSamples, Quantity, Record
from groma.record.io import write_record

if TYPE_CHECKING:
    from pathlib import Path


def quantity(value: float, unit: str) -> Quantity:
    return Quantity(value=value, unit=unit, low=value, high=value, confidence=0.9, method="test")


def survey(value: float = 32768) -> Record[SurveyFacts]:
    l1 = Cache(level=1, kind="data", size=quantity(value, "B"), latency=quantity(1.3e-9, "s"))
    return Record(
        kind="survey",
        created="2026-01-02T03:04:05+00:00",
        command=["groma", "survey"],
        build=Build(version="0.1.0"),
        environment={},
        parameters={},
        samples={"chase": ProbeSamples(probe="chase", cases=[{"unit": "s"}], values=[[1e-9, 2e-9]])},
        facts=SurveyFacts(node=NodeFacts(caches=[l1])),
    )


def refusal(path: Path) -> GromaError:
    with pytest.raises(GromaError) as caught:
        read_record(path)
    assert caught.value.exit_code == ExitCode.USAGE
    assert str(path) in caught.value.what
    assert caught.value.next_step
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_survey_comes_back_typed(tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    write_record(path, survey())
    assert read_record(path) == survey()
    assert isinstance(read_record(path).facts, SurveyFacts)


def test_a_record_of_unknown_kind_comes_back_as_plain_values(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    write_record(path, msgspec.structs.replace(survey(), kind="astrolabe", facts={"angle": 1.5}))
    assert read_record(path).facts == {"angle": 1.5}


def test_fields_of_a_later_version_are_no_error(tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    document: dict[str, Any] = msgspec.to_builtins(survey())
    document["from_the_future"] = 1
    document["facts"]["node"]["gpu"] = {"count": 4}
    path.write_bytes(msgspec.json.encode(document))
    assert read_record(path) == survey()


def test_a_truncated_file_is_called_cut_short_at_every_length(tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    write_record(path, survey())
    content = path.read_bytes().rstrip()
    for length in range(1, len(content), 37):
        path.write_bytes(content[:length])
        what = refusal(path).what
        assert "cut short" in what or "not JSON" in what
        assert "line" in what


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"{]", "not JSON"),
        (b"{'a': 1}", "not JSON"),
        (b"dear reader,\nthis is no record", "nor an output of hpcc"),
        (b"\n  N NB P Q\n", "it begins with 'N NB P Q'"),
        (b"\xef\xbb\xbf" + b"word " * 20, "it begins with 'word word word word word word word word...'"),
        (b"\xff{}", "not UTF-8"),
        ("{".encode("utf-16"), "cut short"),
        (b"\x1f\x8b\x08\x00rest", "compressed"),
        (b"#Paraver (01/01/2026 at 00:00):1_ns:1(1):1:1(1:1)", "is a trace, not a record"),
        (b"gromatrc\x02\x00\x00\x00", "is a trace, not a record"),
        (b"[1, 2]", "not a groma record"),
        (b'"text"', "not a groma record"),
        (b'{"cpu": 3}', "not a groma record"),
        (b'{"schema": 7}', "not a groma record"),
        (b'{"schema": "http-like/other"}', "not a groma record"),
        (b'{"schema": "groma.record/99", "kind": "survey"}', "groma.record/99"),
        (b'{"schema": "groma.record/1"}', "kind"),
        (b'{"schema": "groma.record/1", "kind": 3}', "$.kind"),
        (b'{"a": ' + b"[" * 100_000, "nested"),
    ],
)
def test_foreign_content_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "some.json"
    path.write_bytes(content)
    assert said in refusal(path).what


def test_a_wrong_type_is_named_with_its_field(tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    document = msgspec.to_builtins(survey())
    document["facts"]["node"]["caches"][0]["size"]["value"] = "big"
    path.write_bytes(msgspec.json.encode(document))
    assert "$.facts.node.caches[0].size.value" in refusal(path).what


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "absent.json").what
    assert "is a folder" in refusal(tmp_path).what


def test_a_mark_of_byte_order_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    write_record(path, survey())
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_record(path) == survey()


@pytest.mark.parametrize("part", ["environment", "parameters", "facts"])
def test_values_without_a_type_are_refused_where_they_nest_too_deep(tmp_path: Path, part: str) -> None:
    path = tmp_path / "record.json"
    document: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(survey(), kind="astrolabe"))
    nested: Any = 1
    for _ in range(200):
        nested = {"in": [nested]}
    document[part] = nested
    path.write_bytes(msgspec.json.encode(document))
    assert "nested too deep" in refusal(path).what
