"""tools/tidy_groups.py lets clang-tidy read sources of several targets as one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Grouped = Callable[..., dict[str, Any]]

TOOL = Path(__file__).parents[2] / "tools" / "tidy_groups.py"


@pytest.fixture
def grouped(tmp_path: Path) -> Grouped:
    """What is read, with its compile commands: `options` by the name of a source, which defines this name."""

    def group(**options: str) -> dict[str, Any]:
        tree = tmp_path / "a tree"
        tree.mkdir(exist_ok=True)
        entries = []
        for name, of_source in options.items():
            file = tmp_path / f"{name}.cpp"
            file.write_text(f"int {name}() {{ return 1; }}")
            command = f"c++ {of_source} -o {name}.o -c '{file}'"
            entries.append({"directory": str(tree), "file": str(file), "command": command})
        (tree / "compile_commands.json").write_text(json.dumps(entries))
        subprocess.run([sys.executable, TOOL, tree], check=True)
        commands = json.loads((tree / "groups" / "compile_commands.json").read_text())
        return {command["file"]: command["arguments"] for command in commands}

    return group


def included(file: str) -> set[str]:
    return {Path(line.split('"')[1]).stem for line in Path(file).read_text().splitlines()}


def test_sources_of_two_targets_are_one_group_with_the_macros_of_both(grouped: Grouped) -> None:
    ((file, words),) = grouped(
        one="-DWITH_ONE -Ia -fPIC", two="-DWITH_TWO=2 -isystem b -fPIE -DWITH_ONE=1"
    ).items()
    assert included(file) == {"one", "two"}
    assert words[1:] == ["-DWITH_ONE", "-Ia", "-DWITH_TWO=2", "-isystemb", "-c", file]


def test_a_source_without_exceptions_stays_apart(grouped: Grouped) -> None:
    files = grouped(
        one="-std=c++20",
        two="-std=c++20 -fno-exceptions",
        three="-std=c++20 -fno-exceptions -fexceptions",
    )
    assert sorted(Path(file).stem if "groups" not in file else "group" for file in files) == ["group", "two"]
    (group,) = (file for file in files if "groups" in file)
    assert included(group) == {"one", "three"}


def test_a_group_that_stays_the_same_is_not_written_again(grouped: Grouped) -> None:
    (file,) = grouped(one="-O0", two="-O0")
    written = Path(file).stat().st_mtime_ns
    assert grouped(one="-O0", two="-O0").keys() == {file}
    assert Path(file).stat().st_mtime_ns == written
