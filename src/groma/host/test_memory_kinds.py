"""Memory without processors is called what the kernel says that it is, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from groma.host.capture import capture_environment
from groma.host.host import FakeHost

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NODES = "/sys/devices/system/node"
DAX = "/sys/bus/dax/devices"
TIERS = "/sys/devices/virtual/memory_tiering"


def machine(processors: Sequence[str], bandwidths: Mapping[int, int] | None = None) -> FakeHost:
    """A node for each list of processors; `bandwidths` are in MB/s."""
    files = {f"{NODES}/node{node}/cpulist": text for node, text in enumerate(processors)}
    for node, rate in (bandwidths or {}).items():
        files[f"{NODES}/node{node}/access0/initiators/read_bandwidth"] = f"{rate}\n"
    return FakeHost(files=files)


def with_tiers(host: FakeHost, tiers: Mapping[int, str]) -> FakeHost:
    host.files |= {f"{TIERS}/memory_tier{tier}/nodelist": f"{nodes}\n" for tier, nodes in tiers.items()}
    return host


def with_dax(host: FakeHost, name: str, path: str, node: int) -> FakeHost:
    host.files[f"{DAX}/{name}/target_node"] = f"{node}\n"
    host.links[f"{DAX}/{name}"] = f"/sys/devices/{path}/{name}"
    return host


def xeon_max_flat() -> FakeHost:
    """Two packages with DRAM, and the HBM of each as a node of its own."""
    host = machine(["0-55", "56-111", "", ""], {0: 131072, 1: 131072, 2: 409600, 3: 409600})
    for node in (2, 3):
        with_dax(host, f"dax{node}.0", f"platform/hmem.{node}", node)
    return with_tiers(host, {2: "2-3", 4: "0-1"})


def optane() -> FakeHost:
    """Two packages whose NVDIMMs are turned into memory."""
    host = machine(["0-23", "24-47", "", ""])
    for node in (2, 3):
        bus = "LNXSYSTM:00/LNXSYBUS:00/ACPI0012:00/ndbus0"
        with_dax(host, f"dax{node - 2}.0", f"{bus}/region{node - 2}/dax{node - 2}.1", node)
    return with_tiers(host, {4: "0-1", 22: "2-3"})


def grace_hopper() -> FakeHost:
    """Of the nodes that are kept for parts of the GPU only the first has memory."""
    host = machine(["0-71", "", ""], {0: 500000, 1: 3000000})
    status = "Node:          1\nStatus:        online\n"
    host.files["/proc/driver/nvidia/gpus/0009:01:00.0/numa_status"] = status
    return host


def cxl_expander() -> FakeHost:
    host = machine(["0-63", "64-127", ""], {0: 262144, 1: 262144, 2: 30000})
    path = "platform/ACPI0017:00/root0/decoder0.0/region0/dax_region0"
    return with_tiers(with_dax(host, "dax0.0", path, 2), {4: "0-1", 22: "2"})


def expander_of_firmware() -> FakeHost:
    """Firmware has made memory of the expander, so that no device shows it."""
    return with_tiers(machine(["0-63", ""], {0: 262144, 1: 30000}), {4: "0", 10: "1"})


def knights_landing_flat() -> FakeHost:
    """Declares nothing but distances."""
    return machine(["0-255", ""])


def only_hbm() -> FakeHost:
    """Processors whose own memory is HBM."""
    return machine(["0-55", "56-111"], {0: 409600, 1: 409600})


def emulated_beside_processors() -> FakeHost:
    """An NVDIMM that was given no node of its own."""
    return with_dax(machine(["0-3"]), "dax0.0", "platform/e820_pmem/ndbus0/region0/dax0.1", 0)


@pytest.mark.parametrize(
    ("host", "kinds"),
    [
        (xeon_max_flat(), [None, None, "HBM", "HBM"]),
        (optane(), [None, None, "persistent", "persistent"]),
        (grace_hopper(), [None, "GPU", None]),
        (cxl_expander(), [None, None, "CXL"]),
        (expander_of_firmware(), [None, "slower"]),
        (knights_landing_flat(), [None, None]),
        (only_hbm(), [None, None]),
        (emulated_beside_processors(), [None]),
    ],
)
def test_kind_of_memory_without_processors(host: FakeHost, kinds: list[str | None]) -> None:
    assert [one.kind for one in capture_environment(host).numa] == kinds


def test_persistent_memory_behind_cxl_is_persistent() -> None:
    host = machine(["0-3", ""])
    with_dax(host, "dax1.0", "platform/ACPI0017:00/root0/nvdimm-bridge0/ndbus1/region1/dax1.1", 1)
    assert capture_environment(host).numa[1].kind == "persistent"


def test_dram_without_processors_beside_like_dram_has_no_kind() -> None:
    host = with_tiers(machine(["0-3", ""], {0: 100000, 1: 120000}), {4: "0-1"})
    assert capture_environment(host).numa[1].kind is None


def test_nonsense_of_drivers_is_taken_as_not_declared() -> None:
    host = machine(["0-3", ""])
    host.files["/proc/driver/nvidia/gpus/0000:01:00.0/numa_status"] = "Node: -1\n"
    host.files[f"{NODES}/node1/access0/initiators/read_bandwidth"] = "fast"
    host.files[f"{DAX}/dax0.0/target_node"] = "-1"
    assert capture_environment(host).numa[1].kind is None
