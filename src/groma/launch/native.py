"""Find groma's native programs on this machine, and ask them what they are."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from groma import __version__
from groma.errors import ExitCode, GromaError
from groma.record import Build, Topology
from groma.record.reading import known

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")

PROBE_PROGRAM = "groma-probe"

ANSWER_SECONDS = 20.0

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""For questions: OpenBLAS starts its threads before the program does anything, and where a limit on memory
keeps it from that, it may wait forever. Programs set the number that they measure with themselves.
"""


UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding JSON raises: for other types, for bytes that are not UTF-8, for nesting without end."""


class ParameterInfo(msgspec.Struct, frozen=True):
    """A parameter of a probe and its value at each depth. `type` is bytes, seconds, count, integer, number,
    text, choices such as "auto|cores", or "found" for what a survey finds out (native/base/probe_info.hpp).
    """

    name: str
    quick: str
    standard: str
    thorough: str
    help: str
    type: str = "text"

    def at(self, depth: str) -> str:
        return str(getattr(self, depth))


class ProbeInfo(msgspec.Struct, frozen=True):
    """What a probe says of itself; `order` is its place in a survey.

    `ranks` tells on which ranks a network probe runs: `pairs` and `layers` on all cores, `one_per_node`, or
    `processes_per_node`, launch after launch with more on each node. It is "" for a probe of a node.
    """

    name: str
    title: str
    measures: str
    method: str
    traffic: str
    reference: str
    order: int
    parameters: tuple[ParameterInfo, ...]
    ranks: Literal["", "pairs", "layers", "one_per_node", "processes_per_node"] = ""

    def defaults(self, depth: str) -> dict[str, str]:
        return {one.name: one.at(depth) for one in self.parameters}


def native_program(name: str = PROBE_PROGRAM, folder: str | None = None) -> Path:
    """Path of a native program of this version of groma, found as `find_program` does.

    Raises GromaError (exit code 4) where there is none, or only one of another version.
    """
    program = find_program(name, folder)
    refuse_other_version(program, build_of(program))
    return program


def find_program(name: str = PROBE_PROGRAM, folder: str | None = None) -> Path:
    """Path of a native program: in the configured folder and nowhere else, or beside this Python, then PATH.

    Raises GromaError (exit code 4) where it is in none of them.
    """
    for place in places_of_programs(folder):
        found = shutil.which(name, path=place)
        if found:
            return Path(found)
    raise (
        not_in(folder, name)
        if configured(folder)
        else GromaError(
            f"{name} is not installed",
            "build it with: make setup (groma doctor gives details)",
            ExitCode.ENVIRONMENT,
        )
    )


def configured(folder: str | None) -> str | None:
    """The folder that settings or GROMA_NATIVE_PATH name."""
    return folder or os.environ.get("GROMA_NATIVE_PATH") or None


def places_of_programs(folder: str | None) -> list[str]:
    """Folders, or lists of them as in PATH. What is configured stands alone: nothing else takes its place."""
    chosen = configured(folder)
    if chosen is None:
        return [str(Path(sys.executable).parent), os.environ.get("PATH") or os.defpath]
    return [chosen, *_bin_above(chosen)]


def _bin_above(folder: str) -> list[str]:
    """Programs for one MPI lie in PREFIX/lib/groma/MPI/bin, those that need none in PREFIX/bin."""
    path = Path(folder)
    is_of_one_mpi = path.name == "bin" and path.parts[-4:-2] == ("lib", "groma")
    return [str(path.parents[3] / "bin")] if is_of_one_mpi else []


def not_in(folder: str | None, name: str) -> GromaError:
    """The refusal of a configured folder without that program."""
    place = configured(folder) or ""
    parts = [Path(part) for part in place.split(os.pathsep)]
    if not any(known(part.is_dir) for part in parts):
        cause = f"{place} is not a folder"
    elif any(known((part / name).is_file) for part in parts):
        cause = f"{name} in {place} is not executable"
    else:
        cause = f"there is no {name} in {place}"
    return GromaError(
        f"{cause}; native.path or GROMA_NATIVE_PATH names this folder",
        "correct or unset the setting: groma config show --origin",
        ExitCode.ENVIRONMENT,
    )


def refuse_other_version(program: Path, build: Build) -> None:
    """Raises GromaError (exit code 4) for a program that was not built with this Python code."""
    if build.version != __version__:
        raise GromaError(
            f"{program} is version {build.version}, groma itself is {__version__}",
            "rebuild it with: make setup",
            ExitCode.ENVIRONMENT,
        )


def ask(program: Path, question: str, variables: Mapping[str, str] | None = None) -> bytes:
    """What `program question` prints, with `variables` set. Raises GromaError (exit code 4)."""
    try:
        done = subprocess.run(
            [program, question],
            capture_output=True,
            timeout=ANSWER_SECONDS,
            check=True,
            env={**os.environ, **ONE_THREAD, **(variables or {})},
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise no_answer(program.name, question, error) from error
    return done.stdout


def no_answer(program: str, question: str, error: Exception) -> GromaError:
    """Why a program did not say what it was asked."""
    if isinstance(error, subprocess.TimeoutExpired):
        return GromaError(
            f"{program} {question} gave no answer within {error.timeout:.0f} s",
            _for_memory() or "try again on a less busy machine",
            ExitCode.ENVIRONMENT,
        )
    return GromaError(
        f"{program} {question} failed: {error}", "rebuild it with: make setup", ExitCode.ENVIRONMENT
    )


def _for_memory() -> str:
    """What to do where a limit on memory may be the cause; OpenBLAS asks for its own again and again."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return ""
    return f"raise the limit on memory, ulimit -v: at {limit >> 10} KiB its BLAS may wait forever"


def decoded(answer: bytes, as_type: type[T], program: Path) -> T:
    """An answer of a native program. Raises GromaError (exit code 4) for one that is not of this type."""
    try:
        return msgspec.json.decode(answer, type=as_type)
    except UNREADABLE as error:
        raise GromaError(
            f"{program} gave an answer that groma does not understand ({error})",
            "rebuild it with: make setup",
            ExitCode.ENVIRONMENT,
        ) from None


def catalogue(program: Path) -> list[ProbeInfo]:
    """All probes that were built in, in the order of a survey. Raises GromaError (exit code 4)."""
    return [decoded(line, ProbeInfo, program) for line in ask(program, "list").splitlines()]


def declared_topology(program: Path) -> Topology:
    """Raises GromaError (exit code 4)."""
    return decoded(ask(program, "topology"), Topology, program)


def build_of(program: Path) -> Build:
    """Raises GromaError (exit code 4)."""
    return decoded(ask(program, "build"), Build, program)
