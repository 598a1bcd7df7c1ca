"""What a command writes takes the place of nothing that it reads, and of nothing else that it writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.record.reading import known
from groma.record.trace_folder import MATRIX, RECORD, SUMMARY
from groma.record.writing import is_same_place, is_special

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_NAMES = (RECORD, MATRIX, SUMMARY)
_ENDINGS = (".prv", ".prv.gz", ".pcf", ".row", ".groma")


def refuse_clash(outputs: Iterable[tuple[str, Path | None]], inputs: Iterable[Path | None] = ()) -> None:
    """Raises GromaError (exit code 2) where a file would be written that is read, or written twice.

    Each output is an option with its path, None where it is not given; so are inputs. Devices and pipes lose
    nothing: several options may name /dev/null or /dev/stdout.
    """
    read = [file for path in inputs if path is not None for file in _files_of(path)]
    written: list[tuple[str, Path]] = []
    for option, path in outputs:
        if path is None or is_special(path):
            continue
        if any(_is_same_file(path, one) for one in read):
            raise GromaError(f"{option} would overwrite the input {path}", f"name another file with {option}")
        for other, one in written:
            if _is_same_file(path, one):
                raise GromaError(f"{other} and {option} would both write {path}", "name two files")
        written.append((option, path))


def _files_of(path: Path) -> list[Path]:
    """The path, or the files of the trace in a folder: its record and its page may lie beside them."""
    if not known(path.is_dir):
        return [path]
    try:
        return [one for one in path.iterdir() if one.name in _NAMES or one.name.endswith(_ENDINGS)]
    except OSError:
        return []


def _is_same_file(one: Path, other: Path) -> bool:
    """Under another name as well, such as a hard link. Neither needs to exist."""
    try:
        return is_same_place(one, other) or known(lambda: one.samefile(other))
    except ValueError:  # no name of a file
        return False
