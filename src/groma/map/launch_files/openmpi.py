"""Rank files of Open MPI: "rank 0=host slot=1:0-2". Tried with Open MPI 4.1.

Slots are logical since version 1.7. They count physical cores, or hardware threads where Open MPI is set to
use those. Both are without what a control group forbids. groma writes hardware threads on machines that have
siblings, so that a file says exactly what the mapping says. Ranks that are not bound are written as a file of
hosts, one line for each rank ("seq").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from groma.map.launch_files.text import HostNames, Lines, numbers_in, placement_from, ranges
from groma.map.place import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.map.launch_files.placement import Numbering, Placement

THREADS = "slots are hardware threads"


def written(placement: Placement, numbering: Numbering) -> str:
    """The file for these ranks."""
    if not placement.is_bound:
        return "".join(f"{placement.host_of(rank)}\n" for rank in range(len(placement.places)))
    lines = [f"# {THREADS}: use --use-hwthread-cpus"] if numbering.has_siblings else []
    for rank, place in enumerate(placement.places):
        slots = ranges(numbering.positions(place.cores))
        lines.append(f"rank {rank}={placement.host_of(rank)} slot={slots}")
    return "\n".join(lines) + "\n"


_RANK = re.compile(r"rank\s+([0-9]{1,9})\s*=\s*(\S+)\s+slots?\s*=\s*(\S+)", re.ASCII | re.IGNORECASE)
_RELATIVE = re.compile(r"\+n([0-9]{1,7})", re.ASCII)


def read(text: str, path: str, numbering: Numbering, hosts: Sequence[str] = ()) -> Placement:
    """What a rank file or a sequence of hosts says. Raises GromaError (exit code 2)."""
    lines = Lines(text, path)
    reader = _RankLines(lines, numbering, HostNames(lines, hosts), len(hosts), THREADS in text)
    found: dict[int, Place] = {}
    for line in lines:
        match = _RANK.fullmatch(line)
        rank = int(match[1]) if match else len(found)
        if rank in found:
            lines.refuse(f"rank {rank} has a place already", "place every rank once")
        found[rank] = reader.place(match[2], match[3]) if match else reader.unbound(line)
    return placement_from(lines, reader.names, found)


class _RankLines(NamedTuple):
    """`known` counts the hosts of the job; `of_threads`: slots are hardware threads."""

    lines: Lines
    numbering: Numbering
    names: HostNames
    known: int
    of_threads: bool

    def unbound(self, line: str) -> Place:
        """A line of a file of hosts."""
        if not re.fullmatch(r"[\w.-]+", line, re.ASCII):
            self.lines.refuse(f"{line[:40]!r} does not place a rank", 'write "rank 0=host slot=0"')
        return Place(self.names.number(line))

    def place(self, host: str, slots: str) -> Place:
        return Place(self._host(host), self._cores(slots))

    def _host(self, name: str) -> int:
        relative = _RELATIVE.fullmatch(name)
        if relative is None:
            return self.names.number(name)
        if int(relative[1]) >= self.known:
            self.lines.refuse(
                f"{name} is not one of the {self.known} hosts of the job", "name them with --hostfile"
            )
        return int(relative[1])

    def _cores(self, slots: str) -> tuple[int, ...]:
        package, colon, cores = slots.rpartition(":")
        try:
            if colon:
                return self._of_package(int(package), cores)
            numbers = numbers_in(cores)
        except (ValueError, IndexError):
            self.lines.refuse(f"slot={slots[:40]} is not a list of cores", 'write "slot=0-3" or "slot=1:0-3"')
        if self.of_threads:
            return self.numbering.at_positions(numbers)
        return self._of_physical_cores(numbers)

    def _of_package(self, package: int, cores: str) -> tuple[int, ...]:
        if self.numbering.hides_package:
            self.lines.refuse(
                f"the number of package {package} is not known: all cores of a package are forbidden",
                'count the cores of the node: "slot=0-2"',
            )
        inside = self.numbering.packages()[package]
        if cores == "*":
            return tuple(one.logical for one in self.numbering.threads if one.package == inside)
        return self._of_physical_cores(numbers_in(cores), inside)

    def _of_physical_cores(self, numbers: Sequence[int], package: int | None = None) -> tuple[int, ...]:
        count = len(self.numbering.physical_cores(package))
        beyond = next((one for one in numbers if one >= count), None)
        if beyond is not None:
            of_package = "" if package is None else " of its package"
            self._refuse_beyond(
                f"core {beyond} is not one of the {count}{of_package} that can be used", package
            )
        return self.numbering.of_physical_cores(numbers, package)

    def _refuse_beyond(self, what: str, package: int | None) -> NoReturn:
        """It may be a hardware thread: a foreign file does not say so. Behind a package it is none."""
        other = "map with a profile of this machine"
        if not self.numbering.has_siblings:
            self.lines.refuse(what, other)
        what = f"{what}: slots count cores here, not hardware threads"
        if package is not None:
            self.lines.refuse(what, other)
        self.lines.refuse(
            what, f'if mpirun gets --use-hwthread-cpus, begin the file with "# {THREADS}"; else {other}'
        )
