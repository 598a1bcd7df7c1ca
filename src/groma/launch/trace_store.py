"""groma-trace-store: which trace it is asked for, and what it says of that and where it fails."""

from __future__ import annotations

import shutil
from collections import defaultdict
from typing import IO, TYPE_CHECKING, cast

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch import native
from groma.launch.children import running
from groma.record.reading import is_missing, known
from groma.record.trace_folder import NAME, refuse_unmerged

if TYPE_CHECKING:
    import gzip
    from pathlib import Path

PROGRAM = "groma-trace-store"


class TraceWarning(msgspec.Struct, frozen=True):
    """What is wrong with a trace: `count` times, first in `line` (0: of no line)."""

    code: str
    text: str
    count: int
    line: int

    def __str__(self) -> str:
        where = f", first in line {self.line:,}" if self.line else ""
        return f"{self.text} ({self.count:,}{where})"


class _Said(msgspec.Struct, frozen=True):
    warnings: list[TraceWarning]


def warnings_in(said: bytes) -> list[TraceWarning]:
    """Those that groma-trace-store left on its standard error, among what libraries may say there."""
    lines = [line for line in said.splitlines() if line.startswith(b'{"warnings":')]
    return [one for line in lines for one in msgspec.json.decode(line, type=_Said).warnings]


def failure(code: int, said: bytes) -> GromaError:
    """What groma-trace-store said at its end, behind what libraries may say there."""
    text = said.decode(errors="replace").strip()
    own = text.rpartition(f"\n{PROGRAM}: ")[2]
    what, _, step = own.partition("\n")
    known = ExitCode.USAGE if code == ExitCode.USAGE else ExitCode.ENVIRONMENT
    what = what.removeprefix(f"{PROGRAM}: ") or f"{PROGRAM} failed ({code})"
    return GromaError(what, step.strip() or "free memory, or rebuild it with: make setup", known)


def trace_in(path: Path) -> Path:
    """The trace itself, or that of a folder: the one of groma trace, or the only one. Of a .prv and its store
    the store, which is read sooner. Raises GromaError (exit code 2).
    """
    if is_missing(path):
        raise GromaError(f"{path}: no such file or folder", "name a .prv file, or the folder of groma trace")
    if not known(path.is_dir):
        return path
    found = defaultdict(list)
    for file in sorted([*path.glob("*.prv"), *path.glob("*.prv.gz"), *path.glob("*.groma")]):
        found[file.name.removesuffix(".gz").rpartition(".")[0]].append(file)
    names = [NAME] if NAME in found else list(found)
    if not names:
        refuse_unmerged(path)
    if len(names) != 1:
        what = f"{len(names)} traces" if found else "no trace"
        raise GromaError(f"{path} holds {what}", "name a .prv or a .groma file")
    files = found[names[0]]
    texts = [one for one in files if one.suffix != ".groma"]
    changed = max((one.stat().st_mtime for one in texts), default=0.0)
    stores = [one for one in files if one.suffix == ".groma" and one.stat().st_mtime >= changed]
    return [*stores, *texts][0]


def print_trace(
    word: str, trace: Path, file: IO[bytes] | gzip.GzipFile, folder: str | None
) -> list[TraceWarning]:
    """What groma-trace-store prints of a trace for a word. Returns what is wrong with the trace.

    Raises GromaError: exit code 2 or 3 where the trace cannot be read, 4 where the program fails.
    """
    words: list[str | Path] = [native.find_program(PROGRAM, folder), word, trace]
    with running(words) as (child, complaints):
        shutil.copyfileobj(cast("IO[bytes]", child.stdout), file, 1 << 20)
        said = b"".join(complaints.lines())
    if child.returncode != 0:
        raise failure(child.returncode, said)
    return warnings_in(said)
