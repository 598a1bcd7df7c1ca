"""Cores as srun takes them: one mask for each task of a node, with the numbers of the kernel."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.errors import GromaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.map.launch_files.placement import Numbering

Cores = tuple[int, ...]

UNBOUND = "none"


def masks_of(nodes: Sequence[Sequence[Cores]], numbering: Numbering) -> str | None:
    """The value of --cpu-bind for the cores of the tasks of each node, logical ids.

    srun has one list for all nodes: None where they need different ones.
    """
    longest = max(nodes, key=len)
    if any(list(cores) != list(longest[: len(cores)]) for cores in nodes):
        return None
    numbers = (numbering.kernel_numbers(cores) for cores in longest)
    return "mask_cpu:" + ",".join(hex(sum(1 << one for one in cores)) for cores in numbers)


_OPTION = re.compile(
    r"--cpu-bind=(?:(?:quiet|verbose|[qv]),)?(?P<kind>mask_cpu|map_cpu):(?P<list>[^\s\"']*)", re.ASCII
)
_ENTRY = re.compile(r"(?P<value>[0-9a-zA-Z]+)(?:\*(?P<times>[0-9]{1,4}))?", re.ASCII)


class Tasks:
    """The cores of the tasks of a node as the text of a launch file says. Raises GromaError (exit code 2)."""

    def __init__(self, text: str, numbering: Numbering) -> None:
        option = _OPTION.search(text)
        self.cores = _cores(option, numbering) if option else []

    def of(self, task: int) -> Cores:
        """Of a task by its number on its node: srun begins the list anew after its end."""
        return self.cores[task % len(self.cores)] if self.cores else ()


def _cores(option: re.Match[str], numbering: Numbering) -> list[Cores]:
    """Masks are hexadecimal with or without 0x, numbers of a map only with it (man srun)."""
    of = _of_map if option["kind"] == "map_cpu" else _of_mask
    try:
        entries = [_entry(one) for one in option["list"].split(",")]
        return [numbering.from_kernel(of(value)) for value, times in entries for _ in range(times)]
    except ValueError:
        raise GromaError(f"{option[0]} is not a list of cores", "write mask_cpu:0x3,0xC") from None


def _entry(text: str) -> tuple[str, int]:
    """A value, and for how many tasks it stands: 0x3*4."""
    found = _ENTRY.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return found["value"], int(found["times"] or 1)


def _of_map(value: str) -> list[int]:
    return [int(value, 16) if value.lower().startswith("0x") else int(value)]


def _of_mask(value: str) -> list[int]:
    return _bits(int(value, 16))


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
