"""Which launcher to use: that of the job one is in, else the one of an MPI that is installed."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from groma.errors import ExitCode, GromaError
from groma.host.software import packaged_mpi_launchers
from groma.launch.command import SelectedLauncher, check_template
from groma.launch.launchers import LAUNCHERS, Launcher, launcher_named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.host.host import Host
    from groma.launch.allocation import Allocation
    from groma.launch.mpi_programs import MpiProgram

# The launchers that belong to a scheduler, the preferred one first; without any of them MPI's own are asked,
# most of which know these schedulers, too.
_OF_SCHEDULER = {
    "slurm": ("ibrun", "slurm"),
    "flux": ("flux",),
    "pbs": ("pals", "aprun"),
    "lsf": ("jsrun",),
    "cobalt": ("aprun",),
}

_MPI_PROGRAMS = ("mpirun", "mpiexec", "mpiexec.hydra", "mpirun.openmpi", "mpiexec.mpich")

_BY_FOLDER = {"pals": re.compile(r"/pals/(?P<version>[\d.]+)?")}

NO_MPI = "no MPI is installed: neither mpirun nor mpiexec was found"


def select_launcher(
    host: Host,
    allocation: Allocation,
    programs: Sequence[MpiProgram],
    requested: str | None = None,
    hostfile: str | None = None,
) -> tuple[SelectedLauncher, MpiProgram]:
    """A launcher and the program that it can start.

    `requested` is a name of the table, a program, either with more flags after it, or a template with {cmd}.
    Raises GromaError: exit code 2 for one that is not known, 4 where nothing fits.
    """
    fallback = hostfile or allocation.hostfile
    candidates = list(
        _found(host, allocation, fallback) if requested is None else _requested(host, requested, fallback)
    )
    for selected in candidates:
        for program in _startable(host, selected, programs):
            return _with_interface(host, selected, program), program
    raise _nothing_fits(candidates, programs)


def _startable(
    host: Host, selected: SelectedLauncher, programs: Sequence[MpiProgram]
) -> Iterator[MpiProgram]:
    """The programs that this launcher starts; with several interfaces, those that one of them suits."""
    launcher = selected.launcher
    offered = _interfaces(host, selected)
    for one in programs:
        if launcher.mpi and one.family and launcher.mpi != one.family:
            continue
        if offered is None or any(f"{one.family}/{name}" in launcher.start for name in offered):
            yield one


def _with_interface(host: Host, selected: SelectedLauncher, program: MpiProgram) -> SelectedLauncher:
    offered = _interfaces(host, selected) or []
    fitting = [
        name.partition("/")[2]
        for name in selected.launcher.start
        if name.startswith(f"{program.family}/") and name.partition("/")[2] in offered
    ]
    return msgspec.structs.replace(selected, interface=fitting[0]) if fitting else selected


def _interfaces(host: Host, selected: SelectedLauncher) -> list[str] | None:
    """What srun can start programs with; None where that is no question."""
    if selected.launcher.name != "slurm" or any(word.startswith("--mpi") for word in selected.extra):
        return None
    said = host.ask([selected.program, "--mpi=list"], or_stderr=True)  # stderr until Slurm 21.08
    return re.findall(r"[a-z0-9_]+", re.sub(r"^srun: ", "", said, flags=re.MULTILINE)) if said else None


# ---- what is here ------------------------------------------------------------------------------------------


def _found(host: Host, allocation: Allocation, hostfile: str | None) -> Iterator[SelectedLauncher]:
    yield from _of_scheduler(host, allocation, hostfile)
    job = allocation.in_words(f"a job of {allocation.scheduler}")
    inside = f" inside {job}" if allocation.scheduler else ""
    yield from installed(host, inside, hostfile)


def installed(host: Host, where: str = "", hostfile: str | None = None) -> Iterator[SelectedLauncher]:
    """The launchers that MPIs bring along, as they are found; `where` ends the reason of each."""
    for program in _mpi_launchers(host):
        selected = identified(host, program, f"{program} is there{where}", hostfile)
        if selected is not None:
            yield selected


def _of_scheduler(host: Host, allocation: Allocation, hostfile: str | None) -> Iterator[SelectedLauncher]:
    job = allocation.in_words(f"a job of {allocation.scheduler}")
    for name in _OF_SCHEDULER.get(allocation.scheduler, ()):
        launcher = launcher_named(name)
        assert launcher is not None  # noqa: S101 - names of the table
        for program in launcher.programs:
            path = host.find(program)
            selected = _as(host, launcher, path, f"inside {job}", hostfile) if path else None
            if selected is not None:
                yield selected


def _as(
    host: Host, launcher: Launcher, program: str, reason: str, hostfile: str | None
) -> SelectedLauncher | None:
    """The launcher with this program, None where the program turns out to be another's."""
    shared = sum(Path(program).name in one.programs for one in LAUNCHERS) > 1
    version = _version(host, launcher, program)
    if shared and version is None:
        return None
    takes_file = hostfile if launcher.hostfile else None
    return SelectedLauncher(
        launcher=launcher, program=program, version=version or "", reason=reason, hostfile=takes_file
    )


def _version(host: Host, launcher: Launcher, program: str) -> str | None:
    """Its version where the program says to be this launcher, "" where it says so without one, else None."""
    by_folder = _BY_FOLDER.get(launcher.name)
    found = by_folder.search(host.target(program)) if by_folder else None
    if found is None:
        found = (
            re.search(launcher.version, host.ask([program, "--version"]) or "") if launcher.version else None
        )
    return (found["version"] or "") if found else None


def _mpi_launchers(host: Host) -> Iterator[str]:
    """Programs that start MPI jobs: beside this Python, then on PATH, then of set-up's Python packages."""
    beside_python = Path(sys.executable).parent
    for name in _MPI_PROGRAMS:
        beside = str(beside_python / name)
        if host.exists(beside):
            yield beside
        path = host.find(name)
        if path:
            yield path
    yield from packaged_mpi_launchers(host)


def identified(host: Host, program: str, reason: str, hostfile: str | None = None) -> SelectedLauncher | None:
    """The record of the table that a program says to be, None where it says nothing known."""
    for launcher in LAUNCHERS:
        if Path(program).name in launcher.programs and _version(host, launcher, program) is not None:
            return _as(host, launcher, program, reason, hostfile)
    return None


# ---- what the user wants -----------------------------------------------------------------------------------


def _requested(host: Host, requested: str, hostfile: str | None) -> Iterator[SelectedLauncher]:
    if "{" in requested:
        check_template(requested)
        alone = launcher_named("alone")
        assert alone is not None  # noqa: S101 - of the table
        yield SelectedLauncher(launcher=alone, template=requested, reason="given", hostfile=hostfile)
        return
    name, *extra = _words_of(requested)
    found = list(_by_name(host, name, hostfile) or _by_program(host, name, hostfile))
    if not found:
        raise _unknown(name)
    yield from (msgspec.structs.replace(one, extra=tuple(extra)) for one in found)


def _words_of(requested: str) -> list[str]:
    try:
        words = shlex.split(requested)
    except ValueError as error:
        raise GromaError(
            f"the launcher {requested!r} is invalid ({error})", "close every quotation, as in a shell"
        ) from None
    if not words or not words[0]:
        raise GromaError(f"the launcher {requested!r} is invalid (no name)", "name one, or omit --launcher")
    return words


def _by_name(host: Host, name: str, hostfile: str | None) -> list[SelectedLauncher]:
    """By a name of the table; "openmpi" means any version of it."""
    launchers = [one for one in LAUNCHERS if one.name == name or one.name.startswith(f"{name}-")]
    found = []
    for launcher in launchers:
        if not launcher.programs:
            found.append(SelectedLauncher(launcher=launcher, reason="given"))
        each = (_as(host, launcher, path, "given", hostfile) for path in _paths_of(host, launcher))
        found.extend(filter(None, each))
    if launchers and not found:
        raise GromaError(
            f"the launcher {name} is not installed ({' or '.join(launchers[0].programs)})",
            "omit --launcher, or load the module that provides it",
            ExitCode.ENVIRONMENT,
        )
    return found


def _paths_of(host: Host, launcher: Launcher) -> list[str]:
    """Where its programs are: in the order of the detection, then those that only names find, as srun."""
    on_path = filter(None, map(host.find, launcher.programs))
    paths = dict.fromkeys((*_mpi_launchers(host), *on_path))
    return [path for path in paths if Path(path).name in launcher.programs]


def _by_program(host: Host, name: str, hostfile: str | None) -> list[SelectedLauncher]:
    path = name if "/" in name and host.exists(name) else host.find(name)
    paths = [path] if path else [one for one in _mpi_launchers(host) if Path(one).name == name]
    each = (
        identified(host, one, "given", hostfile) or _by_its_own_name(host, one, hostfile) for one in paths
    )
    return list(filter(None, each))


def _by_its_own_name(host: Host, path: str, hostfile: str | None) -> SelectedLauncher | None:
    """A program whose name one launcher has alone, though it prints no version."""
    named = (one for one in LAUNCHERS if Path(path).name in one.programs)
    return next(filter(None, (_as(host, one, path, "given", hostfile) for one in named)), None)


def _unknown(name: str) -> GromaError:
    names = ", ".join(one.name for one in LAUNCHERS)
    return GromaError(
        f"unknown launcher {name!r}", f"known launchers: {names}; or give a template with {{cmd}}"
    )


def _nothing_fits(candidates: Sequence[SelectedLauncher], programs: Sequence[MpiProgram]) -> GromaError:
    if not candidates:
        return GromaError(
            NO_MPI,
            "sudo apt-get install openmpi-bin libopenmpi-dev (or load your site's MPI module); make setup; "
            "or start one rank without it: --launcher alone",
            ExitCode.ENVIRONMENT,
        )
    there = " and ".join(dict.fromkeys(one.launcher.title for one in candidates))
    built = " and ".join(dict.fromkeys(one.family or one.mpi for one in programs))
    return GromaError(
        f"the launchers on this machine ({there}) cannot start programs built for {built}",
        "build for this MPI: make setup with its mpicxx on PATH",
        ExitCode.ENVIRONMENT,
    )
