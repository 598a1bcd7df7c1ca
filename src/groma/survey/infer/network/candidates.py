"""The interconnects that inference compares with what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.interconnect.lattice import mesh, torus
from groma.interconnect.shapes import MOST_DIMENSIONS, lattice_shapes
from groma.interconnect.switched import crossbar, group_sizes, in_blocks, linked_groups, tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groma.interconnect.base import Interconnect
    from groma.interconnect.lattice import Lattice
    from groma.interconnect.switched import Tree

TAPERS = (2.0, 3.0, 4.0)
"""Nodes for each uplink of a switch, as networks are built."""
ALIKE = 1.2
"""Capacities that differ by less leave alike ratios."""


def candidates(nodes: int) -> Iterator[Interconnect]:
    """All over nodes in the order of numbers: crossbar, ring, tori, meshes, groups of one size."""
    yield crossbar(nodes)
    yield from _lattices(nodes)
    for group_of in even_groups(nodes):
        yield from _tapered(group_of)


def _lattices(nodes: int) -> Iterator[Lattice]:
    """A mesh whose extents are all 2 is the torus of these extents; as a hypercube it has any dimensions."""
    for shape in lattice_shapes(nodes):
        yield torus(*shape)
        if max(shape) > 2:
            yield mesh(*shape)
    dimensions = nodes.bit_length() - 1
    if dimensions > MOST_DIMENSIONS and nodes == 2**dimensions:
        yield torus(*[2] * dimensions)


def stands_for_orders(lattice: Lattice) -> bool:
    """Whether it is the one of all that differ in the order of their dimensions only.

    Two closed dimensions of extent 2 are one of 4: the shape of fewest dimensions stands for all. A hypercube
    of more dimensions than these hold stands for itself.
    """
    is_ascending = list(lattice.shape) == sorted(lattice.shape)
    pairs_up = lattice.closed and 1 < lattice.shape.count(2) <= 2 * MOST_DIMENSIONS
    return is_ascending and not pairs_up


def even_groups(nodes: int) -> Iterator[tuple[int, ...]]:
    """Groups of one size in the order of the nodes, for every size."""
    for size in range(2, nodes // 2 + 1):
        if nodes % size == 0:
            yield in_blocks(nodes, size)


def _tapered(group_of: tuple[int, ...]) -> Iterator[Interconnect]:
    """Trees and linked groups over these groups, with every capacity that makes a difference."""
    sizes = group_sizes(group_of)
    for uplink in uplinks_of(max(sizes)):
        yield tree(group_of, uplink)
        if len(sizes) > 2:
            yield linked_groups(group_of, uplink)


def uplinks_of(size: int) -> list[float]:
    """Links of a node that a switch over `size` nodes has to others: as they are built, and powers of two
    that differ from all of these.
    """
    built = [size / taper for taper in TAPERS if size > taper]
    powers = [2.0**exponent for exponent in range(size.bit_length()) if 2**exponent < size]
    between = [one for one in powers if all(max(one, other) >= ALIKE * min(one, other) for other in built)]
    return sorted([*built, *between])


def trees_of_any_uplink(group_of: tuple[int, ...]) -> Iterator[Tree]:
    """Trees over these groups with uplinks as they are built, and with one that carries everything."""
    largest = max(group_sizes(group_of))
    for uplink in (*uplinks_of(largest), float(largest)):
        yield tree(group_of, uplink)


def full_trees(nodes: int) -> Iterator[Interconnect]:
    """Trees whose uplinks carry all that their nodes send: crossbars, as long as every uplink is sound."""
    for group_of in even_groups(nodes):
        yield tree(group_of, float(group_of.count(0)))


def trees_over(group_of: tuple[int, ...]) -> Iterator[Interconnect]:
    """Trees over these groups with uplinks of 1, 1.5, 2 … links of a node, as many as fill the largest."""
    for halves in range(2, 2 * max(group_sizes(group_of)) + 1):
        yield tree(group_of, halves / 2.0)
