"""Files that name the nodes of a torus or mesh by their coordinates, one line for each rank.

Blue Gene takes the coordinates and the number T of the process on its node ("0 3 1 0"), Fujitsu MPI the
coordinates alone ("(0,3,1)"). The processor of a rank is left to the system.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, NoReturn

from groma.errors import GromaError
from groma.map.launch_files.text import HostNames, Lines, placement_from
from groma.map.place import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from groma.map.launch_files.placement import Numbering, Placement

Shape = tuple[int, ...]

BLUE_GENE = {3, 5}
"""Dimensions of L and P, and of Q."""
FUJITSU = {1, 2, 3}


def nodes_of_blue_gene(shape: Shape) -> tuple[str, ...]:
    """Raises GromaError (exit code 2) for a shape that no Blue Gene has."""
    return _named(shape, BLUE_GENE, "a map file of Blue Gene has three coordinates (L, P) or five (Q)")


def nodes_of_fujitsu(shape: Shape) -> tuple[str, ...]:
    """Raises GromaError (exit code 2) for a shape that no job has."""
    return _named(shape, FUJITSU, "a job of Fujitsu MPI has up to three coordinates")


def _named(shape: Shape, dimensions: Collection[int], rule: str) -> tuple[str, ...]:
    """The nodes in their order, the first coordinate fastest: "0,3,1"."""
    if len(shape) not in dimensions:
        raise GromaError(
            f"{rule}, and {'x'.join(map(str, shape))} has {len(shape)}",
            "give the shape of the partition, extents of 1 included: --topology torus:4x4x1",
        )
    return tuple(",".join(map(str, reversed(where))) for where in product(*map(range, reversed(shape))))


def written_for_blue_gene(placement: Placement, numbering: Numbering) -> str:  # noqa: ARG001
    """Raises GromaError (exit code 2) for ranks that are bound to cores."""
    _refuse_bound(placement)
    on_node: Counter[int] = Counter()
    lines = []
    for place in placement.places:
        lines.append(f"{placement.hosts[place.host].replace(',', ' ')} {on_node[place.host]}\n")
        on_node[place.host] += 1
    return "".join(lines)


def written_for_fujitsu(placement: Placement, numbering: Numbering) -> str:  # noqa: ARG001
    """Raises GromaError (exit code 2) for ranks that are bound to cores."""
    _refuse_bound(placement)
    return "".join(f"({placement.host_of(rank)})\n" for rank in range(len(placement.places)))


def _refuse_bound(placement: Placement) -> None:
    if any(place.cores for place in placement.places):
        raise GromaError(
            "coordinates name nodes, and this mapping is one to cores",
            "map to the nodes: --topology torus:4x4x2",
        )


def read_of_blue_gene(
    text: str,
    path: str,
    numbering: Numbering,  # noqa: ARG001
    hosts: Sequence[str] = (),
) -> Placement:
    """Two ranks with the same number on a node are refused. Raises GromaError (exit code 2)."""
    taken: set[tuple[str, ...]] = set()

    def coordinates(lines: Lines, line: str) -> Sequence[str]:
        words = tuple(line.split())
        if len(words) - 1 not in BLUE_GENE or not all(map(_is_number, words)):
            _refuse_line(lines, line, "0 3 1 0")
        if words in taken:
            lines.refuse(f"{line!r} has a rank already", "give every rank a line of its own")
        taken.add(words)
        return words[:-1]

    return _read(text, path, hosts, coordinates)


def read_of_fujitsu(
    text: str,
    path: str,
    numbering: Numbering,  # noqa: ARG001
    hosts: Sequence[str] = (),
) -> Placement:
    """What may stand behind the coordinates (cores) is not read. Raises GromaError (exit code 2)."""

    def coordinates(lines: Lines, line: str) -> Sequence[str]:
        match = _IN_BRACKETS.match(line)
        words = [] if match is None else [word.strip() for word in match[1].split(",")]
        if len(words) not in FUJITSU or not all(map(_is_number, words)):
            _refuse_line(lines, line, "(0,3,1)")
        return words

    return _read(text, path, hosts, coordinates)


def _read(
    text: str, path: str, hosts: Sequence[str], coordinates: Callable[[Lines, str], Sequence[str]]
) -> Placement:
    """The ranks in the order of the lines, each with the coordinates that its line has."""
    lines = Lines(text, path)
    names = HostNames(lines, hosts)
    found = [Place(names.number(",".join(coordinates(lines, line)))) for line in lines]
    return placement_from(lines, names, dict(enumerate(found)))


_IN_BRACKETS = re.compile(r"\(([0-9, ]*)\)", re.ASCII)


def _is_number(word: str) -> bool:
    return re.fullmatch(r"0|[1-9][0-9]{0,6}", word, re.ASCII) is not None


def _refuse_line(lines: Lines, line: str, example: str) -> NoReturn:
    lines.refuse(f"{line[:40]!r} are not the coordinates of a node", f'write "{example}" for each rank')
