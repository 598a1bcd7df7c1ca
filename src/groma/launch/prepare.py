"""What will be run, decided before anything is started: launcher, program, shape, command line, timeouts."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from groma.errors import ExitCode, GromaError
from groma.launch.allocation import (
    TEST_BED,
    Allocation,
    allocation_of,
    file_variable,
    hosts_in,
    hosts_of,
    on_component,
    room_of,
    with_slots,
)
from groma.launch.causes import ending_of, said_by
from groma.launch.command import Command, SelectedLauncher, Start, command_line
from groma.launch.detect import select_launcher
from groma.launch.hostfile import NamedHost, fewest_slots, in_one_word, read_hosts
from groma.launch.mpi_programs import MpiProgram, mpi_programs
from groma.launch.native import ONE_THREAD, UNREADABLE, no_answer
from groma.launch.shape import RequestedShape, Room, Shape, shape_of
from groma.record.counting import counted
from groma.record.launch import Plan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.host.host import Host

P = TypeVar("P", bound=Plan)

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

PLANNING_SECONDS = 30.0


@dataclass(frozen=True)
class Timeouts:
    """Seconds without output after which a job counts as stuck: before its first line, and between lines.

    `end` is the time to end by itself after its last line, `kill` that to end once it was asked to.
    """

    start: float = 120.0
    silence: float = 600.0
    end: float = 10.0
    kill: float = 10.0


class Tool(NamedTuple):
    """A native MPI program, and the verb that runs it."""

    program: str
    verb: str


class Step(msgspec.Struct, frozen=True):
    """One test of a run. `budget` is its estimated time in seconds."""

    probe: str
    title: str
    budget: float


class LaunchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How it is to be started; None is left to groma.

    `folder` is where native programs are, `timeout` how long (s) a run may say nothing, `earlier` a record
    that may be of such a run and then holds the rates of the machine.
    """

    folder: str | None = None
    launcher: str | None = None
    hostfile: str | None = None
    timeout: float | None = None
    earlier: Path | None = None


class LaunchPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about a run that is known before it. `plan` is that of the native program."""

    selected: SelectedLauncher
    program: MpiProgram
    shape: Shape
    plan: Plan
    steps: tuple[Step, ...]
    command: Command
    timeouts: Timeouts

    @property
    def budget(self) -> float:
        """Estimated seconds of all tests."""
        return sum(step.budget for step in self.steps)


class Site(NamedTuple):
    """What starts a run, the program built for it, and the machines that there are.

    `granted` says in words who limits their number, "" where a launcher may know of more.
    """

    selected: SelectedLauncher
    program: MpiProgram
    room: Room
    granted: str = ""


def site_of(host: Host, tool: Tool, options: LaunchOptions) -> Site:
    """Raises GromaError: exit code 2 for what cannot be asked for, 4 where MPI or the program is missing."""
    programs = mpi_programs(tool.program, folder=options.folder)
    host = on_component(host, options.launcher or "")
    allocation = allocation_of(host)
    selected, program = select_launcher(host, allocation, programs, options.launcher, options.hostfile)
    if options.hostfile is None and _reads_hosts(selected):
        _refuse_no_hosts(host, allocation)
    named = _named(options.hostfile, allocation, selected)
    hosts = tuple(one.name for one in named) or hosts_of(host, allocation)
    selected = msgspec.structs.replace(_with_slots_named(selected, allocation, named), hosts=hosts)
    granted = options.hostfile if named else _granted(host, allocation, selected)
    return Site(selected, program, _room(room_of(host, allocation), named, host.name()), granted or "")


def _refuse_no_hosts(host: Host, allocation: Allocation) -> None:
    """Raises GromaError (exit code 4) where the file that the scheduler names has no hosts."""
    variable = file_variable(allocation)
    file = host.variables.get(variable, "")
    if not file or hosts_of(host, allocation):
        return
    wrong = "cannot be read" if host.read(file) is None else "names no host"
    raise GromaError(
        f"{file} of the {allocation.scheduler} job {wrong}",
        f"if the job is over, unset {variable}; or name the hosts with --hostfile",
        ExitCode.ENVIRONMENT,
    )


_HOSTS_OF_LAUNCHERS = ("OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile", "HYDRA_HOST_FILE")
"""Variables by which an MPI knows machines that no one else names."""

_DEFAULT_HOSTFILE = "/etc/openmpi/openmpi-default-hostfile"

THIS_MACHINE = "this machine"


def _granted(host: Host, allocation: Allocation, selected: SelectedLauncher) -> str:
    """Who says how many machines there are; "" for a launcher that may know of others."""
    if selected.template or selected.extra:
        return ""
    if allocation.scheduler == TEST_BED:  # which sets the variables that follow
        return f"the {TEST_BED}"
    if any(host.variables.get(one) for one in _HOSTS_OF_LAUNCHERS):
        return ""
    if allocation.scheduler:
        return allocation.in_words(f"the {allocation.scheduler} job") if allocation.counted else ""
    return "" if hosts_in(host, _DEFAULT_HOSTFILE) else THIS_MACHINE


def refuse_missing_machines(site: Site, nodes: int | None) -> None:
    """Raises GromaError (exit code 2) where more machines are asked for than there are: launchers wait for
    them, or start all ranks on one.
    """
    there = site.room.nodes
    if nodes is None or nodes <= there or not site.granted:
        return
    alone = site.granted == THIS_MACHINE
    raise GromaError(
        f"--nodes asks for {nodes} machines, but "
        + ("there is none beside this one" if alone else f"{site.granted} has {there}"),
        "name them with --hostfile, or run this inside a job of the scheduler"
        if alone
        else f"use --nodes {there} or less, or more machines",
    )


def refuse_missing_cores(site: Site, per_node: int | None) -> None:
    """Raises GromaError (exit code 2) where each rank needs a core of its own and this machine, the only one,
    has fewer: the launcher would refuse, or let ranks share cores that are measured as two.
    """
    if per_node is not None and site.granted == THIS_MACHINE and per_node > site.room.cores:
        raise GromaError(
            f"--ppn asks for {per_node} cores, but this machine has {site.room.cores}",
            f"use --ppn {site.room.cores} or less",
        )


def _named(hostfile: str | None, allocation: Allocation, selected: SelectedLauncher) -> tuple[NamedHost, ...]:
    """The hosts that the user named; none where the file is the one that the scheduler wrote."""
    if hostfile is None or hostfile == allocation.hostfile:
        return ()
    _refuse_unread_hosts(selected)
    return read_hosts(hostfile, "" if selected.template else selected.launcher.hosts)


def _with_slots_named(
    selected: SelectedLauncher, allocation: Allocation, named: tuple[NamedHost, ...]
) -> SelectedLauncher:
    """With the hosts of a file of Grid Engine on the command line, for launchers do not read such files.

    Raises GromaError (exit code 2) where the user names one and the launcher does not take them so.
    """
    if selected.template:
        return selected
    if not named:
        hidden = allocation.slots if allocation.hostfile is None else {}
        return msgspec.structs.replace(selected, slots=in_one_word(hidden))
    if not named[0].granted:
        return selected
    if not selected.launcher.slots:
        raise GromaError(
            f"{selected.launcher.title} takes no host file of Grid Engine", "write one host per line"
        )
    slots = {one.name: one.slots or 1 for one in named}
    return msgspec.structs.replace(selected, hostfile=None, slots=in_one_word(slots))


def _refuse_unread_hosts(selected: SelectedLauncher) -> None:
    """Raises GromaError (exit code 2) where the launcher would start elsewhere than a file of hosts says."""
    if not _reads_hosts(selected):
        name = "the given template" if selected.template else selected.launcher.title
        raise GromaError(
            f"{name} takes no host file",
            "put {hostfile} into the template"
            if selected.template
            else "omit --hostfile, or use another --launcher",
        )


def _reads_hosts(selected: SelectedLauncher) -> bool:
    """Whether the command line names a file of hosts."""
    return "{hostfile}" in selected.template if selected.template else bool(selected.launcher.hostfile)


_LOOPBACK = ("localhost", "127.0.0.1")


def _room(room: Room, named: tuple[NamedHost, ...], this: str) -> Room:
    """The room of the job, or of the hosts that the user named: as many cores on each as all have slots.

    Only the cores of the machine called `this` are known, and those where all hosts are on one machine.
    """
    if not named:
        return room
    here = any(_is_this(one.name, this) for one in named)
    known = msgspec.structs.replace(room, nodes=len(named), cores=room.threads, bindable=None)
    return with_slots(known, fewest_slots(named), here=here)


def _is_this(name: str, this: str) -> bool:
    host = name.rpartition("@")[2].lower().rstrip(".")
    return host in _LOOPBACK or host.partition(".")[0] == this.lower().partition(".")[0]


def starts_only_one(selected: SelectedLauncher) -> bool:
    return not selected.program and not selected.template


def shape_on(site: Site, requested: RequestedShape, ranks: int | None) -> Shape:
    """The shape on these machines: of `ranks` where their number was not given, of one where nothing starts
    more.

    Raises GromaError (exit code 2) for a shape that cannot be had here.
    """
    is_counted = requested.ranks is not None or (requested.nodes and requested.per_node)
    if starts_only_one(site.selected):
        requested, ranks = _unbound(requested), 1
    shape = shape_of(requested if is_counted else msgspec.structs.replace(requested, ranks=ranks), site.room)
    refuse_missing_machines(site, requested.nodes)
    return shape


def _unbound(requested: RequestedShape) -> RequestedShape:
    """Launchers bind ranks: without one, the rank may run wherever this process may."""
    if requested.bind == "core":
        raise GromaError("without a launcher nothing binds the rank", "omit --bind core, or --launcher alone")
    return msgspec.structs.replace(requested, bind="none")


def command_of(host: Host, site: Site, shape: Shape, arguments: Sequence[str]) -> Command:
    """The command line that starts `program run` with `arguments` on every rank."""
    start = Start(
        words=(site.program.path, "run", *arguments),
        mpi=site.program.family,
        as_root=host.is_root(),
        exported=tuple(name for name in sorted(host.variables) if name.startswith(_EXPORTED)),
        folder=str(Path.cwd()),
    )
    return command_line(site.selected, shape, start)


def planned(tool: Tool, site: Site, shape: Shape, arguments: Sequence[str], plan: type[P]) -> P:
    """What the program plans for these ranks. Raises GromaError with its words, and advice on the shape."""
    words = [site.program.path, "plan", *arguments]
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            timeout=PLANNING_SECONDS,
            check=False,
            env={**os.environ, **ONE_THREAD},
        )
        if done.returncode == 0:
            return msgspec.json.decode(done.stdout, type=plan)
    except (OSError, subprocess.SubprocessError, *UNREADABLE) as error:
        raise no_answer(tool.program, "plan", error) from error
    refused = refusal(tool, done.returncode, done.stderr.decode(errors="replace").splitlines())
    raise with_fewer_ranks(refused, tool, site, shape)


def with_fewer_ranks(error: GromaError, tool: Tool, site: Site, shape: Shape) -> GromaError:
    """With the command for as many ranks as there are cores, where more ranks leave too little for each."""
    cores = site.room.nodes * site.room.cores
    if shape.ranks <= cores:
        return error
    where = "this machine has" if site.room.nodes == 1 else f"{counted(site.room.nodes, 'machine')} have"
    enough = f"{shape.ranks} ranks share the {counted(cores, 'core')} that {where}; fill them with"
    return error.saying(error.what, f"{error.next_step}; {enough}: {tool.verb} -n {cores}")


def refusal(tool: Tool, returncode: int, complaints: list[str]) -> GromaError:
    """What the program said as it refused, with the exit code that belongs to it."""
    code = ExitCode.USAGE if returncode == ExitCode.USAGE else ExitCode.ENVIRONMENT
    said = said_by(tool.program, complaints) or (f"{tool.program} failed ({ending_of(returncode)})", "")
    return GromaError(said[0], said[1] or f"see {tool.verb} --help", code)


def steps_of(plan: Plan, titles: Mapping[str, str]) -> tuple[Step, ...]:
    """The tests of a plan in their order; one without an estimate has a budget of 0."""
    return tuple(
        Step(name, titles.get(name, name), plan.estimated_seconds.get(name, 0.0)) for name in plan.tests
    )


# Estimates are of the machine as it was for a moment; a run that is so much slower does not work any more.
SLOWER_AT_MOST = 10.0
_LEAST_TIMEOUT = 300.0


def timeouts_for(longest: float, timeout: float | None) -> Timeouts:
    """For tests that may say nothing for `longest` seconds; `timeout` (s) is the user's own."""
    if timeout is not None:
        return Timeouts(start=min(timeout, Timeouts.start), silence=timeout)
    return Timeouts(silence=max(_LEAST_TIMEOUT, longest))
