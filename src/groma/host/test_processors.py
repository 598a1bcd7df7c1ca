"""Processors of every architecture have a name."""

from __future__ import annotations

import pytest

from groma.host.capture import capture_environment
from groma.host.host import FakeHost

ARM = "processor\t: {number}\nCPU implementer\t: {implementer}\nCPU architecture: 8\nCPU part\t: {part}\n"


def cpu_info(*processors: tuple[str, str], after: str = "") -> str:
    """Of Arm processors, each with its implementer and part."""
    blocks = [
        ARM.format(number=number, implementer=implementer, part=part)
        for number, (implementer, part) in enumerate(processors)
    ]
    return "\n".join([*blocks, after])


POWER = "processor : 0\ncpu : POWER9, altivec supported\n\nplatform : pSeries\nmodel : IBM,9009-42A\n"
LOONGARCH = "system type : generic-loongson-machine\n\nprocessor : 0\nModel Name : Loongson-3A5000\n"
OLDER_Z = (
    "vendor_id : IBM/S390\n# processors : 2\n"
    "processor 0: version = 00,  identification = 279F25,  machine = 2817\n"
    "processor 1: version = 00,  identification = 279F25,  machine = 2817\n"
)
NEWER_Z = (
    f"{OLDER_Z.replace('2817', '8561')}\ncpu number : 0\nmachine : 8561\n\ncpu number : 1\nmachine : 8561\n"
)
FIRST_OFFLINE_Z = OLDER_Z.replace("processor 1:", "processor 5:").replace("processor 0:", "processor 4:")
RISC_V = "processor : 0\nhart : 1\nisa : rv64imafdc\nuarch : sifive,u74-mc\n"


@pytest.mark.parametrize(
    ("text", "model"),
    [
        (cpu_info(("0x41", "0xd0c")), "Neoverse N1"),
        (cpu_info(("0x46", "0x001")), "Fujitsu A64FX"),
        (cpu_info(("0x41", "0xd05"), ("0x41", "0xd05"), ("0x41", "0xd0b")), "Cortex-A55, Cortex-A76"),
        (cpu_info(("0x48", "0xd22")), "HiSilicon part 0xd22"),
        (cpu_info(("0x61", "0x022"), ("0x61", "0x023")), "Apple M1 Icestorm, Apple M1 Firestorm"),
        (cpu_info(("0x70", "0x663")), "Phytium FTC663"),
        (cpu_info(("0x99", "0x123")), "Arm implementer 0x99 part 0x123"),
        (cpu_info(("0x41", "0xd08"), after="Revision : c03111\nModel : Board 4\n"), "Cortex-A72"),
        (f"model name : ARMv7 Processor rev 3 (v7l)\n{cpu_info(('0x41', '0xd08'))}", "Cortex-A72"),
        (f"model name : Phytium,FT-2000+/64\n{cpu_info(('0x70', '0x662'))}", "Phytium,FT-2000+/64"),
        ("processor : 0\nmodel name : ARMv7 Processor rev 3 (v7l)\n", "ARMv7 Processor rev 3 (v7l)"),
        ("processor : 0\nBogoMIPS : 48\n\nModel : Board 4\n", "Board 4"),
        (POWER, "POWER9, altivec supported"),
        (LOONGARCH, "Loongson-3A5000"),
        (RISC_V, "sifive,u74-mc"),
        ("", None),
    ],
)
def test_a_processor_is_named_by_what_its_architecture_tells(text: str, model: str | None) -> None:
    cpu = capture_environment(FakeHost(files={"/proc/cpuinfo": text})).cpu
    assert cpu.model == model
    assert cpu.threads == (text.count("processor") or None)


def test_what_stands_after_all_processors_is_read_too() -> None:
    assert capture_environment(FakeHost(files={"/proc/cpuinfo": POWER})).cpu.model_number == "IBM,9009-42A"


@pytest.mark.parametrize(
    ("text", "machine"), [(OLDER_Z, "2817"), (NEWER_Z, "8561"), (FIRST_OFFLINE_Z, "2817")]
)
def test_a_mainframe_is_named_by_its_machine(text: str, machine: str) -> None:
    """It numbers its processors in the names of the fields; newer kernels add a block for each."""
    cpu = capture_environment(FakeHost(files={"/proc/cpuinfo": text})).cpu
    assert cpu.model == f"IBM/S390 machine {machine}"
