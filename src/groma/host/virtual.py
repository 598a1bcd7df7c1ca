"""Whether this is a virtual machine or a container, and of which kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.host.processors import fields_in

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
_MAINFRAME = "/proc/sysinfo"
"""What hypervisors of IBM Z tell their guests, level by level: VM00 is the innermost."""

_PARTITION = "ibm,partition-name"
"""In the device tree of a logical partition of a POWER system."""

_BY_CLOCK = (("kvm-clock", "KVM"), ("hyperv", "Hyper-V"), ("xen", "Xen"))

_TOLD_BY_SYSTEMD = "/run/systemd/container"
"""Where systemd passes on the kind of container that it was started in (lxc, systemd-nspawn)."""

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
        return _without_flag(host)
    return _by_firmware(host) or _by_clock(host) or "unknown"


def _without_flag(host: Host) -> str | None:
    """Guests may lack the flag or be told to hide it; processors other than x86 have none."""
    if host.exists("/sys/hypervisor/type"):
        return host.read("/sys/hypervisor/type")
    if host.architecture() in {"x86_64", "i686"} and _of_a_provider(_firmware(host)):
        return None
    return _by_firmware(host) or _by_device_tree(host) or _by_mainframe(host)


def _of_a_provider(firmware: str) -> bool:
    """Providers write their name also into the firmware of the machines that they let as a whole."""
    return any(name in firmware for name in ("Amazon EC2", "Google Compute Engine", "OpenStack"))


def _firmware(host: Host) -> str:
    return " ".join(
        host.read(f"{_FIRMWARE}/{name}") or "" for name in ("sys_vendor", "product_name", "bios_vendor")
    )


def _by_firmware(host: Host) -> str | None:
    said = _firmware(host)
    if _BARE.match(said):
        return None
    return next((name for word, name in _BY_FIRMWARE if word in said), None)


def _by_device_tree(host: Host) -> str | None:
    said = " ".join(host.read(f"{_TREE}/{name}") or "" for name in _TREE_FILES)
    named = next((name for word, name in _BY_TREE if word in said), None)
    return named or ("PowerVM" if host.exists(f"{_TREE}/{_PARTITION}") else None)


def _by_mainframe(host: Host) -> str | None:
    """A mainframe runs every system at least in a partition, which its PR/SM makes."""
    facts = dict(fields_in(host.read(_MAINFRAME) or ""))
    program = facts.get("VM00 Control Program", "")
    return " ".join(program.split()) or ("PR/SM" if "LPAR Number" in facts else None)


def _by_clock(host: Host) -> str | None:
    clocks = host.read(_CLOCKS) or ""
    return next((name for word, name in _BY_CLOCK if word in clocks), None)


def container_of(host: Host) -> str | None:
    """The kind of container this process runs in, None outside a container."""
    named = host.variables.get("container") or host.read(_TOLD_BY_SYSTEMD)
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
