"""tools/unity_groups.py puts sources together that can be compiled as one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Grouped = Callable[..., list[set[str]]]

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "unity_groups.py"


@pytest.fixture
def grouped(tmp_path: Path) -> Grouped:
    """The groups of sources with these texts, by their names."""

    def group(**texts: str) -> list[set[str]]:
        files = [tmp_path / f"{name}.cpp" for name in texts]
        for file, text in zip(files, texts.values(), strict=True):
            file.write_text(text)
        done = subprocess.run([sys.executable, TOOL, *files], capture_output=True, text=True, check=True)
        found: dict[str, set[str]] = {}
        for number, path in (line.split("\t") for line in done.stdout.splitlines()):
            found.setdefault(number, set()).add(Path(path).stem)
        return list(found.values())

    return group


def test_sources_with_nothing_in_common_are_one_group(grouped: Grouped) -> None:
    assert grouped(one="int first() { return 1; }", two="int second() { return 2; }") == [{"one", "two"}]


@pytest.mark.parametrize(
    "definition",
    [
        "constexpr int kLine = 64;",
        "const Info kLine{.name = 1};",
        "std::vector<int> kLine(const Plan& plan) {",
        "struct kLine {",
        "enum class kLine { kA };",
        "using kLine = int;",
        "#define kLine 64",
    ],
)
def test_a_name_is_defined_once_in_a_group(grouped: Grouped, definition: str) -> None:
    assert len(grouped(one=definition, two="double kLine = 1.0;")) == 2


def test_a_name_is_taken_from_one_namespace_only(grouped: Grouped) -> None:
    kind = "using log::Kind;\nvoid take(Kind) {}"
    assert len(grouped(one=kind, two="using store::Kind;\nvoid give(Kind) {}")) == 2
    assert len(grouped(one=kind, two="void give(Kind) {}")) == 2, "which may be one of its own namespace"


def test_a_source_may_mean_another_namespace_of_that_name(grouped: Grouped) -> None:
    assert len(grouped(one="using testing::Trace;", two="class Probe : public testing::Test {};")) == 2


def test_no_namespace_of_groma_hides_googletest() -> None:
    """Else a header in which it is opened stops each test that writes `testing::Values` after it."""
    opened = re.compile(r"^namespace groma(::\w+)*::testing\b", re.MULTILINE)
    native = TOOL.parents[1] / "native"
    sources = [file for kind in ("*.cpp", "*.hpp") for file in native.rglob(kind)]
    assert sources
    assert [file.name for file in sources if opened.search(file.read_text(encoding="utf-8"))] == []


def test_a_source_does_not_hide_what_another_one_takes_from_elsewhere(grouped: Grouped) -> None:
    assert len(grouped(one="void fill(int) {}", two="void run() { fill(words, 1.0); }")) == 2


def test_a_member_a_comment_or_a_text_of_that_name_hides_nothing(grouped: Grouped) -> None:
    other = 'void run() { std::fill(a); b.fill(); c->fill(); print("fill"); }  // fill'
    assert grouped(one="void fill(int) {}", two=other) == [{"one", "two"}]


@pytest.mark.parametrize(
    ("definition", "use"),
    [
        ("Block& Block::operator=(Block&& other) noexcept {", "void take() noexcept {"),
        ("Search::Search(Cost cost, std::function<void()> give_up,", "void take() {"),
        ("using groma::Json;", "int run() { return groma::base::now(); }"),
        ("ALL_ON_ONE_THREAD;", "ALL_ON_ONE_THREAD;"),
    ],
)
def test_a_line_that_defines_no_name_hides_nothing(grouped: Grouped, definition: str, use: str) -> None:
    assert grouped(one=definition, two=use) == [{"one", "two"}]


@pytest.mark.parametrize(
    "line",
    [
        '#include "base/passes.inc"',
        "#pragma GCC target",
        "#define GROMA_TARGET x",
        "using namespace groma;",
    ],
)
def test_what_would_change_the_meaning_of_others_stands_alone(grouped: Grouped, line: str) -> None:
    assert grouped(one=line, two="int second();") == [{"two"}]
