"""Removes what groma trace left in a folder, and nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.native import UNREADABLE
from groma.record.reading import cause_of
from groma.record.trace_folder import LOGS, MATRIX, NAME, SUMMARY
from groma.trace.merging import MergeSummary

if TYPE_CHECKING:
    from pathlib import Path

OTHER_MPI = "other-mpi"
"""The tracer leaves it where it gave way."""

_OF_TRACER = re.compile(
    rf"[0-9a-f]{{16}}\.\d+\.\d+\.log|[0-9a-f]{{16}}\.-?\d+\.present|{OTHER_MPI}", re.ASCII
)
_RESULTS = (*(f"{NAME}.{ending}" for ending in ("prv", "pcf", "row", "groma", "json")), MATRIX, SUMMARY)


def clear(folder: Path) -> None:
    """Removes a trace and its logs.

    Raises GromaError: exit code 2 where other files are among the logs, 4 for what cannot be removed.
    """
    logs = folder / LOGS
    try:
        entries = sorted(logs.iterdir()) if logs.is_dir() else []
        own = [*filter(_is_of_tracer, entries), *_results_in(logs), *_results_in(folder)]
        foreign = [one.name for one in entries if one not in own]
        if foreign:
            raise GromaError(
                f"{logs} has {foreign[0]}, which groma trace did not write",
                "move it elsewhere, or name another folder with -o",
            )
        for one in own:
            one.unlink()
    except OSError as error:
        raise GromaError(
            f"{folder} cannot be cleared: {cause_of(error)}",
            "name another folder with -o",
            ExitCode.ENVIRONMENT,
        ) from None


def _is_of_tracer(path: Path) -> bool:
    return _OF_TRACER.fullmatch(path.name) is not None and path.is_file()


def _results_in(folder: Path) -> list[Path]:
    """Of a merge. Where none left its summary, files of these names are those of others."""
    try:
        msgspec.json.decode((folder / SUMMARY).read_bytes(), type=MergeSummary)
    except (OSError, *UNREADABLE):
        return []
    return [folder / name for name in _RESULTS if (folder / name).is_file()]
