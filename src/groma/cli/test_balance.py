"""`groma balance` on the command line: three formats, bad input, exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from groma.cli.main import run
from groma.errors import ExitCode
from groma.facts.balance import BalanceFacts
from groma.facts.reading import read_record
from groma.hpccoutf.test_runs import GOLDEN, SIXTEEN, run_text
from groma.report.template import PLACEHOLDER

if TYPE_CHECKING:
    from pathlib import Path

    Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "etc"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.txt").write_text(GOLDEN.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "two.txt").write_text(run_text(SIXTEEN), encoding="utf-8")


def facts(captured: Captured) -> Any:
    return json.loads(captured.readouterr().out)["facts"]


def test_one_run_stands_in_the_middle_of_the_systems_of_the_paper(capsys: Captured) -> None:
    assert run(["balance", "one.txt"]) == ExitCode.OK
    reported = capsys.readouterr().out
    assert "> one" in reported
    assert "Cray X1, 60x1" in reported
    assert "network rich; Random ring / HPL is 237 B/kflop, above 60 B/kflop" in reported
    assert "one.txt, line 256: MPIRandomAccess used algorithm 10" in reported


def test_json_is_a_record_with_systems_ratios_table_and_warnings(tmp_path: Path, capsys: Captured) -> None:
    assert run(["balance", "one.txt", "two.txt", "--reference", "none", "--json"]) == ExitCode.OK
    text = capsys.readouterr().out
    (tmp_path / "balance.json").write_text(text, encoding="utf-8")
    record = read_record(tmp_path / "balance.json")
    assert record.kind == "balance"
    assert isinstance(record.facts, BalanceFacts)
    assert [one.name for one in record.facts.systems] == ["one", "two"]
    assert len(record.facts.ratios) == len(record.facts.table1) == 2
    assert all(one.line for one in record.facts.warnings if one.code.startswith("hpccoutf"))
    assert len(record.warnings) == len(record.facts.warnings)
    assert msgspec.to_builtins(record)["facts"]["systems"][0]["quantities"]["hpl_mpi"]["unit"] == "flop/s"


def test_a_balance_is_shown_and_reported_as_any_record(tmp_path: Path, capsys: Captured) -> None:
    run(["balance", "one.txt", "--json"])
    (tmp_path / "balance.json").write_text(capsys.readouterr().out, encoding="utf-8")
    assert run(["show", "balance.json", "printed"]) == ExitCode.OK
    assert "reproduced" in capsys.readouterr().out


@pytest.mark.parametrize(("reference", "systems"), [("none", 1), ("paper", 29), ("awards", 13)])
def test_the_reference_is_chosen(capsys: Captured, reference: str, systems: int) -> None:
    assert run(["balance", "one.txt", "--reference", reference, "--json"]) == ExitCode.OK
    assert len(facts(capsys)["systems"]) == systems


def test_references_without_messages_are_left_out_of_table_1(capsys: Captured) -> None:
    assert run(["balance", "one.txt", "--reference", "awards"]) == ExitCode.OK
    table, _, others = capsys.readouterr().out.partition("Each test over HPL")
    assert "> one" in table
    assert "K computer" not in table
    assert "K computer" in others


def test_the_reference_may_be_a_run_of_ones_own(capsys: Captured) -> None:
    assert run(["balance", "one.txt", "--reference", "two.txt", "--json"]) == ExitCode.OK
    assert [(one["name"], one["reference"]) for one in facts(capsys)["systems"]] == [
        ("one", False),
        ("two", True),
    ]


def test_the_paper_is_shown_without_a_file(capsys: Captured) -> None:
    assert run(["balance", "--reference", "paper"]) == ExitCode.OK
    assert ">" not in capsys.readouterr().out.partition("Warnings")[0].replace("> marks", "")


def test_a_bad_file_beside_good_ones_ends_with_code_2(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    assert run(["balance", "one.txt", "empty.txt", "--json"]) == ExitCode.USAGE
    reported = capsys.readouterr()
    assert json.loads(reported.out)["facts"]["systems"][0]["name"] == "one"
    assert "1 of 2 files gave no system" in reported.err


def test_files_without_any_run_are_named_one_line_each(tmp_path: Path, capsys: Captured) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(b"")
    assert run(["balance", "a.txt", "b.txt"]) == ExitCode.USAGE
    reported = capsys.readouterr().err.splitlines()
    assert reported[0] == "groma: none of the 2 files has a run of the HPC Challenge suite"
    assert [line.strip() for line in reported[2:]] == ["note: a.txt: is empty", "note: b.txt: is empty"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["balance"],
        ["balance", "--reference", "none"],
        ["balance", "one.txt", "--reference", "papers"],
        ["balance", "one.txt", "--reference", "none", "--reference", "paper"],
        ["balance", "one.txt", "-o", "one.txt"],
        ["balance", "one.txt", "--at", "0"],
        ["balance", "one.txt", "--at", "nan"],
        ["balance", "one.txt", "--at", "inf"],
    ],
)
def test_wrong_use_is_refused(arguments: list[str], capsys: Captured) -> None:
    assert run(arguments) == ExitCode.USAGE
    reported = capsys.readouterr()
    assert reported.err.startswith("groma: ")
    assert not reported.out


def test_the_page_holds_the_figures(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groma.report.page.built_template", lambda: f"<html>{PLACEHOLDER}</html>")
    assert run(["balance", "one.txt", "-o", "balance.html"]) == ExitCode.OK
    page = (tmp_path / "balance.html").read_text(encoding="utf-8")
    assert "balance-table1" in page
    assert "balance-kiviat" in page
    assert "page: balance.html" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["balance", "nofile.txt"]) == ExitCode.USAGE
    assert capsys.readouterr().err.count("nofile.txt") == 1
