"""What the memory of NUMA nodes without processors is, as far as the kernel tells.

In this order: the graphics driver names the node of its memory; the device that was turned into memory (DAX)
has a path that says what it is; the performance that firmware declares (HMAT) says what is faster or slower.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.host.host import processors_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from groma.host.host import Host
    from groma.record.environment import MemoryKind

_NODES = "/sys/devices/system/node"
_DAX = "/sys/bus/dax/devices"
_GPUS = "/proc/driver/nvidia/gpus"
_TIERS = "/sys/devices/virtual/memory_tiering"

# Parts of the paths of devices: the bus of NVDIMMs, also behind CXL, and the root of a CXL hierarchy.
_DEVICES: tuple[tuple[re.Pattern[str], MemoryKind], ...] = (
    (re.compile(r"/ndbus\d+/"), "persistent"),
    (re.compile(r"/ACPI0017:|/root\d+/decoder\d"), "CXL"),
)

_FASTER = 1.5
"""Declared bandwidth of HBM over that of the fastest memory with processors. Less is a matter of how many
channels of DRAM are filled.
"""


def memory_kinds(
    host: Host, nodes: Collection[int], with_processors: Collection[int]
) -> dict[int, MemoryKind]:
    """The memory of those `nodes` that have no processors, where something tells its kind."""
    alone = [node for node in nodes if node not in with_processors]
    if not alone:
        return {}
    told = {
        **dict(_by_performance(host, alone, with_processors)),
        **dict(_by_device(host)),
        **dict(_of_gpus(host)),
    }
    return {node: told[node] for node in alone if node in told}


def _of_gpus(host: Host) -> Iterator[tuple[int, MemoryKind]]:
    for gpu in host.names(_GPUS):
        found = re.search(r"^Node:\s*(\d+)$", host.read(f"{_GPUS}/{gpu}/numa_status") or "", re.MULTILINE)
        if found:
            yield int(found[1]), "GPU"


def _by_device(host: Host) -> Iterator[tuple[int, MemoryKind]]:
    for name in host.names(_DAX):
        node = host.number(f"{_DAX}/{name}/target_node")
        path = host.target(f"{_DAX}/{name}")
        kind = next((kind for part, kind in _DEVICES if part.search(path)), None)
        if node is not None and kind is not None:
            yield node, kind


def _by_performance(
    host: Host, alone: Collection[int], with_processors: Collection[int]
) -> Iterator[tuple[int, MemoryKind]]:
    """By bandwidth where firmware declares it, else by the tier that the kernel derived from its tables."""
    ordinary = [rate for node in with_processors if (rate := _read_bandwidth(host, node))]
    tiers = _tiers(host)
    usual = [tiers[node] for node in with_processors if node in tiers]
    for node in alone:
        rate = _read_bandwidth(host, node)
        if rate and ordinary and rate >= _FASTER * max(ordinary):
            yield node, "HBM"
        elif node in tiers and usual and tiers[node] > max(usual):
            yield node, "slower"


def _read_bandwidth(host: Host, node: int) -> int | None:
    """As the nearest processors see it (MB/s)."""
    return host.number(f"{_NODES}/node{node}/access0/initiators/read_bandwidth")


def _tiers(host: Host) -> dict[int, int]:
    """The tier of each node: the higher its number, the slower its memory."""
    found: dict[int, int] = {}
    for name in host.names(_TIERS):
        tier = re.fullmatch(r"memory_tier(\d+)", name)
        if tier:
            nodes = processors_in(host.read(f"{_TIERS}/{name}/nodelist"))
            found |= dict.fromkeys(nodes, int(tier[1]))
    return found
