import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from groma.stats import similarity
from groma.stats.similarity import grouped, with_common_partners

Booleans = NDArray[np.bool_]


def blocks(n: int, size: int) -> Booleans:
    places = np.arange(n) // size
    return np.asarray(places[:, None] == places[None, :])


def everything(n: int) -> Booleans:
    return ~np.eye(n, dtype=bool)


def test_blocks_are_groups() -> None:
    found = grouped(blocks(8, 4), everything(8))
    assert found.groups() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert found.agreement == found.coverage == 1.0
    assert found.divides


def test_things_with_the_same_partners_are_no_group_unless_they_are_partners() -> None:
    """Three hubs are partners of all; the others only of the hubs."""
    hub = np.arange(8) < 3
    partners = hub[:, None] | hub
    assert grouped(partners, everything(8)).groups() == [[0, 1, 2]]
    assert with_common_partners(partners, everything(8)) == [[0, 1, 2], [3, 4, 5, 6, 7]]


def test_single_things_are_in_no_group() -> None:
    partners = blocks(8, 4)
    partners[4:, 4:] = False
    found = grouped(partners, everything(8))
    assert found.groups() == [[0, 1, 2, 3]]
    assert found.coverage == 0.5


def test_wrong_pairs_neither_join_nor_part_groups() -> None:
    partners = blocks(16, 8)
    partners[0, 9] = partners[9, 0] = True
    partners[2, 3] = partners[3, 2] = False
    found = grouped(partners, everything(16))
    assert [len(group) for group in found.groups()] == [8, 8]
    assert 0.9 < found.agreement < 1.0


def test_unknown_pairs_do_not_part_groups() -> None:
    known = everything(12)
    known[0, 1] = known[1, 0] = known[5, 7] = known[7, 5] = False
    found = grouped(blocks(12, 6) & known, known)
    assert [len(group) for group in found.groups()] == [6, 6]
    assert found.agreement == 1.0


def test_neighbours_on_a_ring_of_groups_stay_apart() -> None:
    group = np.arange(16) // 4
    hops = np.minimum((group[:, None] - group) % 4, (group - group[:, None]) % 4)
    assert [len(some) for some in grouped(hops <= 1, everything(16)).groups()] == [4, 4, 4, 4]


def test_one_group_of_all_does_not_divide() -> None:
    assert not grouped(everything(5), everything(5)).divides
    assert not grouped(~everything(5), everything(5)).divides


@given(st.integers(2, 24), st.integers(0, 2**32 - 1), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_counting_and_multiplying_find_the_same_groups(
    things: int, seed: int, known: float, fast: float
) -> None:
    random = np.random.default_rng(seed)

    def some(share: float) -> Booleans:
        chosen = np.triu(random.random((things, things)) < share, 1)
        return chosen | chosen.T

    looked_at = some(known)
    partners = some(fast) & looked_at
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity, "_SPARSE", 0.0)
        by_product = grouped(partners, looked_at)
        patch.setattr(similarity, "_SPARSE", 2.0)
        by_count = grouped(partners, looked_at)
    assert by_product.label.tolist() == by_count.label.tolist()
    assert by_product[1:] == by_count[1:]
