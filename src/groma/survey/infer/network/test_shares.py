"""Shares of messages by distance are those that links leave them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groma.interconnect.base import Interconnect
from groma.interconnect.lattice import torus
from groma.interconnect.switched import crossbar, in_blocks, linked_groups, tree
from groma.survey.infer.network.candidates import candidates
from groma.survey.infer.network.node_speeds import with_factors
from groma.survey.infer.network.shares import (
    WAITS,
    Share,
    expected_ratio,
    routes_at,
    share_at,
    slowed_share_at,
)

RING_OF_9 = torus(9)
FOUR_BY_FOUR = torus(4, 4)
FOUR_GROUPS = in_blocks(16, 4)


def ratios(structure: Interconnect, waits: str = "receive") -> list[float]:
    return [expected_ratio(structure, d, waits) for d in range(1, structure.nodes // 2 + 1)]


def test_a_ring_degrades_by_the_distance() -> None:
    assert ratios(RING_OF_9) == pytest.approx([1, 2, 3, 4])


def test_a_torus_is_not_monotone() -> None:
    """Shares of messages are 95.6, 47.8, 95.6, 95.6, 83.7, 47.8, 59.8, 47.8 on a measured one."""
    assert ratios(FOUR_BY_FOUR) == pytest.approx([1, 2, 1, 1, 8 / 7, 2, 1.6, 2])
    assert [share_at(FOUR_BY_FOUR, d).hops for d in (1, 2, 6)] == [1.25, 2.5, 3.5]
    assert [share_at(FOUR_BY_FOUR, d).busiest for d in (1, 2, 3, 8)] == [1, 2, 1, 2]


def test_ranks_that_wait_for_their_send_as_well_take_longer() -> None:
    assert ratios(FOUR_BY_FOUR, "both") == pytest.approx([1, 2, 1, 1, 4 / 3, 2, 2, 2])


def test_a_crossbar_does_not_degrade() -> None:
    assert ratios(crossbar(12)) == pytest.approx([1.0] * 6)


def test_a_tapered_tree_degrades_up_to_the_size_of_its_groups() -> None:
    leaves = tree(FOUR_GROUPS, 1.0)
    assert share_at(leaves, 1).busiest == 1
    assert [float(share_at(leaves, d).sent.min()) for d in (1, 2, 4, 8)] == pytest.approx(
        [1, 0.5, 0.25, 0.25]
    )


def test_linked_groups_suffer_most_at_multiples_of_their_size() -> None:
    groups = linked_groups(FOUR_GROUPS, 1.0)
    slowest = [float(share_at(groups, d).sent.min()) for d in (4, 6, 8)]
    assert slowest == pytest.approx([0.25, 0.5, 0.25])


@given(st.integers(4, 24), st.data())
def test_hops_are_a_metric_and_shares_are_fair(nodes: int, data: st.DataObject) -> None:
    structure = data.draw(st.sampled_from(list(candidates(nodes))))
    steps = structure.hops()
    assert (steps == steps.T).all()
    assert (np.diag(steps) == 0).all()
    share = share_at(structure, data.draw(st.integers(1, nodes // 2)))
    assert len(share.sent) == nodes
    assert 0 < share.sent.min() <= share.sent.max() <= 1 + 1e-9


@given(st.integers(4, 24), st.data())
def test_links_that_carry_half_are_slow_wherever_that_is_said(nodes: int, data: st.DataObject) -> None:
    structure = data.draw(st.sampled_from(list(candidates(nodes))))
    distance = data.draw(st.integers(1, nodes // 2))
    links = sorted(set().union(*routes_at(structure, distance)), key=repr)
    first, second = (data.draw(st.sets(st.sampled_from(links), max_size=3)) for _ in range(2))
    said = with_factors(structure, tuple((link, 0.5) for link in first | second))
    partly = with_factors(structure, tuple((link, 0.5) for link in first - second))
    assert (
        share_at(said, distance).sent.tolist()
        == slowed_share_at(partly, distance, frozenset(second)).sent.tolist()
    )


@pytest.mark.parametrize("distance", [0, 1, 4, 5, 7])
def test_a_rank_receives_what_the_one_so_far_before_sends(distance: int) -> None:
    sent = np.array([1.0, 5.0, 2.0, 4.0, 3.0])
    received = [float(sent[(rank - distance) % 5]) for rank in range(5)]
    both = [min(pair) for pair in zip(sent.tolist(), received, strict=True)]
    share = Share(distance, sent, 0.0, 1)
    assert [share.of_ranks(waits).tolist() for waits in WAITS] == [received, both]


def test_shares_of_a_structure_keep_no_routes() -> None:
    """Routes of a ring of 1024 nodes take gigabytes."""
    before = routes_at.cache_info()
    share_at(torus(61), 7)
    assert routes_at.cache_info() == before
