from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from groma.stats.resampling import answer_shares, certainty, group_interval, low_decile


def larger(groups: Mapping[str, NDArray[np.float64]]) -> str:
    return max(groups, key=lambda name: float(np.median(groups[name])))


def test_groups_far_apart_give_one_answer() -> None:
    assert answer_shares({"a": [1.0, 1.1, 1.2], "b": [5.0, 5.1]}, larger) == {"b": 1.0}


def test_groups_alike_leave_the_answer_open() -> None:
    random = np.random.default_rng(4)
    shares = answer_shares({"a": list(random.normal(0, 1, 50)), "b": list(random.normal(0, 1, 50))}, larger)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert len(shares) == 2
    assert list(shares.values()) == sorted(shares.values(), reverse=True)


def test_resampling_is_reproducible() -> None:
    groups = {"a": [1.0, 2.0, 9.0], "b": [2.0, 3.0, 2.5]}
    assert answer_shares(groups, larger, seed=3) == answer_shares(groups, larger, seed=3)


def test_an_empty_group_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        answer_shares({"a": [], "b": [1.0]}, larger)


def test_low_decile_is_a_sample_near_the_low_end() -> None:
    assert low_decile(np.array([5.0])) == 5.0
    assert low_decile(np.array([float(value) for value in range(40, 0, -1)])) == 5.0


def test_few_samples_are_never_certain() -> None:
    assert certainty(1.0, 0) == 0.5
    assert certainty(1.0, 1) == pytest.approx(2 / 3)
    assert certainty(1.0, 40) == pytest.approx(41 / 42)
    assert certainty(0.6, 40) == 0.6


def difference(groups: Mapping[str, NDArray[np.float64]]) -> float:
    return float(np.mean(groups["b"]) - np.mean(groups["a"]))


def test_interval_of_a_difference_holds_the_truth_as_often_as_it_says() -> None:
    random = np.random.default_rng(8)
    held = []
    for _ in range(60):
        groups = {"a": list(random.normal(0, 1, 30)), "b": list(random.normal(3, 1, 40))}
        found = group_interval(groups, difference)
        held.append(found.low <= 3 <= found.high)
    assert np.mean(held) >= 0.85


def test_interval_of_an_empty_group_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        group_interval({"a": [], "b": [1.0]}, difference)
