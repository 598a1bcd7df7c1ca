"""The equations of the paper, locked on its numbers."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.interconnect.lattice import torus
from groma.interconnect.shapes import bisection_links
from groma.model.equations import (
    core_load,
    cpu_bound,
    crossing_share,
    network_bound,
    routed_hops,
    specialised_bound,
)


def test_equation_1_settles_the_hop_of_section_5_2() -> None:
    """457 cycles an update on 64 nodes, 92 of them local, 2.25 hops: 162 cycles for a hop."""
    assert 64 / cpu_bound(64, 92, 162, 2.25) == pytest.approx(457, rel=0.002)


def test_equation_1_of_one_processor_has_no_travel() -> None:
    assert cpu_bound(1, 90, 750, 0.0) == 1 / 90


def test_network_bound_is_reached_when_half_of_the_updates_cross_evenly() -> None:
    rate, each = 8e9, 12.5
    crossing_one_way = rate / 2 / 2 * each
    assert network_bound(crossing_one_way, each) == pytest.approx(rate)


@pytest.mark.parametrize("shape", [(3,), (5,), (3, 3, 3), (3, 5), (5, 7)])
def test_network_bound_fills_the_busiest_links_of_odd_rings(shape: tuple[int, ...]) -> None:
    """Updates of all pairs of nodes on their shortest ways."""
    whole = torus(*shape)
    pairs = itertools.product(range(whole.nodes), repeat=2)
    carried = Counter(link for pair in pairs for link in whole.steps(*pair))
    of_each = max(carried.values()) / whole.nodes**2
    bound = network_bound(bisection_links(shape), 1.0, crossing_share(max(shape)))
    assert bound * of_each == pytest.approx(1.0)


@pytest.mark.parametrize("extent", [2, 4, 16])
def test_half_of_the_updates_cross_an_even_ring(extent: int) -> None:
    assert crossing_share(extent) == 0.5


def test_equation_6_gives_the_143_cycles_of_section_5_2() -> None:
    assert core_load(90 + 41.5, 0, 330, 29) == pytest.approx(143, abs=0.2)


def test_equation_7_names_the_slowest_core() -> None:
    """Section 5.1: 95, 112, 114 and 146 cycles."""
    rate, slowest = specialised_bound(64, {"0": 95, "1": 112, "2": 114, "3": 146})
    assert slowest == "3"
    assert rate == 64 / 146


@given(st.lists(st.floats(1, 1e4), min_size=1, max_size=8), st.floats(1, 2))
def test_no_core_alone_is_slower_than_all_together(loads: list[float], slower: float) -> None:
    named = {str(core): load for core, load in enumerate(loads)}
    rate, slowest = specialised_bound(1, named)
    assert all(rate <= 1 / load for load in loads)
    assert specialised_bound(1, named | {slowest: named[slowest] * slower})[0] <= rate


def test_three_quarters_of_the_updates_hop_in_each_dimension_of_four() -> None:
    assert routed_hops((4, 4, 4)) == 2.25


def test_hops_are_the_mean_over_all_pairs() -> None:
    shape = (2, 3, 4)
    nodes = [(x, y, z) for x in range(2) for y in range(3) for z in range(4)]
    pairs = [sum(a != b for a, b in zip(one, other, strict=True)) for one in nodes for other in nodes]
    assert routed_hops(shape) == pytest.approx(sum(pairs) / len(pairs))
