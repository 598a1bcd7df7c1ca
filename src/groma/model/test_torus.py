"""Shapes, hops, cuts and packets of a torus."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.model.machine import find_machine
from groma.model.torus import bisection_links, routed_hops, torus_shape, wire_bytes


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
    assert torus_shape(nodes, 3) == shape


@given(st.integers(1, 5000), st.integers(1, 4))
def test_every_shape_has_all_its_nodes(nodes: int, dimensions: int) -> None:
    shape = torus_shape(nodes, dimensions)
    assert math.prod(shape) == nodes
    assert len(shape) == dimensions
    assert list(shape) == sorted(shape)


def test_three_quarters_of_the_updates_hop_in_each_dimension_of_four() -> None:
    assert routed_hops((4, 4, 4)) == 2.25


def test_hops_are_the_mean_over_all_pairs() -> None:
    shape = (2, 3, 4)
    nodes = [(x, y, z) for x in range(2) for y in range(3) for z in range(4)]
    pairs = [sum(a != b for a, b in zip(one, other, strict=True)) for one in nodes for other in nodes]
    assert routed_hops(shape) == pytest.approx(sum(pairs) / len(pairs))


@pytest.mark.parametrize(("shape", "links"), [((4, 4, 4), 32), ((16, 16, 32), 512), ((1, 1, 1), 0)])
def test_a_ring_is_cut_twice(shape: tuple[int, ...], links: int) -> None:
    assert bisection_links(shape) == links


@pytest.mark.parametrize(
    ("payload", "wire"),
    [(8, 46), (72, 110), (240, 270), (241, 270 + 46), (480, 540), (0, 0)],
)
def test_packets_of_blue_gene_take_whole_steps_on_the_wire(payload: float, wire: float) -> None:
    assert wire_bytes(find_machine("bluegene-p").packet, payload) == wire
