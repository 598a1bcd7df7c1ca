"""What will be run, decided before anything is started: launcher, program, shape, command line, patience."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.allocation import Allocation, allocation_of, hosts_of, room_of
from groma.launch.causes import ending_of, said_by
from groma.launch.command import Chosen, Command, Start, command_line
from groma.launch.detect import choose
from groma.launch.hostfile import NamedHost, least_slots, read_hosts
from groma.launch.job import Patience
from groma.launch.mpi_programs import MpiProgram, mpi_programs
from groma.launch.shape import Asked, Room, Shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.record.host import Host

# What ranks on other nodes need of the variables here; all else is theirs.
_EXPORTED = (
    "LD_LIBRARY_PATH",
    "GLIBC_TUNABLES",
    "OMP_",
    "OPENBLAS_",
    "BLIS_",
    "MKL_",
    "UCX_",
    "FI_",
    "GROMA_",
)

PLANNING_SECONDS = 60.0


class Tool(NamedTuple):
    """A native MPI program, and the verb that runs it."""

    program: str
    verb: str


class Step(msgspec.Struct, frozen=True):
    """One test of a run. `budget` is its estimated time in seconds."""

    probe: str
    title: str
    budget: float


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """How it is to be started; None is left to groma.

    `folder` is where native programs are, `silence` how long (s) a run may say nothing, `earlier` a record
    that may be of such a run and then tells what the machine reaches.
    """

    folder: str | None = None
    launcher: str | None = None
    hostfile: str | None = None
    silence: float | None = None
    earlier: Path | None = None


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about a run that is known before it. `plan` is that of the native program."""

    chosen: Chosen
    program: MpiProgram
    shape: Shape
    plan: dict[str, Any]
    steps: tuple[Step, ...]
    command: Command
    patience: Patience

    @property
    def budget(self) -> float:
        """Estimated seconds of all tests."""
        return sum(step.budget for step in self.steps)


class Site(NamedTuple):
    """What starts a run, the program built for it, and the machines that there are."""

    chosen: Chosen
    program: MpiProgram
    room: Room


def site_of(host: Host, tool: Tool, means: Means) -> Site:
    """Raises GromaError: exit code 2 for what cannot be asked for, 4 where MPI or the program is missing."""
    programs = mpi_programs(tool.program, folder=means.folder)
    allocation = allocation_of(host)
    chosen, program = choose(host, allocation, programs, means.launcher, means.hostfile)
    named = _named(means.hostfile, allocation, chosen)
    hosts = tuple(one.name for one in named) or hosts_of(host, allocation)
    chosen = msgspec.structs.replace(chosen, hosts=hosts)
    return Site(chosen, program, _room(room_of(host, allocation), named))


def _named(hostfile: str | None, allocation: Allocation, chosen: Chosen) -> tuple[NamedHost, ...]:
    """The hosts that the user named; none where the file is the one that the scheduler wrote."""
    if hostfile is None or hostfile == allocation.hostfile:
        return ()
    _refuse_unread_hosts(chosen)
    return read_hosts(hostfile, "" if chosen.template else chosen.launcher.hosts)


def _refuse_unread_hosts(chosen: Chosen) -> None:
    """Raises GromaError (exit code 2) where the launcher would start elsewhere than a file of hosts says."""
    reads = "{hostfile}" in chosen.template if chosen.template else bool(chosen.launcher.hostfile)
    if not reads:
        name = "the template given" if chosen.template else chosen.launcher.title
        raise GromaError(
            f"{name} takes no file of hosts",
            "put {hostfile} into it"
            if chosen.template
            else "leave --hostfile out, or give another --launcher",
        )


def _room(room: Room, named: tuple[NamedHost, ...]) -> Room:
    """The room of the job, or of the hosts that the user named: as many cores on each as all have slots."""
    if not named:
        return room
    slots = least_slots(named) or room.cores
    return msgspec.structs.replace(room, nodes=len(named), cores=min(room.cores, slots))


def starts_only_one(chosen: Chosen) -> bool:
    return not chosen.program and not chosen.template


def ranks_or(asked: Asked, ranks: int | None, chosen: Chosen) -> Asked:
    """With `ranks` where their number was not given, and one where nothing starts more."""
    if asked.ranks is not None or (asked.nodes is not None and asked.per_node is not None):
        return asked
    return msgspec.structs.replace(asked, ranks=1 if starts_only_one(chosen) else ranks)


def command_of(host: Host, site: Site, shape: Shape, arguments: Sequence[str]) -> Command:
    """The command line that starts `program run` with `arguments` on every rank."""
    start = Start(
        words=(site.program.path, "run", *arguments),
        mpi=site.program.family,
        as_root=host.is_root(),
        exported=tuple(name for name in sorted(host.variables) if name.startswith(_EXPORTED)),
        folder=str(Path.cwd()),
    )
    return command_line(site.chosen, shape, start)


def planned(tool: Tool, program: MpiProgram, arguments: Sequence[str]) -> dict[str, Any]:
    """What `program plan` says. Raises GromaError with its own words."""
    words = [program.path, "plan", *arguments]
    try:
        done = subprocess.run(words, capture_output=True, timeout=PLANNING_SECONDS, check=False)
        if done.returncode == 0:
            return dict(msgspec.json.decode(done.stdout))
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError, TypeError) as error:
        what = f"{tool.program} plan failed: {error}"
        raise GromaError(what, "build it again with: make setup", ExitCode.ENVIRONMENT) from error
    raise refusal(tool, done.returncode, done.stderr.decode(errors="replace").splitlines())


def refusal(tool: Tool, returncode: int, complaints: list[str]) -> GromaError:
    """What the program said as it refused, with the exit code that belongs to it."""
    code = ExitCode.USAGE if returncode == ExitCode.USAGE else ExitCode.ENVIRONMENT
    said = said_by(tool.program, complaints) or (f"{tool.program} failed ({ending_of(returncode)})", "")
    return GromaError(said[0], said[1] or f"see {tool.verb} --help", code)


def estimated_seconds(plan: Mapping[str, Any]) -> dict[str, float]:
    """Seconds of each test as the program estimates them; one without an estimate is left out."""
    estimates = plan.get("estimated_seconds")
    known = estimates.items() if isinstance(estimates, dict) else ()
    return {name: float(value) for name, value in known if isinstance(value, (int, float))}


def steps_of(plan: Mapping[str, Any], titles: Mapping[str, str]) -> tuple[Step, ...]:
    """The tests of a plan in their order."""
    estimates = estimated_seconds(plan)
    return tuple(
        Step(name, titles.get(name, name), estimates.get(name, 0.0)) for name in plan.get("tests", [])
    )


# Estimates are of the machine as it was for a moment; a run that is so much slower does not work any more.
SLOWER_AT_MOST = 10.0
_LEAST_PATIENCE = 300.0


def patience_for(longest: float, silence: float | None) -> Patience:
    """For tests that may say nothing for `longest` seconds; `silence` (s) is the user's word."""
    if silence is not None:
        return Patience(start=min(silence, Patience.start), silence=silence)
    return Patience(silence=max(_LEAST_PATIENCE, longest))
