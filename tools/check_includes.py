"""check_includes.py FOLDER: fails where native code includes a header of a room that it may not use.

The map of the rooms is native/README.md. A room may use what it names here and what lies in itself; the
folders below it that are not named belong to it. Only tests may use `testing`.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_JOB = {"base", "job", "mpi"}
_SUITE = {*_JOB, "hpcc"}
_RANDOM_ACCESS = {*_JOB, "randomaccess"}

MAY_USE: dict[str, set[str]] = {
    "base": set(),
    "mpi": {"base"},
    "job": {"base", "mpi"},
    "map": {"base"},
    "sim/torus": {"base"},
    "sim/traced": {"base", "sim/torus", "trace/model", "trace/paraver"},
    "counters": {"base", "groma"},
    "trace/model": set(),
    "trace/log": {"base"},
    "trace/tracer": {"counters", "trace/log"},
    "trace/paraver": {"base", "trace/model"},
    "trace/store": {"base", "trace/model", "trace/paraver"},
    "trace/edit": {"base", "trace/model"},
    "trace/export": {"base", "trace/model"},
    "trace/sums": {"base", "trace/model"},
    "trace/merge": {"base", "trace/log", "trace/model", "trace/paraver"},
    "profile": {"base", "groma"},
    "survey": {"base"},
    "survey/network": _JOB,
    "randomaccess": _JOB,
    "randomaccess/errors": _RANDOM_ACCESS,
    "randomaccess/routed": _RANDOM_ACCESS,
    "randomaccess/shared": _RANDOM_ACCESS,
    "randomaccess/specialised": {*_RANDOM_ACCESS, "randomaccess/routed"},
    "randomaccess/study": {
        *_RANDOM_ACCESS,
        "randomaccess/errors",
        "randomaccess/routed",
        "randomaccess/specialised",
    },
    "replay": _JOB,
    "hpcc": _JOB,
    "hpcc/dgemm": _SUITE,
    "hpcc/effective_bandwidth": _SUITE,
    "hpcc/fft": _SUITE,
    "hpcc/hpl": _SUITE,
    "hpcc/ptrans": _SUITE,
    "hpcc/random_access": {*_SUITE, "randomaccess"},
    "hpcc/stream": _SUITE,
    "testing": {
        *_SUITE,
        "counters",
        "groma",
        "map",
        "randomaccess",
        "sim/torus",
        "survey",
        "survey/network",
        "trace/export",
        "trace/log",
        "trace/merge",
        "trace/model",
        "trace/paraver",
        "trace/sums",
    },
    "programs": {
        *_JOB,
        "counters",
        "hpcc",
        "map",
        "randomaccess/study",
        "replay",
        "sim/torus",
        "sim/traced",
        "survey",
        "survey/network",
        "trace/edit",
        "trace/export",
        "trace/log",
        "trace/merge",
        "trace/model",
        "trace/paraver",
        "trace/store",
        "trace/sums",
    },
}

_INCLUDE = re.compile(r'^\s*#\s*include\s*"(?P<header>[^"]+)"', re.MULTILINE)
_SOURCES = {".c", ".cpp", ".h", ".hpp", ".in", ".inc"}


def room_of(path: str) -> str:
    """The room of a file or header: the nearest folder above it that is one, else the folder itself."""
    folders = [str(folder) for folder in PurePosixPath(path).parents]
    return next((folder for folder in folders if folder in MAY_USE), folders[0])


def from_root(file: str, header: str) -> str:
    """A header as the root sees it; only one that another stands in for is named from the file's folder."""
    return posixpath.normpath(PurePosixPath(file).parent / header) if header.startswith("../") else header


def violations(root: Path) -> Iterator[str]:
    """One line for each include that points to a room which may not be used."""
    for file in sorted(root.rglob("*")):
        if file.suffix not in _SOURCES:
            continue
        inside = file.relative_to(root).as_posix()
        room = room_of(inside)
        allowed = MAY_USE.get(room, set()) | ({"testing"} if file.stem.endswith("_test") else set())
        for found in _INCLUDE.finditer(file.read_text(encoding="utf-8")):
            if room_of(from_root(inside, found["header"])) not in {room, *allowed}:
                names = ", ".join(sorted(allowed)) or "nothing"
                yield f"{inside}: {room} may not include {found['header']} (it may use {names})"


def main() -> int:
    found = list(violations(Path(sys.argv[1])))
    for line in found:
        sys.stderr.write(f"{line}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
