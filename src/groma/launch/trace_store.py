"""groma-trace-store: which trace it is asked for, and what it says where it fails."""

from __future__ import annotations

import shutil
import subprocess
from collections import defaultdict
from typing import IO, TYPE_CHECKING, cast

from groma.errors import ExitCode, GromaError
from groma.launch import native

if TYPE_CHECKING:
    import gzip
    from pathlib import Path

PROGRAM = "groma-trace-store"
_NAME = "trace"  # of what groma trace makes


def failure(code: int, said: bytes) -> GromaError:
    """What groma-trace-store said at its end."""
    what, _, step = said.decode(errors="replace").strip().partition("\n")
    known = ExitCode.USAGE if code == ExitCode.USAGE else ExitCode.ENVIRONMENT
    what = what.removeprefix(f"{PROGRAM}: ") or f"{PROGRAM} failed ({code})"
    return GromaError(what, step.strip() or "free memory, or rebuild it with: make setup", known)


def trace_in(path: Path) -> Path:
    """The trace itself, or that of a folder: the one of groma trace, or the only one. Of a .prv and its store
    the store, which is read sooner. Raises GromaError (exit code 2).
    """
    if not path.exists():
        raise GromaError(f"{path}: no such file or folder", "name a .prv file, or the folder of groma trace")
    if not path.is_dir():
        return path
    found = defaultdict(list)
    for file in sorted([*path.glob("*.prv"), *path.glob("*.prv.gz"), *path.glob("*.groma")]):
        found[file.name.removesuffix(".gz").rpartition(".")[0]].append(file)
    names = [_NAME] if _NAME in found else list(found)
    if len(names) != 1:
        what = f"{len(names)} traces" if found else "no trace"
        raise GromaError(f"{path} holds {what}", "name a .prv or a .groma file")
    files = found[names[0]]
    texts = [one for one in files if one.suffix != ".groma"]
    changed = max((one.stat().st_mtime for one in texts), default=0.0)
    stores = [one for one in files if one.suffix == ".groma" and one.stat().st_mtime >= changed]
    return [*stores, *texts][0]


def print_trace(word: str, trace: Path, file: IO[bytes] | gzip.GzipFile, folder: str | None) -> None:
    """What groma-trace-store prints of a trace for a word.

    Raises GromaError: exit code 2 or 3 where the trace cannot be read, 4 where the program fails.
    """
    words: list[str | Path] = [native.find_program(PROGRAM, folder), word, trace]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        shutil.copyfileobj(cast("IO[bytes]", running.stdout), file, 1 << 20)
        said = cast("IO[bytes]", running.stderr).read()
    if running.returncode != 0:
        raise failure(running.returncode, said)
