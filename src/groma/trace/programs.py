"""What can be known of a program before it runs: which MPI it uses, and what keeps a library out of it."""

from __future__ import annotations

import mmap
import os
import re
import shutil
import stat
import struct
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ELF = b"\x7fELF"
_PT_INTERP = 3

# Options of launchers whose values may name programs that are not to be traced, and how many words these are.
_VALUES = {
    "-genv": 2, "-env": 2, "-x": 1,
    "--mca": 2, "-mca": 2, "--gmca": 2, "-gmca": 2, "--prtemca": 2, "--pmixmca": 2,
    "-launcher-exec": 1, "-bootstrap-exec": 1, "--launch-agent": 1,
}  # fmt: skip

# Names of MPI libraries in programs that use them, by family.
_LIBRARIES = {"openmpi": re.compile(rb"libmpi\.so\.[24]0\0"), "mpich": re.compile(rb"libmpi(ch)?\.so\.12\0")}


class Executable(NamedTuple):
    """An ELF file. `mpi` is the family that it names, "" where it names none."""

    path: Path
    mpi: str
    is_static: bool
    changes_user: bool


def executables(words: Sequence[str]) -> Iterator[Executable]:
    """The programs among the words of a command, in their order."""
    values = 0
    for word in words:
        if values > 0:
            values -= 1
            continue
        values = _VALUES.get(word, 0)
        one = named_executable(word)
        if one is not None:
            yield one


def named_executable(word: str) -> Executable | None:
    """The program that a word of a command names, None where it names none."""
    found = shutil.which(word)
    return executable(Path(found)) if found else None


def executable(path: Path) -> Executable | None:
    """What an ELF file says; None for a script, or what cannot be read."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if content[:4] != _ELF:
                return None
            families = (name for name, library in _LIBRARIES.items() if library.search(content))
            mode = os.fstat(file.fileno()).st_mode
            return Executable(
                path,
                next(families, ""),
                is_static=not _has_interpreter(content),
                changes_user=bool(mode & (stat.S_ISUID | stat.S_ISGID)),
            )
    except (OSError, ValueError, struct.error):
        return None


def _has_interpreter(content: mmap.mmap) -> bool:
    """Whether the dynamic linker loads it: only then can a library be preloaded."""
    is_64 = content[4] == 2
    order = "<" if content[5] == 1 else ">"
    offset_at, size_at, word = (32, 54, "Q") if is_64 else (28, 42, "I")
    (offset,) = struct.unpack_from(order + word, content, offset_at)
    size, number = struct.unpack_from(order + "HH", content, size_at)
    kinds = (struct.unpack_from(order + "I", content, offset + i * size)[0] for i in range(number))
    return _PT_INTERP in kinds
