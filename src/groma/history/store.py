"""The folder in which groma keeps records for their history."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from groma.facts.opening import records_of
from groma.history.machines import machine_of
from groma.record.io import read_bytes
from groma.record.writing import make_folder, write_atomically

if TYPE_CHECKING:
    from pathlib import Path

    from groma.record import Record

STORE_VARIABLE = "XDG_DATA_HOME"
"""Names the folder above those that groma keeps."""

_KEPT_TEXT = re.compile(r".*_[0-9a-f]{8}\.txt")


def is_kept_text(path: Path) -> bool:
    """Whether the name is one that the store gives to an output of hpcc."""
    return _KEPT_TEXT.fullmatch(path.name) is not None


def add_to_store(file: Path, folder: Path) -> Path:
    """Copy a file with records into the folder, under a name that tells kind, machine and time.

    The same file twice is kept once. Raises GromaError for what is no record (exit code 2), and where the
    folder cannot be written (exit code 4).
    """
    content = read_bytes(file)
    first = records_of(content, file)[0]
    make_folder(folder, STORE_VARIABLE)
    kept = folder / _name(first, content)
    write_atomically(kept, content, STORE_VARIABLE)
    return kept


def _name(record: Record[Any], content: bytes) -> str:
    suffix = "json" if content.lstrip().startswith(b"{") else "txt"
    digest = hashlib.sha256(content).hexdigest()[:8]
    reported = (record.kind, machine_of(record), record.created[:19], digest)
    return f"{'_'.join(re.sub(r'[^A-Za-z0-9.-]+', '-', one) for one in reported if one)}.{suffix}"
