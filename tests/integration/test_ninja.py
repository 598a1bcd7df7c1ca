"""What set-up compiles is not compiled again, whatever characters the name of this folder has."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]

RULES = """
rule compile
  command = c++ -MD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
build a.o: compile {source}
"""


def ninja_of_set_up() -> str:
    cache = (ROOT / "build/default/CMakeCache.txt").read_text()
    found = re.search(r"^CMAKE_MAKE_PROGRAM:\w+=(.+)$", cache, re.MULTILINE)
    assert found
    return found[1]


def built(folder: Path) -> str:
    return subprocess.check_output([ninja_of_set_up(), "-C", folder], text=True, timeout=60)


def test_the_tree_depends_on_no_header_of_another_clone() -> None:
    words = [ninja_of_set_up(), "-C", str(ROOT / "build/default"), "-t", "deps"]
    listed = subprocess.check_output(words, text=True, timeout=60)
    needed = {line.strip() for line in listed.splitlines() if line.startswith("    ")}
    assert needed, "the tree is built"
    assert [path for path in needed if not (ROOT / "build/default" / path).exists()] == []


def test_nothing_is_compiled_twice(tmp_path: Path) -> None:
    folder = tmp_path / ROOT.name  # its name has what is special in the path of the clone
    folder.mkdir()
    source = folder / "a.cpp"
    source.write_text('#include "a.hpp"\n')
    (folder / "a.hpp").touch()
    (folder / "build.ninja").write_text(RULES.format(source=str(source).replace(" ", "$ ")))
    assert "c++" in built(folder)
    assert "no work to do" in built(folder)
