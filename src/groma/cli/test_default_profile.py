"""groma survey --default writes what groma.profile and libgroma open by default."""

from __future__ import annotations

from pathlib import Path

import pytest

import groma.profile
from groma.cli.main import run

MADE = Path(__file__).parents[3] / "build/test-data/example-profile.json"


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GROMA_PROFILE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data/groma/profile.json"


def survey(*arguments: str) -> int:
    return run(["survey", *arguments])


def test_the_default_profile_is_what_programs_open(data: Path) -> None:
    other = data.parents[2] / "other.json"
    other.write_bytes(MADE.read_bytes().replace(b'"2025-03-01T', b'"2025-03-02T'))
    assert survey("--merge", str(MADE), str(other), "--default") == 0
    assert data.is_file()
    assert groma.profile.open_default().cache_count() == 3


def test_the_variable_names_another_default(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROMA_PROFILE", "folder/mine.json")
    other = data.parents[2] / "other.json"
    other.write_bytes(MADE.read_bytes().replace(b'"2025-03-01T', b'"2025-03-02T'))
    assert survey("--merge", str(MADE), str(other), "--default") == 0
    assert Path("folder/mine.json").is_file()


def test_a_dry_run_makes_no_folder(data: Path) -> None:
    survey("--default", "--dry-run")
    assert not data.parent.exists()


def test_two_places_for_one_profile_are_refused(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert survey("--default", "-o", "x.json") == 2
    assert "--default and -o name two files" in capsys.readouterr().err
