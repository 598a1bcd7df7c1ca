"""Routes on a torus arrive, are shortest, and go along one dimension after the other."""

from __future__ import annotations

import math
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.stats.torus import (
    Shape,
    cables,
    coordinates,
    distance,
    neighbour,
    next_hop,
    node_at,
    route,
)

shapes = st.lists(st.integers(1, 6), min_size=1, max_size=4).map(tuple).filter(lambda s: math.prod(s) <= 120)


@st.composite
def journeys(draw: st.DrawFn) -> tuple[Shape, int, int]:
    shape = draw(shapes)
    nodes = st.integers(0, math.prod(shape) - 1)
    return shape, draw(nodes), draw(nodes)


def changed_axis(shape: Shape, a: int, b: int) -> int:
    pairs = zip(coordinates(shape, a), coordinates(shape, b), strict=True)
    axes = [axis for axis, (one, other) in enumerate(pairs) if one != other]
    assert len(axes) == 1
    return axes[0]


@given(journeys())
def test_a_node_is_at_its_coordinates(journey: tuple[Shape, int, int]) -> None:
    shape, node, _ = journey
    assert node_at(shape, coordinates(shape, node)) == node


@given(journeys())
def test_every_route_arrives_and_is_shortest(journey: tuple[Shape, int, int]) -> None:
    shape, source, target = journey
    hops = route(shape, source, target)
    assert len(hops) == distance(shape, source, target)
    assert [a for a, _ in hops] + [target] == [source] + [b for _, b in hops]


@given(journeys())
def test_a_route_takes_one_dimension_after_the_other(journey: tuple[Shape, int, int]) -> None:
    shape, source, target = journey
    axes = [changed_axis(shape, a, b) for a, b in route(shape, source, target)]
    assert axes == sorted(axes)


@given(journeys())
def test_a_route_uses_cables_only(journey: tuple[Shape, int, int]) -> None:
    shape, source, target = journey
    both_ways = {*cables(shape), *((b, a) for a, b in cables(shape))}
    assert set(route(shape, source, target)) <= both_ways


@given(shapes)
def test_every_pair_of_neighbours_has_one_cable(shape: Shape) -> None:
    pairs = [frozenset(one) for one in cables(shape)]
    wanted = {
        frozenset({node, neighbour(shape, node, axis, 1)})
        for node in range(math.prod(shape))
        for axis, length in enumerate(shape)
        if length > 1
    }
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == wanted


@pytest.mark.parametrize(
    ("shape", "count"), [((9,), 9), ((2,), 1), ((4, 4), 32), ((3, 3, 3), 81), ((4, 2), 12)]
)
def test_tori_have_as_many_cables_as_known(shape: Shape, count: int) -> None:
    assert len(cables(shape)) == count


def test_of_two_ways_as_long_the_positive_one_is_taken() -> None:
    assert next_hop((8,), 0, 4) == 1
    assert next_hop((8,), 4, 0) == 5
    assert next_hop((8,), 0, 5) == 7


def test_the_first_coordinate_runs_fastest() -> None:
    assert coordinates((4, 2), 5) == (1, 1)
    assert neighbour((4, 2), 3, 0, 1) == 0
    assert neighbour((4, 2), 3, 1, 1) == 7


@given(journeys())
def test_a_route_takes_the_next_hop_at_every_node(journey: tuple[Shape, int, int]) -> None:
    shape, source, target = journey
    links = route(shape, source, target)
    assert [next_hop(shape, one, target) for one, _ in links] == [other for _, other in links]


def test_a_long_route_asks_for_no_coordinates_on_the_way() -> None:
    with patch("groma.stats.torus.coordinates", side_effect=coordinates) as asked:
        assert len(route((1000, 4), 0, 2499)) == 499 + 2
    assert asked.call_count <= 10
