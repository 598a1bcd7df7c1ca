"""MPICH_RANK_ORDER of Cray MPICH: the ranks of each node, one line for a node.

The file renumbers processes that were started in blocks: entry k of all is the rank of the process in slot k.
So the order within a line chooses the cores of a rank, and every node has the same cores. Only good with a
block distribution. Names of hosts and masks of cores are comments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from groma.errors import GromaError
from groma.map.launch_files.masks import UNBOUND, Tasks, masks_of
from groma.map.launch_files.text import HostNames, Lines, numbers_in, placement_from
from groma.map.place import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.map.launch_files.placement import Numbering, Placement


def written(placement: Placement, numbering: Numbering) -> str:
    """The file for these ranks. Raises GromaError (exit code 2) where blocks cannot give it."""
    nodes = _by_slot(placement)
    _refuse_uneven([len(ranks) for ranks in nodes])
    lines = [f"# srun --distribution=block --cpu-bind={cpu_bind(placement, numbering)}"]
    for name, ranks in zip(placement.hosts, nodes, strict=True):
        lines += [f"# {name}", ",".join(map(str, ranks))]
    return "\n".join(lines) + "\n"


def cpu_bind(placement: Placement, numbering: Numbering) -> str:
    """The cores of the slots of a node. Raises GromaError (exit code 2) where nodes use different ones."""
    if not placement.is_bound:
        return UNBOUND
    masks = masks_of(
        [[placement.places[rank].cores for rank in ranks] for ranks in _by_slot(placement)], numbering
    )
    if masks is None:
        raise GromaError(
            "a rank order needs the same cores on every node, which this mapping does not use",
            "use another --launcher",
        )
    return masks


def _by_slot(placement: Placement) -> list[list[int]]:
    """The ranks of each node in the order of their cores."""
    places = placement.places
    return [sorted(ranks, key=lambda rank: places[rank].cores) for ranks in placement.on_hosts()]


def _refuse_uneven(counts: Sequence[int]) -> None:
    """Blocks fill one node after the other."""
    if any(count != counts[0] for count in counts[:-1]) or not 0 < counts[-1] <= counts[0]:
        raise GromaError(
            "a rank order needs equally many ranks on all nodes but the last", "use another --launcher"
        )


def read(text: str, path: str, numbering: Numbering, hosts: Sequence[str] = ()) -> Placement:
    """What a rank order says of processes that were started in blocks. Raises GromaError (exit code 2).

    A line is a node. Where neither `hosts` nor comments name the nodes, they are node0, node1 …
    """
    lines = Lines(text, path)
    ranks = [_ranks(lines, line) for line in lines]
    names = HostNames(lines, hosts)
    of_nodes = _names_above(text) or dict(enumerate(hosts))
    numbers = [names.number(of_nodes.get(node, f"node{node}")) for node in range(len(ranks))]
    tasks = Tasks(text, numbering)
    found: dict[int, Place] = {}
    for host, on_node in zip(numbers, ranks, strict=True):
        for slot, rank in enumerate(on_node):
            if rank in found:
                raise GromaError(f"{path}: rank {rank} has two places", "place every rank once")
            found[rank] = Place(host, tasks.of(slot))
    return placement_from(lines, names, found)


def _names_above(text: str) -> dict[int, str]:
    """The names of nodes by their number. Only the comment directly above a line of ranks names its node."""
    names: dict[int, str] = {}
    above, node = None, 0
    for line in text.splitlines():
        is_of_ranks = bool(line.partition("#")[0].strip())
        if is_of_ranks and above is not None:
            names[node] = above[1]
        node += is_of_ranks
        above = None if is_of_ranks else _NAME.fullmatch(line)
    return names


_NAME = re.compile(r"#[ \t]*([\w.-]+)[ \t]*", re.ASCII)


def _ranks(lines: Lines, line: str) -> list[int]:
    try:
        return numbers_in(line.rstrip(","))
    except ValueError:
        lines.refuse(f"{line[:40]!r} is not a list of ranks", 'write "0,2,4-7"')
