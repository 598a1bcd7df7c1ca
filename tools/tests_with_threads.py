"""tests_with_threads.py NATIVE: the native tests that can start threads, or share data with them.

A test can where its includes, those of the sources of its headers, and so on, lead to a header of threads.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"](?P<header>[^>"]+)[>"]', re.MULTILINE)
THREADS = {"thread", "mutex", "atomic", "pthread.h"}


@cache
def includes(file: Path) -> frozenset[str]:
    return frozenset(_INCLUDE.findall(file.read_text(encoding="utf-8")))


def can_start_threads(root: Path, test: Path) -> bool:
    seen: set[Path] = set()
    left = [test]
    while left:
        file = left.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        if includes(file) & THREADS:
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
