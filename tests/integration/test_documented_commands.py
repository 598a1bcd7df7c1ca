"""Every command in a console block of the documents is run, page by page, as a reader would type them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]


def commands(page: Path) -> list[str]:
    """Lines after "$ ", with the lines after "> " that go on with them; what stands between is output."""
    found: list[str] = []
    for block in BLOCK.findall(page.read_text()):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(line[2:])
            elif line.startswith("> "):
                found[-1] += "\n" + line[2:]
    return found


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """`make TARGET` is only looked up in the Makefile: this very test may be running under it."""
    if command.startswith("make "):
        command = f"make --directory {shlex.quote(str(ROOT))} --dry-run {command[5:]}"
    programs = Path(sys.executable).parent
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command.replace(".venv/bin/", f"{shlex.quote(str(programs))}/")],
        cwd=folder,
        env=os.environ | {"PATH": path, "XDG_DATA_HOME": str(folder / "data")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_tutorial_and_the_readme_have_commands() -> None:
    assert commands(ROOT / "README.md")
    assert commands(ROOT / "docs/tutorial.md")


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: page.name)
def test_every_command_of_a_page_works(page: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "build/test-data/example-profile.json", tmp_path / "groma-profile.json")
    for command in commands(page):
        done = run(command, tmp_path)
        assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
