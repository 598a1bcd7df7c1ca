"""The thread sanitizer runs every native test that can start threads."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def named(native: Path) -> list[str]:
    line = [sys.executable, str(ROOT / "tools/tests_with_threads.py"), str(native)]
    return subprocess.check_output(line, text=True, timeout=60).splitlines()


@pytest.mark.parametrize(
    ("files", "threads"),
    [
        ({"a_test.cpp": "std::jthread other(work);"}, True),
        ({"a_test.cpp": '#include "a.hpp"', "a.hpp": "std::thread watcher_;"}, True),
        ({"a_test.cpp": '#include "a.hpp"', "a.hpp": "", "a.cpp": '#include "b.hpp"', "b.hpp": "",
          "b.cpp": "pthread_create(&other, nullptr, work, nullptr);"}, True),
        ({"a_test.cpp": "#include <atomic>\nstd::this_thread::yield();"}, False),
        ({"a_test.cpp": '#include "a.hpp"\n#include <vector>', "a.hpp": '#include "a.hpp"'}, False),
        ({"a_test.cpp": "", "b.cpp": "std::thread other(work);"}, False),
        ({"a_test.cpp": '#include "a.hpp"\nALL_ON_ONE_THREAD;', "a.hpp": "std::thread watcher_;"}, False),
    ],
)  # fmt: skip
def test_a_test_is_named_where_its_sources_lead_to_threads(
    tmp_path: Path, files: dict[str, str], threads: bool
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert named(tmp_path) == (["a_test.cpp"] if threads else [])


def test_rooms_that_the_thread_sanitizer_leaves_out_start_no_threads() -> None:
    found = re.search(r"REMOVE_ITEM rooms ([\w/ ]+)\)", (ROOT / "native/CMakeLists.txt").read_text())
    assert found
    left_out = tuple(f"{room}/" for room in found[1].split())
    assert [test for test in named(ROOT / "native") if test.startswith(left_out)] == []


def test_tests_of_what_threads_share_are_named() -> None:
    tests = set(named(ROOT / "native"))
    assert {"base/thread_pool_test.cpp", "base/spsc_queue_test.cpp", "hpcc/hpl/hpl_mpi_test.cpp"} <= tests
    assert "base/json_test.cpp" not in tests
