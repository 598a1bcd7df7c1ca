"""The Ninja that set-up chose reads the names of headers below this folder, whatever characters they have."""

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


def test_nothing_is_compiled_twice(tmp_path: Path) -> None:
    folder = tmp_path / ROOT.name  # its name has what is special in the path of the clone
    folder.mkdir()
    source = folder / "a.cpp"
    source.write_text('#include "a.hpp"\n')
    (folder / "a.hpp").touch()
    (folder / "build.ninja").write_text(RULES.format(source=str(source).replace(" ", "$ ")))
    assert "c++" in built(folder)
    assert "no work to do" in built(folder)
