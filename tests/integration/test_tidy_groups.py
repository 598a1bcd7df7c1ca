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
    """What is read, with its compile commands: `options` by the name of a source, which defines this name and
    begins with its line of `first_lines`.
    """

    def group(first_lines: dict[str, str] | None = None, /, **options: str) -> dict[str, Any]:
        tree = tmp_path / "a tree"
        tree.mkdir(exist_ok=True)
        entries = []
        for name, of_source in options.items():
            file = tmp_path / f"{name}.cpp"
            file.write_text(f"{(first_lines or {}).get(name, '')}\nint {name}() {{ return 1; }}")
            command = f"c++ {of_source} -o {name}.o -c '{file}'"
            entries.append({"directory": str(tree), "file": str(file), "command": command})
        (tree / "compile_commands.json").write_text(json.dumps(entries))
        subprocess.run([sys.executable, TOOL, tree], check=True)
        commands = json.loads((tree / "groups" / "compile_commands.json").read_text())
        return {command["file"]: command["arguments"] for command in commands}

    return group


def in_order(file: str) -> list[str]:
    return [Path(line.split('"')[1]).stem for line in Path(file).read_text().splitlines()]


def included(file: str) -> set[str]:
    return set(in_order(file))


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


@pytest.mark.parametrize("line", ['#include "passes.inc"', "using namespace groma;"])
def test_a_source_that_none_may_follow_ends_a_group(grouped: Grouped, line: str) -> None:
    (file,) = grouped({"one": line}, one="-O0", two="-O0", three="-O0")
    assert in_order(file)[-1] == "one"
    assert included(file) == {"one", "two", "three"}


def test_a_source_that_opens_a_room_stands_alone(grouped: Grouped) -> None:
    files = grouped({"one": "using namespace replay;"}, one="-O0", two="-O0", three="-O0")
    assert "one" in [Path(file).stem for file in files]


def test_a_group_ends_once(grouped: Grouped) -> None:
    directive = "using namespace groma;"
    files = grouped({"one": directive, "three": directive}, one="-O0", two="-O0", three="-O0")
    assert len(files) == 2
    assert not any({"one", "three"} <= included(file) for file in files if "groups" in file)


def test_a_group_that_stays_the_same_is_not_written_again(grouped: Grouped) -> None:
    (file,) = grouped(one="-O0", two="-O0")
    written = Path(file).stat().st_mtime_ns
    assert grouped(one="-O0", two="-O0").keys() == {file}
    assert Path(file).stat().st_mtime_ns == written
