"""The lowest weight is the one that a look at all weights finds."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from groma.profile.lowest import SAME_WEIGHT, LowestWeight, lowest
from groma.profile.mapping import selected

NEAR = SAME_WEIGHT * 0.6
"""Weights that differ by this are the same, but not those that differ by it twice."""

weights = st.one_of(
    st.integers(-3, 3).map(float), st.integers(-4, 4).map(lambda steps: steps * NEAR), st.just(float("inf"))
)


@given(st.integers(1, 20), st.lists(weights, max_size=60))
def test_a_changed_weight_leaves_the_lowest_one_that_all_weights_give(
    count: int, changes: list[float]
) -> None:
    every, tree = [0.0] * count, LowestWeight(count)
    for weight in changes:
        every[tree.index] = weight
        tree.change(weight)
        assert tree.index == lowest(every)


def test_a_selection_does_not_look_at_all_nodes() -> None:
    """Of weights that are the same everywhere, too: a look at all would be one for each pair of nodes."""
    nodes, looks = 2000, 0
    first_lower = LowestWeight._first_lower

    def counted(self: LowestWeight, after: int, bound: float) -> int | None:
        nonlocal looks
        looks += 1
        return first_lower(self, after, bound)

    with patch.object(LowestWeight, "_first_lower", counted):
        found = list(selected(1, nodes, nodes, lambda _one, _other: 0.0))
    assert found == [(node, 0) for node in range(nodes)]
    assert looks < 3 * nodes
