"""Host files of Slurm's arbitrary distribution: one line for each task.

The file carries the masks of cores as a comment, which Slurm does not read. srun takes them as an option, and
has one list for all nodes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.map.launch_files.masks import UNBOUND, Tasks, masks_of
from groma.map.launch_files.text import HostNames, Lines, placement_from
from groma.map.place import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.map.launch_files.placement import Numbering, Placement


def written(placement: Placement, numbering: Numbering) -> str:
    """The file for these ranks. Raises GromaError (exit code 2) where nodes need different masks."""
    comment = f"# srun --distribution=arbitrary --cpu-bind={cpu_bind(placement, numbering)}\n"
    return comment + "".join(f"{placement.host_of(rank)}\n" for rank in range(len(placement.places)))


def cpu_bind(placement: Placement, numbering: Numbering) -> str:
    """The value of --cpu-bind. Raises GromaError (exit code 2) where nodes need different masks."""
    if not placement.is_bound:
        return UNBOUND
    nodes = [[placement.places[rank].cores for rank in ranks] for ranks in placement.on_hosts() if ranks]
    masks = masks_of(nodes, numbering)
    if masks is None:
        raise GromaError(
            "srun binds all nodes alike, but this mapping needs other cores on each node",
            "use --launcher openmpi or mpich",
        )
    return masks


def read(text: str, path: str, numbering: Numbering, hosts: Sequence[str] = ()) -> Placement:
    """What a host file and its comment say. Raises GromaError (exit code 2)."""
    lines = Lines(text, path)
    names = HostNames(lines, hosts)
    tasks = Tasks(text, numbering)
    on_host: dict[int, int] = {}
    found: dict[int, Place] = {}
    for line in lines:
        if not re.fullmatch(r"[\w.-]+", line, re.ASCII):
            lines.refuse(f"{line[:40]!r} is not the name of a host", "write one host for each task")
        host = names.number(line)
        task = on_host.get(host, 0)
        on_host[host] = task + 1
        found[len(found)] = Place(host, tasks.of(task))
    return placement_from(lines, names, found)
