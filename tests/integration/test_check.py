"""`.ci/run` checks what is there, on a copy, and notices what a step removes beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from scripted import executable

ROOT = Path(__file__).parents[2]

# Stands for make: says where it is and which files are there; can remove a folder, and fail.
MAKE = """#!/bin/sh
cd "$2"
{ pwd; ls; cat notes; } >"$SEEN.$3"
[ "$3" != "$FAILS" ] || exit 2
[ "$3" != "$REMOVES" ] || rm -rf ../../my
"""


def ci(tmp_path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """`.ci/run` of a checkout in which notes are changed, a file is new, one is gone and one is ignored."""
    tree, scratch = tmp_path / "a tree", tmp_path / "scratch"
    executable(tree / ".ci/run", (ROOT / ".ci/run").read_text())
    executable(tmp_path / "programs/make", MAKE)
    scratch.mkdir()
    for name, text in {".gitignore": "/ignored", "notes": "old", "gone": "", "ignored": ""}.items():
        (tree / name).write_text(text)
    for words in (["init", "-q"], ["add", "--all"]):
        subprocess.run(["git", *words], cwd=tree, check=True)
    (tree / "gone").unlink()
    (tree / "notes").write_text("changed")
    (tree / "new file").touch()
    path = f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}"
    seen = {"PATH": path, "TMPDIR": str(scratch), "SEEN": str(tmp_path / "seen"), "FAILS": "", "REMOVES": ""}
    line = [tree / ".ci/run"]
    return subprocess.run(
        line, env=os.environ | seen | variables, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_check_leaves_the_index_of_the_tree_alone_in_a_hook_of_git(tmp_path: Path) -> None:
    git = tmp_path / "a tree/.git"
    done = ci(tmp_path, GIT_DIR=str(git), GIT_INDEX_FILE=str(git / "index"))
    assert done.returncode == 0, done.stderr
    words = ["git", "ls-files"]
    assert subprocess.check_output(words, cwd=git.parent, text=True).split("\n") == [
        ".ci/run",
        ".gitignore",
        "gone",
        "notes",
        "",
    ]


def test_the_check_runs_without_git(tmp_path: Path) -> None:
    executable(tmp_path / "programs/git", "#!/bin/sh\nexit 128\n")
    done = ci(tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "seen.test").read_text().splitlines()[1:] == [
        "ignored",
        "new file",
        "notes",
        "changed",
    ]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_check_runs_once_on_what_is_there_in_a_folder_with_a_space(tmp_path: Path) -> None:
    done = ci(tmp_path)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if line.startswith("== ")] == [
        f"== make {goal}" for goal in ("survey", "setup", "lint sanitize", "test")
    ]
    place, *listed = (tmp_path / "seen.test").read_text().splitlines()
    assert " " in Path(place).name + Path(place).parent.name
    assert listed == ["new file", "notes", "changed"]
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize(("variable", "goal"), [("FAILS", "lint"), ("REMOVES", "survey")])
def test_the_check_fails_with_a_step_and_where_a_bystander_is_removed(
    tmp_path: Path, variable: str, goal: str
) -> None:
    done = ci(tmp_path, **{variable: goal})
    assert done.returncode != 0
    assert (tmp_path / f"seen.{goal}").exists()
    assert not (tmp_path / "seen.test").exists()
    assert "the copy is kept" in done.stderr
