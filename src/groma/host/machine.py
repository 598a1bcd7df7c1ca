"""Whether two measurements were made on the same machine, in the same state and with the same build.

Only then may samples of both become facts together. Pure: it compares what the records hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from groma.record.units import format_ids, format_value

if TYPE_CHECKING:
    from groma.record.record import Build
    from groma.record.topology import Topology, TopologyCache

MEMORY_TOLERANCE = 0.05
"""Kernels keep more or less for themselves from boot to boot and balloons breathe, each within a few percent;
one memory module of sixteen less is 6 %.
"""


class Place(NamedTuple):
    """Where and with what a record was measured: its environment, the declared topology, the build of
    groma.
    """

    environment: Mapping[str, Any]
    topology: Topology | None = None
    build: Build | None = None


class Difference(NamedTuple):
    """`then` and `here` are the two values of `name` as a reader knows them."""

    name: str
    then: str
    here: str

    def in_words(self) -> str:
        """E.g. "kernel 6.1.0-9, here 6.1.0-12"."""
        return f"{self.name} {self.then}, here {self.here}"


def differences(then: Place, here: Place) -> tuple[Difference, ...]:
    """How the place of a record differs from this one, empty if it is the same.

    A value that one side lacks (an older groma did not record it, `redacted` removed it) is not compared. A
    reboot is not a difference: what it may change for a measurement is compared by itself.
    """
    return _once([*machine_differences(then, here), *_of_builds(then.build, here.build)])


def machine_differences(then: Place, here: Place) -> tuple[Difference, ...]:
    """As `differences`, without what groma was built with."""
    return _once(
        [
            *_of_traits(_TRAITS, then.environment, here.environment),
            *_of_topologies(then.topology, here.topology),
        ]
    )


def software_differences(then: Place, here: Place) -> tuple[Difference, ...]:
    """What was built or set otherwise: builds of groma, libraries, settings of the system, variables.

    Samples may still become facts together, so `differences` does not ask for it; figures may differ by it.
    """
    return _once(
        [
            *_of_builds(then.build, here.build),
            *_of_traits(_SOFTWARE, then.environment, here.environment),
            *_of_variables(then.environment, here.environment),
        ]
    )


def _once(found: Iterable[Difference]) -> tuple[Difference, ...]:
    """The first of each name."""
    first: dict[str, Difference] = {}
    for one in found:
        first.setdefault(one.name, one)
    return tuple(first.values())


def names_a_machine(environment: Mapping[str, Any]) -> bool:
    """Whether an environment identifies its machine; each one that groma wrote does."""
    return any(_is_known(environment, trait.path) for trait in _IDENTITY)


def in_words(found: Iterable[Difference]) -> str:
    return "; ".join(one.in_words() for one in found)


# ---- environments ------------------------------------------------------------------------------------------


class _Absent:
    """Stands for a value that a record does not hold; None is a value, such as "no hypervisor"."""


_ABSENT = _Absent()


def _exactly(then: Any, here: Any) -> bool:
    return bool(then == here)


def _nearly(then: Any, here: Any) -> bool:
    """Amounts of memory. An amount that only one side has is a difference."""
    if not isinstance(then, int | float) or not isinstance(here, int | float):
        return _exactly(then, here)
    return abs(then - here) <= MEMORY_TOLERANCE * max(abs(then), abs(here))


def _plainly(value: Any) -> str:
    return "none" if value is None else str(value)


def _in_bytes(value: Any) -> str:
    return format_value(value, "B") if isinstance(value, int | float) else _plainly(value)


class _Trait(NamedTuple):
    name: str
    path: tuple[str, ...]
    shown: Callable[[Any], str] = _plainly
    alike: Callable[[Any, Any], bool] = _exactly


_HOST = _Trait("host", ("host",))
_KERNEL = _Trait("kernel", ("kernel",))
_CPU = _Trait("CPU", ("cpu", "model"))
_IDENTITY = (_HOST, _KERNEL, _CPU)

# What makes a machine another one, and what of its state decides what is measured on it.
_TRAITS = (
    _HOST,
    _CPU,
    _Trait("CPU vendor", ("cpu", "vendor")),
    _Trait("CPU family", ("cpu", "family")),
    _Trait("CPU model number", ("cpu", "model_number")),
    _Trait("CPU stepping", ("cpu", "stepping")),
    _Trait("microcode", ("cpu", "microcode")),
    _Trait("architecture", ("architecture",)),
    _Trait("packages", ("cpu", "packages")),
    _Trait("cores", ("cpu", "cores")),
    _Trait("hardware threads", ("cpu", "threads")),
    _Trait("SMT", ("cpu", "smt")),
    _Trait("frequency governor", ("frequency", "governor")),
    _Trait("turbo", ("frequency", "turbo")),
    _KERNEL,
    _Trait("boot parameters", ("boot_parameters",)),
    _Trait("memory", ("memory", "total_bytes"), _in_bytes, _nearly),
    _Trait("page size", ("memory", "page_bytes"), _in_bytes),
    _Trait("huge page size", ("memory", "huge_page_bytes"), _in_bytes),
    _Trait("transparent huge pages", ("memory", "huge_pages")),
    _Trait("hypervisor", ("virtualisation", "hypervisor")),
    _Trait("container", ("virtualisation", "container")),
    _Trait("allowed processors", ("limits", "affinity")),
    _Trait("CPU quota", ("limits", "cpu_quota")),
    _Trait("memory limit", ("limits", "memory_bytes"), _in_bytes),
)


def _in_list(value: Any) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, list | tuple) else _plainly(value)


_SOFTWARE = (
    _Trait("distribution", ("distribution",)),
    _Trait("frequency driver", ("frequency", "driver")),
    _Trait("defragmentation for huge pages", ("memory", "huge_pages_defrag")),
    _Trait("reserved huge pages", ("memory", "reserved_huge_pages")),
    _Trait("automatic NUMA balancing", ("noise", "numa_balancing")),
    _Trait("address space randomisation", ("noise", "aslr")),
    _Trait("mitigations", ("noise", "mitigations")),
    _Trait("isolated processors", ("limits", "isolated")),
    _Trait("processors without timer ticks", ("limits", "nohz_full")),
    _Trait("Python", ("software", "python")),
    _Trait("C library", ("software", "c_library")),
    _Trait("MPI installed", ("software", "mpi"), _in_list),
    _Trait("BLAS installed", ("software", "blas"), _in_list),
    _Trait("FFT installed", ("software", "fft"), _in_list),
    _Trait("scheduler", ("scheduler", "name")),
    _Trait("queue", ("scheduler", "queue")),
)


def _of_variables(then: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[Difference]:
    """Variables of the environment that are recorded; those of one job always differ."""
    old, new = then.get("variables"), here.get("variables")
    if not isinstance(old, dict) or not isinstance(new, dict):
        return
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name) and not _OF_ONE_JOB.search(name):
            yield Difference(
                f"${name}", _plainly(old.get(name, "not set")), _plainly(new.get(name, "not set"))
            )


_OF_ONE_JOB = re.compile(r"^(SLURM|PBS|FLUX|PMI|OMPI_COMM|PALS)_|(^|_)(JOBID|JOB_ID|PID|NODELIST)($|_)")
"""Ids, hosts and ports that a scheduler or launcher gives every job anew."""


def _of_traits(
    traits: Iterable[_Trait], then: Mapping[str, Any], here: Mapping[str, Any]
) -> Iterator[Difference]:
    redacted = bool(then.get("redacted") or here.get("redacted"))
    for trait in traits:
        if trait is _HOST and redacted:
            continue
        old, new = _at(then, trait.path), _at(here, trait.path)
        if _ABSENT in (old, new) or trait.alike(old, new):
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from _of_values(trait, old, new)
        else:
            yield Difference(trait.name, trait.shown(old), trait.shown(new))


def _of_values(trait: _Trait, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    """Of a trait that has many values by name, those that differ."""
    for key in sorted({*old, *new}):
        one, other = old.get(key), new.get(key)
        if one != other:
            yield Difference(f"{trait.name} ({key})", trait.shown(one), trait.shown(other))


def _at(values: Any, path: Iterable[str]) -> Any:
    for key in path:
        if not isinstance(values, Mapping) or key not in values:
            return _ABSENT
        values = values[key]
    return values


def _is_known(environment: Mapping[str, Any], path: Iterable[str]) -> bool:
    return _at(environment, path) not in (_ABSENT, None, "")


# ---- topologies --------------------------------------------------------------------------------------------


def _of_topologies(then: Topology | None, here: Topology | None) -> Iterator[Difference]:
    if then is None or here is None:
        if then is not here:
            yield Difference("topology", _whether(then), _whether(here))
        return
    old, new = _shape(then), _shape(here)
    for field, (name, shown) in _DECLARED.items():
        one, other = getattr(old, field), getattr(new, field)
        if one != other:
            yield _otherwise(name, shown(one), shown(other))


def _whether(topology: Topology | None) -> str:
    return "not declared" if topology is None else "declared"


def _otherwise(name: str, then: str, here: str) -> Difference:
    """Lists that differ may read the same: cores are numbered differently, caches are shared by others."""
    return Difference(name, then, f"{here}, with other numbers or sharing" if then == here else here)


def _shape(topology: Topology) -> Topology:
    """Without the memory of each NUMA node: in guests it changes with ballooning and hotplug, and the
    environment has the sum.
    """
    numa = tuple(msgspec.structs.replace(node, memory_bytes=None) for node in topology.numa)
    return msgspec.structs.replace(topology, numa=numa)


def _kinds_of_caches(caches: Iterable[TopologyCache]) -> str:
    kinds: dict[str, int] = {}
    for cache in caches:
        size = "" if cache.size_bytes is None else f" of {format_value(cache.size_bytes, 'B')}"
        kind = f"L{cache.level} {cache.kind}{size}"
        kinds[kind] = kinds.get(kind, 0) + 1
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "none"


def _number(values: Any) -> str:
    return str(len(values)) if values else "none"


_DECLARED: dict[str, tuple[str, Callable[[Any], str]]] = {
    "source": ("source of the topology", _plainly),
    "cores": ("hardware threads", _number),
    "caches": ("caches", _kinds_of_caches),
    "numa": ("NUMA nodes", _number),
    "distances": ("NUMA distances", _number),
    "allowed": ("allowed processors", lambda ids: format_ids(list(ids))),
    "page_bytes": ("page size", _in_bytes),
    "huge_page_bytes": ("huge page size", _in_bytes),
    "this_system": ("topology of this system", _plainly),
}


# ---- builds ------------------------------------------------------------------------------------------------


def _of_builds(then: Build | None, here: Build | None) -> Iterator[Difference]:
    """Version, compiler and flags make the code that is timed."""
    if then is None or here is None:
        return
    for name, field in (("groma", "version"), ("compiler", "compiler"), ("compiler flags", "flags")):
        old, new = getattr(then, field), getattr(here, field)
        if None not in (old, new) and old != new:
            yield Difference(name, old, new)
