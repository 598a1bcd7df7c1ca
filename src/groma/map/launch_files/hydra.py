"""Host files of Hydra, the launcher of MPICH: "host:2 binding=user:0+1,2+3". Tried with MPICH 4.0.

Ranks follow the lines of the file. A binding lists one entry for each rank of the line, with numbers of the
kernel joined by "+". Lines of one host that follow each other are one node to MPICH. A host that comes again
later is another node to it, whose ranks do not share memory with the first (`splits_nodes`).
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from groma.map.launch_files.text import HostNames, Lines, numbers_in, placement_from
from groma.map.place import Place
from groma.record.counting import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.map.launch_files.placement import Numbering, Placement


def written(placement: Placement, numbering: Numbering) -> str:
    """The file for these ranks."""
    lines = []
    for host, ranks in itertools.groupby(range(len(placement.places)), placement.host_of):
        places = [placement.places[rank] for rank in ranks]
        binding = f" binding=user:{_binding(places, numbering)}" if placement.is_bound else ""
        lines.append(f"{host}:{len(places)}{binding}\n")
    return "".join(lines)


def _binding(places: Sequence[Place], numbering: Numbering) -> str:
    return ",".join("+".join(map(str, numbering.kernel_numbers(one.cores))) for one in places)


def splits_nodes(placement: Placement) -> bool:
    """Whether ranks of one host do not follow each other, so that MPICH takes them for several nodes."""
    blocks = [host for host, _ in itertools.groupby(place.host for place in placement.places)]
    return len(blocks) > len(set(blocks))


_LINE = re.compile(
    r"(?P<host>[\w.-]+)(?::(?P<count>[0-9]{1,7}))?(?:\s+binding=user:(?P<binding>\S+))?", re.ASCII
)


def read(text: str, path: str, numbering: Numbering, hosts: Sequence[str] = ()) -> Placement:
    """What a host file says. Raises GromaError (exit code 2)."""
    lines = Lines(text, path)
    names = HostNames(lines, hosts)
    found: dict[int, Place] = {}
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None:
            lines.refuse(f"{line[:40]!r} places no ranks", 'write "host:2 binding=user:0,1"')
        host, count = names.number(match["host"]), int(match["count"] or 1)
        for cores in _bound(lines, match["binding"], count, numbering):
            found[len(found)] = Place(host, cores)
    return placement_from(lines, names, found)


def _bound(lines: Lines, binding: str | None, count: int, numbering: Numbering) -> list[tuple[int, ...]]:
    if binding is None:
        return [()] * count
    entries = binding.split(",")
    if len(entries) != count:
        have = "has" if count == 1 else "have"
        lines.refuse(
            f"{counted(count, 'rank')} {have} {counted(len(entries), 'binding')}",
            "give one entry for each rank",
        )
    try:
        return [numbering.from_kernel(numbers_in(entry, between="+")) for entry in entries]
    except ValueError:
        lines.refuse(f"{binding[:40]} is not a list of cores", 'write "binding=user:0+1,2+3"')
