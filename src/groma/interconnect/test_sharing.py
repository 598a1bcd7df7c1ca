"""Shares of links are fair, full, and those known from beds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.interconnect.lattice import Shape, torus
from groma.interconnect.sharing import link_loads, max_min_shares, shifted

RATE = 100 * 1448 / 1514
"""What TCP gets of 100 Mbit/s in frames of 1514 bytes."""


def mean_share(shape: Shape, by: int) -> float:
    flows = [torus(*shape).path(*pair) for pair in shifted(math.prod(shape), by)]
    capacities = {link: RATE for cable in torus(*shape).cables() for link in cable.links}
    shares = max_min_shares(flows, capacities)
    return sum(shares) / len(shares)


def busiest(shape: Shape, by: int) -> int:
    return max(link_loads(torus(*shape).path(*pair) for pair in shifted(math.prod(shape), by)).values())


@pytest.mark.parametrize(("by", "load"), [(1, 1), (2, 2), (3, 3), (4, 4)])
def test_on_a_ring_of_nine_the_load_is_the_distance(by: int, load: int) -> None:
    assert busiest((9,), by) == load
    assert mean_share((9,), by) == pytest.approx(RATE / load)


# Mean of hops, flows on the busiest link, mean share of 95.6 Mbit/s: the table of a measured 4 x 4 torus.
TORUS = [
    (1, 1.25, 1, 95.6),
    (2, 2.5, 2, 47.8),
    (3, 1.75, 1, 95.6),
    (4, 1.0, 1, 95.6),
    (5, 2.25, 2, 83.7),
    (6, 3.5, 2, 47.8),
    (7, 2.75, 2, 59.8),
    (8, 2.0, 2, 47.8),
]


@pytest.mark.parametrize(("by", "hops", "load", "share"), TORUS)
def test_on_a_torus_of_four_by_four_shares_are_not_monotone(
    by: int, hops: float, load: int, share: float
) -> None:
    pairs = shifted(16, by)
    assert sum(torus(4, 4).distance(a, b) for a, b in pairs) / 16 == hops
    assert busiest((4, 4), by) == load
    assert mean_share((4, 4), by) == pytest.approx(share, abs=0.06)


def test_a_flow_that_others_do_not_need_gets_the_rest() -> None:
    assert max_min_shares(["a", "ab", "b"], {"a": 1.0, "b": 5.0}) == [0.5, 0.5, 4.5]


def test_links_without_capacity_limit_nobody() -> None:
    assert max_min_shares([["free"], [], ["free", "a"]], {"a": 2.0}) == [math.inf, math.inf, 2.0]


networks = st.lists(st.sets(st.sampled_from("abcdef"), min_size=1).map(sorted), min_size=1, max_size=8)
rates = st.fixed_dictionaries({name: st.floats(0.1, 100.0) for name in "abcdef"})


@given(networks, rates)
def test_no_link_carries_more_than_it_can(flows: list[list[str]], capacities: dict[str, float]) -> None:
    shares = max_min_shares(flows, capacities)
    for link, capacity in capacities.items():
        carried = sum(share for share, flow in zip(shares, flows, strict=True) if link in flow)
        assert carried <= capacity * (1 + 1e-9)


@given(networks, rates)
def test_every_flow_has_a_full_link_where_none_gets_more(
    flows: list[list[str]], capacities: dict[str, float]
) -> None:
    shares = max_min_shares(flows, capacities)
    for share, flow in zip(shares, flows, strict=True):
        assert any(
            math.isclose(sum(s for s, f in zip(shares, flows, strict=True) if link in f), capacities[link])
            and all(s <= share * (1 + 1e-9) for s, f in zip(shares, flows, strict=True) if link in f)
            for link in flow
        )
