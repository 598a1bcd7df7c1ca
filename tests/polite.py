"""Ranks that wait without taking the cores from other tests (native/testing/polite_mpi.cpp)."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

_LIBRARY = Path(__file__).parents[1] / "build/default/native/groma-polite.so"


def preload() -> Path | None:
    """Let all processes that tests start have the library; the folder of its copy, to remove at the end.

    The copy has a place that anybody can read and whose path has no space, at which a loader would stop.
    """
    if not _LIBRARY.is_file():
        return None
    folder = Path(tempfile.mkdtemp(prefix="groma-"))
    folder.chmod(0o755)
    copy = shutil.copy(_LIBRARY, folder)
    os.environ["LD_PRELOAD"] = ":".join(filter(None, [str(copy), os.environ.get("LD_PRELOAD")]))
    return folder
