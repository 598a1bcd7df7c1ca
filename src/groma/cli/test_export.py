"""An export is a file for another program, or one line that says what is wrong."""

from __future__ import annotations

import json
import os
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


WARNINGS = '{"warnings":[{"code":"damaged_file","text":"the file breaks off","count":1,"line":7}]}'


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A trace of which the program that reads it says that it breaks off."""
    program = tmp_path / "bin" / "groma-trace-store"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho printed\necho '{WARNINGS}' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("GROMA_NATIVE_PATH", str(program.parent))
    (tmp_path / "t.prv").touch()
    return str(tmp_path / "t.prv")


@pytest.mark.parametrize("option", ["--perfetto", "--time-independent"])
def test_an_export_shows_what_is_wrong_with_the_trace(
    option: str, damaged: str, tmp_path: Path, capsys: Captured
) -> None:
    made = tmp_path / "made"
    assert run(["export", option, str(made), damaged]) == ExitCode.OK
    assert made.read_text() == "printed\n"
    assert "the file breaks off (1, first in line 7)" in capsys.readouterr().out
    assert run(["export", "--json", option, str(made), damaged]) == ExitCode.OK
    reported = json.loads(capsys.readouterr().out)
    assert reported["warnings"] == json.loads(WARNINGS)["warnings"]


def test_what_is_wrong_with_a_trace_does_not_get_into_a_pipe(
    damaged: str, tmp_path: Path, capsys: Captured
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run(["export", "--perfetto", str(pipe), damaged]) == ExitCode.OK
        assert os.read(reader, 99) == b"printed\n"
    finally:
        os.close(reader)
    said = capsys.readouterr()
    assert said.out == ""
    assert "the file breaks off (1, first in line 7)" in said.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["node.json"], ExitCode.USAGE, "no format is named"),
        (["--hwloc", "x.xml"], ExitCode.USAGE, "PROFILE"),
        (["--hwloc", "x.xml", "missing.json"], None, "missing.json"),
        (["--hwloc", "x.xml", "empty.json"], ExitCode.USAGE, "empty.json"),
        (["--hwloc", "x.xml", "run.json"], ExitCode.USAGE, "is a record of kind"),
        (["--hwloc", "x.xml", "bare.json"], ExitCode.USAGE, "has no topology"),
        (["--hwloc", "node.json", "node.json"], ExitCode.USAGE, "--hwloc would overwrite the input"),
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


@pytest.mark.parametrize("option", ["--perfetto", "--time-independent"])
def test_an_export_into_an_open_descriptor_goes_on_where_that_stands(
    option: str, damaged: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    log.write_text("first\n")
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND)
    try:
        assert run(["export", option, f"/dev/fd/{descriptor}", damaged]) == ExitCode.OK
        os.write(descriptor, b"last\n")
    finally:
        os.close(descriptor)
    assert log.read_text() == "first\nprinted\nlast\n"
