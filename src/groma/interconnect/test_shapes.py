"""Shapes of lattices hold all nodes; cuts of tori."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.interconnect.shapes import bisection_links, cubic_shape, lattice_shapes


@pytest.mark.parametrize(
    ("nodes", "shape"),
    [
        (1, (1, 1, 1)),
        (64, (4, 4, 4)),
        (128, (4, 4, 8)),
        (8192, (16, 16, 32)),
        (65536, (32, 32, 64)),
        (96, (4, 4, 6)),
        (768, (8, 8, 12)),
        (7, (1, 1, 7)),
    ],
)
def test_a_shape_is_as_near_to_a_cube_as_its_nodes_allow(nodes: int, shape: tuple[int, ...]) -> None:
    assert cubic_shape(nodes, 3) == shape


@given(st.integers(1, 5000), st.integers(1, 4))
def test_every_shape_has_all_its_nodes(nodes: int, dimensions: int) -> None:
    shape = cubic_shape(nodes, dimensions)
    assert math.prod(shape) == nodes
    assert len(shape) == dimensions
    assert list(shape) == sorted(shape)


@pytest.mark.parametrize(("shape", "links"), [((4, 4, 4), 32), ((16, 16, 32), 512), ((1, 1, 1), 0)])
def test_a_ring_is_cut_twice(shape: tuple[int, ...], links: int) -> None:
    assert bisection_links(shape) == links


@pytest.mark.parametrize(
    ("nodes", "shapes"),
    [(2, []), (7, [(7,)]), (8, [(8,), (2, 4), (4, 2), (2, 2, 2)]), (9, [(9,), (3, 3)])],
)
def test_shapes_are_the_ordered_factorisations(nodes: int, shapes: list[tuple[int, ...]]) -> None:
    assert list(lattice_shapes(nodes)) == shapes


@given(st.integers(3, 60))
def test_every_shape_holds_all_nodes(nodes: int) -> None:
    assert all(math.prod(shape) == nodes for shape in lattice_shapes(nodes))
