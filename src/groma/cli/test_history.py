from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from groma.cli.history import files_read
from groma.cli.main import run
from groma.facts.reading import read_record
from groma.history.index import _prepare
from groma.record.io import write_record
from suite_records import stream, suite_record

if TYPE_CHECKING:
    import sqlite3


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twelve nights, slower from the eighth on."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    nights = tmp_path / "nights"
    nights.mkdir()
    for day in range(1, 13):
        rate = (1e10 if day < 8 else 0.8e10) * (1 + 0.004 * (day % 3))
        samples = stream({"triad": [rate] * 5, "copy": [1e10] * 5})
        record = suite_record(samples, created=f"2026-01-{day:02}T02:00:00+00:00")
        write_record(nights / f"{day:02}.json", record)
    return tmp_path


def test_what_changed_is_shown_with_its_day(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "nights"]) == 0
    shown = capsys.readouterr().out
    assert "12 records of 1 machine, 2 trends, 1 with a change" in shown
    assert "2026-01-08 worse: -20" in shown
    assert shown.count("hpcc.stream.copy.star") == 1  # plotted, but not among the changes


def test_json_is_a_record_that_can_be_shown_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "nights", "--json"]) == 0
    Path("history.json").write_text(capsys.readouterr().out, encoding="utf-8")
    facts = read_record(Path("history.json")).facts
    assert [len(one.points) for one in facts.trends] == [12, 12]
    assert run(["show", "history.json", "changes"]) == 0
    assert "hpcc.stream.triad.star" in capsys.readouterr().out


def test_kept_records_are_the_default_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history"]) == 2
    assert "groma history --add" in capsys.readouterr().err
    assert (
        run(["history", "--add", "nights/01.json", "--add", "nights/02.json", "--add", "nights/01.json"]) == 0
    )
    assert "2 records" in capsys.readouterr().out
    kept = sorted(path.name for path in Path("data/groma/records").iterdir())
    assert len(kept) == 2
    assert kept[0].startswith("hpcc_node17_2026-01-01T02-00-00_")


@pytest.mark.parametrize("words", [["nights"], ["nights/01.json"], ["--add", "nights/01.json"]])
def test_a_page_never_replaces_a_record(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    before = Path("nights/01.json").read_bytes()
    assert run(["history", *words, "-o", "nights/01.json"]) == 2
    assert "-o would overwrite the input nights/01.json" in capsys.readouterr().err
    assert Path("nights/01.json").read_bytes() == before


def test_a_page_never_replaces_a_kept_record(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "-o", "page.html"]) == 2
    assert "no record was kept yet" in capsys.readouterr().err
    assert run(["history", "--add", "nights/01.json"]) == 0
    (kept,) = Path("data/groma/records").iterdir()
    assert run(["history", "-o", str(kept)]) == 2
    assert read_record(kept).kind == "hpcc"


def test_the_index_can_be_made_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "nights"]) == 0
    first = capsys.readouterr().out
    Path("data/groma/history.sqlite").write_bytes(b"damaged")
    assert run(["history", "nights"]) == 0
    assert run(["history", "nights", "--rebuild"]) == 0
    assert capsys.readouterr().out == 2 * first


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_without_a_place_for_the_index_every_file_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    Path("data").mkdir()
    Path("data").chmod(0o500)
    assert run(["history", "nights"]) == 0
    assert "every file is read" in capsys.readouterr().err


def test_an_index_that_cannot_be_a_file_is_done_without(capsys: pytest.CaptureFixture[str]) -> None:
    Path("data/groma/history.sqlite").mkdir(parents=True)
    assert run(["history", "nights"]) == 0
    assert "every file is read" in capsys.readouterr().err


def test_an_index_that_nobody_may_change_is_done_without(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["history", "nights"]) == 0
    before = capsys.readouterr().out
    Path("nights/12.json").touch()

    def prepare(database: sqlite3.Connection) -> None:
        _prepare(database)
        is_file = bool(database.execute("PRAGMA database_list").fetchone()[2])
        database.execute(f"PRAGMA query_only = {is_file:d}")

    monkeypatch.setattr("groma.history.index._prepare", prepare)
    assert run(["history", "nights"]) == 0
    shown = capsys.readouterr()
    assert shown.out == before
    assert "every file is read" in shown.err


def test_an_index_with_damaged_pages_is_done_without(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "nights"]) == 0
    before = capsys.readouterr().out
    index = Path("data/groma/history.sqlite")
    index.write_bytes(index.read_bytes()[:-4096] + b"\xff" * 4096)
    assert run(["history", "nights"]) == 0
    shown = capsys.readouterr()
    assert shown.out == before
    assert "groma history --rebuild" in shown.err
    assert run(["history", "nights", "--rebuild"]) == 0
    assert capsys.readouterr().err == ""


def test_a_single_quantity_is_plotted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "nights", "--quantity", "hpcc.stream.triad"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("●") == 12
    assert "│" in shown


def test_broken_files_are_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    Path("nights/cut.json").write_bytes(Path("nights/01.json").read_bytes()[:300])
    assert run(["history", "nights", "--json"]) == 0
    facts = msgspec.json.decode(capsys.readouterr().out)["facts"]
    (unread,) = facts["unread"]
    assert "is cut short" in unread["why"]
    assert "\n" not in unread["why"]


def test_files_of_which_none_can_be_read_are_a_wrong_input(capsys: pytest.CaptureFixture[str]) -> None:
    Path("cut.json").write_bytes(Path("nights/01.json").read_bytes()[:300])
    assert run(["history", "cut.json"]) == 2
    shown = capsys.readouterr()
    assert (shown.out, "cut.json is cut short" in shown.err) == ("", True)
    assert run(["history", "cut.json", "nights/01.json"]) == 0
    assert "cut.json is cut short" in capsys.readouterr().out


def test_names_of_files_and_folders_that_are_no_text_are_spelled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = Path(os.fsdecode(b"nights\xff"))
    Path("nights").rename(folder)
    (folder / "01.json").rename(folder / os.fsdecode(b"\xfe.json"))
    (folder / os.fsdecode(b"cut\xfe.json")).write_bytes(b'{"schema": "groma.record/1"')
    assert run(["history", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "12 records of 1 machine, 2 trends, 1 with a change" in shown
    assert "cut\\udcfe.json is cut short" in shown


def test_runs_without_a_time_are_undated(capsys: pytest.CaptureFixture[str]) -> None:
    rates = [10.0, 10.01, 10.02, 10.0, 8.0, 8.01, 8.02, 8.0]
    texts = [
        f"Begin of Summary section.\nStarSTREAM_Triad={rate + number / 1000}\nEnd of Summary section.\n"
        for number, rate in enumerate(rates)
    ]
    Path("hpccoutf.txt").write_text("".join(texts), encoding="utf-8")
    assert run(["history", "hpccoutf.txt"]) == 0
    shown = capsys.readouterr().out
    assert "undated worse: -19.9" in shown
    assert "at an unkn" not in shown


def test_a_kept_output_of_hpcc_is_in_the_history(capsys: pytest.CaptureFixture[str]) -> None:
    text = "Begin of Summary section.\nStarSTREAM_Triad=10\nEnd of Summary section.\n"
    Path("hpccoutf.txt").write_text(text, encoding="utf-8")
    assert run(["history", "--add", "hpccoutf.txt"]) == 0
    assert "1 record of 1 machine, 1 trend" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["nights"], ["nights", "--quantity", "hpcc.stream.copy"], ["empty"]])
def test_all_trends_without_a_change_say_so(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for day in range(8, 13):
        Path(f"nights/{day:02}.json").unlink()
    Path("empty").mkdir()
    assert run(["history", *words, "--all"]) == 0
    shown = capsys.readouterr().out
    assert "not measured" not in shown
    assert ("nothing changed" in shown) == (words != ["empty"])


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (
            ["--quantity", "hpcc.stream.tria"],
            "nothing matches --quantity hpcc.stream.tria; there are: hpcc.stream.triad.star",
        ),
        (["--machine", "zz*"], "nothing matches --machine zz*; there are: node17"),
        (["--kind", "survey"], "nothing matches --kind survey; there are: hpcc"),
        (["--quantity", "hpcc.stream.copy", "--quantity", "nosuch"], "nothing matches --quantity nosuch"),
    ],
)
def test_what_matches_nothing_is_said(
    words: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["history", "nights", *words]) == 0
    assert hint in capsys.readouterr().err


def test_choices_that_match_only_apart_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    record = suite_record(stream({"scale": [1e10] * 5}), host="node18", created="2026-01-01T02:00:00+00:00")
    write_record(Path("nights/other.json"), record)
    assert run(["history", "nights", "--machine", "node18", "--quantity", "hpcc.stream.copy"]) == 0
    assert "nothing matches all of --quantity hpcc.stream.copy, --machine node18" in capsys.readouterr().err
    assert run(["history", "nights", "--quantity", "hpcc.stream.copy"]) == 0
    assert capsys.readouterr().err == ""


def test_an_unknown_kind_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "nights", "--kind", "hpc"]) == 2
    said = capsys.readouterr().err
    assert "there is no kind of record named 'hpc'" in said
    assert "did you mean hpcc?" in said
    assert "comparison" not in said


@pytest.mark.parametrize("home", ["file", "file/below"])
def test_a_record_that_cannot_be_kept_is_an_error_of_the_environment(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / home))
    assert run(["history", "--add", "nights/01.json"]) == 4
    shown = capsys.readouterr().err
    assert "cannot write" in shown
    assert "write to another path with XDG_DATA_HOME" in shown


def test_files_are_counted_until_all_are_read() -> None:
    said: list[str] = []
    read = files_read(said.append)
    read(1000, 3000)
    read(3000, 3000)
    assert said == ["1,000 of 3,000 files read"]


def test_without_a_folder_of_the_user_named_records_are_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a container neither HOME nor the user database need say anything."""
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("pathlib.Path.home", lambda: pytest.fail("asks the user database"))
    assert run(["history", "nights"]) == 0
    shown = capsys.readouterr()
    assert "12 records of 1 machine" in shown.out
    assert "HOME is not set to a folder for the index; every file is read" in shown.err
    for words in ([], ["--add", "nights/01.json"]):
        assert run(["history", *words]) == 4
        assert "no folder for your records is known" in capsys.readouterr().err
