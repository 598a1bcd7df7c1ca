"""What a scheduler granted: how many machines, and the file that names them."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from groma.host.cgroup import cgroup_limits
from groma.host.cores import CPU, cores_among
from groma.host.host import Host, as_int, processors_in
from groma.host.jobs import granted_hosts, job_variable
from groma.launch.shape import Room

TESTBED_VARIABLE = "GROMA_TESTBED"
TEST_BED = "test bed"
"""Names the file of hosts inside of `groma testbed run`."""


class Allocation(msgspec.Struct, frozen=True, kw_only=True):
    """`scheduler` is "" outside of a job. `hostfile` has one line for each slot or node.

    `counted` is false where the scheduler does not say how many nodes there are. `slots` are those of each
    node, in order, where other programs cannot learn them from the file. `apart`: this machine is none of
    the nodes. `one_machine`: the nodes are on the cores of one machine, as in a test bed. `components`: those
    of a heterogeneous job, of which the nodes are the first.
    """

    scheduler: str = ""
    nodes: int = 1
    counted: bool = True
    hostfile: str | None = None
    slots: dict[str, int] = {}
    apart: bool = False
    one_machine: bool = False
    components: int = 1

    def in_words(self, name: str) -> str:
        """`name` is what it is called where it is the whole job."""
        return name if self.components == 1 else f"the first of {self.components} components of {name}"


class Scheduler(msgspec.Struct, frozen=True, kw_only=True):
    """`job` is the variable that is set inside; `nodes` counts machines, `hostfile` names a file.

    `names` is the command that prints the names of the machines, where there is no such file; `machines` is
    the list that it takes. `components` counts those of a heterogeneous job. `granted` reads them where that
    takes more than reading the first word of each line of the file. `own_file` names a file of hosts that no
    launcher reads. `ranks` is how many a node may have and `cores` how many it has, by the node that has the
    fewest; None where the scheduler does not say it.
    """

    name: str
    job: str
    nodes: Callable[[Host], int | None] = lambda _: None
    hostfile: str = ""
    own_file: str = ""
    names: tuple[str, ...] = ()
    machines: Callable[[Host], str | None] = lambda _: None
    components: Callable[[Host], int | None] = lambda _: None
    granted: Callable[[Host], Granted | None] = lambda _: None
    ranks: Callable[[Host], int | None] = lambda _: None
    cores: Callable[[Host], int | None] = lambda _: None


class Granted(NamedTuple):
    """Nodes with their slots; `file` is one that launchers can read, `apart` as of the allocation."""

    slots: dict[str, int]
    file: str | None = None
    apart: bool = False


def _number(*names: str) -> Callable[[Host], int | None]:
    def read(host: Host) -> int | None:
        return next((n for n in (as_int(host.variables.get(name)) for name in names) if n and n > 0), None)

    return read


def _slurm_nodes(host: Host) -> int | None:
    found = (as_int(job_variable(host, name)) for name in ("SLURM_JOB_NUM_NODES", "SLURM_NNODES"))
    return next((count for count in found if count and count > 0), None)


def _distinct_lines(variable: str) -> Callable[[Host], int | None]:
    return lambda host: nodes_in(host, host.variables.get(variable, ""))


def _fewest_lines(variable: str) -> Callable[[Host], int | None]:
    """Of a file with one line for each slot; None where every host has one, which may stand for all of it."""

    def read(host: Host) -> int | None:
        lines = Counter(_named_in(host, host.variables.get(variable, "")))
        return min(lines.values()) if max(lines.values(), default=1) > 1 else None

    return read


_CPUS = re.compile(r"([0-9]{1,7})(?:\(x[0-9]+\))?")


def _fewest_cpus(host: Host) -> int | None:
    """Of a list such as `8(x2),4`; hardware threads count each."""
    words = (job_variable(host, "SLURM_JOB_CPUS_PER_NODE") or "").split(",")
    found = [_CPUS.fullmatch(word) for word in words]
    counts = [int(one[1]) for one in found if one is not None]
    return min(counts) or None if len(counts) == len(words) else None


def _flux_nodes(host: Host) -> int | None:
    program = host.find("flux")
    said = host.ask([program, "resource", "list", "-s", "up", "-no", "{nnodes}"]) if program else None
    return as_int(said.split()[0]) if said else None


def _beside_launch_node(host: Host) -> Granted | None:
    """With jsrun a job of LSF runs on a machine that only launches: it is named first, and once."""
    file = host.variables.get("LSB_DJOB_HOSTFILE", "")
    lines = (host.read(file) or "").split() if host.find("jsrun") else []
    slots = Counter(lines)
    if not lines or slots.pop(lines[0]) > 1 or max(slots.values(), default=1) == 1:
        return None
    return Granted(dict(slots), file, apart=True)


def _of_grid_engine(host: Host) -> Granted | None:
    """A host with several queues has several lines."""
    slots: Counter[str] = Counter()
    for one in granted_hosts(host.read(host.variables["PE_HOSTFILE"]) or ""):
        slots[one.name] += as_int(one.slots) or 0
    granted = {name: count for name, count in slots.items() if count > 0}
    return Granted(granted) if granted else None


# A Flux instance may run inside a job of another scheduler: it comes first, for the innermost one counts.
SCHEDULERS: tuple[Scheduler, ...] = (
    Scheduler(
        name="flux",
        job="FLUX_URI",
        nodes=_flux_nodes,
        names=("flux", "hostlist", "--expand", "--delimiter=\n", "instance"),
    ),
    Scheduler(
        name="slurm",
        job="SLURM_JOB_ID",
        nodes=_slurm_nodes,
        names=("scontrol", "show", "hostnames"),
        machines=lambda host: job_variable(host, "SLURM_JOB_NODELIST"),
        components=_number("SLURM_HET_SIZE"),
        cores=_fewest_cpus,
    ),
    Scheduler(
        name="pbs",
        job="PBS_NODEFILE",
        nodes=_distinct_lines("PBS_NODEFILE"),
        hostfile="PBS_NODEFILE",
        ranks=_fewest_lines("PBS_NODEFILE"),
    ),
    Scheduler(
        name="lsf",
        job="LSB_JOBID",
        nodes=_distinct_lines("LSB_DJOB_HOSTFILE"),
        hostfile="LSB_DJOB_HOSTFILE",
        granted=_beside_launch_node,
        ranks=_fewest_lines("LSB_DJOB_HOSTFILE"),
    ),
    Scheduler(name="cobalt", job="COBALT_JOBID", nodes=_number("COBALT_JOBSIZE"), hostfile="COBALT_NODEFILE"),
    Scheduler(name="sge", job="PE_HOSTFILE", own_file="PE_HOSTFILE", granted=_of_grid_engine),
    Scheduler(
        name=TEST_BED,
        job=TESTBED_VARIABLE,
        nodes=_distinct_lines(TESTBED_VARIABLE),
        hostfile=TESTBED_VARIABLE,
    ),
)


_NO_SCHEDULER = Scheduler(name="", job="")


def _scheduler_of(allocation: Allocation) -> Scheduler:
    return next((one for one in SCHEDULERS if one.name == allocation.scheduler), _NO_SCHEDULER)


_CHOSEN_COMPONENT = re.compile(r"\s--(?:het|pack)-group[=\s]\s*(?P<number>[0-9]{1,4})(?=\s|$)")


def on_component(host: Host, launcher: str) -> Host:
    """The host as in a job of that component alone which the flags of the launcher choose. Several at once
    are no shape of groma: then the first counts, as without a choice.
    """
    found = _CHOSEN_COMPONENT.search(launcher)
    if found is None:
        return host
    ending = f"_HET_GROUP_{int(found['number'])}"
    chosen = {
        name.removesuffix(ending): value for name, value in host.variables.items() if name.endswith(ending)
    }
    return dataclasses.replace(host, variables={**host.variables, **chosen}) if chosen else host


def allocation_of(host: Host) -> Allocation:
    one_machine = TESTBED_VARIABLE in host.variables
    for one in SCHEDULERS:
        if host.variables.get(one.job):
            found = _granted_by(one, host) or _counted_by(one, host)
            return replace(found, one_machine=one_machine)
    return Allocation()


def _granted_by(one: Scheduler, host: Host) -> Allocation | None:
    granted = one.granted(host)
    if granted is None:
        return None
    return Allocation(
        scheduler=one.name,
        nodes=len(granted.slots),
        hostfile=granted.file,
        slots=granted.slots,
        apart=granted.apart,
    )


def _counted_by(one: Scheduler, host: Host) -> Allocation:
    nodes = one.nodes(host)
    return Allocation(
        scheduler=one.name,
        nodes=nodes or 1,
        counted=nodes is not None,
        components=one.components(host) or 1,
        hostfile=host.variables.get(one.hostfile) if one.hostfile else None,
    )


def file_variable(allocation: Allocation) -> str:
    """The variable by which its scheduler names the file of hosts; "" without any."""
    scheduler = _scheduler_of(allocation)
    return scheduler.hostfile or scheduler.own_file


def nodes_in(host: Host, hostfile: str) -> int | None:
    """Machines that a file of hosts names."""
    return len(hosts_in(host, hostfile)) or None


def hosts_in(host: Host, hostfile: str) -> tuple[str, ...]:
    """Their names, each once."""
    return tuple(dict.fromkeys(_named_in(host, hostfile)))


def _named_in(host: Host, hostfile: str) -> list[str]:
    """One a line, with or without a number of slots behind it."""
    lines = (line.partition("#")[0].split() for line in (host.read(hostfile) or "").splitlines())
    return [words[0].partition(":")[0] for words in lines if words]


def hosts_of(host: Host, allocation: Allocation) -> tuple[str, ...]:
    """The names of the granted machines; none where the scheduler does not name them."""
    if allocation.slots:
        return tuple(allocation.slots)
    if allocation.hostfile is not None:
        return hosts_in(host, allocation.hostfile)
    scheduler = _scheduler_of(allocation)
    program = host.find(scheduler.names[0]) if scheduler.names else None
    granted = scheduler.machines(host)
    said = host.ask([program, *scheduler.names[1:], *([granted] if granted else [])]) if program else None
    return tuple((said or "").split())


def room_of(host: Host, allocation: Allocation) -> Room:
    """The room of the allocation, taking every machine of it to be like this one where it has no slots, but
    with no more than the scheduler grants on each.
    """
    scheduler = _scheduler_of(allocation)
    here = usable_cores(host)
    cores = min(here, scheduler.cores(host) or here)
    room = Room(nodes=allocation.nodes, cores=cores, one_machine=allocation.one_machine)
    if allocation.slots:
        return with_slots(room, min(allocation.slots.values()), here=not allocation.apart)
    ranks = scheduler.ranks(host)
    return room if ranks is None or ranks >= cores else replace(room, cores=ranks, bindable=cores)


def with_slots(room: Room, slots: int | None, *, here: bool) -> Room:
    """With as many cores on each machine as all have slots, of which ranks `here` can be bound to those of
    this machine only.
    """
    if slots is None:
        return room
    bindable = min(room.cores, slots) if here or room.one_machine else None
    return replace(room, cores=slots, bindable=bindable)


def usable_cores(host: Host) -> int:
    """Physical cores that this process may use; hardware threads of one core count once."""
    allowed = host.affinity() or processors_in(host.read(f"{CPU}/online"))
    cores = cores_among(host, allowed) or 1
    quota = cgroup_limits(host).cpu_quota
    return cores if quota is None else max(1, min(cores, round(quota)))
