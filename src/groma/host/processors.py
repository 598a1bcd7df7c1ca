"""What /proc/cpuinfo says of the processors; architectures use other fields for the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.host.host import Host

Fields = dict[str, str]

_NAMES = ("model name", "Model Name", "cpu model", "cpu", "uarch")
"""Of x86, LoongArch, MIPS, POWER and RISC-V."""

_BOARDS = ("Model", "Hardware")
"""What small Arm systems say of the board; others keep its model number there."""

# Implementers and parts of the main identification register (MIDR_EL1) of Arm processors.
_IMPLEMENTERS = {
    "0x41": "Arm", "0x42": "Broadcom", "0x43": "Cavium", "0x46": "Fujitsu", "0x48": "HiSilicon",
    "0x4e": "NVIDIA", "0x50": "APM", "0x51": "Qualcomm", "0x53": "Samsung", "0x56": "Marvell",
    "0x61": "Apple", "0x69": "Intel", "0x6d": "Microsoft", "0x70": "Phytium", "0xc0": "Ampere",
}  # fmt: skip
_PARTS = {
    "Arm": {
        "0xb76": "ARM1176", "0xc07": "Cortex-A7", "0xc08": "Cortex-A8", "0xc09": "Cortex-A9",
        "0xc0f": "Cortex-A15", "0xd03": "Cortex-A53", "0xd04": "Cortex-A35", "0xd05": "Cortex-A55",
        "0xd07": "Cortex-A57", "0xd08": "Cortex-A72", "0xd09": "Cortex-A73", "0xd0a": "Cortex-A75",
        "0xd0b": "Cortex-A76", "0xd0c": "Neoverse N1", "0xd0d": "Cortex-A77", "0xd40": "Neoverse V1",
        "0xd41": "Cortex-A78", "0xd42": "Cortex-A78AE", "0xd44": "Cortex-X1", "0xd46": "Cortex-A510",
        "0xd47": "Cortex-A710", "0xd48": "Cortex-X2", "0xd49": "Neoverse N2", "0xd4a": "Neoverse E1",
        "0xd4d": "Cortex-A715", "0xd4e": "Cortex-X3", "0xd4f": "Neoverse V2", "0xd80": "Cortex-A520",
        "0xd81": "Cortex-A720", "0xd82": "Cortex-X4", "0xd84": "Neoverse V3", "0xd85": "Cortex-X925",
        "0xd87": "Cortex-A725", "0xd8e": "Neoverse N3",
    },
    "Broadcom": {"0x516": "ThunderX2"},
    "Cavium": {"0x0a0": "ThunderX", "0x0a1": "ThunderX", "0x0af": "ThunderX2", "0x0b8": "ThunderX3"},
    "Fujitsu": {"0x001": "A64FX", "0x003": "MONAKA"},
    "HiSilicon": {"0xd01": "TaiShan v110", "0xd02": "TaiShan v120"},
    "NVIDIA": {"0x004": "Carmel", "0x010": "Olympus"},
    "APM": {"0x000": "X-Gene"},
    "Qualcomm": {"0x001": "Oryon", "0xc00": "Falkor"},
    "Microsoft": {"0xd49": "Cobalt 100"},
    "Ampere": {"0xac3": "Ampere-1", "0xac4": "Ampere-1a", "0xac5": "Ampere-1b"},
}  # fmt: skip


def processors_of(host: Host) -> list[Fields]:
    """The fields of each block of /proc/cpuinfo; at least one block, which may be empty.

    Most blocks are of one processor. Some kernels put what is true of all of them before or after these.
    """
    text = host.read("/proc/cpuinfo") or ""
    return [dict(fields_in(block)) for block in text.split("\n\n")]


def first_of(blocks: Sequence[Fields]) -> Fields:
    """The fields of the first processor, with those that stand for all."""
    processor = next((block for block in blocks if "processor" in block), blocks[0])
    common = {name: value for block in blocks if "processor" not in block for name, value in block.items()}
    return common | processor


def fields_in(text: str) -> Iterator[tuple[str, str]]:
    """Names and values of lines such as `model name : Xeon`."""
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            yield name.strip(), value.strip()


def model_of(blocks: Sequence[Fields]) -> str | None:
    """The name of the processors, all kinds of a hybrid one; None where nothing tells it."""
    first = first_of(blocks)
    names = (*(first.get(name) for name in _NAMES), *_arm_names(blocks), *(first.get(one) for one in _BOARDS))
    return next(filter(None, names), None) or _mainframe_name(first)


def _mainframe_name(first: Mapping[str, str]) -> str | None:
    """Of IBM Z: the type of the machine is in a field of its own, or within that of the first processor."""
    within = re.search(r"machine = (\w+)", first.get("processor 0", ""))
    machine = first.get("machine") or (within[1] if within else None)
    vendor = first.get("vendor_id")
    return f"{vendor} machine {machine}" if vendor and machine else None


def _arm_names(blocks: Sequence[Fields]) -> Iterator[str]:
    """Of all kinds of cores, if there are any."""
    kinds = dict.fromkeys(name for name in map(_arm_name, blocks) if name)
    if kinds:
        yield ", ".join(kinds)


def _arm_name(block: Mapping[str, str]) -> str:
    """A part that the table lacks is named by its number."""
    number, part = block.get("CPU implementer"), block.get("CPU part")
    if not number or not part:
        return ""
    implementer = _IMPLEMENTERS.get(number, f"Arm implementer {number}")
    name = _PARTS.get(implementer, {}).get(part, f"part {part}")
    return name if implementer == "Arm" and not name.startswith("part") else f"{implementer} {name}"
