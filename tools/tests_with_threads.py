"""tests_with_threads.py NATIVE: the native tests that can start threads.

A test can where its includes, and those of the sources behind its headers, lead to a source that starts one.
Atomics and locks alone give the thread sanitizer nothing to find. A test with
ALL_ON_ONE_THREAD (testing/one_thread.hpp) starts none, whatever it could.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"](?P<header>[^>"]+)[>"]', re.MULTILINE)
_NEVER = re.compile(r"^ALL_ON_ONE_THREAD\b", re.MULTILINE)
_START = re.compile(r"\bstd::(?:j?thread|async)\b|\bpthread_create\b")


@cache
def includes(file: Path) -> frozenset[str]:
    return frozenset(_INCLUDE.findall(file.read_text(encoding="utf-8")))


@cache
def starts_threads(file: Path) -> bool:
    return _START.search(file.read_text(encoding="utf-8")) is not None


def can_start_threads(root: Path, test: Path) -> bool:
    if _NEVER.search(test.read_text(encoding="utf-8")):
        return False
    seen: set[Path] = set()
    left = [test]
    while left:
        file = left.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        if starts_threads(file):
            return True
        for header in includes(file):
            left += [root / header, (root / header).with_suffix(".cpp")]
    return False


def main() -> None:
    root = Path(sys.argv[1])
    for test in sorted(root.rglob("*_test.cpp")):
        if can_start_threads(root, test):
            print(test.relative_to(root).as_posix())


if __name__ == "__main__":
    main()
