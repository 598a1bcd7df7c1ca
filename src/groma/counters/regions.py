"""Regions of a Python program, by libgroma: those of C and Python nest in each other."""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from groma.errors import ExitCode, GromaError

if TYPE_CHECKING:
    from collections.abc import Iterator

_TREE = Path(__file__).parents[3] / "build/default/native/profile"
"""Where the library is in a source tree that was built."""


@contextmanager
def region(name: str) -> Iterator[None]:
    """What the block spends belongs to this region. Raises GromaError (exit code 4) without libgroma."""
    library = _library()
    encoded = _encoded(name)
    library.groma_region_begin(encoded)
    try:
        yield
    finally:
        library.groma_region_end(encoded)


def value(name: str, value: int) -> None:
    """Notes a value, such as the number of an iteration.

    Raises ValueError for what is not a whole number of 64 bits, GromaError (exit code 4) without libgroma.
    """
    if not isinstance(value, int) or not 0 <= value < 2**64:
        raise ValueError(f"a value is a whole number from 0 to 2^64 - 1, not {value!r}")
    _library().groma_value(_encoded(name), value)


def _encoded(name: str) -> bytes:
    if not isinstance(name, str) or "\0" in name:
        raise ValueError(f"a name is text without the character 0, not {name!r}")
    return name.encode()


@cache
def _library() -> ctypes.CDLL:
    """That of the program, if it has one already: regions of both languages shall meet in it."""
    for place in _places():
        try:
            library = ctypes.CDLL(place)
            library.groma_region_begin.argtypes = [ctypes.c_char_p]
            library.groma_region_end.argtypes = [ctypes.c_char_p]
            library.groma_value.argtypes = [ctypes.c_char_p, ctypes.c_ulonglong]
        except (OSError, AttributeError):
            continue
        for function in (library.groma_region_begin, library.groma_region_end, library.groma_value):
            function.restype = None
        return library
    raise GromaError(
        "libgroma, which keeps the regions, is not installed",
        "build and install it: docs/install.md",
        ExitCode.ENVIRONMENT,
    )


def _places() -> Iterator[str | None]:
    yield None
    for folder in (Path(sys.prefix) / "lib", _TREE):
        yield from sorted(str(path) for path in folder.glob("libgroma.so*"))
    found = ctypes.util.find_library("groma")
    if found:
        yield found
