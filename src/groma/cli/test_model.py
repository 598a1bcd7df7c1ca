"""groma model answers in three formats and refuses what it cannot predict in one line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.cli.main import run
from groma.errors import ExitCode
from groma.machine.files import machines_folder
from groma.model.page import PAGE
from groma.record.io import write_record

if TYPE_CHECKING:
    from pathlib import Path

    from groma.facts.survey import SurveyFacts
    from groma.record import Record

    Captured = pytest.CaptureFixture[str]

MODEL = ["model", "randomaccess"]
GUPS = {"value": 0.3, "unit": "GUP/s", "low": 0.29, "high": 0.31, "confidence": 0.95, "method": "made up"}

WORK = {"value": 8.0, "unit": "s", "low": 8.0, "high": 8.0, "confidence": 0.95, "method": "made up"}
LOADS = [{"role": "update", "ranks": 8, "worked": WORK, "waited": WORK}]


pytestmark = pytest.mark.usefixtures("nothing_configured")


@pytest.fixture
def run_record(survey: Record[SurveyFacts], tmp_path: Path) -> Path:
    facts: dict[str, Any] = {
        "gups": GUPS,
        "ranks": 8,
        "table_words": 1 << 30,
        "seconds": WORK,
        "loads": LOADS,
    }
    path = tmp_path / "randomaccess.json"
    write_record(path, msgspec.structs.replace(survey, kind="randomaccess", facts=facts, samples={}))
    return path


def test_table_4_is_printed_with_its_marked_rows(capsys: Captured) -> None:
    assert run([*MODEL, "--machine", "bluegene-p", "--nodes", "64:32768"]) == ExitCode.OK
    shown = capsys.readouterr().out
    row = next(line.split() for line in shown.splitlines() if line.split()[:1] == ["4096"])
    assert row == ["4096", "15", "22.0", "22.68", "75.03", "update", "20.39*", "17.02", "1.33"]
    for marked in ("5.68*", "10.91*", "20.39*", "formula gives 22.68"):
        assert marked in shown
    assert "103.00" in shown


def test_a_derived_bucket_is_marked(capsys: Captured) -> None:
    run([*MODEL, "--machine", "bluegene-p", "--nodes", "96"])
    row = next(line.split() for line in capsys.readouterr().out.splitlines() if line.split()[:1] == ["96"])
    assert row[1] == "29*"


def test_the_answer_for_programs_has_the_same_numbers(capsys: Captured) -> None:
    assert run([*MODEL, "--machine", "bluegene-p", "--nodes", "64,32768", "--json"]) == ExitCode.OK
    answer = json.loads(capsys.readouterr().out)
    rows = answer["algorithms"][0]["rows"]
    assert [(row["nodes"], row["printed"], row["measured"]) for row in rows] == [
        (64, 0.38, 0.38),
        (32768, 164.6, 103.0),
    ]
    assert answer["unit"] == "GUP/s"


@pytest.mark.parametrize("color", ["always", "never"])
@pytest.mark.parametrize("machine", ["bluegene-l", "bluegene-p"])
def test_every_dress_fits_every_machine(machine: str, color: str, capsys: Captured) -> None:
    assert run([*MODEL, "--machine", machine, "--color", color]) == ExitCode.OK
    assert "65536" in capsys.readouterr().out


def test_a_machine_of_ones_own_is_read_from_its_file(tmp_path: Path, capsys: Captured) -> None:
    text = (machines_folder() / "bluegene-p.toml").read_text().replace("value = 850e6", "value = 1700e6")
    (tmp_path / "mine.toml").write_text(text)
    assert run([*MODEL, "--machine", "mine.toml", "--nodes", "32768"]) == ExitCode.OK
    assert "331.25" in capsys.readouterr().out


def test_a_profile_and_a_run_stand_together(
    example_profile: Path, run_record: Path, capsys: Captured
) -> None:
    assert run([*MODEL, "--profile", str(example_profile), "--record", str(run_record)]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "bound                632 Mupdate/s" in shown
    assert "measured             300 Mupdate/s" in shown
    assert "measured over bound  0.475 x" in shown
    assert "100 %  300 Mupdate/s [290, 310]  limit" in shown


def test_a_profile_alone_answers_programs(example_profile: Path, capsys: Captured) -> None:
    assert run([*MODEL, "--profile", str(example_profile), "--cores", "2", "--json"]) == ExitCode.OK
    answer = json.loads(capsys.readouterr().out)
    assert (answer["binds"], answer["prediction"]["cores"]) == ("memory traffic", 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--machine or --profile"),
        (["--machine", "bluegene-p", "--profile", "p.json"], "--machine or --profile"),
        (["--machine", "bluegene-p", "--record", "r.json"], "--profile"),
        (["--machine", "bluegene-p", "--cores", "4"], "--profile"),
        (["--profile", "p.json", "--record", "r.json", "--cores", "4"], "--cores"),
        (["--machine", "bluegene-q"], "bluegene-q"),
        (["--machine", "none.toml"], "none.toml"),
        (["--machine", "bluegene-p", "--nodes", "64:"], "--nodes"),
        (["--machine", "bluegene-p", "--nodes", ""], "--nodes"),
        (["--profile", "none.json"], "none.json"),
        (["--profile", "PROFILE", "--record", "PROFILE"], "not randomaccess"),
        (["--profile", "PROFILE", "--nodes", "2"], "no latency between nodes"),
        (["--profile", "PROFILE", "--cores", "0"], "--cores"),
    ],
)
def test_wrong_use_is_one_line_and_a_step(
    arguments: list[str], said: str, example_profile: Path, capsys: Captured
) -> None:
    words = [str(example_profile) if word == "PROFILE" else word for word in arguments]
    assert run([*MODEL, *words]) == ExitCode.USAGE
    captured = capsys.readouterr()
    what, step = captured.err.splitlines()
    assert captured.out == ""
    assert said in what
    assert step.startswith("  -> ")


def test_the_shell_completes_the_machines(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("_GROMA_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "groma model randomaccess --machine blue")
    monkeypatch.setenv("COMP_CWORD", "4")
    run([])
    assert "bluegene-p" in capsys.readouterr().out


def rows_of(text: str) -> set[tuple[str, ...]]:
    """The rows of tables on a terminal, by their words, without the rules between."""
    return {tuple(line.split()) for line in text.splitlines() if line.strip()}


def rows_on_the_page() -> list[tuple[str, ...]]:
    """Those of every table, without the torus, for which a terminal has no room."""
    rows, shapes = [], False
    for line in PAGE.read_text(encoding="utf-8").partition("<!-- ")[2].splitlines():
        cells = [cell.strip().replace("\\*", "*") for cell in line.strip("|").split("|")]
        if not line.startswith("| "):
            shapes = False
        elif not line.startswith("| ---"):
            shapes = shapes or "torus" in cells
            rows.append(tuple(" ".join(cells[:1] + cells[2:] if shapes else cells).split()))
    return rows


def test_the_page_of_tables_has_the_rows_that_the_command_prints(capsys: Captured) -> None:
    printed: set[tuple[str, ...]] = set()
    for machine in ("bluegene-p", "bluegene-l"):
        assert run([*MODEL, "--machine", machine]) == 0
        printed |= rows_of(capsys.readouterr().out)
    page = rows_on_the_page()
    assert len(page) > 30
    assert [row for row in page if row not in printed] == []


def test_the_deviations_on_the_page_are_those_that_the_command_prints(capsys: Captured) -> None:
    assert run([*MODEL, "--machine", "bluegene-p"]) == 0
    differences = re.findall(r"\(([+-]\d+) %\)", capsys.readouterr().out)
    assert differences == ["+3", "+6", "+11", "+3", "-7", "-5"]
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert "gives 3, 6 and 11 % more" in page
    assert "gives 3 % more, 7 % less and 5 % less" in page
