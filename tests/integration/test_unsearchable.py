"""Folders that the user may not search, as PATH and variables of another user name them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Path]:
    """A folder that nobody but root may search, which is not there for others."""
    folder = tmp_path / "closed"
    (folder / "bin").mkdir(parents=True)
    tmp_path.chmod(0o755)
    folder.chmod(0)
    yield folder
    folder.chmod(0o755)


@pytest.fixture
def unprivileged() -> list[str]:
    """The words before a command that start it as an ordinary user."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    words = [setpriv or "", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--"]
    importing = [*words, sys.executable, "-c", "import groma"]
    if setpriv is None or subprocess.run(importing, check=False, capture_output=True).returncode:
        pytest.skip("this Python is not for everybody, or nobody can become somebody else")
    return words


def run(words: list[str], arguments: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    command = [*words, sys.executable, "-m", "groma", *arguments]
    environment = os.environ | {"HOME": "/", "XDG_CONFIG_HOME": ""} | variables
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment, cwd="/")


@pytest.mark.parametrize("arguments", [["list"], ["doctor"], ["survey", "--dry-run"], ["hpcc", "--dry-run"]])
def test_a_part_of_path_that_may_not_be_searched_has_no_programs(
    closed: Path, unprivileged: list[str], arguments: list[str]
) -> None:
    done = run(unprivileged, arguments, PATH=f"{closed}/bin:{os.environ['PATH']}")
    assert "internal error" not in done.stderr
    assert done.returncode in {0, 4}, done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "x.json"],
        ["stat", "x.prv"],
        ["import", "x.prv"],
        ["compare", "x.json", "y.json"],
        ["merge", "x"],
        ["survey", "--resume", "-o", "x.json"],
        ["sim", "torus", "run", "--workload", "replay", "--trace", "x.prv"],
        ["balance", "x.txt"],
    ],
)
def test_a_file_that_may_not_be_reached_is_refused_in_one_line(
    closed: Path, unprivileged: list[str], arguments: list[str]
) -> None:
    named = [f"{closed}/{word}" if word[:1] in {"x", "y"} else word for word in arguments]
    done = run(unprivileged, named)
    assert "internal error" not in done.stderr
    assert done.returncode in {2, 4}, done.stderr
    assert str(closed) in done.stderr


def test_a_history_says_what_it_could_not_reach(closed: Path, unprivileged: list[str]) -> None:
    done = run(unprivileged, ["history", f"{closed}/nights"])
    assert "internal error" not in done.stderr
    assert f"{closed}/nights" in done.stdout + done.stderr


@pytest.mark.parametrize("variable", ["GROMA_PROFILE", "XDG_DATA_HOME", "GROMA_NATIVE_PATH"])
def test_a_variable_that_names_such_a_folder_is_no_internal_error(
    closed: Path, unprivileged: list[str], variable: str
) -> None:
    for arguments in (["doctor"], ["history"], ["list"]):
        done = run(unprivileged, arguments, **{variable: f"{closed}/x"})
        assert "internal error" not in done.stderr, arguments
