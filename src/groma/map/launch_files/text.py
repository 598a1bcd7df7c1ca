"""Lists of numbers as launch files write them, and what every reader of such a file refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from groma.errors import GromaError
from groma.map.launch_files.placement import Placement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from groma.map.place import Place

MOST_NUMBERS = 1 << 20


def ranges(numbers: Sequence[int], *, between: str = ",") -> str:
    """Ascending numbers in short: 0-3,8."""
    parts: list[list[int]] = []
    for one in sorted(numbers):
        if parts and one == parts[-1][-1] + 1:
            parts[-1].append(one)
        else:
            parts.append([one])
    return between.join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in parts)


_RANGE = re.compile(r"([0-9]{1,7})(?:-([0-9]{1,7}))?", re.ASCII)


def numbers_in(text: str, *, between: str = ",") -> list[int]:
    """What `ranges` writes, as numbers. Raises ValueError for anything else."""
    numbers: list[int] = []
    for part in text.split(between):
        found = _RANGE.fullmatch(part.strip())
        if found is None:
            raise ValueError(part)
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first or last - first >= MOST_NUMBERS:
            raise ValueError(part)
        numbers += range(first, last + 1)
    return numbers


class Lines:
    """The lines of a launch file that say something, and messages that name file and line.

    `comment` is what stands behind the "#" of the current line.
    """

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path = text, path
        self.number, self.comment = 0, ""

    def __iter__(self) -> Iterator[str]:
        for number, raw in enumerate(self.text.splitlines(), start=1):
            self.number = number
            line, _, self.comment = raw.partition("#")
            if line.strip():
                yield line.strip()

    def refuse(self, what: str, step: str) -> NoReturn:
        """Raises GromaError (exit code 2)."""
        raise GromaError(f"{self.path}, line {self.number}: {what}", step)


class HostNames:
    """Numbers of hosts by name: of a given list, or in the order in which a file names them."""

    def __init__(self, lines: Lines, given: Sequence[str] = ()) -> None:
        self.lines = lines
        self.closed = bool(given)
        self.names = {name: number for number, name in enumerate(given)}

    def number(self, name: str) -> int:
        if name not in self.names and self.closed:
            self.lines.refuse(f"{name} is not in the list of hosts", "map for the hosts of this job")
        return self.names.setdefault(name, len(self.names))


def placement_from(lines: Lines, hosts: HostNames, found: Mapping[int, Place]) -> Placement:
    """Of places by rank. Raises GromaError (exit code 2) where a rank is missing."""
    if not found:
        raise GromaError(f"{lines.path} places no rank", "write it with: groma map --launch-file FILE")
    missing = next((rank for rank in range(len(found)) if rank not in found), None)
    if missing is not None:
        raise GromaError(f"{lines.path} does not place rank {missing}", "place every rank from 0 on")
    return Placement(tuple(hosts.names), tuple(found[rank] for rank in range(len(found))), tuple(found))
