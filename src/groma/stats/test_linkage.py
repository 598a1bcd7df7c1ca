from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from groma.stats.linkage import partitions


def test_two_distant_groups_are_the_first_partition() -> None:
    places = np.array([0.0, 10.0, 0.5, 10.2, 1.0])
    first = partitions(np.abs(places[:, None] - places[None, :]))[0]
    assert first == [[0, 2, 4], [1, 3]]


def test_nothing_and_one_thing_have_no_partition() -> None:
    assert partitions(np.zeros((0, 0))) == []
    assert partitions(np.zeros((1, 1))) == []


@given(st.lists(st.floats(0, 100), min_size=2, max_size=12))
def test_partitions_are_nested_and_hold_everything_once(places: list[float]) -> None:
    found = partitions(np.abs(np.subtract.outer(places, places)))
    assert [len(one) for one in found] == list(range(2, len(places) + 1))
    for one in found:
        assert sorted(i for group in one for i in group) == list(range(len(places)))
    for coarse, fine in pairwise(found):
        assert all(any(set(group) <= set(wide) for wide in coarse) for group in fine)
