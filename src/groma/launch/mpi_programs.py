"""Programs that were built once for each MPI, and which launcher can start which of them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch import native
from groma.record import Build

if TYPE_CHECKING:
    from collections.abc import Iterator

HPCC_PROGRAM = "groma-hpcc"

# How a library calls itself, by family. Those that descend from MPICH start each other's programs.
_FAMILIES = {"Open MPI": "openmpi", "MPICH": "mpich", "Intel(R) MPI": "mpich", "MVAPICH": "mpich"}


class MpiProgram(msgspec.Struct, frozen=True, kw_only=True):
    """`family` is openmpi or mpich, "" where the library is neither."""

    path: str
    family: str
    mpi: str
    blas: str
    build: Build


class _BuildAnswer(msgspec.Struct):
    build: Build
    blas: str = ""
    mpi: str = ""


def family_of(library: str) -> str:
    return next((family for words, family in _FAMILIES.items() if words in library), "")


def mpi_programs(name: str = HPCC_PROGRAM, folder: str | None = None, title: str = "") -> list[MpiProgram]:
    """Every build of the program that can be started here, the default's first; messages call it `title`.

    Raises GromaError (exit code 4) where there is none, with the reason where one is broken.
    """
    found, failures = [], []
    for path in _paths(name, folder):
        try:
            found.append(_described(path))
        except GromaError as error:
            failures.append(error)
    if found:
        return found
    raise failures[0] if failures else _missing(name, folder, title or name)


def _missing(name: str, folder: str | None, title: str) -> GromaError:
    if native.configured(folder):
        return native.not_in(folder, name)
    return GromaError(
        f"{title} is not built: make survey builds only what a node survey needs",
        "make setup  # installs MPI and BLAS where they are missing, then builds all programs",
        ExitCode.ENVIRONMENT,
    )


def _paths(name: str, folder: str | None) -> Iterator[Path]:
    """In the folders where native programs are, and in lib/groma/MPI/bin beside them; each file once."""
    seen: set[Path] = set()
    for places in native.places_of_programs(folder):
        for place in places.split(os.pathsep):
            trees = _trees(Path(place).parent, name) if place else []
            direct = shutil.which(name, path=place) if place else None
            for path in [*([Path(direct)] if direct else []), *trees]:
                if path.resolve() not in seen:
                    seen.add(path.resolve())
                    yield path


def _trees(prefix: Path, name: str) -> list[Path]:
    """None in a folder that may not be searched: PATH of another user may have some."""
    try:
        return sorted(prefix.glob(f"lib/groma/*/bin/{name}"))
    except OSError:
        return []


def _described(path: Path) -> MpiProgram:
    answer = native.decoded(native.ask(path, "build"), _BuildAnswer, path)
    native.refuse_other_version(path, answer.build)
    return MpiProgram(
        path=str(path.resolve()),
        family=family_of(answer.mpi) or _family_by_folder(path.resolve()),
        mpi=" ".join(answer.mpi.strip(" \0").split()),
        blas=answer.blas,
        build=answer.build,
    )


def _family_by_folder(path: Path) -> str:
    """lib/groma/NAME/bin, as set-up installs it."""
    name = path.parent.parent.name
    return name if name in _FAMILIES.values() else ""
