"""Whether this is a virtual machine or a container, and of which kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.host.host import Host

_FIRMWARE = "/sys/class/dmi/id"
_CLOCKS = "/sys/devices/system/clocksource/clocksource0/available_clocksource"

# What the firmware tables of virtual machines say, in vendor or product name.
_BY_FIRMWARE = (
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("Microsoft Corporation Virtual Machine", "Hyper-V"),
    ("Xen", "Xen"),
    ("Google Compute Engine", "KVM (Google)"),
    ("Amazon EC2", "KVM (Amazon)"),
    ("OpenStack", "KVM (OpenStack)"),
    ("QEMU", "KVM or QEMU"),
    ("KVM", "KVM"),
    ("Bochs", "Bochs"),
    ("Parallels", "Parallels"),
)

_BARE = re.compile(r"Amazon EC2 \S+\.metal")
"""Machines that a provider lets as a whole, with firmware that names the provider."""

_TREE = "/proc/device-tree"

# What the device tree of virtual machines says that have no firmware tables, in these files of it.
_TREE_FILES = ("hypervisor/compatible", "compatible")
_BY_TREE = (
    ("linux,kvm", "KVM"),
    ("xen,xen", "Xen"),
    ("vmware", "VMware"),
    ("qemu", "KVM or QEMU"),
    ("linux,dummy-virt", "KVM or QEMU"),
)
_PARTITION = "ibm,partition-name"
"""In the device tree of a logical partition of a POWER system."""

_BY_CLOCK = (("kvm-clock", "KVM"), ("hyperv", "Hyper-V"), ("xen", "Xen"))

_CONTAINER_FILES = {"/.dockerenv": "docker", "/run/.containerenv": "podman"}
_CONTAINER_VARIABLES = {
    "APPTAINER_NAME": "apptainer",
    "SINGULARITY_NAME": "singularity",
    "CH_RUNNING": "charliecloud",
    "SHIFTER_RUNTIME": "shifter",
    "KUBERNETES_SERVICE_HOST": "kubernetes",
}
_CONTAINER_GROUPS = ("docker", "kubepods", "lxc", "libpod", "containerd")


def hypervisor_of(host: Host, cpu_info: Mapping[str, str]) -> str | None:
    """The hypervisor by name, "unknown" if it has no name, None on bare metal."""
    if "hypervisor" not in cpu_info.get("flags", "").split():
        return _xen_or_arm(host)
    return _by_firmware(host) or _by_clock(host) or "unknown"


def _xen_or_arm(host: Host) -> str | None:
    """Xen guests may lack the flag; processors other than x86 have none."""
    if host.exists("/sys/hypervisor/type"):
        return host.read("/sys/hypervisor/type")
    if host.architecture() in {"x86_64", "i686"}:
        return None
    return _by_firmware(host) or _by_device_tree(host)


def _by_firmware(host: Host) -> str | None:
    said = " ".join(
        host.read(f"{_FIRMWARE}/{name}") or "" for name in ("sys_vendor", "product_name", "bios_vendor")
    )
    if _BARE.match(said):
        return None
    return next((name for word, name in _BY_FIRMWARE if word in said), None)


def _by_device_tree(host: Host) -> str | None:
    said = " ".join(host.read(f"{_TREE}/{name}") or "" for name in _TREE_FILES)
    named = next((name for word, name in _BY_TREE if word in said), None)
    return named or ("PowerVM" if host.exists(f"{_TREE}/{_PARTITION}") else None)


def _by_clock(host: Host) -> str | None:
    clocks = host.read(_CLOCKS) or ""
    return next((name for word, name in _BY_CLOCK if word in clocks), None)


def container_of(host: Host) -> str | None:
    """The kind of container this process runs in, None outside a container."""
    named = host.variables.get("container")
    if named:
        return named
    for found, name in _CONTAINER_FILES.items():
        if host.exists(found):
            return name
    for variable, name in _CONTAINER_VARIABLES.items():
        if variable in host.variables:
            return name
    groups = host.read("/proc/self/cgroup") or ""
    return next((name for name in _CONTAINER_GROUPS if name in groups), None)
