"""Keys for MPI_Comm_split(MPI_COMM_WORLD, 0, key, …): line k is the key of the process with rank k.

Processes fill the cores of one host after the other, as launchers place them by default. The new communicator
then has the rank of the mapping in each place. It works under every launcher.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.map.launch_files.text import HostNames, Lines, numbers_in, placement_from
from groma.map.place import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.map.launch_files.placement import Numbering, Placement


def keys_of(placement: Placement) -> list[int]:
    """The new rank of each process, in the order of places."""
    return sorted(range(len(placement.places)), key=lambda rank: (placement.places[rank], rank))


def written(placement: Placement, numbering: Numbering) -> str:
    """The keys, behind comments that name host and cores of the process."""
    lines = ["# key of each process in MPI_COMM_WORLD, and where it has to be"]
    for key in keys_of(placement):
        place = placement.places[key]
        cores = "+".join(map(str, numbering.kernel_numbers(place.cores))) or "any"
        lines.append(f"{key} # {placement.hosts[place.host]} {cores}")
    return "\n".join(lines) + "\n"


def read(text: str, path: str, numbering: Numbering, hosts: Sequence[str] = ()) -> Placement:
    """The places that comments name. Raises GromaError (exit code 2)."""
    lines = Lines(text, path)
    names = HostNames(lines, hosts)
    found: dict[int, Place] = {}
    for line in lines:
        if not line.isdecimal() or len(line) > 9:
            lines.refuse(f"{line[:40]!r} is not a key", "write one number for each process")
        key = int(line)
        if key in found:
            lines.refuse(f"key {key} is there already", "give every process its own key")
        found[key] = _place(lines, names, numbering)
    return placement_from(lines, names, found)


def _place(lines: Lines, names: HostNames, numbering: Numbering) -> Place:
    words = lines.comment.split()
    if len(words) != 2:
        lines.refuse("the comment names no host and cores", 'write "0 # host 0+1"')
    host, cores = words
    try:
        numbers = [] if cores == "any" else numbers_in(cores, between="+")
    except ValueError:
        lines.refuse(f"{cores[:40]} is not a list of cores", 'write "0 # host 0+1"')
    return Place(names.number(host), numbering.from_kernel(numbers))
