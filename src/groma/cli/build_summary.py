"""What `groma --version -v` says: everything a defect report needs to know of this installation."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.launch import native

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIBRARIES = ("click", "msgspec", "numpy", "rich")


def build_summary() -> Iterator[str]:
    """One line each for Python, its libraries and the native programs."""
    yield f"python   {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield f"with     {', '.join(map(_version_of, _LIBRARIES))}"
    yield from _native_lines()


def _version_of(library: str) -> str:
    try:
        return f"{library} {metadata.version(library)}"
    except metadata.PackageNotFoundError:
        return f"{library} missing"


def _native_lines() -> Iterator[str]:
    try:
        program = native.find_program()
        build = native.build_of(program)
    except GromaError as error:
        yield f"native   {error.what} ({error.next_step})"
        return
    yield f"native   {program}, version {build.version}"
    yield f"compiler {build.compiler or 'unknown'}, flags {build.flags or 'unknown'}"
    for name, state in build.options.items():
        yield f"option   {name} {state}"
