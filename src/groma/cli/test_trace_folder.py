"""Verbs take the folder of groma trace for the file in it that they read."""

from __future__ import annotations

from pathlib import Path

import pytest

from groma.cli.main import run
from groma.errors import ExitCode
from groma.facts.trace import KIND, TraceFacts
from groma.record.io import write_record
from groma.record.trace_folder import MATRIX, RECORD
from groma.run.provenance import analysis_record

pytestmark = pytest.mark.usefixtures("nothing_configured")

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def folder() -> Path:
    folder = Path("my runs")
    folder.mkdir()
    write_record(
        folder / RECORD, analysis_record(KIND, TraceFacts(duration=1.0, threads=0, nodes=0, ranks=[]))
    )
    (folder / MATRIX).write_text("source,target,bytes,messages\n0,1,1000,1\n1,0,1000,1\n")
    return folder


def test_show_prints_the_record_in_a_folder(folder: Path, capsys: Captured) -> None:
    assert run(["show", str(folder)]) == ExitCode.OK
    of_folder = capsys.readouterr().out
    assert run(["show", str(folder / RECORD)]) == ExitCode.OK
    assert capsys.readouterr().out == of_folder


def test_a_report_of_a_folder_never_replaces_the_record_in_it(folder: Path, capsys: Captured) -> None:
    before = (folder / RECORD).read_bytes()
    assert run(["report", str(folder), "-o", str(folder / RECORD)]) == ExitCode.USAGE
    assert "would overwrite" in capsys.readouterr().err
    assert (folder / RECORD).read_bytes() == before


def test_the_matrix_in_a_folder_is_mapped(folder: Path, capsys: Captured) -> None:
    words = ["map", "--topology", "torus:2", "--json", "--matrix"]
    assert run([*words, str(folder / MATRIX)]) == ExitCode.OK
    of_file = capsys.readouterr().out.replace(f"/{MATRIX}", "")
    assert run([*words, str(folder)]) == ExitCode.OK
    assert capsys.readouterr().out == of_file


@pytest.mark.parametrize("name", [".", MATRIX])
def test_a_matrix_in_the_place_of_a_profile_is_answered_with_the_option(
    name: str, folder: Path, capsys: Captured
) -> None:
    assert run(["map", str(folder / name)]) == ExitCode.USAGE
    step = capsys.readouterr().err.splitlines()[-1]
    assert step.endswith(f"is it the matrix? groma map --matrix '{folder / name}'")


def test_a_profile_without_traffic_is_no_matrix(example_profile: Path, capsys: Captured) -> None:
    assert run(["map", str(example_profile)]) == ExitCode.USAGE
    assert "use one of --matrix FILE" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["show", "report", "compare", "map"])
def test_logs_that_were_not_merged_are_answered_with_the_merge(verb: str, capsys: Captured) -> None:
    Path("t/logs").mkdir(parents=True)
    Path("t/logs/0.log").write_bytes(b"gromalog".ljust(64, b"\0"))
    words = {"compare": ["t", "t"], "map": ["--topology", "torus:2", "--matrix", "t"]}.get(verb, ["t"])
    assert run([verb, *words]) == ExitCode.USAGE
    assert capsys.readouterr().err.splitlines()[-1].endswith("groma merge t")
