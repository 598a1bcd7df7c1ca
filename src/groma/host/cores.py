"""What the kernel says of the place of a processor: its hardware threads, its core, its package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.host.host import processors_in, processors_in_mask

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groma.host.host import Host

CPU = "/sys/devices/system/cpu"


def members(host: Host, *paths: tuple[str, str]) -> list[int]:
    """The processors of the first set that can be read; each has the path of its list and that of its mask.

    Kernels before 5.9 have no lists for the caches of POWER processors.
    """
    for as_list, as_mask in paths:
        found = processors_in(host.read(as_list)) or processors_in_mask(host.read(as_mask))
        if found:
            return sorted(found)
    return []


def package_of(host: Host, processor: int) -> int | None:
    """None also where the kernel does not know it and says -1."""
    return _known(host, processor, "physical_package_id")


def core_of(host: Host, processor: int) -> tuple[int, ...] | None:
    """The hardware threads of its core, else the numbers of package and core; None where nothing tells it.

    Numbers of cores repeat: in each package, and with some kernels in each cluster, die or module.
    """
    folder = f"{CPU}/cpu{processor}/topology"
    names = ("core_cpus", "thread_siblings")
    threads = members(host, *((f"{folder}/{name}_list", f"{folder}/{name}") for name in names))
    if threads:
        return tuple(threads)
    package, core = package_of(host, processor), _known(host, processor, "core_id")
    return None if package is None or core is None else (package, core)


def cores_among(host: Host, processors: Iterable[int]) -> int:
    """How many physical cores they are on; each that the kernel says nothing of counts as one."""
    return len({core_of(host, one) or (one,) for one in processors})


def _known(host: Host, processor: int, name: str) -> int | None:
    """A number of its topology; the kernel says -1 for one that it does not know."""
    number = host.number(f"{CPU}/cpu{processor}/topology/{name}")
    return number if number is not None and number >= 0 else None
