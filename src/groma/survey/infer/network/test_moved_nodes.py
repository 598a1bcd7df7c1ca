"""Nodes go to the groups that they are nearest to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from groma.survey.infer.network.moved_nodes import with_nodes_moved

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOUR_OF_EIGHT = np.repeat(np.arange(4), 8)


def distances_between(group_of: NDArray[np.intp], noise: float, seed: int) -> NDArray[np.float64]:
    """1 within a group, 1.2 between groups."""
    scatter = np.triu(np.random.default_rng(seed).normal(0.0, noise, (len(group_of), len(group_of))), 1)
    found: NDArray[np.float64] = 1.0 + 0.2 * (group_of[:, None] != group_of[None, :]) + scatter + scatter.T
    np.fill_diagonal(found, 0.0)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_nodes_in_wrong_groups_move_to_their_own(seed: int) -> None:
    wrong = FOUR_OF_EIGHT.copy()
    wrong[[0, 9, 17, 30]] = [1, 2, 0, 2]
    found = with_nodes_moved(wrong, distances_between(FOUR_OF_EIGHT, 0.06, seed))
    assert found.tolist() == FOUR_OF_EIGHT.tolist()


def test_groups_that_suit_stay_and_are_not_changed_in_place() -> None:
    given = FOUR_OF_EIGHT.copy()
    assert with_nodes_moved(given, distances_between(FOUR_OF_EIGHT, 0.0, 1)).tolist() == given.tolist()
    wrong = np.roll(FOUR_OF_EIGHT, 1)
    before = wrong.tolist()
    with_nodes_moved(wrong, distances_between(FOUR_OF_EIGHT, 0.0, 1))
    assert wrong.tolist() == before


@pytest.mark.parametrize("seed", range(5))
def test_no_group_is_left_empty(seed: int) -> None:
    """Nothing parts these groups."""
    random = np.random.default_rng(seed)
    group_of = np.sort(random.integers(0, 6, 24))
    group_of = np.unique(group_of, return_inverse=True)[1].astype(np.intp)
    found = with_nodes_moved(group_of, distances_between(np.zeros(24, dtype=np.intp), 0.1, seed))
    assert set(found.tolist()) == set(group_of.tolist())


def test_one_group_and_nodes_alone_stay_as_they_are() -> None:
    distances = distances_between(FOUR_OF_EIGHT, 0.05, 1)
    for group_of in (np.zeros(32, dtype=np.intp), np.arange(32)):
        assert with_nodes_moved(group_of, distances).tolist() == group_of.tolist()
