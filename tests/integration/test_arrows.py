"""The checks of `make lint` see an arrow that points up."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VIEWER = ROOT / "viewer"
INCLUDES = ROOT / "tools/check_includes.py"

# Without the finder of the editable installation, which would give the checked-out package.
LINT_HERE = """
import sys
sys.meta_path = [one for one in sys.meta_path if "editable" not in type(one).__module__]
from importlinter.cli import lint_imports_command
lint_imports_command(["--no-cache"])
"""


def includes(native: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, INCLUDES, native], capture_output=True, text=True, check=False, timeout=60
    )


def planted(native: Path, file: str, header: str) -> Path:
    target = native / file
    target.parent.mkdir(parents=True)
    target.write_text(f'#include "{header}"\n', encoding="utf-8")
    return native


def test_no_file_of_the_native_code_includes_upwards() -> None:
    checked = includes(ROOT / "native")
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(
    ("file", "header"),
    [
        ("base/clock.cpp", "mpi/session.hpp"),
        ("base/clock.cpp", "../mpi/session.hpp"),
        ("mpi/wait.hpp", "job/events.hpp"),
        ("job/events.cpp", "hpcc/plan.hpp"),
        ("randomaccess/stream.cpp", "hpcc/plan.hpp"),
        ("survey/chase.cpp", "hpcc/plan.hpp"),
        ("survey/chase.cpp", "survey/network/rounds.hpp"),
        ("survey/chase.cpp", "testing/fakes.hpp"),
        ("hpcc/plan.cpp", "hpcc/fft/fft.hpp"),
        ("hpcc/fft/fft.cpp", "hpcc/hpl/panel.hpp"),
        ("profile/profile.cpp", "survey/probe.hpp"),
        ("unknown/new.cpp", "base/clock.hpp"),
    ],
)
def test_an_include_of_a_room_above_or_beside_is_named(tmp_path: Path, file: str, header: str) -> None:
    checked = includes(planted(tmp_path, file, header))
    assert checked.returncode == 1
    assert checked.stderr.startswith(f"{file}: ")
    assert header in checked.stderr


def test_a_unit_test_may_include_what_supports_tests(tmp_path: Path) -> None:
    assert includes(planted(tmp_path, "survey/chase_test.cpp", "testing/fakes.hpp")).returncode == 0


# One process: to load ESLint takes seconds.
LINT_TEXTS = """
import { ESLint } from "eslint";
import { text } from "node:stream/consumers";
const eslint = new ESLint();
const rules = [];
for (const { file, line } of JSON.parse(await text(process.stdin))) {
  const [found] = await eslint.lintText(line, { filePath: file });
  rules.push(found.messages.map((message) => message.ruleId));
}
console.log(JSON.stringify(rules));
"""

UPWARDS = [
    ("base/axis.ts", "../draw/dom"),
    ("base/axis.ts", "../kinds/hpcc/radar"),
    ("draw/lines.ts", "../kinds/hpcc/radar"),
    ("draw/lines.ts", "../page/load"),
    ("kinds/hpcc/radar.ts", "../../page/load"),
    ("kinds/hpcc/radar.ts", "../randomaccess/scatter"),
]
DOWNWARDS = ("kinds/hpcc/radar.ts", "../../base/axis")


@pytest.fixture(scope="module")
def rules_broken() -> dict[tuple[str, str], list[str]]:
    """The rules that an import of a module in a file breaks."""
    cases = [*UPWARDS, DOWNWARDS]
    checked = subprocess.run(
        ["node", "--input-type=module", "--eval", LINT_TEXTS],
        cwd=VIEWER,
        input=json.dumps([{"file": file, "line": f'import "{module}";\n'} for file, module in cases]),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert checked.returncode == 0, checked.stderr
    return dict(zip(cases, json.loads(checked.stdout), strict=True))


needs_eslint = pytest.mark.skipif(
    not (VIEWER / "node_modules/eslint").is_dir(), reason="no packages of the page here"
)


@needs_eslint
@pytest.mark.parametrize("case", UPWARDS)
def test_an_import_of_a_room_above_is_named_in_the_page(
    rules_broken: dict[tuple[str, str], list[str]], case: tuple[str, str]
) -> None:
    assert "no-restricted-imports" in rules_broken[case]


@needs_eslint
def test_an_import_of_a_room_below_breaks_no_rule_of_the_page(
    rules_broken: dict[tuple[str, str], list[str]],
) -> None:
    assert "no-restricted-imports" not in rules_broken[DOWNWARDS]


@pytest.mark.skipif(find_spec("importlinter") is None, reason="import-linter comes with make lint")
@pytest.mark.parametrize(
    ("module", "line", "broken"),
    [
        ("groma/record/planted.py", "import groma.stats.torn", "arrows point down"),
        ("groma/hpcc/planted.py", "import groma.survey.plan", "arrows point down"),
        ("groma/launch/planted.py", "import groma.run.job", "arrows point down"),
        ("groma/survey/infer/planted.py", "import groma.run.probe", "inference starts nothing"),
        ("groma/newroom/__init__.py", "", "exhaustive"),
    ],
)
def test_an_import_of_a_room_above_or_beside_is_named(
    tmp_path: Path, module: str, line: str, broken: str
) -> None:
    shutil.copytree(ROOT / "src/groma", tmp_path / "groma", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "groma/stats/torn.py").touch()
    file = tmp_path / module
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"{line}\n", encoding="utf-8")
    checked = subprocess.run(
        [sys.executable, "-c", LINT_HERE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert checked.returncode == 1
    assert broken in checked.stdout
