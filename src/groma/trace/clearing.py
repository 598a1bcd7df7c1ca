"""Replaces what groma trace left in a folder, and nothing else."""

from __future__ import annotations

import re
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.native import UNREADABLE
from groma.record.reading import cause_of
from groma.record.trace_folder import LOGS, MATRIX, NAME, SUMMARY
from groma.trace.merging import MergeSummary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

OTHER_MPI = "other-mpi"
"""The tracer leaves it where it gave way."""

_OF_TRACER = re.compile(
    rf"[0-9a-f]{{16}}\.\d+\.\d+\.log|[0-9a-f]{{16}}\.-?\d+\.present|{OTHER_MPI}", re.ASCII
)
_RESULTS = (*(f"{NAME}.{ending}" for ending in ("prv", "pcf", "row", "groma", "json")), MATRIX, SUMMARY)


@contextmanager
def replaced(folder: Path) -> Iterator[None]:
    """Within, an earlier trace and its logs are set aside, in `folder`. In the end they are removed if new
    logs are there, else put back.

    Raises GromaError: exit code 2 where other files are among the logs, 4 for what cannot be moved.
    """
    with _explained(folder):
        own = _own_files(folder)
        aside = Path(tempfile.mkdtemp(prefix="earlier-", dir=folder)) if own else None
    if aside is None:
        yield
        return
    is_clear = False
    try:
        with _explained(folder):
            _move(own, folder, aside)
        is_clear = True
        yield
    finally:
        if not is_clear or not has_logs(folder):
            with _explained(folder, f"the rest of the earlier trace is in {aside}"):
                _put_back(own, folder, aside, has_marks=is_clear)
        shutil.rmtree(aside, ignore_errors=True)


def has_logs(folder: Path) -> bool:
    """Of the tracer, in a folder of a trace."""
    return any((folder / LOGS).glob("*.log"))


@contextmanager
def _explained(folder: Path, step: str = "name another folder with -o") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = f"{folder} cannot be cleared: {cause_of(error)}"
        raise GromaError(what, step, ExitCode.ENVIRONMENT) from None


def _move(files: Iterable[Path], source: Path, target: Path) -> None:
    """The folder of the logs may be a link to another file system: a move that breaks off leaves a file in
    both places, the whole one where it was.
    """
    for one in files:
        moved = target / one.relative_to(source)
        if one.exists() and not moved.exists():
            moved.parent.mkdir(exist_ok=True)
            shutil.move(one, moved)


def _put_back(own: Sequence[Path], folder: Path, aside: Path, *, has_marks: bool) -> None:
    """`has_marks`: what else is among the logs is of a run without logs."""
    if has_marks:
        for one in filter(_is_of_tracer, (folder / LOGS).glob("*")):
            one.unlink()
    _move((aside / one.relative_to(folder) for one in own), aside, folder)


def _own_files(folder: Path) -> list[Path]:
    """Raises GromaError (exit code 2) where other files are among the logs."""
    logs = folder / LOGS
    entries = sorted(logs.iterdir()) if logs.is_dir() else []
    own = dict.fromkeys([*filter(_is_of_tracer, entries), *_results_in(logs), *_results_in(folder)])
    foreign = next((one for one in entries if one not in own), None)
    if foreign is not None:
        raise GromaError(
            f"{logs} has {foreign.name}, which groma trace did not write",
            "move it elsewhere, or name another folder with -o",
        )
    return [*own]


def _is_of_tracer(path: Path) -> bool:
    return _OF_TRACER.fullmatch(path.name) is not None and path.is_file()


def _results_in(folder: Path) -> list[Path]:
    """Of a merge. Where none left its summary, files of these names are those of others."""
    try:
        msgspec.json.decode((folder / SUMMARY).read_bytes(), type=MergeSummary)
    except (OSError, *UNREADABLE):
        return []
    return [folder / name for name in _RESULTS if (folder / name).is_file()]
