"""The tracer of the MPI that a command uses, and the variables that bring it into its processes."""

from __future__ import annotations

import os
import secrets
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.detect import identified
from groma.launch.mpi_programs import mpi_programs
from groma.trace.programs import executables, named_executable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.host.host import Host

_LIBRARY = "libgroma-trace.so"
_LIST = "mca_base_env_list"  # Open MPI's parameter: NAME=VALUE or NAME, with semicolons between them
_LIST_VARIABLE = f"OMPI_MCA_{_LIST}"
_SETS = frozenset({"--mca", "-mca", "--gmca", "-gmca"})
_OF_LOADER = frozenset({"LD_PRELOAD", "LD_LIBRARY_PATH"})
_SETS_VARIABLE = frozenset({"-genv", "-env"})  # of the MPICH family, each with NAME and VALUE after it
_LONGEST_COUNTER_NAME = 191  # letters that a log has room for: native/trace/log/format.hpp
_SOME_PROGRAM = "groma-network"  # is built for each MPI, in a folder beside that of the tracer


class Buffer(msgspec.Struct, frozen=True, kw_only=True):
    """`most_bytes` bounds the log of a thread, 0: no bound; `newest`: what is kept when it is full."""

    most_bytes: int = 0
    newest: bool = False


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """What the tracer records.

    `count_misses`: tests and probes that got nothing are counted, and have no calls of their own.
    `call_sites`: where each call comes from is recorded.
    """

    buffer: Buffer = Buffer()
    counters: tuple[str, ...] = ()
    count_misses: bool = False
    call_sites: bool = False


def tracers(folder: str | None) -> dict[str, Path]:
    """The tracer for each family of MPI that is built. Raises GromaError (exit code 4) for none."""
    found: dict[str, Path] = {}
    for program in mpi_programs(_SOME_PROGRAM, folder, "the tracer"):
        library = Path(program.path).parent.parent / "lib" / _LIBRARY
        if library.is_file():
            found.setdefault(program.family, library)
    if not found:
        raise GromaError("the tracer is not built", "make setup", ExitCode.ENVIRONMENT)
    return found


def family_of_command(host: Host, words: Sequence[str]) -> str:
    """Of the MPI that a command uses: what its programs name, else what its launcher belongs to, else ""."""
    launcher = identified(host, words[0], "of the command") if words else None
    programs = executables(words[1:] if launcher else words)
    named = next((one.mpi for one in programs if one.mpi), "")
    return named or (launcher.launcher.mpi if launcher else "")


def tracer_for(host: Host, words: Sequence[str], folder: str | None, requested: str | None) -> Path:
    """The tracer of a command. Raises GromaError: exit code 2 for an MPI that is not built."""
    built = tracers(folder)
    family = requested or family_of_command(host, words)
    if family and family not in built:
        known = ", ".join(sorted(built))
        raise GromaError(
            f"there is no tracer for {family}; built are those for {known}",
            "install that MPI and run make setup, or name another one with --mpi",
            ExitCode.USAGE if requested else ExitCode.ENVIRONMENT,
        )
    return built[family] if family else next(iter(built.values()))


def _preloading(library: Path) -> dict[str, str]:
    """LD_PRELOAD ends a name at a space as well as at a colon; LD_LIBRARY_PATH at colons and semicolons."""
    if not any(letter in str(library) for letter in " :"):
        return {"LD_PRELOAD": _in_front(str(library), "LD_PRELOAD")}
    if any(letter in str(library) for letter in ":;"):
        raise GromaError(
            f"{library} cannot be preloaded: its path has a colon or a semicolon",
            "install groma in another folder",
            ExitCode.ENVIRONMENT,
        )
    return {
        "LD_PRELOAD": _in_front(library.name, "LD_PRELOAD"),
        "LD_LIBRARY_PATH": _in_front(str(library.parent), "LD_LIBRARY_PATH"),
    }


def _in_front(first: str, variable: str) -> str:
    rest = os.environ.get(variable)
    return f"{first}:{rest}" if rest else first


def variables(tracer: Path, logs: Path, recording: Recording) -> dict[str, str]:
    """What the processes of the program need. What is preloaded already stays.

    Raises GromaError: exit code 4 where the tracer lies in a folder that cannot be preloaded from, 2 for a
    counter whose name is too long for a log.
    """
    _refuse_long_names(recording.counters)
    return _preloading(tracer) | {
        "GROMA_TRACE_DIR": str(logs),
        "GROMA_TRACE_RUN": str(secrets.randbits(63)),
        "GROMA_TRACE_BUFFER": str(recording.buffer.most_bytes),
        "GROMA_TRACE_NEWEST": str(int(recording.buffer.newest)),
        "GROMA_TRACE_COUNTERS": ",".join(recording.counters),
        "GROMA_TRACE_COUNT_MISSES": str(int(recording.count_misses)),
        "GROMA_TRACE_CALL_SITES": str(int(recording.call_sites)),
    }


def _refuse_long_names(counters: Sequence[str]) -> None:
    """A name that is cut could be that of another event."""
    for name in counters:
        if len(name.encode()) > _LONGEST_COUNTER_NAME:
            what = f"the name of the counter {name[:60]}… has more than {_LONGEST_COUNTER_NAME} letters"
            raise GromaError(what, "name the event by its raw code, such as r3c")


def with_variables(
    host: Host, words: Sequence[str], given: dict[str, str]
) -> tuple[list[str], dict[str, str]]:
    """The command, and its environment in addition to the one that is set already.

    Open MPI's launcher starts processes on other hosts without the variables of this one; it has an option
    for them, and a parameter with a list, but refuses both together. Others pass all on.
    """
    words = _with_tracer_first(words, given)
    launcher = identified(host, words[0], "of the command")
    if launcher is None or launcher.launcher.mpi != "openmpi":
        return list(words), given
    place = _place_of_list(words)
    if place is not None:
        named, rest = _listed(words[place], given, words)
        return [*words[:place], named, *words[place + 1 :]], rest
    if _LIST_VARIABLE in os.environ:
        named, rest = _listed(os.environ[_LIST_VARIABLE], given, words)
        return list(words), rest | {_LIST_VARIABLE: named}
    return _with_options(words, given), {}


def _with_tracer_first(words: Sequence[str], given: dict[str, str]) -> list[str]:
    """What the command itself preloads would replace the tracer. Arguments of an MPI program stay."""
    made = list(words)
    in_arguments = False
    for i, word in enumerate(words[1:], start=1):
        if word == ":":
            in_arguments = False
        elif not in_arguments:
            program = named_executable(word)
            in_arguments = program is not None and program.mpi != ""
            made[i] = _setting_with_tracer(words[max(0, i - 2) : i], word, given)
    return made


def _setting_with_tracer(before: Sequence[str], word: str, given: dict[str, str]) -> str:
    """A word of the command; `before` are those before it. It may set a variable of the loader."""
    for name in _OF_LOADER & given.keys():
        first = given[name].partition(":")[0]
        if word == name and before[-1] == "-x":
            return f"{name}={given[name]}"
        if before[-1] == name and before[0] in _SETS_VARIABLE:
            return f"{first}:{word}"
        head, is_set, value = word.partition(f"{name}=")
        if is_set and (not head or head[-1] in "=,;"):
            return f"{head}{name}={first}:{value}"
    return word


def _with_options(words: Sequence[str], given: dict[str, str]) -> list[str]:
    """A colon begins another program, for which the options before it do not hold."""
    options = [word for name, value in given.items() for word in ("-x", f"{name}={value}")]
    made = [words[0], *options]
    for word in words[1:]:
        made += [word, *options] if word == ":" else [word]
    return made


def _place_of_list(words: Sequence[str]) -> int | None:
    """Where the command gives Open MPI its list of variables."""
    found = (i + 2 for i, (option, name) in enumerate(pairwise(words)) if option in _SETS and name == _LIST)
    return next((i for i in found if i < len(words)), None)


def _listed(before: str, given: dict[str, str], words: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The list with our variables in it, and those that it takes from the environment: values may hold its
    delimiter. What is preloaded has its value in the list, so that the launcher itself loads nothing.
    """
    set_here = [f"{name}={value}" for name, value in given.items() if name in _OF_LOADER]
    taken = {name: value for name, value in given.items() if name not in _OF_LOADER}
    items = [*([before] if before else []), *set_here, *taken]
    return _delimiter(words).join(items), taken


def _delimiter(words: Sequence[str]) -> str:
    name = f"{_LIST}_delimiter"
    triples = zip(words, words[1:], words[2:], strict=False)
    said = next((value for option, word, value in triples if option in _SETS and word == name), None)
    return said or os.environ.get(f"OMPI_MCA_{name}") or ";"
