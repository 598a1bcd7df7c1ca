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

_GENERAL = re.compile(r"(ARMv\d|AArch64)\S* .*rev \d")
"""What kernels of 32-bit Arm call every processor; its number says more."""

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
        "0xb76": "ARM1176", "0xc05": "Cortex-A5", "0xc07": "Cortex-A7", "0xc08": "Cortex-A8",
        "0xc09": "Cortex-A9", "0xc0d": "Cortex-A17", "0xc0e": "Cortex-A17", "0xc0f": "Cortex-A15",
        "0xd01": "Cortex-A32", "0xd02": "Cortex-A34", "0xd03": "Cortex-A53", "0xd04": "Cortex-A35",
        "0xd05": "Cortex-A55", "0xd06": "Cortex-A65", "0xd07": "Cortex-A57", "0xd08": "Cortex-A72",
        "0xd09": "Cortex-A73", "0xd0a": "Cortex-A75", "0xd0b": "Cortex-A76", "0xd0c": "Neoverse N1",
        "0xd0d": "Cortex-A77", "0xd0e": "Cortex-A76AE", "0xd40": "Neoverse V1", "0xd41": "Cortex-A78",
        "0xd42": "Cortex-A78AE", "0xd43": "Cortex-A65AE", "0xd44": "Cortex-X1", "0xd46": "Cortex-A510",
        "0xd47": "Cortex-A710", "0xd48": "Cortex-X2", "0xd49": "Neoverse N2", "0xd4a": "Neoverse E1",
        "0xd4b": "Cortex-A78C", "0xd4c": "Cortex-X1C", "0xd4d": "Cortex-A715", "0xd4e": "Cortex-X3",
        "0xd4f": "Neoverse V2", "0xd80": "Cortex-A520", "0xd81": "Cortex-A720", "0xd82": "Cortex-X4",
        "0xd83": "Neoverse V3AE", "0xd84": "Neoverse V3", "0xd85": "Cortex-X925", "0xd87": "Cortex-A725",
        "0xd88": "Cortex-A520AE", "0xd89": "Cortex-A720AE", "0xd8a": "C1-Nano", "0xd8b": "C1-Pro",
        "0xd8c": "C1-Ultra", "0xd8e": "Neoverse N3", "0xd8f": "Cortex-A320", "0xd90": "C1-Premium",
    },
    "Broadcom": {"0x516": "ThunderX2"},
    "Cavium": {
        "0x0a0": "ThunderX", "0x0a1": "ThunderX", "0x0a2": "ThunderX 81xx", "0x0a3": "ThunderX 83xx",
        "0x0af": "ThunderX2", "0x0b8": "ThunderX3",
    },
    "Fujitsu": {"0x001": "A64FX", "0x003": "MONAKA"},
    "HiSilicon": {"0xd01": "TaiShan v110", "0xd02": "TaiShan v120"},
    "NVIDIA": {"0x000": "Denver", "0x003": "Denver 2", "0x004": "Carmel", "0x010": "Olympus"},
    "APM": {"0x000": "X-Gene"},
    "Qualcomm": {
        "0x001": "Oryon", "0x201": "Kryo", "0x205": "Kryo", "0x211": "Kryo", "0x800": "Kryo 2xx Gold",
        "0x801": "Kryo 2xx Silver", "0x802": "Kryo 3xx Gold", "0x803": "Kryo 3xx Silver",
        "0x804": "Kryo 4xx Gold", "0x805": "Kryo 4xx Silver", "0xc00": "Falkor", "0xc01": "Saphira",
    },
    "Apple": {
        "0x022": "M1 Icestorm", "0x023": "M1 Firestorm", "0x024": "M1 Pro Icestorm",
        "0x025": "M1 Pro Firestorm", "0x028": "M1 Max Icestorm", "0x029": "M1 Max Firestorm",
        "0x032": "M2 Blizzard", "0x033": "M2 Avalanche", "0x034": "M2 Pro Blizzard",
        "0x035": "M2 Pro Avalanche", "0x038": "M2 Max Blizzard", "0x039": "M2 Max Avalanche",
    },
    "Microsoft": {"0xd49": "Cobalt 100"},
    "Phytium": {
        "0x303": "FTC310", "0x660": "FTC660", "0x661": "FTC661", "0x662": "FTC662", "0x663": "FTC663",
        "0x664": "FTC664", "0x862": "FTC862",
    },
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
    told = [name for name in map(first.get, _NAMES) if name]
    names = (name for name in told if not _GENERAL.match(name))
    boards = filter(None, map(first.get, _BOARDS))
    every = (*names, *_arm_names(blocks), *boards, *told)
    return next(iter(every), None) or _mainframe_name(first)


def _mainframe_name(first: Mapping[str, str]) -> str | None:
    """Of IBM Z: the type of the machine is in a field of its own, or within those of the processors."""
    processors = (value for name, value in first.items() if name.startswith("processor "))
    within = re.search(r"machine = (\w+)", next(processors, ""))
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
