"""Capture the environment of a measurement. It needs no root and works without /sys or /proc."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from groma.host.cgroup import cgroup_limits
from groma.host.cores import CPU, core_of, members, package_of
from groma.host.host import Host, as_int, processors_in, processors_in_mask
from groma.host.jobs import chosen_variables, scheduler_of
from groma.host.memory_kinds import memory_kinds
from groma.host.processors import Fields, fields_in, first_of, model_of, processors_of
from groma.host.software import software_of
from groma.host.virtual import container_of, hypervisor_of
from groma.record.environment import (
    Cpu,
    DeclaredCache,
    DeclaredNuma,
    Environment,
    Frequency,
    Limits,
    MemoryState,
    Noise,
    Virtualisation,
)
from groma.record.units import format_ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

NODES = "/sys/devices/system/node"
HUGE = "/sys/kernel/mm"

# Those that change what is measured; the others may name hosts and disks.
_BOOT_PARAMETERS = (
    "isolcpus", "nohz", "nohz_full", "rcu_nocbs", "mitigations", "transparent_hugepage", "hugepages",
    "hugepagesz", "default_hugepagesz", "intel_pstate", "amd_pstate", "intel_idle.max_cstate",
    "processor.max_cstate", "idle", "nosmt", "maxcpus", "nr_cpus", "mem", "numa", "numa_balancing",
    "clocksource", "tsc", "preempt", "norandmaps", "iommu",
)  # fmt: skip


def capture_environment(host: Host | None = None, command: Sequence[str] = ()) -> Environment:
    """The environment as it is now. `command` is the command line that measures."""
    host = host or Host()
    processors = processors_of(host)
    memory = _memory_info(host)
    return Environment(
        captured=host.now().isoformat(timespec="seconds"),
        host=host.name() or None,
        kernel=host.kernel() or None,
        architecture=host.architecture() or None,
        distribution=_distribution(host),
        boot_parameters=_boot_parameters(host),
        cpu=_cpu(host, processors),
        frequency=_frequency(host),
        caches=_caches(host),
        numa=tuple(_numa(host)),
        memory=_memory(host, memory),
        virtualisation=Virtualisation(
            hypervisor=hypervisor_of(host, first_of(processors)), container=container_of(host)
        ),
        limits=_limits(host),
        noise=_noise(host),
        software=software_of(host),
        scheduler=scheduler_of(host),
        variables=chosen_variables(host.variables),
        command=tuple(command),
    )


def _distribution(host: Host) -> str | None:
    for line in (host.read("/etc/os-release") or "").splitlines():
        key, _, value = line.partition("=")
        if key == "PRETTY_NAME":
            return value.strip("\"'")
    return None


def _boot_parameters(host: Host) -> str | None:
    line = host.read("/proc/cmdline")
    if line is None:
        return None
    return " ".join(word for word in line.split() if word.partition("=")[0] in _BOOT_PARAMETERS)


def _cpu(host: Host, processors: Sequence[Fields]) -> Cpu:
    online, info = _online(host), first_of(processors)
    counted = sum("processor" in block for block in processors)
    return Cpu(
        vendor=info.get("vendor_id") or info.get("CPU implementer"),
        model=model_of(processors),
        family=info.get("cpu family") or info.get("CPU architecture"),
        model_number=info.get("model") or info.get("CPU part"),
        stepping=info.get("stepping") or info.get("CPU revision"),
        microcode=info.get("microcode"),
        packages=_distinct(package_of(host, one) for one in online),
        cores=_distinct(core_of(host, one) for one in online),
        threads=len(online) or counted or None,
        smt=host.read(f"{CPU}/smt/control"),
    )


def _online(host: Host) -> list[int]:
    return sorted(processors_in(host.read(f"{CPU}/online")) or _with_topology(host))


def _with_topology(host: Host) -> set[int]:
    """Processors that are online have a topology."""
    numbers = (as_int(name.removeprefix("cpu")) for name in host.names(CPU) if _FOLDER.fullmatch(name))
    return {one for one in numbers if one is not None and host.exists(f"{CPU}/cpu{one}/topology")}


_FOLDER = re.compile(r"cpu[0-9]+")


def _distinct(found: Iterable[int | tuple[int, ...] | None]) -> int | None:
    return len({one for one in found if one is not None}) or None


def _frequency(host: Host) -> Frequency:
    folder = f"{CPU}/cpu{next(iter(_online(host)), 0)}/cpufreq"
    return Frequency(
        governor=host.read(f"{folder}/scaling_governor"),
        driver=host.read(f"{folder}/scaling_driver"),
        turbo=_turbo(host),
        min=_hertz(host.number(f"{folder}/cpuinfo_min_freq")),
        max=_hertz(host.number(f"{folder}/cpuinfo_max_freq")),
    )


def _turbo(host: Host) -> bool | None:
    off = host.number(f"{CPU}/intel_pstate/no_turbo")
    if off is not None:
        return off == 0
    boost = host.number(f"{CPU}/cpufreq/boost")
    return None if boost is None else boost == 1


def _hertz(kilohertz: int | None) -> float | None:
    return None if kilohertz is None else kilohertz * 1e3


def _caches(host: Host) -> tuple[DeclaredCache, ...]:
    """Distinct shapes of caches; instances are distinguished by the processors that share them."""
    seen: dict[tuple[DeclaredCache, tuple[int, ...]], None] = {}
    for processor in _online(host):
        folder = f"{CPU}/cpu{processor}/cache"
        for index in host.names(folder):
            if not index.startswith("index"):
                continue
            users = _users(host, f"{folder}/{index}") or (processor,)
            cache = _cache(host, f"{folder}/{index}", len(users))
            if cache is not None:
                seen[cache, users] = None
    shapes = Counter(cache for cache, _ in seen)
    order = sorted(shapes, key=lambda cache: (cache.level, cache.kind))
    return tuple(_with_instances(cache, shapes[cache]) for cache in order)


def _with_instances(cache: DeclaredCache, instances: int) -> DeclaredCache:
    fields = {name: getattr(cache, name) for name in cache.__struct_fields__}
    return DeclaredCache(**{**fields, "instances": instances})


def _users(host: Host, folder: str) -> tuple[int, ...]:
    return tuple(members(host, (f"{folder}/shared_cpu_list", f"{folder}/shared_cpu_map")))


def _cache(host: Host, folder: str, shared_by: int) -> DeclaredCache | None:
    level = host.number(f"{folder}/level")
    if level is None:
        return None
    return DeclaredCache(
        level=level,
        kind=(host.read(f"{folder}/type") or "unknown").lower(),
        size_bytes=_size(host.read(f"{folder}/size")),
        line_bytes=host.number(f"{folder}/coherency_line_size"),
        ways=host.number(f"{folder}/ways_of_associativity") or None,
        shared_by=shared_by,
    )


def _size(text: str | None) -> int | None:
    """Bytes of `32K` or `1M`."""
    if not text:
        return None
    factor = {"K": 1024, "M": 1024**2, "G": 1024**3}.get(text[-1], 1)
    return as_int(text.rstrip("KMG"), factor)


def _numa(host: Host) -> Iterator[DeclaredNuma]:
    numbers = (as_int(name.removeprefix("node")) for name in host.names(NODES) if name.startswith("node"))
    nodes = sorted(number for number in numbers if number is not None)
    processors = {node: _processors_of(host, f"{NODES}/node{node}") for node in nodes}
    kinds = memory_kinds(host, nodes, [node for node in nodes if processors[node] != ""])
    for node in nodes:
        folder = f"{NODES}/node{node}"
        yield DeclaredNuma(
            node=node,
            processors=processors[node],
            memory_bytes=_node_memory(host.read(f"{folder}/meminfo")),
            kind=kinds.get(node),
            distances=_distances(host.read(f"{folder}/distance")),
        )


def _processors_of(host: Host, folder: str) -> str | None:
    """None where the kernel does not tell them, empty for memory without processors."""
    as_list, mask = host.read(f"{folder}/cpulist"), host.read(f"{folder}/cpumap")
    if as_list is not None or mask is None:
        return as_list
    return format_ids(sorted(processors_in_mask(mask)))


def _distances(text: str | None) -> tuple[int, ...]:
    """A row of the SLIT; none of it where a part is no number, since the others would change their places."""
    numbers = [as_int(word) for word in (text or "").split()]
    return tuple(number for number in numbers if number is not None) if None not in numbers else ()


def _node_memory(text: str | None) -> int | None:
    """`Node 0 MemTotal:  16316412 kB`, among others."""
    for line in (text or "").splitlines():
        _, found, amount = line.partition("MemTotal:")
        if found:
            return _kilobytes(amount)
    return None


def _kilobytes(text: str | None) -> int | None:
    return as_int(text.split()[0], 1024) if text and text.split() else None


def _memory_info(host: Host) -> dict[str, str]:
    return dict(fields_in(host.read("/proc/meminfo") or ""))


def _memory(host: Host, info: dict[str, str]) -> MemoryState:
    return MemoryState(
        total_bytes=_kilobytes(info.get("MemTotal")),
        available_bytes=_kilobytes(info.get("MemAvailable")),
        page_bytes=host.page_bytes(),
        huge_page_bytes=_kilobytes(info.get("Hugepagesize")),
        huge_pages=chosen(host.read(f"{HUGE}/transparent_hugepage/enabled")),
        huge_pages_defrag=chosen(host.read(f"{HUGE}/transparent_hugepage/defrag")),
        reserved_huge_pages=_reserved(host),
    )


def chosen(text: str | None) -> str | None:
    """The word in brackets of `always [madvise] never`."""
    if text is None:
        return None
    return next((word.strip("[]") for word in text.split() if word.startswith("[")), text)


def _reserved(host: Host) -> dict[str, int]:
    pools = {
        name: host.number(f"{HUGE}/hugepages/{name}/nr_hugepages") for name in host.names(f"{HUGE}/hugepages")
    }
    return {name.removeprefix("hugepages-"): count for name, count in pools.items() if count is not None}


def _limits(host: Host) -> Limits:
    affinity = host.affinity()
    groups = cgroup_limits(host)
    return Limits(
        affinity=None if affinity is None else format_ids(list(affinity)),
        online=host.read(f"{CPU}/online"),
        isolated=host.read(f"{CPU}/isolated") or None,
        nohz_full=_given(host.read(f"{CPU}/nohz_full")),
        cgroup_version=groups.version,
        cpu_quota=groups.cpu_quota,
        memory_bytes=groups.memory_bytes,
    )


def _given(text: str | None) -> str | None:
    """Kernels write an empty list in several ways."""
    return None if text is None or text.strip() in {"", "(null)"} else text


def _noise(host: Host) -> Noise:
    balancing = host.number("/proc/sys/kernel/numa_balancing")
    folder = f"{CPU}/vulnerabilities"
    states = {name: host.read(f"{folder}/{name}") for name in host.names(folder)}
    return Noise(
        load=_load(host.read("/proc/loadavg")),
        steal=steal_share(cpu_times(host)),
        numa_balancing=None if balancing is None else balancing != 0,
        aslr=host.number("/proc/sys/kernel/randomize_va_space"),
        mitigations={name: state for name, state in states.items() if state},
    )


def _load(text: str | None) -> tuple[float, float, float] | None:
    try:
        one, five, fifteen = map(float, (text or "").split()[:3])
    except ValueError:
        return None
    return (one, five, fifteen) if math.isfinite(one + five + fifteen) else None


def cpu_times(host: Host) -> tuple[int, ...]:
    """Ticks of all processors together: user, nice, system, idle, iowait, irq, softirq, steal."""
    first = (host.read("/proc/stat") or "").partition("\n")[0].split()
    if first[:1] != ["cpu"]:
        return ()
    return tuple(as_int(ticks) or 0 for ticks in first[1:9])


def steal_share(times: Sequence[int]) -> float | None:
    """Share of the time that the hypervisor took, None if the kernel does not count it."""
    return times[7] / sum(times) if len(times) == 8 and sum(times) > 0 else None
