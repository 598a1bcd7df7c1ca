from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.errors import ExitCode, GromaError
from groma.profile import default_path, open_default, own_path

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("GROMA_PROFILE", "XDG_DATA_HOME", "XDG_DATA_DIRS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def made(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    path.touch()
    return path


def test_the_default_is_the_variable_then_the_user_then_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = tmp_path / "home/.local/share/groma/profile.json"
    assert default_path() == users
    monkeypatch.setenv("XDG_DATA_DIRS", f"relative:{tmp_path}/site")
    site = made(tmp_path / "site/groma/profile.json")
    assert default_path() == site
    assert own_path() == users
    made(users)
    assert default_path() == users
    monkeypatch.setenv("GROMA_PROFILE", "here.json")
    assert (str(default_path()), str(own_path())) == ("here.json", "here.json")


def test_without_a_profile_the_error_says_how_to_get_one() -> None:
    with pytest.raises(GromaError, match="groma survey --default"):
        open_default()


def test_without_any_folder_the_variable_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "")
    monkeypatch.setenv("XDG_DATA_DIRS", "relative")
    with pytest.raises(GromaError, match="GROMA_PROFILE"):
        default_path()


@pytest.mark.parametrize("home", [None, "", "relative"])
def test_without_a_home_the_profile_of_the_site_is_not_taken_for_the_users(
    home: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("HOME")
    if home is not None:
        monkeypatch.setenv("HOME", home)
    with pytest.raises(GromaError, match="HOME is not set") as refused:
        own_path()
    assert refused.value.exit_code == ExitCode.ENVIRONMENT
    assert str(default_path()) == "/usr/local/share/groma/profile.json"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert own_path() == tmp_path / "groma/profile.json"
