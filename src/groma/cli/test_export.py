"""An export is a file for another program, or one line that says what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.cli.main import run
from groma.errors import ExitCode
from groma.record.io import write_record

if TYPE_CHECKING:
    from groma.facts.survey import SurveyFacts
    from groma.record import Record

    Captured = pytest.CaptureFixture[str]


@pytest.fixture
def profile(tmp_path: Path, survey: Record[SurveyFacts], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    write_record(Path("node.json"), survey)
    return Path("node.json")


def test_the_machine_and_its_measurements_are_written(profile: Path, capsys: Captured) -> None:
    assert run(["export", "--hwloc", "node.xml", str(profile)]) == ExitCode.OK
    said = capsys.readouterr().out
    assert "lstopo -i node.xml" in said
    assert "GromaCoreToCore(ps)" in said
    assert Path("node.xml").read_text().startswith('<?xml version="1.0" encoding="UTF-8"?>')


def test_programs_read_what_is_in_the_file(profile: Path, capsys: Captured) -> None:
    assert run(["export", "--json", "--hwloc", "node.xml", str(profile)]) == ExitCode.OK
    reported = json.loads(capsys.readouterr().out)
    assert reported["file"] == "node.xml"
    assert reported["bytes"] == Path("node.xml").stat().st_size
    assert set(reported["memory_attributes"]) == {"Latency", "Bandwidth"}


def test_a_pipe_gets_the_file_alone(profile: Path, capsys: Captured) -> None:
    run(["export", "--hwloc", "node.xml", str(profile)])
    capsys.readouterr()
    assert run(["export", "--hwloc", "-", str(profile)]) == ExitCode.OK
    assert capsys.readouterr().out == Path("node.xml").read_text()


def test_names_are_left_out_where_that_is_asked(profile: Path, survey: Record[SurveyFacts]) -> None:
    host = survey.environment["host"]
    for options, there in (([], True), (["--redact"], False)):
        assert run(["export", *options, "--hwloc", "node.xml", str(profile)]) == ExitCode.OK
        assert (f'value="{host}"' in Path("node.xml").read_text()) is there


@pytest.mark.parametrize("option", ["--perfetto", "--time-independent", "--parquet", "--otf2"])
def test_a_trace_loses_names_where_that_is_asked(option: str, tmp_path: Path, capsys: Captured) -> None:
    for package in ("pyarrow", "otf2"):
        pytest.importorskip(package)
    trace = tmp_path / "t.prv"
    trace.write_text(
        "#Paraver (x):9_ns:1(1):1:1(1:1)\n2:1:1:1:1:1:90000000:1\n2:1:1:1:1:5:50000001:1:90000000:0\n"
    )
    trace.with_suffix(".pcf").write_text("EVENT_TYPE\n9 90000000 Region\nVALUES\n1 /home/janet/x.c\n")
    made = tmp_path / "made"
    assert run(["export", "--redact", option, str(made), str(trace)]) == ExitCode.OK
    capsys.readouterr()
    files = [one for one in (made, *made.rglob("*")) if one.is_file()]
    assert files
    assert not any(b"janet" in one.read_bytes() for one in files)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["node.json"], ExitCode.USAGE, "no format is named"),
        (["--hwloc", "x.xml"], ExitCode.USAGE, "PROFILE"),
        (["--hwloc", "x.xml", "missing.json"], None, "missing.json"),
        (["--hwloc", "x.xml", "empty.json"], ExitCode.USAGE, "empty.json"),
        (["--hwloc", "x.xml", "run.json"], ExitCode.USAGE, "is a record of kind"),
        (["--hwloc", "x.xml", "bare.json"], ExitCode.USAGE, "has no topology"),
        (["--hwloc", "node.json", "node.json"], ExitCode.USAGE, "is the profile itself"),
        (["--hwloc", "gone/x.xml", "node.json"], ExitCode.ENVIRONMENT, "gone"),
        (["--hwloc", ".", "node.json"], ExitCode.ENVIRONMENT, "directory"),
    ],
)
def test_what_cannot_be_exported_is_one_line_and_a_step(
    arguments: list[str],
    code: ExitCode | None,
    said: str,
    profile: Path,
    survey: Record[SurveyFacts],
    foreign_record: Record[Any],
    capsys: Captured,
) -> None:
    Path("empty.json").write_bytes(b"")
    write_record(Path("run.json"), foreign_record)
    bare = msgspec.structs.replace(survey.facts, declared=None)
    write_record(Path("bare.json"), msgspec.structs.replace(survey, facts=bare))
    found = run(["export", *arguments])
    what, step = capsys.readouterr().err.splitlines()
    assert found == code or (code is None and found in {ExitCode.USAGE, ExitCode.ENVIRONMENT})
    assert said in what
    assert step.startswith("  -> ")
    assert not Path("x.xml").exists()
