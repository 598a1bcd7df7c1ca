"""Routes on lattices arrive, are shortest, and go along one dimension after the other."""

from __future__ import annotations

import math
from itertools import permutations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.interconnect.base import title_of
from groma.interconnect.lattice import Lattice, Shape, coordinates, mesh, node_at, symmetries, torus

extents = st.lists(st.integers(1, 6), min_size=1, max_size=4).filter(lambda s: math.prod(s) <= 120)
lattices = st.builds(lambda make, shape: make(*shape), st.sampled_from([torus, mesh]), extents)


@st.composite
def journeys(draw: st.DrawFn) -> tuple[Lattice, int, int]:
    lattice = draw(lattices)
    nodes = st.integers(0, lattice.nodes - 1)
    return lattice, draw(nodes), draw(nodes)


def changed_axis(shape: Shape, a: int, b: int) -> int:
    pairs = zip(coordinates(shape, a), coordinates(shape, b), strict=True)
    axes = [axis for axis, (one, other) in enumerate(pairs) if one != other]
    assert len(axes) == 1
    return axes[0]


@given(journeys())
def test_a_node_is_at_its_coordinates(journey: tuple[Lattice, int, int]) -> None:
    lattice, node, _ = journey
    assert node_at(lattice.shape, coordinates(lattice.shape, node)) == node


@given(journeys())
def test_every_path_arrives_and_is_shortest(journey: tuple[Lattice, int, int]) -> None:
    lattice, source, target = journey
    hops = list(lattice.steps(source, target))
    assert len(hops) == lattice.distance(source, target) == lattice.hops()[source, target]
    assert [a for a, _ in hops] + [target] == [source] + [b for _, b in hops]


@given(lattices)
def test_distances_are_those_of_a_search_along_the_cables(lattice: Lattice) -> None:
    """Breadth first: the powers of the adjacency matrix reach one hop further each."""
    linked = np.eye(lattice.nodes, dtype=bool)
    for one, other in lattice.neighbours():
        linked[one, other] = linked[other, one] = True
    reached = np.eye(lattice.nodes, dtype=bool)
    searched = np.where(reached, 0.0, np.inf)
    for hop in range(1, lattice.nodes):
        reached = reached @ linked
        searched[reached & np.isinf(searched)] = hop
    assert (lattice.hops() == searched).all()


@given(journeys())
def test_a_path_takes_one_dimension_after_the_other(journey: tuple[Lattice, int, int]) -> None:
    lattice, source, target = journey
    axes = [changed_axis(lattice.shape, a, b) for a, b in lattice.steps(source, target)]
    assert axes == sorted(axes)


@given(journeys())
def test_a_path_uses_cables_only(journey: tuple[Lattice, int, int]) -> None:
    lattice, source, target = journey
    assert set(lattice.path(source, target)) <= {link for cable in lattice.cables() for link in cable.links}


@given(lattices)
def test_every_pair_of_neighbours_has_one_cable(lattice: Lattice) -> None:
    pairs = [frozenset(cable.nodes) for cable in lattice.cables()]
    near = np.argwhere(np.triu(lattice.hops() == 1))
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == {frozenset(map(int, pair)) for pair in near}


@pytest.mark.parametrize(
    ("lattice", "count"),
    [
        (torus(9), 9),
        (torus(2), 1),
        (torus(4, 4), 32),
        (torus(3, 3, 3), 81),
        (torus(4, 2), 12),
        (mesh(9), 8),
        (mesh(4, 4), 24),
        (mesh(1, 3), 2),
    ],
)
def test_lattices_have_as_many_cables_as_known(lattice: Lattice, count: int) -> None:
    assert len(list(lattice.cables())) == count


def test_of_two_ways_as_long_the_positive_one_is_taken() -> None:
    assert torus(8).next_hop(0, 4) == 1
    assert torus(8).next_hop(4, 0) == 5
    assert torus(8).next_hop(0, 5) == 7


def test_a_mesh_goes_back_the_way_that_it_came() -> None:
    assert mesh(8).next_hop(7, 0) == 6
    assert mesh(8).distance(0, 7) == 7
    assert mesh(4, 4).neighbour(3, 0) is None


def test_the_first_coordinate_runs_fastest() -> None:
    assert coordinates((4, 2), 5) == (1, 1)
    assert torus(4, 2).neighbour(3, 0) == 0
    assert torus(4, 2).neighbour(3, 1) == 7


@given(journeys())
def test_a_path_takes_the_next_hop_at_every_node(journey: tuple[Lattice, int, int]) -> None:
    lattice, source, target = journey
    links = list(lattice.steps(source, target))
    assert [lattice.next_hop(one, target) for one, _ in links] == [other for _, other in links]
    assert lattice.next_hop(target, target) == target


def test_a_long_path_asks_for_no_coordinates_on_the_way() -> None:
    with patch("groma.interconnect.lattice.coordinates", side_effect=coordinates) as asked:
        assert len(torus(1000, 4).path(0, 2499)) == 499 + 2
    assert asked.call_count <= 10


def test_interconnects_are_titled_as_readers_know_them() -> None:
    titles = [lattice.title for lattice in (torus(9), torus(4, 4), mesh(4, 4))]
    assert titles == [
        "ring of 9",
        "torus 4x4",
        "mesh 4x4",
    ]


@pytest.mark.parametrize(
    ("sizes", "title"),
    [
        ((4, 4, 4), "tree of 3 groups of 4"),
        ((4, 8), "tree of 2 groups of 4 and 8"),
        ((8, 4), "tree of 2 groups of 8 and 4"),
        ((4, 6, 8), "tree of 3 groups of 4 to 8"),
    ],
)
def test_two_groups_are_titled_by_both_sizes(sizes: tuple[int, ...], title: str) -> None:
    """Two groups of 4 and 8 were "2 groups of 4 to 8"."""
    assert title_of("tree", sizes) == title


@pytest.mark.parametrize(
    "lattice",
    [torus(3), torus(5), torus(2, 2), torus(2, 2, 2), torus(2, 3), torus(4, 2), mesh(4), mesh(2, 3)],
    ids=lambda lattice: lattice.title,
)
def test_symmetries_are_all_orders_that_keep_the_hops(lattice: Lattice) -> None:
    hops = lattice.hops()
    orders = map(list, permutations(range(lattice.nodes)))
    assert symmetries(lattice) == sum(bool((hops[np.ix_(one, one)] == hops).all()) for one in orders)
