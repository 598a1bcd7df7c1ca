"""The folder that groma trace makes: names of its files, and what its path stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.record.reading import known
from groma.record.unfinished import command_line

if TYPE_CHECKING:
    from pathlib import Path

LOGS = "logs"
NAME = "trace"  # of the files for Paraver, of the store and of the record, without ending
RECORD = f"{NAME}.json"
MATRIX = "matrix.csv"
SUMMARY = "summary.json"
_MAGIC = b"gromalog"  # of a log: native/trace/log/format.hpp


class UnmergedError(GromaError):
    """Only logs lie in a folder: groma trace was ended before it made the trace."""

    def __init__(self, folder: Path) -> None:
        merge = command_line("groma", "merge", str(folder))
        super().__init__(f"{folder} has logs that were not merged", f"make the trace of them: {merge}")


def file_in(path: Path, name: str) -> Path:
    """The file of that name in a folder of groma trace; any other path stands for itself.

    Raises UnmergedError (exit code 2) for a folder whose logs were not merged.
    """
    if not known(path.is_dir):
        return path
    if known((path / name).is_file):
        return path / name
    refuse_unmerged(path)
    return path


def refuse_unmerged(folder: Path) -> None:
    """Of a folder without a trace: raises UnmergedError (exit code 2) where it has logs."""
    if has_logs(folder / LOGS) or has_logs(folder):
        raise UnmergedError(folder)


def has_logs(folder: Path) -> bool:
    """Whether logs of groma's tracer are there; other programs write logs, too."""
    return known(lambda: any(map(_is_log, folder.glob("*.log"))))


def _is_log(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
